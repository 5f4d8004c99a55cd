"""Texts and tables far beyond what a service takes, of shapes that once cost the square of their length."""

import pytest

from builders import source_of
from kbsync.content.parse import MAX_SCANNED
from kbsync.lint import inspect


@pytest.mark.parametrize(
    "piece",
    [
        "<!-- kbsync-ignore ",
        "<!-- kbsync-ignore KB301 -->",
        "<!-- kbsync-ignore KB301 -->\n",
        "1) ",
        "http://a**",
        "http://a)",
        "<a b=c ",
        "{#a .b ",
        "| a ",
        "[a](b c",
        "** ",
        "####### x\n",
        "a\n\n: b ",
        "import a from ' from ' ",
        ":::note\n",
        ":::note\nx\n:::\n",
        "!!! note\n\n    x\n\n",
        "{% hint %}\nx\n{% endhint %}\n",
        ">![info] x\n",
        "| a | b |\n| - |\n| c | d |\n| - | - |\n",
        "x\n[//]: # (x)\n\n",
        "a <!-- x ---> ",
    ],
)
def test_a_long_text_of_one_piece_is_read(piece):
    assert source_of("# T\n\n" + piece * (MAX_SCANNED // len(piece)), inspect=inspect).title == "T"


def test_callouts_in_each_other_are_read_however_many_they_are():
    text = ":::note\n" * 12_500 + ":::\n" * 25_000
    assert not any(problem.fixable for problem in source_of(f"# T\n\n{text}", inspect=inspect).problems)


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
