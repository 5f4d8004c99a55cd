"""Numbers for the files of an order, so that it becomes another one and the fewest files change. Pure.

    what                                     | number
    -----------------------------------------+-------------------------------------------------------------
    between two with room                    | in the middle
    before the first, behind the last        | as far away as the files are from each other
    between two without room                 | as few neighbors as possible make some

Where equally many files would change, none gets a number below the lowest of now; only where that spares others, one
below zero. Files with the same number, which their paths put in order, keep it together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median_low

from kbsync.plan.sequence import STEP, Slot, out_of_order

HIGHEST = 2**31 - 1
"""A number that is higher is refused. Source: docs/service.md, S24."""


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbors with one number, or one that is to get another; `weight` is what it costs to renumber them."""

    paths: tuple[str, ...]
    number: int | None
    wish: int | None
    weight: int


def step_between(numbers: Iterable[int]) -> int:
    """How far apart files usually are."""
    apart = [high - low for low, high in pairwise(sorted(set(numbers)))]
    return median_low(apart) if apart else STEP


def fewest_numbers(slots: Sequence[Slot], step: int) -> dict[str, int]:
    """The numbers of those without one, and of the fewest others that make room; by path.

    Args:
        slots: in order; those that may not make room do so only where nothing else helps.
        step: how far apart files usually are.
    """
    runs = _runs(slots)
    lowest = min((run.number for run in runs if run.number is not None), default=step)
    found = [_numbered(runs, floor, step) for floor in dict.fromkeys((lowest, min(lowest, 0), None))]
    weights = {path: run.weight for run in runs for path in run.paths}
    return min(found, key=lambda numbers: sum(weights[path] for path in numbers))


def _runs(slots: Sequence[Slot]) -> list[Run]:
    runs: list[Run] = []
    for slot in slots:
        weight = 1 if slot.may_make_room else len(slots) + 1
        if runs and slot.number is not None and runs[-1].number == slot.number:
            last = runs.pop()
            runs.append(Run((*last.paths, slot.path), slot.number, None, last.weight + weight))
        else:
            runs.append(Run((slot.path,), slot.number, slot.wish, weight))
    return runs


def _numbered(runs: Sequence[Run], floor: int | None, step: int) -> dict[str, int]:
    """The numbers that change where none may be below a floor."""
    kept = _kept(runs, floor)
    found: dict[str, int] = {}
    low: int | None = None
    gap: list[Run] = []
    for place in range(len(runs) + 1):
        if place < len(runs) and place not in kept:
            gap.append(runs[place])
            continue
        high = runs[place].number if place < len(runs) else None
        for run, number in zip(gap, _filled(gap, (low, high), floor, step), strict=True):
            found |= dict.fromkeys(run.paths, number)
        low, gap = high, []
    return found


def _kept(runs: Sequence[Run], floor: int | None) -> set[int]:
    """The places of those that keep their numbers: the most between which there is room for all others."""
    most = len(runs)
    fit = [
        (place, run.number, run.weight)
        for place, run in enumerate(runs)
        if run.number is not None
        and (floor is None or run.number - place >= floor)
        and run.number + (most - 1 - place) <= HIGHEST
    ]
    # Two fit where their numbers are at least as far apart as their places.
    ranks = [(number - place) * most + place for place, number, _ in fit]
    out = set(out_of_order(ranks, [weight for _, _, weight in fit]))
    return {place for nth, (place, _, _) in enumerate(fit) if nth not in out}


def _filled(gap: Sequence[Run], bounds: tuple[int | None, int | None], floor: int | None, step: int) -> list[int]:
    """Rising numbers between two bounds, the wished ones where they fit."""
    low, high = bounds
    size = len(gap)
    if size and _fits(wishes := [run.wish for run in gap], bounds):
        return [wish for wish in wishes if wish is not None]
    if low is None and high is None:
        low = (step if floor is None else floor) - step
    elif low is None and high is not None:
        low = _below(high, size, floor, step)
    assert low is not None
    if high is None:
        high = min(low + step * (size + 1), HIGHEST + 1)
    return [low + (high - low) * nth // (size + 1) for nth in range(1, size + 1)]


def _below(high: int, size: int, floor: int | None, step: int) -> int:
    """What numbers before the first one are above of."""
    down = high - step * (size + 1)
    if floor is None or down + step >= max(floor, 1):
        return down
    return 0 if high > size and floor <= 1 else floor - 1


def _fits(wishes: Collection[int | None], bounds: tuple[int | None, int | None]) -> bool:
    low, high = bounds
    if None in wishes:
        return False
    numbers = [number for number in (low, *wishes, high) if number is not None]
    return all(one < other for one, other in pairwise(numbers))
