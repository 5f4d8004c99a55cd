"""The ledger in one SQLite file: the default, for one machine at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from kbsync.errors import LedgerError
from kbsync.ledger.contract import Intent, Owner, Result
from kbsync.ledger.rows import BASE_COLUMNS, PENDING_COLUMNS, base_of, encode_fields, encode_id, pending_of
from kbsync.ledger.schema import MIGRATIONS, VERSION
from kbsync.model import Base, Pending

APPLICATION_ID = 0x6B627379
"""Marks the file as a ledger of kbsync ("kbsy")."""

BUSY_TIMEOUT_S = 30.0


class SqliteLedger:
    """One SQLite file in WAL mode, every commit on the disk before it counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._translated():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Autocommit: the transactions below are begun and ended by name.
            self.connection = sqlite3.connect(
                path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
        try:
            with self._translated():
                self._open()
        except LedgerError:
            self.connection.close()
            raise

    def _open(self) -> None:
        # In this order: another run that makes the ledger meanwhile commits its tables and its mark together.
        tables = self.connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        owner = self.connection.execute("PRAGMA application_id").fetchone()[0]
        version = self.connection.execute("PRAGMA user_version").fetchone()[0]
        if owner != APPLICATION_ID and (tables or owner):
            raise LedgerError(
                f"{self.path} is an SQLite file, but no ledger of kbsync", hint="name another file in [ledger] url"
            )
        if version > VERSION:
            raise LedgerError(
                f"{self.path} was written by a newer kbsync (step {version}; this one knows {VERSION})",
                hint="update kbsync; the ledger was not touched",
            )
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        if version < VERSION:
            self._migrate()

    def _migrate(self) -> None:
        with self._transaction():
            # Read again inside: another run may have migrated while this one waited.
            version = self.connection.execute("PRAGMA user_version").fetchone()[0]
            for step in MIGRATIONS[version:]:
                for statement in filter(str.strip, step.split(";")):
                    self.connection.execute(statement)
            self.connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self.connection.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, msgspec.DecodeError) as exc:
            text = str(exc)
            if "locked" in text or "busy" in text:
                hint = "another program holds the file; try again when it is done"
            elif "full" in text or "disk I/O" in text:
                hint = "make room on the disk and run the command again; nothing recorded was lost"
            elif "readonly" in text or "unable to open" in text:
                hint = "check the permissions of the file and its folder"
            else:
                hint = "move it away to keep it, and run again: kbsync then adopts what is equal on both sides"
            raise LedgerError(f"the ledger {self.path} cannot be used: {text}", hint=hint) from exc
        except OSError as exc:
            raise LedgerError(
                f"the ledger {self.path} cannot be made: {exc.strerror}", hint="check the permissions of its folder"
            ) from exc

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._translated():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    def is_empty(self, target: str) -> bool:
        """Whether nothing was ever recorded for this portal."""
        with self._translated():
            query = "SELECT EXISTS (SELECT 1 FROM run WHERE target = ?)"
            return not self.connection.execute(query, (target,)).fetchone()[0]

    def bases(self, target: str) -> list[Base]:
        """The base of every managed item of a portal."""
        with self._translated():
            rows = self.connection.execute(f"SELECT {BASE_COLUMNS} FROM item WHERE target = ?", (target,))
            return [base_of(row) for row in rows]

    def pending(self, target: str) -> list[Pending]:
        """The journal entries that were begun and never completed, oldest first."""
        query = f"SELECT {PENDING_COLUMNS} FROM journal WHERE target = ? AND state = 'pending' ORDER BY id"
        with self._translated():
            return [pending_of(row) for row in self.connection.execute(query, (target,))]

    def begin_run(self, target: str, *, command: str, now: float) -> int:
        """Note that a run begins; its number."""
        with self._transaction():
            query = "INSERT INTO run (target, command, started_at) VALUES (?, ?, ?)"
            run = self.connection.execute(query, (target, command, now)).lastrowid
        assert run is not None
        return run

    def end_run(self, run: int, *, outcome: str, now: float) -> None:
        """Note how a run ended."""
        with self._transaction():
            self.connection.execute("UPDATE run SET outcome = ?, ended_at = ? WHERE id = ?", (outcome, now, run))

    def write(
        self, target: str, run: int, *, results: Iterable[Result], intents: Iterable[Intent], now: float
    ) -> list[int]:
        """Complete some journal entries and begin others, in one transaction; the new entries' numbers."""
        with self._transaction():
            for result in results:
                self._complete(target, result, now)
            return [self._begin(target, run, intent, now) for intent in intents]

    def _begin(self, target: str, run: int, intent: Intent, now: float) -> int:
        change = intent.change
        row = (
            run,
            target,
            change.action,
            change.kind,
            change.locale,
            change.slug,
            change.path,
            encode_id(change.remote_id),
            encode_fields(change.before),
            encode_fields(intent.after),
            now,
        )
        query = """INSERT INTO journal (run, target, action, kind, locale, slug, path, remote_id, before, after,
                   begun_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')"""
        entry = self.connection.execute(query, row).lastrowid
        assert entry is not None
        return entry

    def _complete(self, target: str, result: Result, now: float) -> None:
        row = self.connection.execute(
            "UPDATE journal SET state = ?, error = ?, ended_at = ? WHERE id = ? AND state = 'pending' "
            "RETURNING kind, remote_id",
            (result.outcome, result.error, now, result.entry),
        ).fetchone()
        if row is None:
            return
        if result.base is not None:
            self._put(target, result.base)
        elif result.removed:
            self._remove(target, *row)

    def _put(self, target: str, base: Base) -> None:
        # An article recreated under the same slug has another id; the old row would make it managed twice.
        self.connection.execute(
            "DELETE FROM item WHERE target = ? AND kind = ? AND slug = ? AND (kind = 'article' OR locale = ?)",
            (target, base.kind, base.slug, base.locale),
        )
        self.connection.execute(
            """INSERT OR REPLACE INTO item (target, kind, locale, slug, remote_id, path, status, fields)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                target,
                base.kind,
                base.locale,
                base.slug,
                encode_id(base.remote_id),
                base.path,
                base.status,
                encode_fields(base.fields),
            ),
        )

    def record(self, target: str, bases: Iterable[Base], *, forgotten: Iterable[Base] = ()) -> None:
        """Record bases that needed no request (adoptions, edits that both sides made), and forget others."""
        with self._transaction():
            for base in forgotten:
                self._remove(target, base.kind, encode_id(base.remote_id))
            for base in bases:
                self._put(target, base)

    def _remove(self, target: str, kind: str, remote_id: str | None) -> None:
        query = "DELETE FROM item WHERE target = ? AND kind = ? AND remote_id = ?"
        self.connection.execute(query, (target, kind, remote_id))

    def settle(self, target: str, settled: Mapping[int, Base | None]) -> None:
        """Close pending entries by what the portal turned out to hold, with the base that follows from it, if any."""
        with self._transaction():
            for entry, base in settled.items():
                if base is not None:
                    self._put(target, base)
                self.connection.execute("UPDATE journal SET state = 'settled' WHERE id = ?", (entry,))

    def lock(self, target: str, owner: Owner, *, now: float, take_over: Owner | None = None) -> Owner | None:
        """Take the portal's one lock. The owner that holds it where another does; None where it is now ours."""
        with self._transaction():
            query = "SELECT user, host, pid, started_at, beat_at FROM lock WHERE target = ?"
            row = self.connection.execute(query, (target,)).fetchone()
            holder = Owner(*row) if row else None
            if holder is not None and (take_over is None or not holder.is_run_of(take_over)):
                return holder
            self.connection.execute(
                "INSERT OR REPLACE INTO lock (target, user, host, pid, started_at, beat_at) VALUES (?, ?, ?, ?, ?, ?)",
                (target, owner.user, owner.host, owner.pid, owner.started_at, now),
            )
        return None

    def beat(self, target: str, owner: Owner, *, now: float) -> bool:
        """Keep the lock alive; False where somebody broke it."""
        with self._transaction():
            query = "UPDATE lock SET beat_at = ? WHERE target = ? AND host = ? AND pid = ? AND started_at = ?"
            row = (now, target, owner.host, owner.pid, owner.started_at)
            return self.connection.execute(query, row).rowcount == 1

    def unlock(self, target: str, owner: Owner) -> None:
        """Give the lock back, if it is still ours."""
        with self._transaction():
            query = "DELETE FROM lock WHERE target = ? AND host = ? AND pid = ? AND started_at = ?"
            self.connection.execute(query, (target, owner.host, owner.pid, owner.started_at))

    def close(self) -> None:
        """Close the record."""
        self.connection.close()
