"""The ledger's database in one SQLite file: the default, for one machine at a time."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from kbsync.command import quote
from kbsync.errors import LedgerError
from kbsync.files import make_folder, real_path, unsafe_beside
from kbsync.ledger.database import AT_ONCE, Row
from kbsync.ledger.schema import MIGRATIONS, TOO_OLD, VERSION

APPLICATION_ID = 0x6B627331
"""Marks the file as a ledger of kbsync ("kbs1")."""

FORMER_ID = 0x6B627379
"""Marked it before the first release."""

BUSY_TIMEOUT_S = 30.0

MAX_VALUE_BYTES = 100_000_000
"""Of one value in the file: a body has some thousands."""

COMPUTED = re.compile(r"\b(generated|virtual)\b|\bas\s*\(", re.IGNORECASE)
"""What makes SQLite compute where it reads."""

RETRY_S = 0.02
"""How long an opening waits that met another one. SQLite waits by itself nearly everywhere; but where two make
one ledger at once, or switch it to WAL, it says at once that it is locked, as waiting could be for ever."""


def check_files(database: Path) -> None:
    """Refuse what SQLite would wait for, or do harm with: the database and the files beside it may be a stranger's.

    Raises:
        LedgerError: one of them is no regular file, or the journal names another one.
    """
    if database.exists() and not database.is_file():
        raise LedgerError(
            f"The ledger {database} is not a file.", hint="Delete it, or name another one in [ledger] url."
        )
    if found := unsafe_beside(real_path(database)):
        path, what = found
        raise LedgerError(
            f"{path}, which belongs to the ledger, {what}.",
            hint="kbsync never writes such a file. Delete it, and do not trust where it came from.",
        )


class SqliteDatabase:
    """One SQLite file in WAL mode, every commit on the disk before it counts.

    Args:
        path: the file; made where it is missing.
        looking: only read it; it is neither made nor brought up to date, and may lie where nothing can be written.
        removal: the command that takes a ledger of before away.
    """

    skip_locked = ""
    rescue = "Move it away and run again. kbsync then records what already matches."

    def __init__(self, path: Path, *, looking: bool = False, removal: str = "") -> None:
        self.path = path
        self.name = f"The ledger {path}"
        away = quote(str(path.parent / "old-ledger"))
        self.removal = removal or f"mkdir {away} && mv {quote(str(path))}* {away}"
        try:
            with self._translated():
                make_folder(path.parent)
                _make_private(path)
            self._connect(str(path))
        except LedgerError as exc:
            if not looking or not isinstance(exc.__cause__, sqlite3.OperationalError) or not path.is_file():
                raise
            # In a read-only folder there are no other writers either. What a push that was killed left beside the file
            # is newer than the file, and not read then.
            still = "" if _has_more_beside(path) else "&immutable=1"
            self._connect(f"{path.absolute().as_uri()}?mode=ro{still}", writing=False)
            if self._version() < VERSION:
                # Its columns are not those of the queries, and it cannot be brought up to date here.
                self.close()
                raise

    def _connect(self, where: str, *, writing: bool = True) -> None:
        until_s = time.monotonic() + BUSY_TIMEOUT_S
        while True:
            try:
                return self._connect_once(where, writing=writing)
            except LedgerError as exc:
                if not _is_busy(exc.__cause__) or time.monotonic() >= until_s:
                    raise
            time.sleep(RETRY_S)

    def _connect_once(self, where: str, *, writing: bool) -> None:
        check_files(self.path)
        with self._translated():
            # Autocommit: the transactions below are begun and ended by name.
            self.connection = sqlite3.connect(
                where, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, uri=not writing
            )
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        try:
            with self._translated():
                self._open(writing=writing)
        except LedgerError:
            self.connection.close()
            raise

    def _open(self, *, writing: bool) -> None:
        # The file may be a stranger's: what its schema says must not call anything.
        self.connection.execute("PRAGMA trusted_schema = OFF")
        version = self._checked_version()
        if writing:
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = FULL")
            if version < VERSION:
                self._migrate()

    def _checked_version(self) -> int:
        """The version of the schema, where the file is a ledger that this kbsync can use, or may become one."""
        # In this order: another run that makes the ledger meanwhile commits its tables and its mark together.
        tables = self.connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        owner = self.connection.execute("PRAGMA application_id").fetchone()[0]
        version = self._version()
        if owner == FORMER_ID:
            raise LedgerError(f"{self.name} {TOO_OLD}", hint=f"Take it away: `{self.removal}`. Then run this again.")
        hint = "Set [ledger] url to another file."
        if owner != APPLICATION_ID and (tables or owner):
            raise LedgerError(f"{self.path} is an SQLite file, but not a ledger of kbsync.", hint=hint)
        made = self.connection.execute("SELECT type, sql FROM sqlite_master").fetchall()
        if any(kind in {"view", "trigger"} or COMPUTED.search(sql or "") for kind, sql in made):
            message = f"{self.path} has views, triggers or computed columns, which kbsync never makes."
            raise LedgerError(message, hint=hint)
        if version > VERSION:
            raise LedgerError(
                f"{self.path} was written by a newer kbsync (schema {version}; this one knows {VERSION}).",
                hint="Update kbsync. The ledger was not changed.",
            )
        return version

    def _version(self) -> int:
        return int(self.connection.execute("PRAGMA user_version").fetchone()[0])

    def _migrate(self) -> None:
        with self.transaction():
            # Read again inside: another run may have migrated while this one waited.
            version = self._version()
            for step in MIGRATIONS[version:]:
                for statement in filter(str.strip, step.split(";")):
                    self.connection.execute(statement)
            self.connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self.connection.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as exc:
            text = "it has bytes that are no text" if isinstance(exc, UnicodeDecodeError) else str(exc)
            if "locked" in text or "busy" in text:
                hint = "Another program is using the file. Try again when it is done."
            elif "full" in text or "disk I/O" in text:
                hint = "Free some disk space and run the command again. Nothing recorded was lost."
            elif "readonly" in text or "unable to open" in text:
                hint = "Check the permissions of the file and its folder."
            else:
                hint = self.rescue
            raise LedgerError(f"{self.name} cannot be used: {text}.", hint=hint) from exc
        except OSError as exc:
            hint = "Check the permissions of its folder."
            raise LedgerError(f"{self.name} cannot be created: {exc.strerror}.", hint=hint) from exc

    def ask(self, query: str, row: Row = ()) -> list[tuple[Any, ...]]:
        """Run a query; its rows."""
        with self._translated():
            return self.connection.execute(query, row).fetchall()

    def ask_in_parts(self, query: str, row: Row = ()) -> Iterator[list[tuple[Any, ...]]]:
        """Run a query; its rows, some at a time."""
        with self._translated():
            cursor = self.connection.execute(query, row)
            while rows := cursor.fetchmany(AT_ONCE):
                yield rows

    def run(self, query: str, row: Row = ()) -> int:
        """Run a statement; how many rows it touched."""
        with self._translated():
            return self.connection.execute(query, row).rowcount

    def run_many(self, query: str, rows: Iterable[Row]) -> None:
        """Run a statement once for each row."""
        with self._translated():
            self.connection.executemany(query, rows)

    @contextmanager
    def transaction(self, *, alone: bool = True) -> Iterator[None]:
        """All of it or nothing; in one file every transaction that writes is alone."""
        try:
            # In here, too: Ctrl-C during a long wait for the file is answered when the transaction has begun.
            self.run("BEGIN IMMEDIATE")
            yield
            self.run("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.run("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file."""
        self.connection.close()


def _make_private(path: Path) -> None:
    """Make a new file its owner's alone, wherever it lies; SQLite gives what it puts beside it the same permissions.

    One that is there already is left as it is: somebody may have opened it to a group.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _has_more_beside(path: Path) -> bool:
    """Whether there are transactions that the file itself does not have yet."""
    beside = real_path(path)
    wal = beside.with_name(f"{beside.name}-wal")
    return wal.exists() and wal.stat().st_size > 0


def _is_busy(exc: BaseException | None) -> bool:
    code = getattr(exc, "sqlite_errorcode", None)
    return code is not None and code & 0xFF == sqlite3.SQLITE_BUSY
