"""All of a ledger as rows, to be put into another one: tables and columns by name, ids as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec

from kbsync.errors import LedgerError
from kbsync.ledger.database import Database

SCHEMA = "kbsync.ledger/9"
"""The number changes with the tables, and with what an older kbsync could not read in them."""

Tables = Mapping[str, Sequence[Sequence[Any]]]
"""The rows of each table, in the order of its columns."""

Whole = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Cell = str | Whole | float | None


class Export(msgspec.Struct, frozen=True):
    """A whole ledger, from `kbsync ledger export`."""

    schema: Annotated[str, msgspec.Meta(description="Name and version of this format.")]
    tables: Annotated[
        dict[str, list[list[Cell]]], msgspec.Meta(description="The rows of each table, in the order of its columns.")
    ]


TABLES: Mapping[str, tuple[str, ...]] = {
    "item": (
        "target",
        "kind",
        "locale",
        "slug",
        "remote_id",
        "path",
        "status",
        "fields",
        "kept",
        "overruled",
        "touched_s",
        "decided_for",
        "source_commit",
        "source_s",
    ),
    "run": (
        "id",
        "target",
        "command",
        "started_at",
        "ended_at",
        "outcome",
        "digest",
        "version",
        "who",
        "source_commit",
        "source_s",
    ),
    "journal": (
        "id",
        "run",
        "target",
        "action",
        "kind",
        "locale",
        "slug",
        "path",
        "remote_id",
        "before",
        "after",
        "state",
        "error",
        "hint",
        "begun_at",
        "ended_at",
        "phase",
        "runner",
        "again",
        "change",
    ),
    "body": ("digest", "body"),
    "picture": ("target", '"key"', "url", "uploaded_at"),
}
"""In the order in which they can be filled. Locks and runners are of the moment, and stay behind."""


def dump(db: Database) -> dict[str, list[list[Any]]]:
    """Every row of every table."""
    return {
        table: [list(row) for row in db.ask(f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1, 2")]
        for table, columns in TABLES.items()
    }


def restore(db: Database, tables: Tables) -> None:
    """Fill the tables.

    Raises:
        LedgerError: there is something in them, or the rows are of another shape.
    """
    for table in TABLES:
        if db.ask(f"SELECT 1 FROM {table} LIMIT 1"):
            raise LedgerError(
                "The ledger is not empty. Nothing was imported.",
                hint="Import into a new one: set another [ledger] url, or move the old file away.",
            )
    fill(db, tables)


def fill(db: Database, tables: Tables) -> None:
    """Put rows into the tables.

    Raises:
        LedgerError: they are of another shape.
    """
    for table, columns in TABLES.items():
        rows = tables.get(table, [])
        if any(len(row) != len(columns) for row in rows):
            raise LedgerError(f"The export is damaged: table `{table}` has rows of wrong length. Nothing was imported.")
        marks = ", ".join("?" * len(columns))
        db.run_many(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)
