"""The scan cache: what was read of each file, kept while its size and times stay as they were.

One file, written whole or not at all; a cache that cannot be used is as good as none and is made anew.
"""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import msgspec

from kbsync import __version__
from kbsync.content.source import Source
from kbsync.content.walk import Stamp
from kbsync.files import store_whole

HEAD = f"kbsync.scan/2 {__version__}\n".encode()
"""A cache of another kbsync is not read: a rule may have changed."""

SUM_BYTES = 4

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


def load_cache(path: Path) -> dict[str, Row]:
    """The rows of the cache, or none where there is no usable one."""
    try:
        data = path.read_bytes()
        rows = memoryview(data)[len(HEAD) + SUM_BYTES :]
        # One flipped bit in a row would go out as somebody's title.
        if not data.startswith(HEAD + _sum(rows)):
            return {}
        return msgspec.msgpack.decode(rows, type=dict[str, Row])
    except (OSError, msgspec.DecodeError):
        return {}


def store_cache(path: Path, rows: dict[str, Row]) -> None:
    """Write the cache anew. A disk that is full or read-only costs the next run its time, and nothing else."""
    data = msgspec.msgpack.encode(rows)
    store_whole(path, HEAD + _sum(data) + data)


def _sum(data: bytes | memoryview) -> bytes:
    return crc32(data).to_bytes(SUM_BYTES, "big")
