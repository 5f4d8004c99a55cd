"""What the files of a ledger in git said when they were read last, so that the next clone need not parse them again.

A cache, in the folder that a CI job may keep. A file is taken from it if git says that it has the same bytes. What is
kept was found sound then and is not checked again, so whoever may write this folder is trusted as with the ledger's own
file beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kbsync.ledger.shards import Shard
from kbsync.memory import Kind, Memory


class _Kept(msgspec.Struct, array_like=True):
    """The files of one portal's ledger by name, each with its blob's id, its rows and their fingerprint."""

    target: str
    shards: dict[str, tuple[str, list[list[Any]], bytes]]


KEPT: Kind[_Kept] = Kind("ledger", _Kept)


def load_shards(memory: Memory, name: str, target: str, oids: Mapping[str, str]) -> dict[str, Shard]:
    """The files with these blobs, as far as they are known.

    Args:
        memory: where they are kept.
        name: of the ledger.
        target: the portal.
        oids: the blobs of files, by name.
    """
    kept = memory.get(KEPT, name)
    if kept is None or kept.target != target:
        return {}
    return {name: Shard(rows, mark) for name, (oid, rows, mark) in kept.shards.items() if oids.get(name) == oid}


def store_shards(memory: Memory, name: str, target: str, shards: Mapping[str, Shard], oids: Mapping[str, str]) -> None:
    """Keep the files of a commit. A disk that is full or read-only costs the next clone its time, and nothing else."""
    kept = _Kept(target, {name: (oids[name], *shard) for name, shard in shards.items()})
    memory.put(KEPT, {name: kept})
