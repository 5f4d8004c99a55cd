"""What a plan leaves unpublished, in a file beside its record: there may be thousands, and it names three of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import overload

import msgspec

from kbsync.model import Unpublished

PIECE_ROWS = 100
"""Rows that are decoded at once."""


class KeptUnpublished(Sequence[Unpublished]):
    """Articles that stay drafts, of which only those are decoded that are asked for."""

    def __init__(self, encoded: bytes, number: int) -> None:
        """Take them from what `encoded` made of so many."""
        self._encoded, self._number = encoded, number
        self._piece = cache(self._decoded)

    @cached_property
    def _pieces(self) -> list[bytes]:
        return msgspec.msgpack.decode(self._encoded, type=list[bytes])

    def _decoded(self, number: int) -> list[Unpublished]:
        return msgspec.msgpack.decode(self._pieces[number], type=list[Unpublished])

    def places_of(self, paths: Collection[str]) -> list[int]:
        """Where the rows of some sources are. A piece that does not have the bytes of such a path is not decoded."""
        sought = [path.encode() for path in paths]
        some = (at for at, piece in enumerate(self._pieces) if any(path in piece for path in sought))
        rows = ((at * PIECE_ROWS + place, row) for at in some for place, row in enumerate(self._piece(at)))
        return [place for place, row in rows if row.path in paths]

    def with_rows(self, rows: Mapping[int, Unpublished]) -> KeptUnpublished:
        """The same with other rows at some places."""
        if all(row == self[place] for place, row in rows.items()):
            return self
        pieces = list(self._pieces)
        for at in {place // PIECE_ROWS for place in rows}:
            own = self._piece(at)
            now = [rows.get(at * PIECE_ROWS + place, row) for place, row in enumerate(own)]
            pieces[at] = msgspec.msgpack.encode(now)
        return KeptUnpublished(msgspec.msgpack.encode(pieces), self._number)

    @property
    def encoded(self) -> bytes:
        """What they were taken from."""
        return self._encoded

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Unpublished]:
        for number in range(len(self._pieces)):
            yield from self._piece(number)

    @overload
    def __getitem__(self, place: int) -> Unpublished: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Unpublished, ...]: ...
    def __getitem__(self, place: int | slice) -> Unpublished | tuple[Unpublished, ...]:
        places = range(self._number)[place]
        if isinstance(places, range):
            return tuple(self[at] for at in places)
        return self._piece(places // PIECE_ROWS)[places % PIECE_ROWS]


def encoded(items: Sequence[Unpublished]) -> bytes:
    """Articles as they are kept; nothing for none."""
    if isinstance(items, KeptUnpublished):
        return items.encoded
    if not items:
        return b""
    pieces = (items[at : at + PIECE_ROWS] for at in range(0, len(items), PIECE_ROWS))
    return msgspec.msgpack.encode([msgspec.msgpack.encode(piece) for piece in pieces])
