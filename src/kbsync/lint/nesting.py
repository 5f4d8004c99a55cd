"""Lists that were meant to be nested, and are not.

An inner list has to be indented to where the words of the outer item begin: three spaces under `1.`, two under `-`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.lint.finds import finds
from kbsync.lint.page import Edit, Mark, Page
from kbsync.markdown.prose import Item
from kbsync.model import Rule
from kbsync.patterns import Pattern

NOT_NESTED = Rule("KB412", "List that is not nested", fixable=True)

_INDENTED = Pattern(r"\n[ \t>]* (?:[-*+]|\d{1,9}[.)])[ \t]")
_ITEM = Pattern(r"\n([ \t>]*)((?:[-*+]|\d{1,9}[.)])(?: {1,4}(?=[^ \n])|[ \t]))")
_MARK = Pattern(r"([-*+]|\d{1,9}[.)])([ \t]*)(\r?$)?", re.MULTILINE)
MOST_AFTER_MARK = 4
"""Columns between the mark of an item and its words; with more of them the words are code."""

TAB_COLUMNS = 4
ENOUGH = 2
"""Spaces by which an item of the same kind is indented when it was meant to be in the one above; one is a slip."""


@finds(NOT_NESTED)
def check_lists(page: Page) -> Iterator[Mark]:
    """One finding for each run of items that are beside the item above them although they are indented more."""
    # No item is above one in the first line, which is behind the first line end.
    if not _INDENTED.search(page.outside, 1) or not _is_suspect(page.outside):
        return
    items = page.prose.items
    inside: dict[int, tuple[int, int]] = {}
    runs: dict[tuple[int, int], list[Item]] = {}
    for number, item in enumerate(items):
        # What follows in the same run is measured against the same outer item.
        above, first = inside.get(item.before, (item.before, number))
        if above >= 0 and _is_meant_inside(page, item, items[above]):
            inside[number] = (above, first)
            runs.setdefault((above, first), []).append(item)
    for (above, _), run in runs.items():
        needed, have = _words_column(page, items[above]), _column(page, run[0])
        # What is indented enough is not nested for another reason.
        if have < needed:
            yield _mark(page, run, have, needed)


def _is_suspect(text: str) -> bool:
    """Whether an item is indented more than one above it, and less than what is nested in that one has to be."""
    above: list[tuple[int, int]] = []
    for indent, rest in _ITEM.findall(text):
        if not indent:
            above = [(0, len(rest))]
            continue
        column = len(indent)
        while above and above[-1][0] >= column:
            above.pop()
        if above and (column < above[-1][1] or "\t" in indent):
            return True
        above.append((column, column + len(rest)))
    return False


def _is_meant_inside(page: Page, item: Item, above: Item) -> bool:
    more = _column(page, item) - _column(page, above)
    return more >= ENOUGH or (more > 0 and item.is_ordered != above.is_ordered)


def _column(page: Page, item: Item) -> int:
    """Where an item begins, as the portal counts: a tab goes on to the next multiple of four."""
    return _width(page.text[page.line_start(item.start) : item.start])


def _width(text: str) -> int:
    return len(text.expandtabs(TAB_COLUMNS)) if "\t" in text else len(text)


def _mark(page: Page, run: list[Item], have: int, needed: int) -> Mark:
    lead = page.text[page.line_start(run[0].start) : run[0].start]
    # In a quote, columns count from the space behind its last sign.
    quote = _width(lead[: lead.rfind(">") + 1]) + 1 if ">" in lead else 0
    message = f"This list is not nested: it is indented by {have - quote}, and needs {needed - quote}."
    hint = f"Indent it by {needed - quote} spaces{' behind `> `' if quote else ''}."
    return Mark(NOT_NESTED, run[0].start, message, hint, _indented(page, run, needed - have))


def _words_column(page: Page, item: Item) -> int:
    """Where the words of an item begin: what is nested in it has to begin there, too."""
    lead = page.text[page.line_start(item.start) : item.start]
    mark = _MARK.match(page.text, item.start)
    if mark is None:
        return _width(lead) + 2
    marked = _width(lead + mark[1])
    words = _width(lead + mark[1] + mark[2])
    return words if mark[3] is None and marked < words <= marked + MOST_AFTER_MARK else marked + 1


def _indented(page: Page, run: list[Item], spaces: int) -> tuple[Edit, ...]:
    """Spaces before every line of the items; none where a quote or a tab makes columns uncertain."""
    start, end = page.line_start(run[0].start), run[-1].end
    text = page.text[start:end]
    leads = [page.text[page.line_start(item.start) : item.start] for item in run]
    if spaces <= 0 or "\t" in text or any(lead.strip(" ") for lead in leads):
        return ()
    places, at = [], start
    for line in text.splitlines(keepends=True):
        if line.strip():
            places.append(at)
        at += len(line)
    return tuple(Edit(place, place, " " * spaces) for place in places)
