"""The numbers of places that are sent, and those of the bases of a whole category. Pure.

What is sent gets its number here, when it is known what else goes into a category (`plan/sequence.py`). The bases of a
category follow the portal's numbers, all of them or none, so that they always show one order (`plan/rebase.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from kbsync.model import Action, Agreed, Change, FieldChange, Neighbors, Observed, Status
from kbsync.plan.draft import Draft, follow_rename
from kbsync.plan.reorder import Group, Groups, key_of_order, member_of, wish_of
from kbsync.plan.sequence import Slot, carried_out, compare, number_slots
from kbsync.plan.translation_links import is_link
from kbsync.plan.undo_order import neighbors


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
        group.compared if group.compared.seen else compare(member_of(draft, group, m) for m in group.matches.values())
    )
    wishes = {path: wish_of(match.desired) for path, match in group.matches.items()}
    wishes |= {path: wish_of(desired) for path, desired in group.coming.items()}
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
        beside = _beside(group, path, order) if path in group.compared.seen else None
        draft.changes[place] = _numbered(draft, group, draft.changes[place], found[path], beside)
    first = next(_name_of(group, path) for path in order if path in moving)
    for path in sorted(found.keys() - moving.keys()):
        _make_room(draft, group, path, found[path], first)


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
