"""What a plan leaves unpublished, in a file beside its record: there may be thousands, and it names three of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    if not items:
        return b""
    pieces = (items[at : at + PIECE_ROWS] for at in range(0, len(items), PIECE_ROWS))
    return msgspec.msgpack.encode([msgspec.msgpack.encode(piece) for piece in pieces])
