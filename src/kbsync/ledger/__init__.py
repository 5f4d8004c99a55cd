"""kbsync's own record: remote ids, bases, the journal, and one lock a portal.

The service has no idempotency, so this record and the slug are what keep a retry from making a second article.
"""

from __future__ import annotations

from pathlib import Path

from kbsync.errors import ConfigError
from kbsync.ledger.ledger import Ledger

__all__ = ["Ledger", "ledger_exists", "open_ledger"]


def open_ledger(url: str, *, folder: Path, looking: bool = False) -> Ledger:
    """Open the ledger that kbsync.toml names; one that is not there yet is made.

    Args:
        url: `sqlite:PATH`, the path relative to `folder`, or `postgresql://…`. Of `git:REMOTE` see `git_ledger.py`.
        folder: that of kbsync.toml.
        looking: nothing will be written; a read-only file is enough.

    Raises:
        ConfigError: no such kind of ledger.
        LedgerError: it is damaged, or too new.
    """
    scheme, _, rest = url.partition(":")
    if scheme == "sqlite" and rest:
        from kbsync.ledger.sqlite import SqliteDatabase

        return Ledger(SqliteDatabase(folder / rest.removeprefix("//"), looking=looking))
    if scheme in {"postgresql", "postgres"}:
        from kbsync.ledger.postgres import PostgresDatabase

        return Ledger(PostgresDatabase(url))
    raise ConfigError(
        f"[ledger] url: kbsync has no ledger of type {scheme!r}.",
        hint="Write it as sqlite:PATH, for example sqlite:.kbsync/ledger.db, as git:REMOTE, for example git:origin, "
        "or as postgresql://user@host/database.",
    )


def ledger_exists(url: str, *, folder: Path) -> bool:
    """Whether there is a ledger already: looking at a plan makes none."""
    scheme, _, rest = url.partition(":")
    return scheme != "sqlite" or (folder / rest.removeprefix("//")).exists()
