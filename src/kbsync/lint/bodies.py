"""The rules for one article: its text alone says whether they are kept. Which fires when: `rules.py`.

Every changed file is looked at, thousands on a first run. So a rule first asks something cheap of the whole text, and
only a suspicion costs more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kbsync.content.inspection import Body
from kbsync.content.source import Problem
from kbsync.lint import addresses, headings, merges, nesting, notation, raw_html, tables
from kbsync.lint.page import Mark, Page
from kbsync.markdown.offsets import Places

FAMILIES: tuple[Callable[[Page], Iterator[Mark]], ...] = (
    raw_html.check_html,
    notation.check_notation,
    addresses.check_targets,
    addresses.check_bare,
    headings.check_headings,
    nesting.check_lists,
    tables.check_tables,
)


def marks_of(body: Body) -> list[Mark]:
    """Everything that the rules find in a body, in the order of the text."""
    page = Page(body)
    if marks := list(merges.check_merges(page)):
        # A line of `=======` reads as the underline of a heading: nothing that is said of such a text is true of it
        # once the merge is finished.
        return marks
    return sorted((mark for check in FAMILIES for mark in check(page)), key=lambda mark: (mark.at, mark.code))


def inspect_body(body: Body) -> list[Problem]:
    """The same, as problems of the file."""
    marks = marks_of(body)
    if not marks:
        return []
    places = Places(body.text)
    return [
        Problem(
            mark.code,
            mark.level,
            body.first_line + places.line(mark.at) - 1,
            places.column(mark.at),
            mark.message,
            mark.hint,
            bool(mark.edits),
        )
        for mark in marks
    ]
