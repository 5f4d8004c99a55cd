"""The SQLite file of a ledger in git: the same tables, and what of them the remote has.

Also: which files of a ledger in git are as a commit has them: their rows have the same fingerprint, in whatever order.

To encode all rows of a portal again costs more than everything else that a push of one change does with its ledger.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec

from kbsync.ledger.database import Row
from kbsync.ledger.dump import TABLES, Tables, fill
from kbsync.ledger.rows import CommitId, Seconds, checked
from kbsync.ledger.sqlite import SqliteDatabase

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


WRITES = re.compile(r"\s*(?:INSERT INTO|UPDATE|DELETE FROM) (?:item|journal|body|picture)\b")
"""Statements after which the remote lacks something. A run that changed none of these tables is not worth a commit."""

Whose = Literal["", "ours", "theirs", "dead"]
"""Of a lease: there is none, this push, another machine's, one that ended without giving it back."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What the remote has of this file.

    Args:
        commit_id: what the file was made from, or sent as, last; "" before that.
        written: how often rows changed here.
        sent: that number when they were sent last.
        pushing, pushing_sent: a commit whose push may have arrived, and what it had of `written`.
        lease: whose lease that commit has.
        told_s: when the remote heard of our lease last, in seconds since 1970.
        lost: somebody else took our lease.
    """

    commit_id: str = ""
    written: int = 0
    sent: int = 0
    pushing: str = ""
    pushing_sent: int = 0
    lease: Whose = ""
    told_s: float = 0.0
    lost: bool = False

    @property
    def is_sent(self) -> bool:
        """Whether the remote has everything."""
        return self.written == self.sent


COLUMNS = tuple(column.name for column in fields(Origin))

OriginRow = tuple[CommitId, int, int, CommitId, int, Whose, Seconds, Literal[0, 1]]
"""What the columns hold, if the file is ours: the ids are handed to git."""


class TrackedDatabase(SqliteDatabase):
    """An SQLite ledger that counts what was written since it was sent.

    Args:
        path: the file; made where it is missing.
        removal: see `SqliteDatabase`.
    """

    def __init__(self, path: Path, *, removal: str = "") -> None:
        super().__init__(path, removal=removal)
        with super().transaction():
            super().run(f"CREATE TABLE IF NOT EXISTS origin ({', '.join(COLUMNS)})")
            if not super().ask("SELECT 1 FROM origin"):
                marks = ", ".join("?" * len(COLUMNS))
                super().run(f"INSERT INTO origin ({', '.join(COLUMNS)}) VALUES ({marks})", astuple(Origin()))
            super().run("CREATE TABLE IF NOT EXISTS fingerprints (kept BLOB NOT NULL)")

    def ask(self, query: str, row: Row = ()) -> list[tuple[Any, ...]]:
        """Run a query; its rows."""
        found = super().ask(query, row)
        self._count(query, len(found))
        return found

    def run(self, query: str, row: Row = ()) -> int:
        """Run a statement; how many rows it touched."""
        touched = super().run(query, row)
        self._count(query, touched)
        return touched

    def run_many(self, query: str, rows: Iterable[Row]) -> None:
        """Run a statement once for each row."""
        rows = list(rows)
        super().run_many(query, rows)
        self._count(query, len(rows))

    def _count(self, query: str, touched: int) -> None:
        if touched > 0 and WRITES.match(query):
            super().run("UPDATE origin SET written = written + 1")

    def origin(self) -> Origin:
        """What the remote has."""
        rows = super().ask(f"SELECT {', '.join(COLUMNS)} FROM origin LIMIT 1")
        (row,) = checked(self, rows, list[OriginRow])
        return Origin(*row[:-1], lost=bool(row[-1]))

    def note(self, **known: object) -> None:
        """Note something of the remote."""
        names = ", ".join(f"{name} = ?" for name in known)
        super().run(f"UPDATE origin SET {names}", tuple(known.values()))

    def fingerprints(self, commit: str) -> Fingerprints:
        """Of the files of a commit; none, where others were kept last."""
        rows = super().ask("SELECT kept FROM fingerprints LIMIT 1")
        return decoded(rows[0][0], commit) if rows and isinstance(rows[0][0], bytes) else {}

    def keep_fingerprints(self, commit: str, found: Fingerprints) -> None:
        """Keep those of the files of a commit, for the next one."""
        super().run("DELETE FROM fingerprints")
        super().run("INSERT INTO fingerprints (kept) VALUES (?)", (encoded(commit, found),))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A block whose queries all see the same state, whatever is written meanwhile."""
        super().run("BEGIN")
        try:
            yield
        finally:
            super().run("COMMIT")

    def replace(self, tables: Tables) -> None:
        """Put these rows in the place of all there are; within a transaction."""
        for table in reversed(list(TABLES)):
            super().run(f"DELETE FROM {table}")
        super().run("DELETE FROM runner")
        fill(self, tables)
