"""The scan cache: what was read of each file, kept while its size and times stay as they were.

One file, written whole or not at all; a cache that cannot be used is as good as none and is made anew. Its rows lie in
path order, in pieces, with the first path of each piece at the end: so one row can be had without the others.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import BinaryIO
from zlib import crc32

import msgspec

from kbsync import __version__
from kbsync.content.source import Source
from kbsync.content.walk import Stamp
from kbsync.files import remove_abandoned, store_whole

HEAD = f"kbsync.scan/29 {__version__}\n".encode()
"""A cache of another kbsync is not read: a rule may have changed."""

NUMBER_BYTES = 4
OFFSET_BYTES = 8

PIECE_ROWS = 100
"""Rows that are encoded and decoded at once: the file of a large tree is never in memory whole, beside its rows."""

RACY_NS = 50_000_000
"""A file changed this shortly before it was read may change again within one tick of the file system's clock."""

MOST_STAMPS = 64
"""Earlier stamps that a row keeps. A command whose last run was more edits of the file ago reads the whole tree."""


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One file as it was, what was read of it, and what its links compiled to.

    `links_key` names the addresses that its links had, `content_digest` the body with these addresses in it.
    `same_shape` has earlier stamps of the file at which its shape (`part.py`) was the same.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    racy: bool
    source: Source
    links_key: bytes = b""
    content_digest: str = ""
    same_shape: tuple[Stamp, ...] = ()

    def fits(self, stamp: Stamp) -> bool:
        """Whether the file is certainly the one that was read."""
        return (self.size, self.mtime_ns, self.ctime_ns) == (stamp.size, stamp.mtime_ns, stamp.ctime_ns) and (
            not self.racy
        )

    def had_shape_at(self, stamp: Stamp) -> bool:
        """Whether the file certainly had this shape when it had that stamp."""
        return self.fits(stamp) or stamp in self.same_shape

    def stamps_of_shape(self) -> tuple[Stamp, ...]:
        """All stamps at which the file certainly had this shape, the last of them the row's own."""
        own = Stamp(self.size, self.mtime_ns, self.ctime_ns)
        # A file may change within the tick in which it was read: then more than what was read has that stamp.
        return self.same_shape if self.racy else (*self.same_shape, own)[-MOST_STAMPS:]


DECODER: msgspec.msgpack.Decoder[dict[str, Row]] = msgspec.msgpack.Decoder(dict[str, Row])
RAW_DECODER: msgspec.msgpack.Decoder[dict[str, msgspec.Raw]] = msgspec.msgpack.Decoder(dict[str, msgspec.Raw])
ROW_DECODER: msgspec.msgpack.Decoder[Row] = msgspec.msgpack.Decoder(Row)
INDEX_DECODER: msgspec.msgpack.Decoder[list[tuple[str, int]]] = msgspec.msgpack.Decoder(list[tuple[str, int]])


class CacheFile:
    """A scan cache, open: some of its rows, or all.

    Raises:
        OSError, EOFError, msgspec.DecodeError: there is no cache that can be used; from every method.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise EOFError  # A pipe of that name would be waited for.
        self._file: BinaryIO = path.open("rb")
        try:
            # Of the file that is open: another process may have put a new one in its place since.
            self._size = os.fstat(self._file.fileno()).st_size
            if self._file.read(len(HEAD)) != HEAD:
                raise EOFError
            self._file.seek(max(0, self._size - OFFSET_BYTES))
            index = INDEX_DECODER.decode(self._piece(int.from_bytes(self._file.read(OFFSET_BYTES))))
        except BaseException:
            self._file.close()
            raise
        self._firsts = [first for first, _ in index]
        self._offsets = [offset for _, offset in index]
        self._opened: dict[int, dict[str, msgspec.Raw]] = {}

    def __enter__(self) -> CacheFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def row(self, path: str) -> Row | None:
        """The row of one file. The others of its piece stay encoded."""
        place = bisect_right(self._firsts, path) - 1
        if place < 0:
            return None
        if place not in self._opened:
            self._opened[place] = RAW_DECODER.decode(self._piece(self._offsets[place]))
        found = self._opened[place].get(path)
        return None if found is None else ROW_DECODER.decode(found)

    def pieces_with(self, rows: Mapping[str, Row]) -> list[tuple[str, bytes]] | None:
        """The pieces, each with its first path, with these rows in the place of others; None where one is new."""
        there = {path: bisect_right(self._firsts, path) - 1 for path in rows}
        pieces = []
        for place, (first, offset) in enumerate(zip(self._firsts, self._offsets, strict=True)):
            data, new = self._piece(offset), {path: rows[path] for path in rows if there[path] == place}
            if new:
                old = RAW_DECODER.decode(data)
                if not new.keys() <= old.keys():
                    return None
                data = msgspec.msgpack.encode({**old, **new})
            pieces.append((first, data))
        return pieces if -1 not in there.values() else None

    def rows(self) -> dict[str, Row]:
        """All of them."""
        rows: dict[str, Row] = {}
        for piece in self.pieces():
            rows |= piece
        return rows

    def pieces(self) -> Iterator[dict[str, Row]]:
        """All of them, some at a time."""
        return (DECODER.decode(self._piece(offset)) for offset in self._offsets)

    def _piece(self, offset: int) -> bytes:
        self._file.seek(min(offset, self._size))
        head = self._file.read(2 * NUMBER_BYTES)
        length, crc = head[:NUMBER_BYTES], head[NUMBER_BYTES:]
        # A damaged length could ask for four gigabytes.
        piece = self._file.read(min(int.from_bytes(length), self._size))
        # One flipped bit in a row would go out as somebody's title.
        if len(head) != 2 * NUMBER_BYTES or crc != _number(crc32(length + piece)):
            raise EOFError
        return piece


def cached_rows(path: Path) -> Iterator[tuple[str, Row]]:
    """The rows of the cache one by one, up to where it cannot be used."""
    try:
        with CacheFile(path) as cache:
            for piece in cache.pieces():
                yield from piece.items()
    except (OSError, EOFError, msgspec.DecodeError):
        return


def load_cache(path: Path) -> dict[str, Row]:
    """The rows of the cache, or none where there is no usable one."""
    try:
        with CacheFile(path) as cache:
            return cache.rows()
    except (OSError, EOFError, msgspec.DecodeError):
        return {}


def renew_rows(path: Path, rows: Mapping[str, Row]) -> None:
    """Put some rows in the place of those that the cache has of these files; the others are not decoded.

    A cache that cannot be used, or lacks one of the files, is left as it is.
    """
    try:
        with CacheFile(path) as cache:
            pieces = cache.pieces_with(rows)
    except (OSError, EOFError, msgspec.DecodeError):
        return
    if pieces is not None:
        store_whole(path, _whole(pieces))


def store_cache(path: Path, rows: Iterable[tuple[str, Row]]) -> None:
    """Write the cache anew. A disk that is full or read-only costs the next run its time, and nothing else.

    Args:
        path: the file. What killed runs left of the caches in its folder goes.
        rows: with their paths, in path order.
    """
    remove_abandoned(path.parent)
    store_whole(path, _whole(_pieces(rows)))


def _pieces(rows: Iterable[tuple[str, Row]]) -> Iterator[tuple[str, bytes]]:
    left = iter(rows)
    while some := dict(islice(left, PIECE_ROWS)):
        yield next(iter(some)), msgspec.msgpack.encode(some)


def _whole(pieces: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """The file, of pieces that are encoded, each with its first path."""
    yield HEAD
    offset = len(HEAD)
    index: list[tuple[str, int]] = []
    for first, data in pieces:
        index.append((first, offset))
        piece = _piece(data)
        offset += len(piece)
        yield piece
    yield _piece(msgspec.msgpack.encode(index))
    yield offset.to_bytes(OFFSET_BYTES)


def _piece(data: bytes) -> bytes:
    length = _number(len(data))
    return length + _number(crc32(length + data)) + data


def _number(value: int) -> bytes:
    return value.to_bytes(NUMBER_BYTES)
