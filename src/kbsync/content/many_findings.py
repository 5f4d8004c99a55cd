"""Findings of a large tree: hundreds of thousands would take hundreds of megabytes, so these lie in a file."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain, islice
from operator import attrgetter
from typing import Protocol, overload
from zlib import crc32

import msgspec

from kbsync.files import Scratch
from kbsync.model import Finding

IN_MEMORY = 100_000
"""Findings that are kept as they are: some 35 megabytes."""

AT_ONCE = 100
"""Findings that are encoded and decoded at once: for those of one file, hardly any others are."""

MARK_BYTES = 4

DECODER: msgspec.msgpack.Decoder[list[Finding]] = msgspec.msgpack.Decoder(list[Finding])

PLACE = attrgetter("path", "line", "column", "code")
"""The order of findings: as a reader goes through them."""

FIRST = attrgetter("first")

UNREADABLE = (OSError, EOFError, msgspec.DecodeError)
"""What reading a piece raises that lies in a file which is damaged."""

_NAMES_BACKWARDS = re.compile(r"dm\.(?<=[: ]dm\.)[\w-]*")
"""See `_names_in`. It begins with plain characters, so that the rest of a text is passed over twenty times faster."""


class Piece(msgspec.Struct, frozen=True):
    """Some findings, encoded, and what is known of them without decoding them.

    Args:
        number: how many they are.
        has_errors: whether one of them is an error.
        first: the place of the first.
        checksum: of the data.
        named: marks of the files that their messages name with a colon or a space behind, one after the other.
        data: gives them encoded; see `UNREADABLE`.
    """

    number: int
    has_errors: bool
    first: tuple[str, int, int, str]
    named: bytes
    checksum: int
    data: Callable[[], bytes]

    @classmethod
    def of(cls, some: Sequence[Finding]) -> Piece:
        """Encode some findings."""
        has_errors = any(finding.level == "error" for finding in some)
        names = _names_in("\n".join([finding.message for finding in some]))
        data = msgspec.msgpack.encode(some)
        return cls(
            len(some), has_errors, PLACE(some[0]), b"".join(sorted(map(_mark, names))), crc32(data), lambda: data
        )

    def decoded(self) -> list[Finding]:
        """These findings."""
        return DECODER.decode(self.data())


def _first_path(piece: Piece) -> str:
    return piece.first[0]


def _names_in(text: str) -> set[str]:
    """The end of the name of each source that a text names with a colon or a space behind."""
    return {name[::-1] for name in set(_NAMES_BACKWARDS.findall(text[::-1]))}


def _mark(name: str) -> bytes:
    return crc32(name.encode()).to_bytes(MARK_BYTES)


def _mark_of(path: str) -> bytes:
    """How a piece has a file that a message of it names; others may have the same."""
    return _mark(_NAMES_BACKWARDS.findall(f":{path[::-1]}")[0][::-1])


class InFile(Protocol):
    """Where pieces are that are not in memory."""

    def anew(self) -> Sequence[Finding]:
        """All findings of the tree as it is now, found without the file."""

    def load(self) -> None:
        """Have all of it in memory: the file is about to be replaced."""


class InPieces(Sequence[Finding]):
    """Findings in their order, encoded; only those pieces are decoded that are asked for."""

    def __init__(self, pieces: Iterable[Piece], file: InFile | None = None) -> None:
        """Take them from pieces, of which some may be in a file."""
        self._given, self.file = pieces, file

    @cached_property
    def pieces(self) -> list[Piece]:
        """All of them, encoded."""
        return list(self._given)

    @property
    def errors(self) -> list[Finding]:
        """Those that stop a plan."""
        return [f for f in self._in(piece for piece in self.pieces if piece.has_errors) if f.level == "error"]

    def naming(self, paths: Iterable[str]) -> list[Finding]:
        """Those whose message names one of these sources with a colon or a space behind, and what lies with them.

        Raises:
            OSError, EOFError, msgspec.DecodeError: they cannot be read any more.
        """
        marks = [_mark_of(path) for path in paths]
        some = (piece.decoded() for piece in self.pieces if any(mark in piece.named for mark in marks))
        return list(chain.from_iterable(some))

    def amended(self, paths: Collection[str], own: Iterable[Finding], *, stays: Callable[[Finding], bool]) -> InPieces:
        """The same with other findings in some files.

        Args:
            paths: the files.
            own: what is found in them now.
            stays: which of those that were found in them before are found there now, besides.

        Raises:
            OSError, EOFError, msgspec.DecodeError: they cannot be read any more.
        """
        changed = {place: self.pieces[place].decoded() for path in paths for place in self._places_of(path)}
        changed = {place: [f for f in some if f.path not in paths or stays(f)] for place, some in changed.items()}
        for finding in own:
            place = max(0, bisect_right(self.pieces, PLACE(finding), key=FIRST) - 1)
            if place not in changed:
                changed[place] = self.pieces[place].decoded() if self.pieces else []
            changed[place].append(finding)
        anew = {place: Piece.of(sorted(some, key=PLACE)) for place, some in changed.items() if some}
        left = {place: piece for place, piece in enumerate(self.pieces) if place not in changed}
        return InPieces([piece for _, piece in sorted((left | anew).items())], self.file)

    def _places_of(self, path: str) -> range:
        """The pieces that may have findings of a file: from the last that begins before it."""
        first = bisect_left(self.pieces, path, key=_first_path) - 1
        return range(max(0, first), bisect_right(self.pieces, path, key=_first_path))

    def _in(self, pieces: Iterable[Piece]) -> list[Finding]:
        try:
            return list(chain.from_iterable(piece.decoded() for piece in pieces))
        except UNREADABLE:
            if self.file is None:
                raise
            return list(self.file.anew())

    @cached_property
    def _all(self) -> tuple[Finding, ...]:
        return tuple(self._in(self.pieces))

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
        self._pieces: list[Piece] = []
        for some in _pieces(findings):
            piece = Piece.of(some)
            self.errors += (finding for finding in some if finding.level == "error")
            self.codes.update(finding.code for finding in some)
            self._starts.append(self._scratch.append(piece.data()))
            data = partial(self._scratch.read, self._starts[-2], self._starts[-1])
            self._pieces.append(msgspec.structs.replace(piece, data=data))

    @property
    def pieces(self) -> Sequence[Piece]:
        """All of them, encoded."""
        return self._pieces

    def __len__(self) -> int:
        return sum(piece.number for piece in self._pieces)

    def __iter__(self) -> Iterator[Finding]:
        return chain.from_iterable(piece.decoded() for piece in self._pieces)

    @overload
    def __getitem__(self, place: int) -> Finding: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, place: int | slice) -> Finding | tuple[Finding, ...]:
        if isinstance(place, slice):
            return tuple(self[number] for number in range(*place.indices(len(self))))
        piece, number = divmod(range(len(self))[place], AT_ONCE)
        return self._pieces[piece].decoded()[number]


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
    return findings.pieces if isinstance(findings, InPieces | ManyFindings) else map(Piece.of, _pieces(findings))


def _pieces(findings: Iterable[Finding]) -> Iterator[list[Finding]]:
    left = iter(findings)
    while some := list(islice(left, AT_ONCE)):
        yield some
