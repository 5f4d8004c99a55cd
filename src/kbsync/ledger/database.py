"""What the ledger's queries need of a database; SQLite and PostgreSQL each give it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Row = Sequence[Any]

AT_ONCE = 1_000
"""Rows that are read or written at once, where there may be a hundred thousand."""


class Database(Protocol):
    """One connection. Queries mark their values with `?`. Every method raises `LedgerError` for what goes wrong.

    `skip_locked` is what a SELECT ends with so that two transactions do not wait for the same rows. `name` is what
    messages call the ledger, `rescue` what to do where it is damaged.
    """

    skip_locked: str
    name: str
    rescue: str

    def ask(self, query: str, row: Row = ()) -> list[tuple[Any, ...]]:
        """Run a query; its rows."""

    def ask_in_parts(self, query: str, row: Row = ()) -> Iterator[list[tuple[Any, ...]]]:
        """The same, some rows at a time; all as they are when the first are read."""

    def run(self, query: str, row: Row = ()) -> int:
        """Run a statement; how many rows it touched."""

    def run_many(self, query: str, rows: Iterable[Row]) -> None:
        """Run a statement once for each row."""

    def transaction(self, *, alone: bool = True) -> AbstractContextManager[None]:
        """All of it or nothing. `alone`: no other transaction that asks for the same runs beside it."""

    def close(self) -> None:
        """Close the connection."""
