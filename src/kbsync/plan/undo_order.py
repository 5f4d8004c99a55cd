"""The place of an article put back: its order among the others, whose numbers may all be other ones by now. Pure.

A change keeps who was beside it before and after (`FieldChange.beside`):

    between its neighbors of before       nothing to do
    between its neighbors of after        goes back, behind the one that was before it
    between neither                       somebody moved it since: held

Also: what of a run cannot be put back because a later run of ours changed it: nobody edited that in the panel. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from kbsync.command import command_line
from kbsync.ledger.values import Entry
from kbsync.model import FieldChange, Held, Neighbors, Observed, Reason, RemoteId
from kbsync.plan.draft import position_of
from kbsync.plan.sequence import Slot, neighbors, number_slots


def by_later_runs(item: Held, now: Observed, later: Sequence[tuple[int, Entry]]) -> Iterator[Held]:
    """One thing that an undo holds, apart by whether a run left these fields as they are now.

    `later` is what later runs did to it, with their numbers, the newest first.
    """
    changed, shown = _last_changes(later), now.shown
    ours = {name: changed[name][0] for name in item.fields if name in changed and changed[name][1] == shown.get(name)}
    if item.reason is not Reason.DRIFT or not ours:
        yield item
        return
    run = max(ours.values())
    hint = f"Run `{command_line('undo', run)}` first, then undo this run again."
    yield replace(item, fields=tuple(ours), hint=hint, by_run=run)
    if theirs := tuple(name for name in item.fields if name not in ours):
        yield replace(item, fields=theirs)


def _last_changes(later: Sequence[tuple[int, Entry]]) -> dict[str, tuple[int, object]]:
    """By field: the last run that changed it, and to what."""
    changed: dict[str, tuple[int, object]] = {}
    for run, entry in reversed(later):
        if entry.state == "done":
            changed |= {name: (run, value) for name, value in entry.change.after.items()}
    return changed


class Order(msgspec.Struct, frozen=True):
    """All that is ordered together with an item, as the portal has it, by id."""

    items: Mapping[RemoteId, Observed]

    @classmethod
    def around(cls, item: Observed, there: Iterable[Observed]) -> Order:
        """The order that an item is in."""
        place = (item.kind, item.locale, item.fields.get("category"))
        found = [
            other
            for other in there
            if (other.kind, other.locale, other.fields.get("category")) == place
            and position_of(other.fields) is not None
        ]
        found.sort(key=lambda other: (position_of(other.fields) or 0, str(other.remote_id)))
        return cls({other.remote_id: other for other in found})

    def is_between(self, item: Observed, beside: Neighbors) -> bool:
        """Whether an item comes between two others, as far as these are still there."""
        ids = list(self.items)
        place = ids.index(item.remote_id)
        before, after = ([number for number, there in enumerate(ids) if there == other] for other in beside)
        return all(number < place for number in before) and all(number > place for number in after)

    def words(self, item: Observed, ids: Collection[RemoteId]) -> str:
        """Where an item is in an order, by a neighbor."""
        order = list(ids)
        place = order.index(item.remote_id)
        if place:
            return f"after `{self.items[order[place - 1]].slug}`"
        return f"before `{self.items[order[1]].slug}`" if len(order) > 1 else "alone"


def is_apart(item: Observed, there: Iterable[Observed], beside: tuple[Neighbors, Neighbors]) -> bool:
    """Whether somebody moved an item since: it is neither where it was before nor where it was put."""
    order = Order.around(item, there)
    return item.remote_id not in order.items or not any(order.is_between(item, side) for side in beside)


def place_back(
    item: Observed, there: Iterable[Observed], beside: tuple[Neighbors, Neighbors], wish: int | None
) -> FieldChange | None:
    """The number that puts an item back between its neighbors of before; None where it is there, or has no room.

    `beside` are its neighbors before and after, `wish` is the number that it had, which it gets where that fits.
    """
    order = Order.around(item, there)
    if item.remote_id not in order.items or order.is_between(item, beside[0]):
        return None
    rest = [other for other in order.items if other != item.remote_id]
    place = _place_beside(rest, beside[0])
    ids = [*rest[:place], item.remote_id, *rest[place:]]
    slots = [
        Slot(str(other), None if other == item.remote_id else position_of(order.items[other].fields), wish)
        for other in ids
    ]
    number = number_slots(slots)[str(item.remote_id)]
    if any(number == position_of(order.items[other].fields) for other in rest):
        return None
    said = (order.words(item, order.items), order.words(item, ids))
    now = neighbors(item.remote_id, list(order.items))
    return FieldChange(
        "position", position_of(item.fields), number, said=said, beside=(now, neighbors(item.remote_id, ids))
    )


def _place_beside(ids: list[RemoteId], beside: Neighbors) -> int:
    """Where something goes: behind what was before it, or before what came next, or last."""
    left, right = beside
    if left in ids:
        return ids.index(left) + 1
    return ids.index(right) if right in ids else len(ids)
