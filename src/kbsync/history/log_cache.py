"""What a walk through history found, kept so that the next one only asks git for the commits that are new.

Two things are kept. The commits that touched sources follow from HEAD's id and from nothing else: its id is the digest
of all that came before. What an older text says of itself (who it was, the outline of its body) follows from its blob
and from the settings of locales. A record that is damaged, of another kbsync, folder or history costs time, nothing
else: everything is asked again. Nothing is kept of a shallow clone, which may know more tomorrow under the same id.
"""

from __future__ import annotations

import heapq
import re
from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from kbsync import __version__
from kbsync.files import load_sealed, store_sealed
from kbsync.history.repository import UNCHANGED, Commit, Entry

HEAD = f"kbsync.history/1 {__version__}\n".encode()
NAME = "history.cache"

MOST_ENTRIES = 1_000_000
"""Changed files of all commits, some 40 bytes each; of a longer history the newest are kept."""

MOST_TEXTS = 200_000
"""Older texts of which something is kept."""

WIDTH = 5
"""Numbers that make an entry: the old name, the name, the old id, the id, how much stayed (percent)."""

NOT_REPLACED = ("-", 0)
"""No id is like it."""

ID = re.compile(r"[0-9a-f]{40,64}")
ENTRY_BYTES = WIDTH * array("I").itemsize


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One commit; `entries` are the numbers of each, one after the other."""

    time_s: int
    parents: tuple[str, ...]
    entries: bytes


class Log(msgspec.Struct, array_like=True):
    """The commits that touched sources, up to `head`. `top` is the newest, "" where there are none.

    `is_whole` says that they reach back to the first; else they are the newest, as far as somebody had to read. Names
    and ids come many times, and are kept in the order of their numbers: each name once, an id mostly.
    """

    head: str = ""
    top: str = ""
    names: list[bytes] = []
    oids: list[bytes] = []
    rows: dict[str, Row] = {}
    is_whole: bool = False


class Seen(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What an older text says of itself. `outline` is that of its body, "" where it was not computed."""

    locale: bytes
    slug: bytes
    outline: str = ""


class Kept(msgspec.Struct, array_like=True):
    """The file. `place` says which folder of a repository it is about, `site` which locales the tree had.

    `texts` are by name and id, `renames` by both names and both ids: whether the file was the same one.
    """

    place: bytes = b""
    log: Log = msgspec.field(default_factory=Log)
    site: bytes = b""
    texts: dict[bytes, Seen] = {}
    renames: dict[bytes, bool] = {}


def load(folder: Path, place: bytes, site: bytes) -> Kept:
    """What is kept of this place; of texts nothing where the locales were others."""
    body = load_sealed(folder / NAME, HEAD)
    try:
        kept = msgspec.msgpack.decode(body, type=Kept) if body is not None else Kept()
    except msgspec.DecodeError:
        kept = Kept()
    if kept.place != place or not _is_sound(kept.log):
        kept = Kept(place)
    return kept if kept.site == site else Kept(place, kept.log, site, {}, kept.renames)


def store(folder: Path, kept: Kept) -> None:
    """Keep it, where that can be done."""
    texts = kept.texts if len(kept.texts) <= MOST_TEXTS else {}
    renames = kept.renames if len(kept.renames) <= MOST_TEXTS else {}
    whole = Kept(kept.place, kept.log, kept.site, texts, renames)
    store_sealed(folder / NAME, HEAD, msgspec.msgpack.encode(whole))


def _is_sound(log: Log) -> bool:
    """Whether every number leads somewhere, and every id is one: git is asked for it."""
    if not all(map(ID.fullmatch, filter(None, (log.head, log.top, *log.rows)))):
        return False
    limits = (len(log.names), len(log.names), len(log.oids), len(log.oids), UNCHANGED + 1)
    for row in log.rows.values():
        if len(row.entries) % ENTRY_BYTES or (log.is_whole and not log.rows.keys() >= {*row.parents}):
            return False
        numbers = array("I", row.entries)
        if any(max(numbers[at::WIDTH], default=-1) >= limit for at, limit in enumerate(limits)):
            return False
    return not log.top or log.top in log.rows


class Writer:
    """Puts commits into a log; `is_full` says that one had no room."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._entries = sum(len(row.entries) for row in log.rows.values()) // ENTRY_BYTES
        self._names = {as_text(name): number for number, name in enumerate(log.names)}
        # A name that is there twice would shift all new numbers.
        self.is_full = len(self._names) != len(log.names)
        # What a commit replaced is what one before it wrote: looking there spares a table of all ids.
        self._replaced: dict[str, tuple[str, int]] = {}

    def add(self, commit: Commit) -> None:
        """Put a commit in."""
        self._entries += len(commit.entries)
        self.is_full = self.is_full or self._entries > MOST_ENTRIES
        if self.is_full:
            return
        names, oids = self._names, self.log.oids
        numbers: list[int] = []
        for old_name, name, old_oid, oid, percent in commit.entries:
            # New ones get the next number, in this order.
            number = names.setdefault(name, len(names))
            old_number = names.setdefault(old_name, len(names))
            known, text = self._replaced.get(name, NOT_REPLACED)
            if known != oid:
                text = len(oids)
                oids.append(bytes.fromhex(oid))
            numbers += (old_number, number, len(oids), text, percent)
            self._replaced[old_name] = old_oid, len(oids)
            oids.append(bytes.fromhex(old_oid))
        self.log.names += map(as_bytes, islice(names, len(self.log.names), None))
        self.log.rows[commit.id] = Row(commit.time_s, commit.parents, array("I", numbers).tobytes())


def commits_of(log: Log, keep: Callable[[str], bool]) -> Iterator[Commit]:
    """The commits in git's order, the newest first and none before its children.

    Args:
        log: what is kept.
        keep: whether the changes of a file of this name matter; asked when the commit is given. Renames always do.
    """
    names = [as_text(name) for name in log.names]
    coming, met = [(0, 0, log.top)] if log.top else [], {log.top}
    while coming:
        name = heapq.heappop(coming)[2]
        row = log.rows[name]
        for parent in row.parents:
            if parent not in met and parent in log.rows:
                met.add(parent)
                # Of the same second the one that was met first comes first, as git has it.
                heapq.heappush(coming, (-log.rows[parent].time_s, len(met), parent))
        yield Commit(name, row.time_s, row.parents, tuple(_entries(log, names, row, keep)))


def _entries(log: Log, names: list[str], row: Row, keep: Callable[[str], bool]) -> Iterator[Entry]:
    numbers = iter(array("I", row.entries))
    for old_name, name, old_oid, oid, percent in zip(*[numbers] * WIDTH, strict=True):
        if old_name != name or keep(names[name]):
            yield Entry(names[old_name], names[name], log.oids[old_oid].hex(), log.oids[oid].hex(), percent)


def as_bytes(text: str) -> bytes:
    """A name of a file, which may be no text at all, as it is kept."""
    return text.encode("utf-8", "surrogateescape")


def as_text(data: bytes) -> str:
    """The other way."""
    return data.decode("utf-8", "surrogateescape")


def key_of_text(name: str, oid: str) -> bytes:
    """What names an older text: its file's name decides too who it was."""
    return as_bytes(name) + b"\0" + bytes.fromhex(oid)
