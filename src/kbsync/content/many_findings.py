"""Findings of a large tree: hundreds of thousands would take hundreds of megabytes, so these lie in a file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import chain, islice
from operator import attrgetter
from typing import overload

import msgspec

from kbsync.files import Scratch
from kbsync.model import Finding

IN_MEMORY = 100_000
"""Findings that are kept as they are: some 35 megabytes."""

AT_ONCE = 1_000
"""Findings that are encoded and decoded at once."""

DECODER: msgspec.msgpack.Decoder[list[Finding]] = msgspec.msgpack.Decoder(list[Finding])

PLACE = attrgetter("path", "line", "column", "code")
"""The order of findings: as a reader goes through them."""


class Piece(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Some findings, encoded: how many they are, and whether one of them is an error."""

    number: int
    has_errors: bool
    data: bytes

    @classmethod
    def of(cls, some: Sequence[Finding]) -> Piece:
        """Encode some findings."""
        has_errors = any(finding.level == "error" for finding in some)
        return cls(len(some), has_errors, msgspec.msgpack.encode(some))

    def decoded(self) -> list[Finding]:
        """These findings."""
        return DECODER.decode(self.data)


class InPieces(Sequence[Finding]):
    """Findings in their order, encoded; only those pieces are decoded that are asked for."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._given = pieces

    @cached_property
    def pieces(self) -> list[Piece]:
        """All of them, encoded."""
        return list(self._given)

    @property
    def errors(self) -> list[Finding]:
        """Those that stop a plan."""
        some = (piece.decoded() for piece in self.pieces if piece.has_errors)
        return [finding for finding in chain.from_iterable(some) if finding.level == "error"]

    def about(self, paths: Iterable[str]) -> list[Finding]:
        """Those with one of these paths anywhere in them, and what lies with them."""
        return [finding for place in self._places_of(paths) for finding in self.pieces[place].decoded()]

    def amended(self, paths: Collection[str], own: Iterable[Finding], *, stays: Callable[[Finding], bool]) -> InPieces:
        """The same with other findings in some files.

        Args:
            paths: the files.
            own: what is found in them now.
            stays: which of those that were found in them before are found there now, besides.
        """
        changed = {place: self.pieces[place].decoded() for place in self._places_of(paths)}
        changed = {place: [f for f in some if f.path not in paths or stays(f)] for place, some in changed.items()}
        begins = cache(self._begins)
        for finding in own:
            place = max(0, bisect_right(range(len(self.pieces)), PLACE(finding), key=begins) - 1)
            if place not in changed:
                changed[place] = self.pieces[place].decoded() if self.pieces else []
            changed[place].append(finding)
        anew = {place: Piece.of(sorted(some, key=PLACE)) for place, some in changed.items()}
        pieces = [anew.get(place, piece) for place, piece in enumerate(self.pieces)] or anew.values()
        return InPieces(piece for piece in pieces if piece.number)

    def _places_of(self, paths: Iterable[str]) -> list[int]:
        words = [path.encode() for path in paths]
        return [place for place, piece in enumerate(self.pieces) if any(word in piece.data for word in words)]

    def _begins(self, place: int) -> tuple[str, int, int, str]:
        found: tuple[str, int, int, str] = PLACE(self.pieces[place].decoded()[0])
        return found

    @cached_property
    def _all(self) -> tuple[Finding, ...]:
        return tuple(chain.from_iterable(piece.decoded() for piece in self.pieces))

    def __len__(self) -> int:
        return sum(piece.number for piece in self.pieces)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._all)

    @overload
    def __getitem__(self, place: int) -> Finding: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, place: int | slice) -> Finding | tuple[Finding, ...]:
        return self._all[place]


class ManyFindings(Sequence[Finding]):
    """Findings in a file, a thousand of them decoded at a time. `errors` and `codes` are known without reading it."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.errors: list[Finding] = []
        self.codes: set[str] = set()
        self._scratch = Scratch()
        self._starts = [0]
        self._numbers: list[tuple[int, bool]] = []
        for some in _pieces(findings):
            piece = Piece.of(some)
            self.errors += (finding for finding in some if finding.level == "error")
            self.codes.update(finding.code for finding in some)
            self._numbers.append((piece.number, piece.has_errors))
            self._starts.append(self._scratch.append(piece.data))

    def pieces(self) -> Iterator[Piece]:
        """All of them, encoded."""
        places = zip(self._numbers, self._starts, self._starts[1:], strict=False)
        return (Piece(*about, self._scratch.read(start, end)) for about, start, end in places)

    def __len__(self) -> int:
        return sum(number for number, _ in self._numbers)

    def __iter__(self) -> Iterator[Finding]:
        return chain.from_iterable(piece.decoded() for piece in self.pieces())

    @overload
    def __getitem__(self, place: int) -> Finding: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, place: int | slice) -> Finding | tuple[Finding, ...]:
        if isinstance(place, slice):
            return tuple(self[number] for number in range(*place.indices(len(self))))
        piece, number = divmod(range(len(self))[place], AT_ONCE)
        return DECODER.decode(self._scratch.read(self._starts[piece], self._starts[piece + 1]))[number]


def gathered(findings: Iterable[Finding], *, in_memory: int = IN_MEMORY) -> Sequence[Finding]:
    """Some findings, in memory as long as they are not many."""
    left = iter(findings)
    first = tuple(islice(left, in_memory + 1))
    if len(first) <= in_memory:
        return first
    whole = chain(first, left)
    del first  # Once the file has them, nobody else does.
    return ManyFindings(whole)


def errors_in(findings: Sequence[Finding]) -> list[Finding]:
    """Those that stop a plan."""
    if isinstance(findings, ManyFindings | InPieces):
        return findings.errors
    return [finding for finding in findings if finding.level == "error"]


def has_code(findings: Sequence[Finding], code: str) -> bool:
    """Whether one of them has a code."""
    if isinstance(findings, ManyFindings):
        return code in findings.codes
    return any(finding.code == code for finding in findings)


def encoded_pieces(findings: Sequence[Finding]) -> Iterable[Piece]:
    """Some at a time: not all findings are in memory beside themselves."""
    if isinstance(findings, InPieces):
        return findings.pieces
    return findings.pieces() if isinstance(findings, ManyFindings) else map(Piece.of, _pieces(findings))


def _pieces(findings: Iterable[Finding]) -> Iterator[list[Finding]]:
    left = iter(findings)
    while some := list(islice(left, AT_ONCE)):
        yield some
