"""The scan cache: what was read of each file, kept while its size and times stay as they were.

One file, written whole or not at all; a cache that cannot be used is as good as none and is made anew. Its rows lie in
path order, in pieces, so that the file of a large tree is never in memory whole beside its rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

import msgspec

from kbsync import __version__
from kbsync.content.source import Source
from kbsync.content.walk import Stamp
from kbsync.files import remove_abandoned, store_whole

HEAD = f"kbsync.scan/30 {__version__}\n".encode()
"""A cache of another kbsync is not read: a rule may have changed."""

NUMBER_BYTES = 4

PIECE_ROWS = 100
"""Rows that are encoded and decoded at once."""

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
        """Whether the file is certainly the one that was read."""
        return (self.size, self.mtime_ns, self.ctime_ns) == (stamp.size, stamp.mtime_ns, stamp.ctime_ns) and (
            not self.racy
        )


DECODER: msgspec.msgpack.Decoder[dict[str, Row]] = msgspec.msgpack.Decoder(dict[str, Row])


def load_cache(path: Path) -> dict[str, Row]:
    """The rows of the cache, or none where there is no usable one."""
    rows: dict[str, Row] = {}
    try:
        if not path.is_file():
            return {}  # A pipe of that name would be waited for.
        with path.open("rb") as file:
            if file.read(len(HEAD)) != HEAD:
                return {}
            # Of the file that is open: another process may have put a new one in its place since.
            size = os.fstat(file.fileno()).st_size
            while piece := _read_piece(file, size):
                rows |= DECODER.decode(piece)
    except (OSError, EOFError, msgspec.DecodeError):
        return {}
    return rows


def store_cache(path: Path, rows: Iterable[tuple[str, Row]]) -> None:
    """Write the cache anew. A disk that is full or read-only costs the next run its time, and nothing else.

    Args:
        path: the file. What killed runs left of the caches in its folder goes.
        rows: with their paths, in path order.
    """
    remove_abandoned(path.parent)
    store_whole(path, _whole(rows))


def _whole(rows: Iterable[tuple[str, Row]]) -> Iterator[bytes]:
    yield HEAD
    left = iter(rows)
    while some := dict(islice(left, PIECE_ROWS)):
        yield _piece(msgspec.msgpack.encode(some))
    yield _piece(b"")  # All of them are there.


def _read_piece(file: BinaryIO, size: int) -> bytes:
    """The next piece; b"" behind the last one. One flipped bit in a row would go out as somebody's title.

    Raises:
        EOFError: it is damaged.
    """
    head = file.read(2 * NUMBER_BYTES)
    length, crc = head[:NUMBER_BYTES], head[NUMBER_BYTES:]
    # A damaged length could ask for four gigabytes.
    piece = file.read(min(int.from_bytes(length), size))
    if len(head) != 2 * NUMBER_BYTES or crc != _number(crc32(length + piece)):
        raise EOFError
    return piece


def _piece(data: bytes) -> bytes:
    length = _number(len(data))
    return length + _number(crc32(length + data)) + data


def _number(value: int) -> bytes:
    return value.to_bytes(NUMBER_BYTES)
