"""Tables whose rows are far shorter than their head: the portal fills them up, and stops at a limit."""

from __future__ import annotations

import cmarkgfm
import pytest

from kbsync.markdown.html import render_html
from kbsync.markdown.tables import MAX_FILLED_IN
from kbsync.markdown.versions import V4_10


def a_table(columns: int, rows: int, row: str = "x|\n", mark: str = "-") -> str:
    return "|a" * columns + "|\n" + f"|{mark}" * columns + "|\n" + row * rows


@pytest.mark.parametrize(
    "text",
    [
        a_table(3, 2),
        a_table(3, 2, "x|y|z|lost\n"),
        a_table(4, 3, "||\n"),
        a_table(3, 2, mark=":-:"),
        "> " + a_table(2, 1).replace("\n", "\n> ", 2),
        a_table(900, 700),
    ],
)
def test_short_rows_are_filled_up_as_on_the_portal(text):
    assert render_html(text, V4_10) == cmarkgfm.markdown_to_html_with_extensions(text, extensions=["table"])


def test_a_table_ends_where_the_portal_has_filled_in_too_many_cells():
    html = render_html(a_table(1_700, 1_700))
    assert MAX_FILLED_IN < html.count("<td></td>") <= MAX_FILLED_IN + 1_700
    assert html.endswith("x|\nx|</p>\n")
