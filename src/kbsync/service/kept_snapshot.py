"""The snapshot of a large portal, in a file while a plan is decided: its rows are the portal's words a second time."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import chain, islice

import msgspec

from kbsync.files import Scratch
from kbsync.model import RemoteId
from kbsync.service.snapshot import LocaleRows, Row, Snapshot

IN_MEMORY = 20_000
"""Rows that may be in memory beside what is observed: some 20 megabytes. To decode them again takes a moment."""

AT_ONCE = 1_000
"""Rows that are encoded and decoded at once."""

DECODER: msgspec.msgpack.Decoder[dict[RemoteId, Row]] = msgspec.msgpack.Decoder(dict[RemoteId, Row])


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

    def rows(self, locale: str) -> Iterable[Row]:
        """The rows of a locale; where they are in a file, never more than some are in memory."""
        with self._lock:
            aside, snapshot = self._aside, self._snapshot or Snapshot()
        if aside is not None:
            return chain.from_iterable(some.values() for some in aside.rows(locale))
        return snapshot.locales[locale].rows.values()

    def locale(self, locale: str) -> LocaleRows:
        """What was listed of a locale; where all of it is in a file, no other locale is read back."""
        with self._lock:
            aside, snapshot = self._aside, self._snapshot or Snapshot()
        return aside.locale(locale) if aside is not None else snapshot.locales[locale]

    def _whole(self) -> Snapshot | None:
        aside, self._aside = self._aside, None
        return aside.snapshot() if aside is not None else self._snapshot


class _Aside:
    """A snapshot whose rows are in a file without a name, some at a time."""

    def __init__(self, snapshot: Snapshot) -> None:
        bare = {locale: msgspec.structs.replace(found, rows={}) for locale, found in snapshot.locales.items()}
        self._bare = msgspec.structs.replace(snapshot, locales=bare)
        self._scratch = Scratch()
        self._pieces: dict[str, list[tuple[int, int]]] = {locale: [] for locale in bare}
        end = 0
        for locale, found in snapshot.locales.items():
            left = iter(found.rows.items())
            while some := dict(islice(left, AT_ONCE)):
                start, end = end, self._scratch.append(msgspec.msgpack.encode(some))
                self._pieces[locale].append((start, end))

    def rows(self, locale: str) -> Iterator[dict[RemoteId, Row]]:
        """The rows of a locale, some at a time."""
        return (DECODER.decode(self._scratch.read(start, end)) for start, end in self._pieces[locale])

    def snapshot(self) -> Snapshot:
        """All of it."""
        locales = {locale: self.locale(locale) for locale in self._bare.locales}
        return msgspec.structs.replace(self._bare, locales=locales)

    def locale(self, locale: str) -> LocaleRows:
        """All of a locale."""
        rows = {id: row for some in self.rows(locale) for id, row in some.items()}
        return msgspec.structs.replace(self._bare.locales[locale], rows=rows)
