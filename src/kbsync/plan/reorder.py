"""The order within categories, and of categories, for a plan: verdicts before it is made, numbers afterwards. Pure.

`plan/sequence.py` compares. What is sent gets its number here, when it is known what else goes into a category; and the
bases of a category follow the portal's numbers, all of them or none, so that they always show one order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from kbsync.model import Action, Agreed, Change, Desired, FieldChange, Manage, Neighbors, Observed, Status
from kbsync.plan.decide import ABSENT, Verdict
from kbsync.plan.draft import Draft, Place, follow_rename
from kbsync.plan.match import Match
from kbsync.plan.proofs import proof_of
from kbsync.plan.rebase import Rebased, rebase
from kbsync.plan.sequence import Compared, Member, Slot, carried_out, compare, number_slots
from kbsync.plan.translation_links import is_link
from kbsync.plan.undo_order import neighbors

Key = tuple[str, str, object]
"""What is ordered together: kind, locale, and the category of articles."""


@dataclass(slots=True)
class Group:
    """A category with articles that give a `position`, or the categories of a locale.

    Args:
        matches: those that are in it on both sides, by path; `numbers` are the portal's.
        coming: those that come into it.
        taken: numbers of all else that is in it.
        compared: its orders; empty where all numbers are the same.
        rebased: the numbers that its bases get.
    """

    matches: dict[str, Match] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    coming: dict[str, Desired] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)
    compared: Compared = field(default_factory=lambda: Compared((), (), (), {}))
    rebased: Rebased | None = field(default_factory=Rebased)

    @property
    def is_plain(self) -> bool:
        """Whether all numbers are the same on all three sides."""
        return all(
            match.base is not None
            and not match.base.is_decided
            and match.desired.fields["position"] == self.numbers[path] == match.base.fields.get("position", ABSENT)
            for path, match in self.matches.items()
        )


Groups = Mapping[Key, Group]


def key_of_order(kind: str, locale: str, category: object) -> Key | None:
    """What an item is ordered in; None of an article without a category, which no reader sees in any order."""
    if kind == "category":
        return (kind, locale, None)
    return (kind, locale, category) if category is not None else None


def compare_orders(draft: Draft, matched: Iterable[Match], renamed: Mapping[tuple[str, str], str]) -> Groups:
    """Compare every order, and give the draft the verdict about each place.

    Args:
        draft: the plan that is to be made.
        matched: which source is which article, of the whole content tree.
        renamed: categories that get another slug, old to new.
    """
    groups = _groups(draft, matched, renamed)
    for group in groups.values():
        if not group.is_plain:
            members = [_member(draft, group, match) for match in group.matches.values()]
            group.compared = compare(members)
            group.rebased = rebase(members, group.compared)
            draft.places |= {path: _place(draft, group, match) for path, match in group.matches.items()}
    return groups


def _groups(draft: Draft, matched: Iterable[Match], renamed: Mapping[tuple[str, str], str]) -> dict[Key, Group]:
    keeps = draft.policy.keeps
    groups: dict[Key, Group] = {}
    for match in matched:
        desired, there = match.desired, match.observed
        number = desired.fields.get("position")
        if not isinstance(number, int) or "position" not in keeps[desired.kind] or desired.manage is Manage.FALSE:
            continue
        key = key_of_order(desired.kind, desired.locale, desired.fields.get("category"))
        if key is None or (desired.manage is Manage.SEED and match.base is not None):
            continue
        group = groups.setdefault(key, Group())
        if there is None:
            group.coming[desired.path] = desired
            continue
        seen = there.fields.get("position")
        is_here = there.locale in ("", desired.locale) and (
            desired.kind == "category"
            or follow_rename(there.fields, there.locale, renamed).get("category") == desired.fields.get("category")
        )
        if is_here and isinstance(seen, int):
            group.matches[desired.path] = match
            group.numbers[desired.path] = seen
        elif not is_here:
            group.coming[desired.path] = desired
            draft.places[desired.path] = Place(Verdict.NOTHING)
    return groups


def _member(draft: Draft, group: Group, match: Match) -> Member:
    desired, base, there = match.desired, match.base, match.observed
    assert there is not None
    wanted = _wish(desired)
    agreed = base.fields.get("position") if base else None
    last = base.kept.get("position") if base else None
    proven = proof_of(draft, match, there).get("position") if agreed is None else None
    return Member(
        desired.path,
        wanted,
        group.numbers[desired.path],
        agreed if isinstance(agreed, int) else None,
        last if isinstance(last, int) else None,
        is_touched=base is not None and there.updated_at > base.touched_s,
        is_renumbered=bool(proven) if agreed is None else wanted != agreed,
    )


# --- verdicts --------------------------------------------------------------------------------------------------------


def _place(draft: Draft, group: Group, match: Match) -> Place:
    path, base, there = match.desired.path, match.base, match.observed
    assert there is not None
    has_base = base is not None and "position" in base.fields
    moved = group.compared.moved.get(path)
    if moved is None:
        return Place(Verdict.NOTHING if has_base else Verdict.ADOPT)
    proof = proof_of(draft, match, there).get("position")
    is_still = False
    if not has_base:
        verdict = Verdict.CONFLICT if proof is None else Verdict.SEND if proof else Verdict.DRIFT
    elif moved.theirs:
        verdict = Verdict.DRIFT if not moved.ours else Verdict.SEND if proof else Verdict.CONFLICT
    elif moved.ours:
        verdict = Verdict.DRIFT if proof is False else Verdict.SEND
    else:
        verdict, is_still = Verdict.DRIFT, True
    if group.rebased is None and verdict is Verdict.SEND:
        verdict = Verdict.CONFLICT  # Both sides moved so much that no base could tell afterwards who moved what.
    seen, wanted = _words(group, path)
    sentence = f"In the panel, `{match.desired.slug}` now comes {seen}."
    agreed = group.rebased.wanted.get(path) if group.rebased else None
    return Place(verdict, (seen, wanted), sentence, agreed, is_still)


def _words(group: Group, path: str) -> tuple[str, str]:
    """Where something is on the portal and in the files, by a neighbor that says what differs."""
    order = group.compared
    seen, wanted = order.anchors(order.seen), order.anchors(order.wanted)
    place = {other: number for number, other in enumerate(order.seen)}
    rank = {other: number for number, other in enumerate(order.wanted)}
    there = sum(place[other] < place[path] for other in seen)
    here = sum(rank[other] < rank[path] for other in wanted)
    if there == here:
        # Only what is out of order itself comes between: the nearest of those that it has on its other side.
        crossed = [o for o in order.moved if (place[o] < place[path]) is not (rank[o] < rank[path])]
        other = min(crossed, key=lambda o: abs(place[o] - place[path]))
        name = _name(group, other)
        return ("after", "before")[place[other] > place[path]] + f" {name}", ("after", "before")[
            rank[other] > rank[path]
        ] + f" {name}"
    if there < here:
        return f"before {_name(group, seen[there])}", f"after {_name(group, wanted[here - 1])}"
    return f"after {_name(group, seen[there - 1])}", f"before {_name(group, wanted[here])}"


def _name(group: Group, path: str) -> str:
    return f"`{group.matches[path].desired.slug}`"


# --- numbers ---------------------------------------------------------------------------------------------------------


def number_changes(
    draft: Draft, groups: Groups, observed: Iterable[Observed], renamed: Mapping[tuple[str, str], str]
) -> None:
    """Give the changes that send a place their numbers, and let the bases follow.

    Args:
        draft: the plan, with all its changes.
        groups: what is ordered.
        observed: what the portal holds.
        renamed: categories that get another slug, old to new.
    """
    sent = {
        change.path: number
        for number, change in enumerate(draft.changes)
        if "position" in change.after and change.action in {Action.CREATE, Action.UPDATE}
    }
    moving = {
        key: {path: sent[path] for path in (*group.matches, *group.coming) if path in sent}
        for key, group in (groups.items() if sent else ())
    }
    _note_taken({key: groups[key] for key, paths in moving.items() if paths}, observed, renamed)
    for key, group in groups.items():
        if moving.get(key):
            _number_group(draft, group, moving[key])
        _settle(draft, group)


def _note_taken(groups: Groups, observed: Iterable[Observed], renamed: Mapping[tuple[str, str], str]) -> None:
    """The numbers of what is in these orders and gives no position in a file."""
    for item in observed if groups else ():
        key = key_of_order(item.kind, item.locale, follow_rename(item.fields, item.locale, renamed).get("category"))
        position = item.fields.get("position")
        if key is not None and key in groups and isinstance(position, int):
            ours = (match.observed for match in groups[key].matches.values())
            if not any(other is not None and other.remote_id == item.remote_id for other in ours):
                groups[key].taken.add(position)


def _number_group(draft: Draft, group: Group, moving: Mapping[str, int]) -> None:
    compared = (
        group.compared if group.compared.seen else compare(_member(draft, group, m) for m in group.matches.values())
    )
    wishes = {path: _wish(match.desired) for path, match in group.matches.items()}
    wishes |= {path: _wish(desired) for path, desired in group.coming.items()}
    ranks = {path: rank for rank, path in enumerate(sorted(wishes, key=lambda path: (wishes[path], path)))}
    order = carried_out(compared, ranks, moving)
    slots = [
        Slot(path, None, wishes[path])
        if path in moving
        else Slot(path, group.numbers[path], may_make_room=_may_make_room(draft, group, path))
        for path in order
    ]
    found = number_slots(slots, group.taken)
    for path, place in moving.items():
        beside = _beside(group, path, order) if path in group.matches else None
        draft.changes[place] = _numbered(draft, group, draft.changes[place], found[path], beside)
    first = next(_name_of(group, path) for path in order if path in moving)
    for path in sorted(found.keys() - moving.keys()):
        _make_room(draft, group, path, found[path], first)


def _wish(desired: Desired) -> int:
    number = desired.fields["position"]
    assert isinstance(number, int)
    return number


def _name_of(group: Group, path: str) -> str:
    return f"`{(group.coming.get(path) or group.matches[path].desired).slug}`"


def _may_make_room(draft: Draft, group: Group, path: str) -> bool:
    match, policy = group.matches[path], draft.policy
    is_live = match.observed is not None and match.observed.status is Status.PUBLISHED
    if path in group.compared.moved or f"update_{match.desired.kind}" not in policy.can:
        return False
    return not (is_live and policy.live == "hold" and path not in policy.consent)


def _beside(group: Group, path: str, order: Sequence[str]) -> tuple[Neighbors, Neighbors]:
    """The neighbors of something before and after it is sent; what is only about to be made is none yet."""
    ids = {other: match.observed.remote_id for other, match in group.matches.items() if match.observed}
    now, then = (
        [ids[other] for other in some if other in ids] for some in (group.compared.seen or group.matches, order)
    )
    return neighbors(ids[path], now), neighbors(ids[path], then)


def _numbered(
    draft: Draft, group: Group, change: Change, number: int, beside: tuple[Neighbors, Neighbors] | None
) -> Change:
    place = draft.places.get(change.path)
    said = place.said if place and change.path in group.matches else None

    agreed = group.rebased.agreed.get(change.path) if group.rebased else None

    def numbered(item: FieldChange) -> FieldChange:
        was = item.agreed if not item.agreed or agreed is None else (agreed,)
        return replace(item, after=number, said=said, agreed=was, leaves=_leaves(group, number), beside=beside)

    return replace(change, fields=tuple(numbered(f) if f.name == "position" else f for f in change.fields))


def _leaves(group: Group, number: int) -> Agreed | None:
    """What is agreed on of a number that is sent, where that is not the number itself."""
    scale = group.rebased.scale if group.rebased else 1
    return None if scale == 1 else (number * scale,)


def _make_room(draft: Draft, group: Group, path: str, after: int, name: str) -> None:
    """Give a neighbor another number, with its place unchanged."""
    desired, there, before = group.matches[path].desired, group.matches[path].observed, group.numbers[path]
    assert there is not None
    said = (str(before), f"{after}, to make room for {name}")
    room = FieldChange(
        "position", before, after, said=said, leaves=_leaves(group, after), beside=((None, None), (None, None))
    )
    for number, change in enumerate(draft.changes):
        if change.path == desired.path and change.action is Action.UPDATE and not is_link(change):
            draft.changes[number] = replace(change, fields=(*change.fields, room))
            return
    draft.changes.append(
        Change(
            action=Action.UPDATE,
            kind=desired.kind,
            locale=desired.locale,
            slug=desired.slug,
            path=desired.path,
            remote_id=there.remote_id,
            title=desired.title,
            fields=(room,),
            live=there.status is Status.PUBLISHED,
        )
    )


# --- bases -----------------------------------------------------------------------------------------------------------


def _settle(draft: Draft, group: Group) -> None:
    """Let the bases of a category follow the portal's numbers; a decision about a place ends with the difference."""
    rebased = group.rebased
    if rebased is None or not group.compared.seen:
        return
    for path, match in group.matches.items():
        there, moved = match.observed, group.compared.moved.get(path)
        assert there is not None
        key = (there.kind, there.remote_id)
        base = draft.settled.get(key, match.base)
        if base is None:
            continue
        fields = {name: value for name, value in base.fields.items() if name != "position"}
        if path in rebased.agreed or moved is None:
            fields["position"] = rebased.agreed.get(path, group.numbers[path] * rebased.scale)
        kept, overruled = dict(base.kept), dict(base.overruled)
        if moved is None:
            kept.pop("position", None)
            overruled.pop("position", None)
        elif draft.places[path].is_still:
            kept["position"] = group.numbers[path] * rebased.scale
        found = replace(base, fields=fields, kept=kept, overruled=overruled)
        if found != base:
            draft.settled[key] = found
