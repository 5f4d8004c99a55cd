"""What a tree looked like at one time, so that the next run knows whether a file of it moved."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kbsync.content.walk import Stamp, Walk
from kbsync.digests import blake2b

DIGEST_BYTES = 16

PIECE_SOURCES = 100
"""Sources that are encoded at once: where one moved, the others need not be decoded."""

DECODER: msgspec.msgpack.Decoder[tuple[list[str], list[Stamp]]] = msgspec.msgpack.Decoder(tuple[list[str], list[Stamp]])

Moved = Mapping[str, Stamp]
"""Sources that are not as they were, by path, with their stamps then."""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """The files of a tree at one time; the stamps of its sources stay encoded, in pieces, until one has to be found."""

    others: bytes
    sources: msgspec.Raw

    @classmethod
    def of(cls, walk: Walk) -> Mark:
        """The mark of a tree as it was walked."""
        others = blake2b(msgspec.msgpack.encode(sorted(walk.others.items())), digest_size=DIGEST_BYTES).digest()
        paths, stamps = list(walk.sources), list(walk.sources.values())
        places = range(0, len(paths), PIECE_SOURCES)
        pieces = [(paths[at : at + PIECE_SOURCES], stamps[at : at + PIECE_SOURCES]) for at in places]
        return cls(others, msgspec.Raw(msgspec.msgpack.encode(list(map(msgspec.msgpack.encode, pieces)))))

    def moved(self, now: Mark) -> Moved | None:
        """The sources that are not as they are now, each with its stamp then; None where files came or went."""
        if self.others != now.others:
            return None
        if bytes(self.sources) == bytes(now.sources):
            return {}
        before, after = self._pieces(), now._pieces()
        if len(before) != len(after):
            return None
        found: dict[str, Stamp] = {}
        for old, new in zip(before, after, strict=True):
            if old == new:
                continue
            (paths, then), (paths_now, stamps) = DECODER.decode(old), DECODER.decode(new)
            if paths != paths_now:
                return None
            found |= {path: was for path, was, stamp in zip(paths, then, stamps, strict=True) if was != stamp}
        return found

    def _pieces(self) -> list[bytes]:
        return msgspec.msgpack.decode(self.sources, type=list[bytes])
