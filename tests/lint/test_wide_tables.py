"""Tables that the portal fills up with empty cells, far beyond what anybody can have meant."""

from __future__ import annotations

import pytest

from builders import source_of
from kbsync.lint import inspect


def problems(columns: int, rows: int) -> list[tuple[str, int, str]]:
    text = "# T\n\nText.\n\n" + "|a" * columns + "|\n" + "|-" * columns + "|\n" + "x|\n" * rows + "\nText.\n"
    return [(found.code, found.line, found.message) for found in source_of(text, inspect=inspect).problems]


def test_a_table_with_thousands_of_empty_cells_is_told():
    message = "The portal adds 11,940 empty cells to this table: its rows have fewer cells than its header row."
    assert problems(200, 60) == [("KB413", 5, message)]


def test_a_table_that_the_portal_ends_is_told_with_the_reason():
    ((code, line, message),) = problems(1_100, 1_100)
    assert (code, line) == ("KB413", 5)
    assert message.endswith("It ends the table after 524,288 of them, and readers see the bars of the other rows.")


@pytest.mark.parametrize(("columns", "rows"), [(2, 2000), (50, 100), (3, 1)])
def test_a_few_empty_cells_are_nobodys_business(columns, rows):
    assert problems(columns, rows) == []
