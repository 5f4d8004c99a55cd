"""The numbers of places that are sent, and those of the bases of a whole category. Pure.

What is sent gets its number here, when it is known what else goes into a category (`plan/sequence.py`). The bases of a
category keep numbers that show the order that was agreed on: those of the portal, as it numbers a whole category anew.

The place of new articles without a `position` in their category: in path order, as the preview shows them. Pure.

Left to the service, each would come behind whatever was made before it, and requests overtake each other. So a create
says the place, and nothing later does: a position that no file gives stays the panel's. Files between two that are on
the portal already go between them, where the portal has those in path order and room between; else behind all.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

import msgspec
from msgspec.structs import replace

from kbsync.model import Action, Base, Change, FieldChange, Neighbors, Observed, Status
from kbsync.plan.decide import Verdict
from kbsync.plan.draft import Draft, Renamed, change_of, follow_rename, position_of
from kbsync.plan.match import Match, Matches
from kbsync.plan.reorder import Group, Groups, compare_members, key_of_order
from kbsync.plan.reorder import Key as OrderKey
from kbsync.plan.sequence import STEP, Slot, carried_out, evenly, following, neighbors, number_slots, ranks_of
from kbsync.plan.translation_links import is_link

Key = tuple[str, object]
"""A category: locale and slug."""


class _Category(msgspec.Struct):
    """The order of a category: every position, and by path those that no file gives."""

    taken: set[int] = msgspec.field(default_factory=set)
    loose: dict[str, int] = msgspec.field(default_factory=dict)

    def in_order(self) -> list[tuple[str, int]]:
        """The loose ones, where the portal has them in path order; nothing where somebody arranged them otherwise."""
        found = sorted(self.loose.items())
        return found if all(one < two for (_, one), (_, two) in pairwise(found)) else []


def place_new(draft: Draft, matches: Matches, observed: Iterable[Observed], renamed: Renamed) -> None:
    """Give the creates of articles their places."""
    if "position" not in draft.policy.keeps["article"]:
        return
    new = _without_place(draft)
    categories = _categories(new, matches.matched, observed, renamed) if new else {}
    for key, numbers in new.items():
        numbers.sort(key=lambda number: draft.changes[number].path)
        paths = [draft.changes[number].path for number in numbers]
        for number, place in zip(numbers, _places(categories[key], paths), strict=True):
            # `leaves`: it was never agreed on, as no file gives it.
            fields = (*draft.changes[number].fields, FieldChange("position", None, place, leaves=()))
            draft.changes[number] = replace(draft.changes[number], fields=fields)


def _without_place(draft: Draft) -> dict[Key, list[int]]:
    """The creates of articles in a category whose files give no position, by category."""
    new: dict[Key, list[int]] = {}
    for number, change in enumerate(draft.changes):
        category = change.after.get("category")
        is_new = change.action is Action.CREATE and change.kind == "article"
        if is_new and category is not None and "position" not in change.after:
            new.setdefault((change.locale, category), []).append(number)
    return new


def _categories(
    new: Iterable[Key], matched: Iterable[Match], observed: Iterable[Observed], renamed: Renamed
) -> dict[Key, _Category]:
    found = {key: _Category() for key in new}
    for item in observed:
        category = found.get((item.locale, follow_rename(item.fields, item.locale, renamed).get("category")))
        position = position_of(item.fields)
        if category is not None and item.kind == "article" and position is not None:
            category.taken.add(position)
    for match in matched:
        category = found.get((match.desired.locale, match.desired.fields.get("category")))
        if category is not None and match.desired.kind == "article":
            _note_place(category, match)
    return found


def _note_place(category: _Category, match: Match) -> None:
    if (wanted := position_of(match.desired.fields)) is not None:
        category.taken.add(wanted)
    elif match.observed and (position := position_of(match.observed.fields)) is not None:
        category.loose[match.desired.path] = position


def _places(category: _Category, paths: list[str]) -> Iterator[int]:
    """A place for each of some paths, which come in order."""
    known = category.in_order()
    names = [path for path, _ in known]
    last = max(category.taken, default=0)
    for where, group in groupby(paths, key=lambda path: bisect(names, path)):
        few = list(group)
        low = known[where - 1][1] if where else 0
        between = _between(low, known[where][1], len(few)) if where < len(known) else []
        if not between or not category.taken.isdisjoint(between):
            between = [last + STEP * nth for nth in range(1, len(few) + 1)]
            last = between[-1]
        yield from between


def _between(low: int, high: int, number: int) -> list[int]:
    """So many places between two, evenly, so that the next ones find room as well; none where there is too little."""
    found = evenly(low, high, number)
    return found if all(one < two for one, two in pairwise([low, *found, high])) else []


def number_changes(draft: Draft, groups: Groups, observed: Iterable[Observed], renamed: Renamed) -> None:
    """Give the changes that send a place their numbers, and let the bases follow."""
    moving = _moving(draft, groups)
    _note_taken({key: groups[key] for key in moving}, observed, renamed)
    for key, group in groups.items():
        found = _number_group(draft, group, moving[key]) if key in moving else {}
        if group.compared.seen:
            _settle(draft, group, found)


def _moving(draft: Draft, groups: Groups) -> dict[OrderKey, dict[str, int]]:
    """By order and path: which change sends a place."""
    sent = {
        change.path: number
        for number, change in enumerate(draft.changes)
        if "position" in change.after and change.action in {Action.CREATE, Action.UPDATE}
    }
    found = {
        key: {path: sent[path] for path in (*group.matches, *group.coming) if path in sent}
        for key, group in (groups.items() if sent else ())
    }
    return {key: paths for key, paths in found.items() if paths}


def _note_taken(groups: Groups, observed: Iterable[Observed], renamed: Renamed) -> None:
    """The numbers of what is in these orders and gives no position in a file."""
    for item in observed if groups else ():
        key = key_of_order(item.kind, item.locale, follow_rename(item.fields, item.locale, renamed).get("category"))
        position = position_of(item.fields)
        if key is not None and key in groups and position is not None:
            ours = (match.observed for match in groups[key].matches.values())
            if not any(other is not None and other.remote_id == item.remote_id for other in ours):
                groups[key].taken.add(position)


def _number_group(draft: Draft, group: Group, moving: Mapping[str, int]) -> dict[str, int]:
    """Number the changes of one order; the numbers that the portal gets, by path."""
    compared = group.compared if group.compared.seen else compare_members(draft, group)
    wishes = group.wishes
    ranks = ranks_of(sorted(wishes, key=lambda path: (wishes[path], path)))
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
    first = next(path for path in order if path in moving)
    name = f"`{(group.coming.get(first) or group.matches[first].desired).slug}`"
    for path in sorted(found.keys() - moving.keys()):
        _make_room(draft, group, path, found[path], name)
    return found


def _may_make_room(draft: Draft, group: Group, path: str) -> bool:
    match, policy = group.matches[path], draft.policy
    is_live = match.observed is not None and match.observed.status is Status.PUBLISHED
    if path in group.compared.moved or f"update_{match.desired.kind}" not in policy.can:
        return False
    return not (is_live and policy.keeps_from_readers(path))


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

    def numbered(item: FieldChange) -> FieldChange:
        # Over a drag goes out what was agreed on; the number of that is the one that it has now.
        return replace(item, after=number, said=said, beside=beside, agreed=(number,) if item.agreed else item.agreed)

    return replace(change, fields=tuple(numbered(f) if f.name == "position" else f for f in change.fields))


def _make_room(draft: Draft, group: Group, path: str, after: int, name: str) -> None:
    """Give a neighbor another number, with its place unchanged."""
    desired, there, before = group.matches[path].desired, group.matches[path].observed, group.numbers[path]
    assert there is not None
    said = (str(before), f"{after}, to make room for {name}")
    room = FieldChange("position", before, after, said=said, beside=((None, None), (None, None)))
    for number, change in enumerate(draft.changes):
        if change.path == desired.path and change.action is Action.UPDATE and not is_link(change):
            draft.changes[number] = replace(change, fields=(*change.fields, room))
            return
    draft.changes.append(change_of(desired, there, Action.UPDATE, (room,)))


# --- bases -----------------------------------------------------------------------------------------------------------


def _settle(draft: Draft, group: Group, sent: Mapping[str, int]) -> None:
    """Let the bases of a category follow the portal's numbers; a decision about a place ends with the difference.

    Where only a person moved it, what the files have is still agreed on. Where both sides moved it, nothing is settled.
    """
    compared = group.compared
    verdicts = {draft.places[path].verdict for path in compared.moved}
    if Verdict.CONFLICT in verdicts:
        return
    numbers = group.numbers
    if Verdict.DRIFT in verdicts:
        numbers = following(compared.wanted, {**numbers, **sent}, compared.moved - sent.keys())
    for path, match in group.matches.items():
        assert match.observed is not None
        key = (match.observed.kind, match.observed.remote_id)
        base = draft.settled.get(key, match.base)
        found = _settled(draft, group, path, base, numbers[path]) if base is not None else None
        if found is not None and found != base:
            draft.settled[key] = found


def _settled(draft: Draft, group: Group, path: str, base: Base, number: int) -> Base:
    """A base with the number of its place."""
    moved = path in group.compared.moved
    fields, kept, overruled = dict(base.fields), dict(base.kept), dict(base.overruled)
    if "position" in fields or not moved:
        fields["position"] = number
    if not moved:
        kept.pop("position", None)
        overruled.pop("position", None)
    elif draft.places[path].is_still:
        kept["position"] = group.numbers[path]
    return replace(base, fields=fields, kept=kept, overruled=overruled)
