"""The numbers that files get to be where the portal has their articles, order by order. Pure.

`plan/pull_order.py` says what moves; `plan/pull_places.py` which numbers are free.

Numbers for the files of an order, so that it becomes another one and the fewest files change. Pure.

    what                                     | number
    -----------------------------------------+-------------------------------------------------------------
    between two with room                    | in the middle
    before the first, behind the last        | as far away as the files are from each other
    between two without room                 | as few neighbors as possible make some

Where equally many files would change, none gets a number below the lowest of now; only where that spares others, one
below zero. Files with the same number, which their paths put in order, keep it together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median_low

from msgspec import structs

from kbsync.model import Manage, Value
from kbsync.plan.draft import follow_rename
from kbsync.plan.known import Last, Node
from kbsync.plan.match import Match
from kbsync.plan.new_paths import NewFile
from kbsync.plan.pull import Incoming, Moved, Step
from kbsync.plan.pull_order import Order, Orders
from kbsync.plan.reorder import Key, key_of_order, node_of, wish_of
from kbsync.plan.sequence import STEP, OrderSides, Slot, carried_out, evenly, fits, out_of_order, ranks_of

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

    Slots that may not make room do so only where nothing else helps. `step` is how far apart files usually are.
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
    wishes = [run.wish for run in gap if run.wish is not None]
    if wishes and len(wishes) == size and fits(wishes, bounds):
        return wishes
    if low is None:
        low = (step if floor is None else floor) - step if high is None else _below(high, size, floor, step)
    return evenly(low, min(low + step * (size + 1), HIGHEST + 1) if high is None else high, size)


def _below(high: int, size: int, floor: int | None, step: int) -> int:
    """What numbers before the first one are above of."""
    down = high - step * (size + 1)
    if floor is None or down + step >= max(floor, 1):
        return down
    return 0 if high > size and floor <= 1 else floor - 1


@dataclass(frozen=True, slots=True)
class KnownOrder:
    """An order as both sides know it after a pull: its numbers, and the files that must have got theirs for that."""

    files: frozenset[str]
    numbers: Mapping[Node, Last]


@dataclass(frozen=True, slots=True)
class Placed:
    """Files with their places; `taken` are those whose place is the portal's now."""

    incoming: tuple[Incoming, ...]
    new: tuple[NewFile, ...]
    taken: frozenset[str] = frozenset()
    noted: tuple[KnownOrder, ...] = ()


def put_in_order(
    orders: Orders,
    incoming: Iterable[Incoming],
    new: Sequence[NewFile],
    chosen: Collection[str] | None = None,
    side: str | None = None,
) -> Placed:
    """Give files and new files the numbers that put them where the portal has them.

    `chosen` are the paths that are pulled, None: all. `side` is whose place counts where both moved, None: both are
    shown.
    """
    placing = _Placing({item.match.desired.path: item for item in incoming}, {file.path: file for file in new})
    placing.forget_numbers(orders.by_key.values())
    arriving = _arriving(orders, tuple(placing.incoming.values()), side)
    new_of = _new_of(orders, new)
    for key, order in orders.by_key.items():
        placing.place(order, _Coming(new_of.get(key, {}), arriving.pop(key, {})), chosen, side)
    for paths in arriving.values():
        for path, (number, _) in paths.items():
            placing.take_number(path, number)
    found = tuple(item for item in placing.incoming.values() if item.fields)
    return Placed(found, tuple(placing.new.values()), frozenset(placing.taken), tuple(placing.noted))


@dataclass(frozen=True, slots=True)
class _Coming:
    """What comes into an order with a pull: its numbers on the portal, by path, and those that their files may have."""

    new: Mapping[str, int]
    arriving: Mapping[str, tuple[int, int]]

    @property
    def seen(self) -> dict[str, int]:
        return {**self.new, **{path: there for path, (there, _) in self.arriving.items()}}

    @property
    def wishes(self) -> dict[str, int]:
        return {**self.new, **{path: ours for path, (_, ours) in self.arriving.items()}}


def _new_of(orders: Orders, new: Iterable[NewFile]) -> dict[Key, dict[str, int]]:
    """The numbers on the portal of what gets a file, by order and path."""
    found: dict[Key, dict[str, int]] = {}
    for file in new:
        item = file.observed
        category = follow_rename(item.fields, item.locale, orders.renamed).get("category")
        key, number = key_of_order(item.kind, item.locale, category), item.fields.get("position")
        if key is not None and isinstance(number, int):
            found.setdefault(key, {})[file.path] = number
    return found


def _arriving(orders: Orders, incoming: Iterable[Incoming], side: str | None) -> dict[Key, dict[str, tuple[int, int]]]:
    """The files that come into a category with a pull, as the panel moved their articles: both numbers."""
    found: dict[Key, dict[str, tuple[int, int]]] = {}
    for item in incoming:
        desired, there = item.match.desired, item.observed
        ours, number = desired.fields.get("position"), there.fields.get("position")
        takes = (moved.step is Step.TAKE or side == "theirs" for moved in item.fields if moved.name == "category")
        if not any(takes) or there.locale not in ("", desired.locale):
            continue
        category = follow_rename(there.fields, there.locale, orders.renamed).get("category")
        key = key_of_order(desired.kind, desired.locale, category)
        if key is not None and isinstance(ours, int) and isinstance(number, int):
            found.setdefault(key, {})[desired.path] = (number, ours)
    return found


@dataclass(slots=True)
class _Placing:
    """Places files, order by order."""

    incoming: dict[str, Incoming]
    new: dict[str, NewFile]
    taken: set[str] = field(default_factory=set)
    noted: list[KnownOrder] = field(default_factory=list)

    def forget_numbers(self, orders: Iterable[Order]) -> None:
        """The portal's numbers say nothing to files that are in an order."""
        for path in (path for order in orders if len(order.group.matches) > 1 for path in order.group.matches):
            if path in self.incoming:
                self.incoming[path] = _without_number(self.incoming[path])

    def take_number(self, path: str, number: int) -> None:
        """Give a file the portal's number, as nothing else in its category has one."""
        self._add(self.incoming[path].match, number, Step.TAKE)

    def place(self, order: Order, coming: _Coming, chosen: Collection[str] | None, side: str | None) -> None:
        """Place the files of one order."""
        disputed, taken = _among(order.disputed, chosen), _among(order.taken, chosen)
        taken |= disputed if side == "theirs" else set()
        disputed -= taken
        moving = taken | coming.seen.keys()
        if side == "ours":
            disputed = set()
        if not moving and not disputed:
            return
        line = _Line(order, coming)
        numbers = line.numbers(moving)
        for path, number in numbers.items():
            self._give(order, path, number)
        for path in disputed:
            theirs = line.numbers(moving | {path})[path]
            self._add(order.group.matches[path], theirs, Step.MERGE)
        self.taken |= taken
        self._note(order, line, numbers, frozenset(order.taken - taken))

    def _give(self, order: Order, path: str, number: int) -> None:
        if path in self.new:
            file = self.new[path]
            fields = {**file.observed.fields, "position": number}
            self.new[path] = replace(file, observed=structs.replace(file.observed, fields=fields))
            return
        match = self.incoming[path].match if path in self.incoming else order.group.matches.get(path)
        if match is not None and match.observed is not None and match.desired.manage is Manage.TRUE:
            self._add(match, number, Step.TAKE)

    def _add(self, match: Match, number: int, step: Step) -> None:
        path, there = match.desired.path, match.observed
        assert there is not None
        ours = wish_of(match.desired)
        known = _without_number(self.incoming.get(path, Incoming(match, there, ())))
        more = () if number == ours else (Moved("position", step, ours, number, ours),)
        self.incoming[path] = structs.replace(known, fields=(*known.fields, *more))

    def _note(self, order: Order, line: _Line, numbers: Mapping[str, int], left: frozenset[str]) -> None:
        """Remember the order as the portal has it, but for what was not pulled."""
        found: dict[Node, Last] = {}
        for rank, path in enumerate(line.portal(left)):
            match, file = order.group.matches.get(path), self.new.get(path)
            moved = [moved for moved in self._fields(path) if moved.name == "position"]
            before: tuple[Value, ...] = (moved[0].ours,) if moved else ()
            if match is not None:
                found[node_of(match)] = Last(rank, before)
            elif file is not None:
                found[file.observed.kind, file.observed.remote_id] = Last(rank)
        files = frozenset(path for path in numbers if path in self.new or self._fields(path))
        self.noted.append(KnownOrder(files, found))

    def _fields(self, path: str) -> tuple[Moved, ...]:
        return self.incoming[path].fields if path in self.incoming else ()


def _among(paths: Iterable[str], chosen: Collection[str] | None) -> set[str]:
    return {path for path in paths if chosen is None or path in chosen}


def _without_number(item: Incoming) -> Incoming:
    return structs.replace(item, fields=tuple(moved for moved in item.fields if moved.name != "position"))


@dataclass(slots=True)
class _Line:
    """One order in both sequences, with all that comes into it."""

    order: Order
    coming: _Coming
    seen: list[str] = field(init=False)

    def __post_init__(self) -> None:
        group, there = self.order.group, self.coming.seen
        rank = ranks_of(self.order.compared.wanted)
        numbers = {**group.numbers, **there}
        # Of equal numbers those that come are behind: the portal made them later.
        self.seen = sorted(numbers, key=lambda path: (numbers[path], path in there, rank.get(path, 0), path))

    def numbers(self, moving: Collection[str]) -> dict[str, int]:
        """The numbers that change in the files once some are where the portal has them."""
        group, moved = self.order.group, self.order.compared.moved
        wishes = {path: wish_of(match.desired) for path, match in group.matches.items()}
        others = {path: wish_of(desired) for path, desired in group.coming.items() if path not in moving}
        all_of = {**wishes, **others}
        files = tuple(sorted(all_of, key=lambda path: (all_of[path], path)))
        now = OrderSides(seen=files, moved=moved | others.keys())
        ranks = ranks_of(self.seen)
        slots = [
            Slot(path, None, self.coming.wishes.get(path))
            if path in moving
            else Slot(path, all_of[path], may_make_room=path in wishes and path not in moved)
            for path in carried_out(now, ranks, moving)
        ]
        staying = [number for path, number in all_of.items() if path not in moving]
        return fewest_numbers(slots, step_between(staying if len(staying) > 1 else all_of.values()))

    def portal(self, left: Collection[str]) -> list[str]:
        """The portal's order, with some where the files have them."""
        compared = self.order.compared
        ranks = ranks_of(compared.wanted)
        return carried_out(OrderSides(seen=tuple(self.seen), moved=compared.moved), ranks, left)
