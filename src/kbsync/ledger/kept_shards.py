"""What the files of a ledger in git said when they were read last, so that the next clone need not parse them again.

A cache, in the folder that a CI job may keep. A file is taken from it if git says that it has the same bytes. What is
kept was found sound then and is not checked again, so whoever may write this folder is trusted as with the ledger's own
file beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from kbsync import __version__
from kbsync.files import load_sealed, store_sealed
from kbsync.ledger.schema import VERSION
from kbsync.ledger.shards import Shard

HEAD = f"kbsync.ledger-shards/1 {VERSION} {__version__}\n".encode()
"""A cache of another kbsync, or of other tables, is not read."""


class _Kept(msgspec.Struct, array_like=True):
    """The files of one portal's ledger by name, each with its blob's id, its rows and their fingerprint."""

    target: str
    shards: dict[str, tuple[str, list[list[Any]], bytes]]


def load_shards(path: Path, target: str, oids: Mapping[str, str]) -> dict[str, Shard]:
    """The files with these blobs, as far as they are known.

    Args:
        path: the cache. One that is missing, damaged or another version's knows none.
        target: the portal.
        oids: the blobs of files, by name.
    """
    body = load_sealed(path, HEAD)
    try:
        kept = msgspec.msgpack.decode(body, type=_Kept) if body is not None else None
    except msgspec.DecodeError:
        kept = None
    if kept is None or kept.target != target:
        return {}
    return {name: Shard(rows, mark) for name, (oid, rows, mark) in kept.shards.items() if oids.get(name) == oid}


def store_shards(path: Path, target: str, shards: Mapping[str, Shard], oids: Mapping[str, str]) -> None:
    """Keep the files of a commit. A disk that is full or read-only costs the next clone its time, and nothing else."""
    kept = _Kept(target, {name: (oids[name], *shard) for name, shard in shards.items()})
    store_sealed(path, HEAD, msgspec.msgpack.encode(kept))
