"""What was found out about external addresses, kept for a day, so that they are not asked at every run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from kbsync.files import read_within, store_whole
from kbsync.service.external import State, Verdict

SCHEMA = "kbsync.external/1"
KEPT_S = 24 * 60 * 60
MAX_BYTES = 50_000_000
KEPT = frozenset({"alive", "dead"})
"""What is unsure today may be sure in a minute."""


class Seen(msgspec.Struct, frozen=True):
    """One address as it was; `when` is in seconds since 1970."""

    state: State
    reason: str
    when: int


class Memory(msgspec.Struct, frozen=True):
    """The file."""

    schema: str = SCHEMA
    urls: dict[str, Seen] = {}


def load_memory(path: Path, *, now_s: float) -> dict[str, Seen]:
    """What is known and younger than a day; nothing where there is no usable file."""
    try:
        memory = msgspec.json.decode(read_within(path, MAX_BYTES) if path.is_file() else b"", type=Memory)
    except (OSError, msgspec.DecodeError):
        return {}
    if memory.schema != SCHEMA:
        return {}
    return {url: seen for url, seen in memory.urls.items() if 0 <= now_s - seen.when < KEPT_S}


def store_memory(path: Path, known: Mapping[str, Seen], new: Mapping[str, Verdict], *, now_s: float) -> None:
    """Keep what is known still, and what is sure of the new."""
    fresh = {url: Seen(v.state, v.reason, int(now_s)) for url, v in new.items() if v.state in KEPT}
    store_whole(path, msgspec.json.format(msgspec.json.encode(Memory(urls={**known, **fresh})), indent=1))
