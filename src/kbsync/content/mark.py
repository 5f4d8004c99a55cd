"""What a tree looked like at one time, so that the next run knows whether a file of it moved."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kbsync.content.walk import Stamp, Walk
from kbsync.digests import blake2b

DIGEST_BYTES = 16

Moved = Mapping[str, Stamp]
"""Sources that are not as they were, by path, with their stamps then."""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """The files of a tree at one time; the stamps of its sources stay encoded until one has to be found."""

    others: bytes
    sources: msgspec.Raw

    @classmethod
    def of(cls, walk: Walk) -> Mark:
        """The mark of a tree as it was walked."""
        others = blake2b(msgspec.msgpack.encode(sorted(walk.others.items())), digest_size=DIGEST_BYTES).digest()
        return cls(others, msgspec.Raw(msgspec.msgpack.encode(walk.sources)))

    def moved(self, now: Mark, walk: Walk) -> Moved | None:
        """The sources that are not as they were, each with its stamp then; None where files came or went.

        Args:
            now, walk: the tree now, and its mark.
        """
        if self.others != now.others:
            return None
        if bytes(self.sources) == bytes(now.sources):
            return {}
        before = msgspec.msgpack.decode(self.sources, type=dict[str, Stamp])
        if before.keys() != walk.sources.keys():
            return None
        return {path: before[path] for path, stamp in walk.sources.items() if before[path] != stamp}
