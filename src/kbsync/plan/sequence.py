"""The order of articles in a category, compared as a sequence and not as numbers. Pure.

The panel numbers a whole category anew when somebody drags one article (docs/service.md, S123), so numbers say nothing
by themselves. What counts is in which order ours come that give a `position`; of equal numbers those of the portal are
as the files have them. Only the fewest that are out of order count, those that a longest common sequence leaves over:

    in the files vs base | on the portal vs base | in the files vs on the portal | verdict
    ---------------------+-----------------------+-------------------------------+---------------------------------
    any                  | any                   | in order                      | NOTHING   the base follows
    moved                | in order              | out of order                  | SEND
    in order             | moved                 | out of order                  | DRIFT     held: a person dragged it
    moved                | moved                 | out of order                  | CONFLICT  held
    no base              |                       | in order                      | ADOPT
    no base              |                       | out of order                  | CONFLICT  or what git proves

Where several would do, one moved that somebody touched since the base, or whose file has another number; without a base
one that git saw renumbered, or else that has another number on the portal. What is sent is a number between those of
its neighbors; where there is none, as few neighbors as possible make room.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count, pairwise

import msgspec

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


class Moved(msgspec.Struct, frozen=True):
    """Who moved what is out of order; both False where an accepted difference is as it was."""

    ours: bool
    theirs: bool


class Compared(msgspec.Struct, frozen=True):
    """A sequence on all sides: the paths in each order, and which of them are out of order."""

    wanted: tuple[str, ...]
    seen: tuple[str, ...]
    agreed: tuple[str, ...]
    moved: Mapping[str, Moved]

    def anchors(self, order: Sequence[str]) -> list[str]:
        """Those of an order that are where they belong."""
        return [path for path in order if path not in self.moved]


def compare(members: Iterable[Member]) -> Compared:
    """Find the fewest that are out of order, and who moved them."""
    wanted = sorted(members, key=lambda item: (item.wanted, item.path))
    rank = {item.path: place for place, item in enumerate(wanted)}
    seen = sorted(wanted, key=lambda item: (item.seen, rank[item.path]))
    known = [item for item in wanted if item.agreed is not None]
    agreed = sorted(known, key=lambda item: (item.agreed, rank[item.path]))
    orders = (_paths(wanted), _paths(seen), _paths(agreed))
    if orders[0] == orders[1]:
        return Compared(*orders, {})
    # The number of those that stay decides; of equally many, who is known to have moved.
    one = 3 * len(wanted) + 1
    ours = out_of_order([rank[item.path] for item in agreed], [one + (not item.is_renumbered) for item in agreed])
    # A difference that was accepted was there when it was last recorded.
    recorded = {item.path: item.agreed if item.last is None else item.last for item in known}
    last = sorted(known, key=lambda item: (recorded[item.path], rank[item.path]))
    place = {item.path: number for number, item in enumerate(last)}
    here = [item for item in seen if item.path in place]
    signs = [2 * (not item.is_touched) + (recorded[item.path] == item.seen) for item in here]
    theirs = out_of_order([place[item.path] for item in here], [one + sign for sign in signs])
    by_us, by_them = {agreed[n].path for n in ours}, {here[n].path for n in theirs}
    stable = {item.path for item in known if item.last is None} - by_us - by_them
    # What neither side moved is in one order everywhere, and stays: it outweighs all others together.
    signs = [2 * (not item.is_renumbered) + (item.agreed is None and item.wanted == item.seen) for item in seen]
    weights = [one * (one + 1) if item.path in stable else one + sign for item, sign in zip(seen, signs, strict=True)]
    out = [seen[n].path for n in out_of_order([rank[item.path] for item in seen], weights)]
    return Compared(*orders, {path: Moved(path in by_us, path in by_them) for path in out})


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


def carried_out(compared: Compared, ranks: Mapping[str, int], moving: Collection[str]) -> list[str]:
    """The order on the portal once some were moved to where the files have them; all others stay as they are.

    Args:
        compared: the sequence as it is.
        ranks: the places in the files' order, also of those that come into the category.
        moving: which are moved, or come.
    """
    found = [path for path in compared.seen if path not in moving]
    fixed = {path for path in found if path not in compared.moved}
    for path in sorted(moving, key=lambda path: ranks[path]):
        before = [number for number, other in enumerate(found) if other in fixed and ranks[other] < ranks[path]]
        first = next((number for number, other in enumerate(found) if other in fixed), len(found))
        found.insert(before[-1] + 1 if before else first, path)
        fixed.add(path)
    return found


class Slot(msgspec.Struct, frozen=True):
    """One place of an order that is to be numbered.

    Args:
        path: whose it is.
        number: on the portal; None where it gets one.
        wish: the number of its file, which it gets where that fits.
        may_make_room: whether it may get another number with its place unchanged.
    """

    path: str
    number: int | None
    wish: int | None = None
    may_make_room: bool = False


def number_slots(slots: Sequence[Slot], taken: Collection[int] = ()) -> dict[str, int]:
    """Numbers for those without one, and for the fewest others that have to make room; by path.

    Args:
        slots: in order.
        taken: numbers of what is none of ours, avoided where that is possible.
    """
    numbers = [slot.number for slot in slots]
    found: dict[str, int] = {}
    place = 0
    while place < len(slots):
        if numbers[place] is not None:
            place += 1
            continue
        end = place
        while end < len(slots) and numbers[end] is None:
            end += 1
        begin, fitting = _with_room(slots, numbers, (place, end), taken)
        for offset, number in enumerate(fitting):
            numbers[begin + offset] = number
            found[slots[begin + offset].path] = number
        place = begin + len(fitting)
    return found


def _with_room(
    slots: Sequence[Slot], numbers: Sequence[int | None], gap: tuple[int, int], taken: Collection[int]
) -> tuple[int, list[int]]:
    """The numbers of a gap, widened by as few neighbors as possible; and where it begins then."""
    begin, end = gap
    for more in count():
        possible = False
        for left in range(more + 1):
            low, high = begin - left, end + more - left
            others = (*range(low, begin), *range(end, high))
            if low < 0 or high > len(slots) or not all(slots[n].may_make_room for n in others):
                continue
            possible = True
            wishes = [slots[n].wish if numbers[n] is None else None for n in range(low, high)]
            bounds = (numbers[low - 1] if low else None, numbers[high] if high < len(slots) else None)
            if fitting := _fitting(wishes, bounds, taken):
                return low, fitting
        if not possible:
            break
    # What a person dragged on both sides leaves no room, and is not moved to make some.
    bound = numbers[begin - 1] if begin else numbers[end] if end < len(slots) else 0
    return begin, [bound or 0] * (end - begin)


def _fitting(wishes: Sequence[int | None], bounds: tuple[int | None, int | None], taken: Collection[int]) -> list[int]:
    """Rising numbers between two bounds, the wishes where they fit; nothing where there is too little room."""
    low, high = bounds
    wished = _rising(wishes)
    if wished and _fits(wished, bounds):
        return wished
    number = len(wishes)
    if low is None and high is None:
        even = [STEP * nth for nth in range(1, number + 1)]
    elif high is None:
        even = [(low or 0) + STEP * nth for nth in range(1, number + 1)]
    elif low is None and high <= number:
        even = [high - STEP * nth for nth in range(number, 0, -1)]
    else:
        low = low or 0
        even = [low + (high - low) * nth // (number + 1) for nth in range(1, number + 1)]
        even = _avoiding(even, (low, high), taken)
    return even if _fits(even, bounds) else []


def middle(low: int | None, high: int | None) -> int:
    """A number between two, or the lower one where there is none."""
    if high is None:
        return STEP if low is None else low + STEP
    if low is None:
        return high // 2 if high > 0 else high - STEP
    return (low + high) // 2


def _rising(wishes: Iterable[int | None]) -> list[int]:
    """The numbers of the files, equal ones made different; nothing where one is missing."""
    found: list[int] = []
    for wish in wishes:
        if wish is None:
            return []
        found.append(wish if not found else max(wish, found[-1] + 1))
    return found


def _fits(numbers: Sequence[int], bounds: tuple[int | None, int | None]) -> bool:
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
