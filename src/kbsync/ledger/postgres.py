"""The ledger's database in PostgreSQL: several runners, one portal, one truth. Needs `pip install kbsync[postgres]`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, LiteralString

from kbsync.errors import ConfigError, LedgerError
from kbsync.ledger.database import AT_ONCE, Row
from kbsync.ledger.schema import MIGRATIONS, TOO_OLD, VERSION

if TYPE_CHECKING:
    import psycopg

SCHEMA = "kbsync"
ALONE = 0x6B627379
"""The advisory lock of transactions that want to be alone ("kbsy")."""

CONNECT_TIMEOUT_S = 10

ONLY_SCRAM = (
    "kbsync sends a password only with SCRAM, which does not show it to the server. On the server, set "
    "password_encryption = 'scram-sha-256', set the password again, and use scram-sha-256 in pg_hba.conf."
)

REQUIRE_AUTH_SINCE = 160_000
"""The libpq that knows `require_auth`. Source: https://www.postgresql.org/docs/16/libpq-connect.html"""


def sign_in(libpq: int, environ: Mapping[str, str]) -> dict[str, Any]:
    """How a connection may sign in: without a password, by Kerberos, or by SCRAM. It overrides what the address says.

    An older libpq can only ask for SCRAM bound to the TLS connection, and nothing else.
    """
    if libpq < REQUIRE_AUTH_SINCE:
        return {"channel_binding": "require"}
    # The user's own environment may be stricter; a kbsync.toml may not be laxer.
    return {"require_auth": environ.get("PGREQUIREAUTH") or "scram-sha-256,gss,sspi,none"}


class PostgresDatabase:
    """One connection to a PostgreSQL database, in a schema of its own.

    Args:
        url: `postgresql://user:password@host/database`; what it leaves out comes from libpq's environment.

    Raises:
        ConfigError: psycopg is not installed.
        LedgerError: there is no such database, or it was written by a newer kbsync.
    """

    skip_locked = " FOR UPDATE SKIP LOCKED"
    name = "The PostgreSQL ledger"
    rescue = "Restore a backup, or set [ledger] url to another database. kbsync then records what already matches."

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError as exc:
            raise ConfigError(
                "[ledger] url: A PostgreSQL ledger needs psycopg, which is not installed.",
                hint="Run `pip install 'kbsync[postgres]'`.",
            ) from exc
        self._error = psycopg.Error
        try:
            with self._translated():
                self.connection = psycopg.connect(
                    url,
                    autocommit=True,
                    connect_timeout=CONNECT_TIMEOUT_S,
                    application_name="kbsync",
                    **sign_in(psycopg.pq.version(), os.environ),
                )
        except LedgerError as exc:
            if "authentication method requirement" in exc.message or "channel binding" in exc.message:
                raise LedgerError(exc.message, hint=ONLY_SCRAM) from exc.__cause__
            if isinstance(exc.__cause__, psycopg.ProgrammingError):
                # What libpq says of an address that it cannot read has parts of it, a password among them.
                hint = "Write it as postgresql://user@host/database, and put the password into PGPASSWORD."
                raise ConfigError("[ledger] url: This is not a PostgreSQL address.", hint=hint) from None
            raise
        try:
            self._open()
        except LedgerError:
            self.connection.close()
            raise

    def _open(self) -> None:
        self.run(f"SET search_path TO {SCHEMA}")
        if self.ask("SELECT to_regclass(?)", (f"{SCHEMA}.version",))[0][0]:
            hint = f"Take it away: `psql -c 'DROP SCHEMA {SCHEMA} CASCADE'` in its database. Then run this again."
            raise LedgerError(f"{self.name} {TOO_OLD}", hint=hint)
        known = self.ask("SELECT to_regclass(?)", (f"{SCHEMA}.step",))[0][0]
        version = self._version() if known else 0
        if version > VERSION:
            raise LedgerError(
                f"The PostgreSQL ledger was written by a newer kbsync (schema {version}; this one knows {VERSION}).",
                hint="Update kbsync. The ledger was not changed.",
            )
        if version < VERSION:
            self._migrate()

    def _version(self) -> int:
        return int(self.ask("SELECT max(number) FROM step")[0][0] or 0)

    def _migrate(self) -> None:
        with self.transaction():
            # Read inside: another runner may have migrated while this one waited.
            self.run(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            self.run("CREATE TABLE IF NOT EXISTS step (number INTEGER PRIMARY KEY)")
            for step, text in list(enumerate(MIGRATIONS, 1))[self._version() :]:
                for statement in filter(str.strip, text.split(";")):
                    self.run(statement)
                self.run("INSERT INTO step (number) VALUES (?)", (step,))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._error as exc:
            text = " ".join(str(exc).split())
            hint = "Check [ledger] url, and that the database is running. Nothing recorded was lost."
            raise LedgerError(f"{self.name} cannot be used: {text.removesuffix('.')}.", hint=hint) from exc

    def _execute(self, query: str, row: Row) -> psycopg.Cursor[tuple[Any, ...]]:
        with self._translated():
            return self.connection.execute(_marked(query), row)

    def ask(self, query: str, row: Row = ()) -> list[tuple[Any, ...]]:
        """Run a query; its rows."""
        return self._execute(query, row).fetchall()

    def ask_in_parts(self, query: str, row: Row = ()) -> Iterator[list[tuple[Any, ...]]]:
        """Run a query; its rows, some at a time."""
        cursor = self._execute(query, row)
        while rows := cursor.fetchmany(AT_ONCE):
            yield rows

    def run(self, query: str, row: Row = ()) -> int:
        """Run a statement; how many rows it touched."""
        return self._execute(query, row).rowcount

    def run_many(self, query: str, rows: Iterable[Row]) -> None:
        """Run a statement once for each row."""
        with self._translated(), self.connection.cursor() as cursor:
            cursor.executemany(_marked(query), rows)

    @contextmanager
    def transaction(self, *, alone: bool = True) -> Iterator[None]:
        """All of it or nothing; `alone` waits for other transactions that want to be alone."""
        with self._translated(), self.connection.transaction():
            if alone:
                self.run("SELECT pg_advisory_xact_lock(?)", (ALONE,))
            yield

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


def _marked(query: str) -> LiteralString:
    """The query with the marks that psycopg wants; all queries are literals of this package."""
    return query.replace("?", "%s")
