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

import msgspec

from kbsync.history.raw_log import UNCHANGED, Commit, Entry, Listed, places
from kbsync.memory import Kind, Memory

MOST_ENTRIES = 1_000_000
"""Changed files of all commits, 44 bytes each and more with SHA-256; of a longer history the newest are kept."""

MOST_TEXTS = 200_000
"""Older texts of which something is kept."""

ID = re.compile(r"[0-9a-f]{40,64}")
NUMBER_BYTES = array("I").itemsize


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One commit, its changes in columns as `raw_log.Changes` has them.

    `names` are the numbers of the names, `ids` the bytes of both ids of each. `renames` are the place of each renamed
    file, the number of its old name, and how much stayed (percent).
    """

    time_s: int
    parents: tuple[str, ...]
    names: bytes
    ids: bytes
    renames: tuple[tuple[int, int, int], ...] = ()


class Log(msgspec.Struct, array_like=True):
    """The commits that touched sources, up to `head`. `top` is the newest, "" where there are none.

    `is_whole` says that they reach back to the first; else they are the newest, as far as somebody had to read. Names
    come many times: each is kept once, in the order of their numbers.
    """

    head: str = ""
    top: str = ""
    names: list[bytes] = []
    rows: dict[str, Row] = {}
    is_whole: bool = False


class Seen(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What an older text says of itself. `outline` is that of its body, "" where it was not computed."""

    locale: bytes
    slug: bytes
    outline: str = ""


class Kept(msgspec.Struct, array_like=True):
    """All of it. `place` says which folder of a repository it is about, `site` which locales the tree had.

    `texts` are by name and id, `renames` by both names and both ids: whether the file was the same one.
    """

    place: bytes = b""
    log: Log = msgspec.field(default_factory=Log)
    site: bytes = b""
    texts: dict[bytes, Seen] = {}
    renames: dict[bytes, bool] = {}


KEPT: Kind[Kept] = Kind("history", Kept)


def load(memory: Memory, place: bytes, site: bytes) -> Kept:
    """What is kept of this place; of texts nothing where the locales were others."""
    kept = memory.get(KEPT)
    if kept is None or kept.place != place or not _is_sound(kept.log):
        kept = Kept(place)
    return kept if kept.site == site else Kept(place, kept.log, site, {}, kept.renames)


def store(memory: Memory, kept: Kept) -> None:
    """Keep it, where that can be done."""
    texts = kept.texts if len(kept.texts) <= MOST_TEXTS else {}
    renames = kept.renames if len(kept.renames) <= MOST_TEXTS else {}
    memory.put(KEPT, {"": Kept(kept.place, kept.log, kept.site, texts, renames)})


def _is_sound(log: Log) -> bool:
    """Whether every number leads somewhere, and every id is one: git is asked for it."""
    if not all(map(ID.fullmatch, filter(None, (log.head, log.top, *log.rows)))):
        return False
    rows = log.rows.items()
    if not all(_is_sound_row(row, len(log.names), id_bytes=len(commit) // 2) for commit, row in rows):
        return False
    if log.is_whole and not all(log.rows.keys() >= {*row.parents} for row in log.rows.values()):
        return False
    return not log.top or log.top in log.rows


def _is_sound_row(row: Row, names: int, *, id_bytes: int) -> bool:
    size, rest = divmod(len(row.names), NUMBER_BYTES)
    if rest or len(row.ids) != size * 2 * id_bytes or max(array("I", row.names), default=-1) >= names:
        return False
    return all(0 <= at < size and 0 <= old < names and 0 <= kept <= UNCHANGED for at, old, kept in row.renames)


class Writer:
    """Puts commits into a log; `is_full` says that one had no room."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._entries = sum(len(row.names) for row in log.rows.values()) // NUMBER_BYTES
        self._numbers = Numbers((as_text(name), number) for number, name in enumerate(log.names))
        # A name that is there twice would shift all new numbers.
        self.is_full = len(self._numbers) != len(log.names)

    def add(self, commit: Listed) -> None:
        """Put a commit in."""
        changes, numbers = commit.changes, self._numbers
        self._entries += len(changes.names)
        self.is_full = self.is_full or self._entries > MOST_ENTRIES
        if self.is_full:
            return
        names = array("I", map(numbers.__getitem__, changes.names))
        renames = tuple((place, numbers[old_name], kept) for place, (old_name, kept) in changes.renames.items())
        # `fromhex` passes over the spaces.
        ids = bytes.fromhex(" ".join(changes.ids))
        self.log.names += map(as_bytes, islice(numbers, len(self.log.names), None))
        self.log.rows[commit.id] = Row(commit.time_s, commit.parents, names.tobytes(), ids, renames)


class Numbers(dict[str, int]):
    """The numbers of names; a new name gets the next one."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


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
        yield Commit(name, row.time_s, row.parents, tuple(_entries(row, names, keep)))


def _entries(row: Row, names: list[str], keep: Callable[[str], bool]) -> Iterator[Entry]:
    renames = {place: (names[number], kept) for place, number, kept in row.renames}
    numbers = array("I", row.names)
    width = len(row.ids) // (2 * len(numbers) or 1)
    for place in places(map(names.__getitem__, numbers), renames, keep):
        name = names[numbers[place]]
        old_name, kept = renames.get(place, (name, UNCHANGED))
        begin = place * 2 * width
        old_oid, oid = row.ids[begin : begin + width], row.ids[begin + width : begin + 2 * width]
        yield Entry(old_name, name, old_oid.hex() if any(old_oid) else "", oid.hex() if any(oid) else "", kept)


def as_bytes(text: str) -> bytes:
    """A name of a file, which may be no text at all, as it is kept."""
    return text.encode("utf-8", "surrogateescape")


def as_text(data: bytes) -> str:
    """The other way."""
    return data.decode("utf-8", "surrogateescape")


def key_of_text(name: str, oid: str) -> bytes:
    """What names an older text: its file's name decides too who it was."""
    return as_bytes(name) + b"\0" + bytes.fromhex(oid)
