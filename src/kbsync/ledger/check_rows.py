"""Whether values can be made of rows that came from elsewhere, before anything relies on them. Pure."""

from __future__ import annotations

from typing import Any

from kbsync.ledger.database import Database
from kbsync.ledger.dump import TABLES, Tables
from kbsync.ledger.journal import OVER
from kbsync.ledger.rows import (
    BASE_COLUMNS,
    ENTRY_COLUMNS,
    IMAGE_COLUMNS,
    PENDING_COLUMNS,
    RUN_COLUMNS,
    SOURCE_COLUMNS,
    ImageRow,
    RunRow,
    all_pending_of,
    bases_of,
    checked,
    entries_of,
    sources_of,
)

STATE = TABLES["journal"].index("state")


def check_rows(db: Database, tables: Tables) -> None:
    """Make values of rows.

    Args:
        db: which ledger they are of, for messages.
        tables: the rows by table, each of the columns that `TABLES` names.

    Raises:
        LedgerError: one is damaged.
    """
    bases_of(db, _columns(tables, "item", BASE_COLUMNS))
    sources_of(db, _columns(tables, "item", SOURCE_COLUMNS))
    checked(db, _columns(tables, "picture", IMAGE_COLUMNS), list[ImageRow])
    checked(db, _columns(tables, "run", RUN_COLUMNS), list[RunRow])
    entries_of(db, _columns(tables, "journal", ENTRY_COLUMNS))
    still = [row for row in tables.get("journal", ()) if row[STATE] not in OVER]
    all_pending_of(db, _columns({"journal": still}, "journal", PENDING_COLUMNS))


def _columns(tables: Tables, table: str, names: str) -> list[tuple[Any, ...]]:
    """Some columns of a table's rows, as a query with these names has them."""
    places = [TABLES[table].index(name) for name in names.split(", ")]
    return [tuple(row[place] for place in places) for row in tables.get(table, ())]
