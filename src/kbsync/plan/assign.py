"""From weighed evidence to one reading: which source is which article, each at most once. Pure.

A *knot* is a set of sources and articles that could be each other's. An edge is decided where it outweighs by `MARGIN`
every other edge of its source and of its article; what is left of a knot is read as a whole, and decided where the best
reading outweighs the second best by `MARGIN`. Neither depends on the order of anything. What is not decided is not
guessed: the knot stays open.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import msgspec

from kbsync.plan.known import Node

MARGIN = 10
"""By how much one reading must outweigh another."""

MOST_READ = 6
"""Sources of a knot whose readings are all gone through, so many at the most: it doubles with each."""

Edge = tuple[str, Node]
"""A source, by what names it, and an article or category that it could be."""

Weights = Mapping[Edge, float]


class Assignment(msgspec.Struct, frozen=True):
    """`found` is one-to-one. `open` are the edges of knots that have two readings about as good."""

    found: Mapping[str, Node]
    open: frozenset[Edge]

    @property
    def open_paths(self) -> set[str]:
        """The sources of what is open."""
        return {path for path, _ in self.open}

    @property
    def open_nodes(self) -> set[Node]:
        return {node for _, node in self.open}


def assign(weights: Weights) -> Assignment:
    """The best reading of each knot."""
    found: dict[str, Node] = {}
    live = dict(weights)
    while decided := _dominant(live):
        found.update(decided)
        taken = set(decided.values())
        live = {(s, n): w for (s, n), w in live.items() if s not in decided and n not in taken}
    open_edges: set[Edge] = set()
    for knot in knots_of(live):
        reading = _read({edge: live[edge] for edge in knot})
        if reading is None:
            open_edges.update(knot)
        else:
            found.update(reading)
    return Assignment(found, frozenset(open_edges))


def _dominant(live: Weights) -> dict[str, Node]:
    """The edges that outweigh everything beside them."""
    best: dict[Hashable, list[float]] = {}
    for (source, node), weight in live.items():
        for end in (("source", source), ("node", node)):
            best.setdefault(end, []).append(weight)
    tops = {end: sorted(some)[-2:] for end, some in best.items()}

    def leads(end: Hashable, weight: float) -> bool:
        top = tops[end]
        return weight == top[-1] and (len(top) == 1 or weight - top[-2] >= MARGIN)

    return {s: n for (s, n), w in live.items() if leads(("source", s), w) and leads(("node", n), w)}


def knots_of(edges: Iterable[Edge]) -> list[frozenset[Edge]]:
    """The edges of each knot: those that hang together."""
    of_end: dict[Hashable, list[Edge]] = {}
    for edge in edges:
        of_end.setdefault(("source", edge[0]), []).append(edge)
        of_end.setdefault(("node", edge[1]), []).append(edge)
    knots, seen = [], set[Hashable]()
    for start in of_end:
        if start in seen:
            continue
        todo, knot = [start], set[Edge]()
        seen.add(start)
        while todo:
            for edge in of_end[todo.pop()]:
                knot.add(edge)
                for end in (("source", edge[0]), ("node", edge[1])):
                    if end not in seen:
                        seen.add(end)
                        todo.append(end)
        knots.append(frozenset(knot))
    return knots


def _read(knot: Weights) -> Mapping[str, Node] | None:
    """The best reading of a knot; None where another is about as good, or where there are too many."""
    sources = sorted({source for source, _ in knot})
    if len(sources) > MOST_READ:
        return None
    readings = sorted(_readings(knot, sources, frozenset()), key=lambda reading: -reading[0])
    if len(readings) > 1 and readings[0][0] - readings[1][0] < MARGIN:
        return None
    return dict(readings[0][1])


def _readings(knot: Weights, sources: list[str], taken: frozenset[Node]) -> list[tuple[float, tuple[Edge, ...]]]:
    """Every way to give each source an article of its own or none, with its weight."""
    if not sources:
        return [(0.0, ())]
    first, rest = sources[0], sources[1:]
    found = [(weight, edges) for weight, edges in _readings(knot, rest, taken)]
    for (source, node), weight in knot.items():
        if source == first and node not in taken:
            more = _readings(knot, rest, taken | {node})
            found += [(weight + others, ((first, node), *edges)) for others, edges in more]
    return found
