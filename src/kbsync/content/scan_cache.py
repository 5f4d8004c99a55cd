"""What was read of each file, kept while its size and times stay as they were."""

from __future__ import annotations

import msgspec

from kbsync.content.source import Source
from kbsync.content.walk import Stamp
from kbsync.memory import Kind

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


ROWS: Kind[Row] = Kind("source", Row)
"""By path."""
