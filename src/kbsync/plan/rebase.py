"""The agreed order of a category, in numbers that follow those of the portal. Pure.

A base keeps a number for each place, and the portal has other numbers after each drag. So once something is recorded of
a category, all of its bases get numbers that fit the portal's of now: what is in order has the portal's, and what is
held comes between where it was agreed on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import structs

from kbsync.model import Kind, Value
from kbsync.plan.sequence import Compared, Member, Slot, carried_out, compare, middle, number_slots

Group = tuple[Kind, str, Value]
"""What is ordered together: the kind, the locale, the category."""

SCALES = (1, 1000)
"""By what the portal's numbers are multiplied: where there is no number between two, there is one between a thousand
times as much. Only the order of these numbers counts."""


class Rebased(msgspec.Struct, frozen=True):
    """Numbers for the bases, by path: as it was agreed on, and as if the files' places were. All times `scale`."""

    scale: int = 1
    agreed: Mapping[str, int] = msgspec.field(default_factory=dict)
    wanted: Mapping[str, int] = msgspec.field(default_factory=dict)


def rebase(members: Sequence[Member], compared: Compared) -> Rebased | None:
    """The numbers of the bases; None where none would say the same as those that there are."""
    for scale in SCALES:
        wanted = _numbers_among(members, compared, compared.wanted, scale)
        held = _numbers_among(members, compared, compared.agreed, scale)
        agreed: dict[str, int] = {}
        for item in members:
            moved = compared.moved.get(item.path)
            if moved is None or (moved.ours and not moved.theirs):
                agreed[item.path] = item.seen * scale
            elif item.agreed is not None:
                agreed[item.path] = held[item.path] if moved.ours else wanted[item.path]
        recorded = [_with(item, agreed, compared, scale) for item in members]
        recorded = [_with(item, agreed, compared, scale) for item in members]
        if _holds_before(recorded, compared) and _holds_after(recorded, compared, scale):
            return Rebased(scale, {item.path: agreed[item.path] for item in members if item.agreed is not None}, wanted)
    return None


def _holds_before(members: Sequence[Member], compared: Compared) -> bool:
    """Whether nothing that a person moved would count as ours with these bases."""
    theirs = {path for path, moved in compared.moved.items() if moved.theirs}
    if not theirs:
        return True
    return all(moved.theirs or path not in theirs for path, moved in compare(members).moved.items())


def _holds_after(members: Sequence[Member], compared: Compared, scale: int) -> bool:
    """Whether nothing of what is out of order would count as ours once ours is sent."""
    sent = {path for path, moved in compared.moved.items() if moved.ours and not moved.theirs}
    if len(sent) == len(compared.moved):
        return True
    ranks = {path: rank for rank, path in enumerate(compared.wanted)}
    known = {item.path: item for item in members}
    found = number_slots(
        [
            Slot(path, None if path in sent else known[path].seen, known[path].wanted, path not in compared.moved)
            for path in carried_out(compared, ranks, sent)
        ]
    )
    after = []
    for item in members:
        number = found.get(item.path)
        agreed = item.agreed if number is None or item.agreed is None else number * scale
        seen = item.seen if number is None else number
        after.append(structs.replace(item, seen=seen, agreed=agreed, is_renumbered=agreed not in (None, item.wanted)))
    return all(moved.theirs or not moved.ours for moved in compare(after).moved.values())


def _with(item: Member, agreed: Mapping[str, int], compared: Compared, scale: int) -> Member:
    """One member with its new base."""
    if item.agreed is None:
        return item
    last = item.seen * scale if item.last is not None and item.path in compared.moved else None
    number = agreed[item.path]
    return structs.replace(item, agreed=number, last=last, is_renumbered=number != item.wanted)


def _numbers_among(members: Sequence[Member], compared: Compared, order: Sequence[str], scale: int) -> dict[str, int]:
    """Numbers of an order, in which what is in order on the portal has the portal's, and all else comes between.

    Where there is no number between, it is that of the one before: of equal numbers the files decide.
    """
    seen = {item.path: item.seen * scale for item in members}
    known = {item.path: item.agreed for item in members}
    found: dict[str, int] = {}
    low: int | None = None
    for place, path in enumerate(order):
        if path not in compared.moved:
            found[path] = low = seen[path]
            continue
        high = next((seen[other] for other in order[place + 1 :] if other not in compared.moved), None)
        before = known[path] if scale == 1 else None
        fits = before is not None and (low is None or low <= before) and (high is None or before <= high)
        found[path] = low = before if fits and before is not None else middle(low, high)
    return found
