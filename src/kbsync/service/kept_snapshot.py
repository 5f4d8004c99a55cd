"""The snapshot of a large portal, in a file while a plan is decided: its rows are the portal's words a second time."""

from __future__ import annotations

import threading
from itertools import pairwise

import msgspec

from kbsync.files import Scratch
from kbsync.service.snapshot import LocaleRows, Snapshot

IN_MEMORY = 20_000
"""Rows that may be in memory beside what is observed: some 20 megabytes. To decode them again takes a moment."""

DECODER: msgspec.msgpack.Decoder[LocaleRows] = msgspec.msgpack.Decoder(LocaleRows)


class KeptSnapshot:
    """A snapshot; one that was set aside is read back when it is asked for, and then stays.

    It is no file of the cache folder: what another plan lists meanwhile is not what was seen here.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot: Snapshot | None = snapshot
        self._aside: _Aside | None = None
        self._lock = threading.Lock()

    @property
    def now(self) -> Snapshot:
        """The snapshot, an empty one where it was taken. Changes of it are seen by all who have this."""
        with self._lock:
            self._snapshot = self._whole() or Snapshot()
            return self._snapshot

    def take(self) -> Snapshot | None:
        """The snapshot, which is not kept here any longer; None where it was taken before."""
        with self._lock:
            found, self._snapshot = self._whole(), None
            return found

    def set_aside(self, *, in_memory: int = IN_MEMORY) -> None:
        """Keep its rows in a file from here on, where they are more than that."""
        with self._lock:
            found = self._snapshot
            if found is not None and sum(len(one.rows) for one in found.locales.values()) > in_memory:
                self._snapshot, self._aside = None, _Aside(found)

    def _whole(self) -> Snapshot | None:
        aside, self._aside = self._aside, None
        return aside.snapshot() if aside is not None else self._snapshot


class _Aside:
    """A snapshot whose rows are in a file without a name, locale by locale."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._bare = msgspec.structs.replace(snapshot, locales={})
        self._locales = tuple(snapshot.locales)
        self._scratch, self._ends = Scratch(), [0]
        for found in snapshot.locales.values():
            self._ends.append(self._scratch.append(msgspec.msgpack.encode(found)))

    def snapshot(self) -> Snapshot:
        found = (DECODER.decode(self._scratch.read(start, end)) for start, end in pairwise(self._ends))
        return msgspec.structs.replace(self._bare, locales=dict(zip(self._locales, found, strict=True)))
