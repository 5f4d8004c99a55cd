"""The scan cache: what was read of each file, kept while its size and times stay as they were.

One file, written whole or not at all; a cache that cannot be used is as good as none and is made anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

import msgspec

from kbsync import __version__
from kbsync.content.source import Source
from kbsync.content.walk import Stamp
from kbsync.files import store_whole

HEAD = f"kbsync.scan/5 {__version__}\n".encode()
"""A cache of another kbsync is not read: a rule may have changed."""

NUMBER_BYTES = 4

PIECE_ROWS = 1_000
"""Rows that are encoded and decoded at once: the file of a large tree is never in memory whole, beside its rows."""

RACY_NS = 50_000_000
"""A file changed this shortly before it was read may change again within one tick of the file system's clock."""


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One file as it was, what was read of it, and what its links compiled to.

    `links_key` names the addresses that its links had, `content_digest` the body with these addresses in it.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    racy: bool
    source: Source
    links_key: bytes = b""
    content_digest: str = ""

    def fits(self, stamp: Stamp) -> bool:
        """Whether the file is surely the one that was read."""
        return (self.size, self.mtime_ns, self.ctime_ns) == (stamp.size, stamp.mtime_ns, stamp.ctime_ns) and (
            not self.racy
        )


DECODER: msgspec.msgpack.Decoder[dict[str, Row]] = msgspec.msgpack.Decoder(dict[str, Row])


def load_cache(path: Path) -> dict[str, Row]:
    """The rows of the cache, or none where there is no usable one."""
    rows: dict[str, Row] = {}
    try:
        with path.open("rb") as file:
            if file.read(len(HEAD)) != HEAD:
                return {}
            size = path.stat().st_size
            while piece := _read_piece(file, size):
                rows |= DECODER.decode(piece)
            return rows if not file.read(1) else {}
    except (OSError, EOFError, msgspec.DecodeError):
        return {}


def _read_piece(file: BinaryIO, most: int) -> bytes:
    """The next piece, or b"" for the one that marks the end.

    Raises:
        EOFError: the file ends before that one, or a piece is not what was written.
    """
    head = file.read(2 * NUMBER_BYTES)
    length, crc = head[:NUMBER_BYTES], head[NUMBER_BYTES:]
    # A damaged length could ask for four gigabytes.
    piece = file.read(min(int.from_bytes(length), most))
    # One flipped bit in a row would go out as somebody's title.
    if len(head) != 2 * NUMBER_BYTES or crc != _number(crc32(length + piece)):
        raise EOFError
    return piece


def store_cache(path: Path, rows: dict[str, Row]) -> None:
    """Write the cache anew. A disk that is full or read-only costs the next run its time, and nothing else."""
    store_whole(path, _pieces(rows))


def _pieces(rows: dict[str, Row]) -> Iterator[bytes]:
    yield HEAD
    left = iter(rows.items())
    while some := dict(islice(left, PIECE_ROWS)):
        yield from _piece(msgspec.msgpack.encode(some))
    yield from _piece(b"")


def _piece(data: bytes) -> tuple[bytes, bytes, bytes]:
    length = _number(len(data))
    return length, _number(crc32(length + data)), data


def _number(value: int) -> bytes:
    return value.to_bytes(NUMBER_BYTES)
