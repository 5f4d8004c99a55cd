"""Which files of a ledger in git are as a commit has them: their rows have the same fingerprint, in whatever order.

To encode all rows of a portal again costs more than everything else that a push of one change does with its ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

BYTES = 16

Fingerprints = Mapping[str, bytes]
"""Of the rows of each file, by its name."""

ENCODER = msgspec.msgpack.Encoder()


def fingerprint(rows: Iterable[Sequence[Any]]) -> bytes:
    """Name some rows."""
    each = sorted(blake2b(ENCODER.encode(row), digest_size=BYTES).digest() for row in rows)
    return blake2b(b"".join(each), digest_size=BYTES).digest()


def encoded(commit: str, fingerprints: Fingerprints) -> bytes:
    """The fingerprints of the files of a commit, to be kept."""
    return msgspec.msgpack.encode((commit, dict(fingerprints)))


def decoded(kept: bytes, commit: str) -> Fingerprints:
    """Those that were kept, where they are of this commit; else none, and every file is made again."""
    try:
        found, fingerprints = msgspec.msgpack.decode(kept, type=tuple[str, dict[str, bytes]])
    except msgspec.DecodeError:
        return {}
    return fingerprints if found == commit else {}
