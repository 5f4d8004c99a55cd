"""The order of articles in a category, compared as a sequence and not as numbers. Pure.

The panel numbers a whole category anew when somebody drags one article (docs/service.md, S123), so numbers say nothing
by themselves. What counts is in which order ours come that give a `position`; of equal numbers those of the portal are
as the files have them. A whole category has one verdict:

    files vs base | portal vs base | files vs portal | verdict
    --------------+----------------+-----------------+-----------------------------------
    any           | any            | same order      | NOTHING   the base follows
    moved         | same order     | differ          | SEND
    same order    | moved          | differ          | DRIFT     held: a person dragged
    moved         | moved          | differ          | CONFLICT  held
    no base       |                | same order      | ADOPT
    no base       |                | differ          | CONFLICT  or what git proves

It is told about the fewest that are out of order, those that a longest common sequence leaves over. Where several would
do, one is named that somebody touched since the base, or whose file has another number; without a base one that git saw
renumbered, or else that has another number on the portal. What is sent is a number between those of its neighbors;
where there is none, the category is numbered anew, in tens.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby, pairwise

import msgspec

from kbsync.model import Neighbors, RemoteId

STEP = 10
"""How far apart the service itself puts two articles. Source: docs/service.md, section 4."""


class Member(msgspec.Struct, frozen=True):
    """One of a sequence, by its numbers on each side.

    Args:
        path: of its source; it also orders what has the same number.
        wanted, seen: in the file and on the portal.
        agreed: in the base; None without one.
        last: on the portal when that was last recorded, where it is not `agreed`: a difference that was accepted.
        is_touched: whether somebody was there since, so that it may have been dragged.
        is_renumbered: whether its file has another number than the one that was agreed on or that git knows.
    """

    path: str
    wanted: int
    seen: int
    agreed: int | None = None
    last: int | None = None
    is_touched: bool = False
    is_renumbered: bool = False


class OrderSides(msgspec.Struct, frozen=True):
    """A sequence on all sides, as a whole.

    Args:
        wanted, seen: the paths in the order of the files, and of the portal.
        moved: which of them are out of order, the fewest.
        ours, theirs: whether the files, and the portal, have another order than the one that was agreed on.
        is_still: whether the portal's is the one that was accepted.
    """

    wanted: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    moved: frozenset[str] = frozenset()
    ours: bool = False
    theirs: bool = False
    is_still: bool = False

    def anchors(self, order: Sequence[str]) -> list[str]:
        """Those of an order that are where they belong."""
        return [path for path in order if path not in self.moved]


def compare(members: Iterable[Member]) -> OrderSides:
    """Find the fewest that are out of order, and which side moved."""
    wanted = sorted(members, key=lambda item: (item.wanted, item.path))
    rank = ranks_of(_paths(wanted))
    seen = sorted(wanted, key=lambda item: (item.seen, rank[item.path]))
    if wanted == seen:
        return OrderSides(_paths(wanted), _paths(seen))
    known = [item for item in wanted if item.agreed is not None]
    agreed = sorted(known, key=lambda item: (item.agreed, rank[item.path]))
    last = sorted(known, key=lambda item: (item.agreed if item.last is None else item.last, rank[item.path]))
    there = sorted(known, key=lambda item: (item.seen, rank[item.path]))
    ours, theirs = agreed != known, agreed != there
    weights = [_weight(item, len(wanted), ours, theirs) for item in seen]
    moved = frozenset(seen[n].path for n in out_of_order([rank[item.path] for item in seen], weights))
    return OrderSides(_paths(wanted), _paths(seen), moved, ours, theirs, is_still=theirs and last == there)


def _weight(item: Member, number: int, ours: bool, theirs: bool) -> int:
    """How much speaks for one of so many to stay where it is.

    The number of those that stay decides; of equally many, who is known to have moved. Of an order that neither side
    moved, what was agreed on stays.
    """
    one = 4 * number + 1
    stays = one if ours or theirs or item.agreed is None else one * one
    return stays + 2 * (not (item.is_touched if theirs else item.is_renumbered)) + (item.wanted == item.seen)


def ranks_of(order: Iterable[str]) -> dict[str, int]:
    """The place of each in an order."""
    return {path: place for place, path in enumerate(order)}


def _paths(members: Iterable[Member]) -> tuple[str, ...]:
    return tuple(item.path for item in members)


def out_of_order(ranks: Sequence[int], weights: Sequence[int]) -> list[int]:
    """The places of what has to move so that the ranks rise: all but the heaviest rising sequence.

    With equal weights it is the longest one. Ranks are distinct, weights positive.
    """
    ends: list[int] = []
    tips: list[int] = []
    totals: list[int] = []
    before: list[int] = []
    for place, (rank, weight) in enumerate(zip(ranks, weights, strict=True)):
        here = bisect_left(ends, rank)
        before.append(tips[here - 1] if here else -1)
        total = weight + (totals[here - 1] if here else 0)
        # What ends with a higher rank and weighs no more is never the better beginning.
        until = here
        while until < len(ends) and totals[until] <= total:
            until += 1
        ends[here:until], tips[here:until], totals[here:until] = [rank], [place], [total]
    rising = set[int]()
    place = tips[-1] if tips else -1
    while place >= 0:
        rising.add(place)
        place = before[place]
    return [place for place in range(len(ranks)) if place not in rising]


def carried_out(compared: OrderSides, ranks: Mapping[str, int], moving: Collection[str]) -> list[str]:
    """The order on the portal once some were moved to where the files have them; all others stay as they are.

    `ranks` are the places in the files' order, also of those that come into the category.
    """
    found = [path for path in compared.seen if path not in moving]
    fixed = {path for path in found if path not in compared.moved}
    for path in sorted(moving, key=lambda path: ranks[path]):
        found.insert(_place_among(found, fixed, ranks, path), path)
        fixed.add(path)
    return found


def _place_among(order: Sequence[str], fixed: Collection[str], ranks: Mapping[str, int], path: str) -> int:
    """Behind the last one that belongs before it; else before the first one that is where it belongs."""
    places = [number for number, other in enumerate(order) if other in fixed]
    before = [number for number in places if ranks[order[number]] < ranks[path]]
    if before:
        return before[-1] + 1
    return places[0] if places else len(order)


class Slot(msgspec.Struct, frozen=True):
    """One place of an order that is to be numbered: `number` is the portal's, None where it gets one.

    `wish` is the number of its file, which it gets where that fits; `may_make_room`: it may get another in its place.
    """

    path: str
    number: int | None
    wish: int | None = None
    may_make_room: bool = False


def number_slots(slots: Sequence[Slot], taken: Collection[int] = ()) -> dict[str, int]:
    """Numbers for those without one, by path; of all others, too, where there is no room for them.

    `taken` are numbers of what is none of ours, avoided where that is possible.
    """
    found: dict[str, int] = {}
    low: int | None = None
    for is_missing, group in groupby(enumerate(slots), key=lambda item: item[1].number is None):
        few = list(group)
        if not is_missing:
            low = few[-1][1].number
            continue
        after = few[-1][0] + 1
        high = slots[after].number if after < len(slots) else None
        numbers = _fitting([slot.wish for _, slot in few], (low, high), taken)
        if not numbers and all(slot.number is None or slot.may_make_room for slot in slots):
            return _in_tens(slots)
        # What may not be touched leaves no room: equal numbers are shown by their age.
        bound = low if low is not None else high or 0
        found |= {slot.path: number for (_, slot), number in zip(few, numbers or [bound] * len(few), strict=True)}
    return found


def _in_tens(slots: Sequence[Slot]) -> dict[str, int]:
    """The numbers of all that get another one where an order is numbered anew."""
    tens = {slot.path: STEP * nth for nth, slot in enumerate(slots, 1)}
    return {slot.path: tens[slot.path] for slot in slots if slot.number != tens[slot.path]}


def _fitting(wishes: Sequence[int | None], bounds: tuple[int | None, int | None], taken: Collection[int]) -> list[int]:
    """Rising numbers between two bounds, the wishes where they fit; nothing where there is too little room."""
    low, high = bounds
    wished = _rising(wishes)
    if wished and fits(wished, bounds):
        return wished
    number, start = len(wishes), low or 0
    if high is None:
        even = [start + STEP * nth for nth in range(1, number + 1)]
    elif low is None and high <= number:
        even = [high - STEP * nth for nth in range(number, 0, -1)]
    else:
        bounds = (start, high)
        even = _avoiding(evenly(start, high, number), (start, high), taken)
    return even if fits(even, bounds) else []


def evenly(low: int, high: int, number: int) -> list[int]:
    """So many numbers between two, as far apart as can be; equal ones where there is too little room."""
    return [low + (high - low) * nth // (number + 1) for nth in range(1, number + 1)]


def following(order: Sequence[str], numbers: Mapping[str, int], moved: Collection[str]) -> dict[str, int]:
    """Numbers that show an order, as near as can be to those of the portal, which rise but for what moved; by path."""
    kept = {path: numbers[path] for path in order if path not in moved}
    return kept | number_slots([Slot(path, kept.get(path)) for path in order])


def _rising(wishes: Iterable[int | None]) -> list[int]:
    """The numbers of the files, equal ones made different; nothing where one is missing."""
    found: list[int] = []
    for wish in wishes:
        if wish is None:
            return []
        found.append(wish if not found else max(wish, found[-1] + 1))
    return found


def neighbors(remote_id: RemoteId, ids: list[RemoteId]) -> Neighbors:
    """What is beside an item in an order."""
    place = ids.index(remote_id)
    return (ids[place - 1] if place else None, ids[place + 1] if place + 1 < len(ids) else None)


def fits(numbers: Sequence[int], bounds: tuple[int | None, int | None]) -> bool:
    """Whether numbers rise between two bounds."""
    low, high = bounds
    ends = ([] if low is None else [low], [] if high is None else [high])
    return all(one < two for one, two in pairwise([*ends[0], *numbers, *ends[1]]))


def _avoiding(even: list[int], bounds: tuple[int, int], taken: Collection[int]) -> list[int]:
    """Numbers of a gap that nothing else has, where there are enough of them; else those that were chosen."""
    if not any(number in taken for number in even):
        return even
    low, high = bounds
    free = [number for number in range(low + 1, min(high, low + 1000)) if number not in taken]
    return (
        [free[(len(free) * nth) // (len(even) + 1)] for nth in range(1, len(even) + 1)]
        if len(free) >= len(even)
        else even
    )
