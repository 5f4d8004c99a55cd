"""What looks like a table and does not become one, so that readers see its bars.

The portal needs a line of hyphens under the head with as many cells as that. Source: docs/service.md, section 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.lint.finds import finds
from kbsync.lint.page import Edit, Mark, Page
from kbsync.markdown.limits import MAX_FILLED_IN
from kbsync.model import Rule
from kbsync.patterns import Pattern
from kbsync.words import count

NOT_A_TABLE = Rule("KB413", "Table that will not become a table")
A_LINE = "Add a line such as `| --- | --- |`"
HEADLESS = "This will not become a table: the header row needs a `| --- |` line below it."

MANY_FILLED_IN = 10_000
"""Empty cells beyond which a table is an accident: each of them is HTML that readers load."""

_DELIMITERS = Pattern(r"\n[ \t>]*(?:\|[ \t]*:?-+:?|:?-+:?[ \t]*\|)[-:| \t]*(?=\r?\n|\Z)")
_ROWS = Pattern(r"\n[ \t>]*\|[^\n]*\|[ \t\r]*\n[ \t>]*\|(?![ \t]*:?-)[^\n]*\|[ \t]*(?=\r?\n|\Z)")
_ODD_BACKTICK = Pattern(r"(?:^|\|)(?:[^|`\n]*+`[^|`\n]*+`)*+[^|`\n]*+(`)[^|`\n]*+(?<!\\)(?=\|)", re.MULTILINE)
"""A cell with an odd number of backticks: one of them may belong to one in the next cell."""

_IN_CELLS = bytes(byte for byte in range(256) if byte not in b"`|\n")

_ROW = Pattern(r"\n[ \t>]*+(\|)[ \t]++[^|\s][^|\n]*+\|[^\n]*[ \t]\|[ \t]*+(?=\r?\n|\Z)")
"""One row; with spaces inside of its first and its last bar it is no formula."""

_EMPTY_LINE = Pattern(r"\n[ \t>]*\r?\n")
_CELL = Pattern(r"(?:\\.|[^|\\])+")


@finds(NOT_A_TABLE, sign="|")
def check_tables(page: Page) -> Iterator[Mark]:
    """Lines of hyphens and bars that head no table, and rows of bars without such a line."""
    text = page.text
    bars = page.signs.count("|")
    if bars == sum([text.count("|", start, end) for start, end in page.scan.tables]):
        # None is outside of a table. With so few bars and lines there is nothing to count: so it is of nearly all.
        if (bars + 1) * (page.signs.count("\n") + page.signs_inside.count("\n")) > MANY_FILLED_IN:
            yield from _all_filled_in(page)
        return
    inside, end, refused = 0, -1, -1
    for match in _DELIMITERS.finditer(text):
        at = match.start() + 1
        if refused >= 0:
            refused = -1 if _EMPTY_LINE.search(text, refused, at) else at
        if page.is_table(at):
            inside += 1
            # A row of hyphens further down in the same table is not another table.
            if at >= end:
                end = _end_of_rows(text, at)
                if refused >= 0:
                    message = "This will not become a table: what is above it in the same paragraph did not, either."
                    yield Mark(NOT_A_TABLE, page.line_start(at - 1), message, "Put an empty line before the table.")
                elif mark := _filled_in(page, at, end):
                    yield mark
        elif mark := _no_table(page, at):
            refused = at
            yield mark
    if not inside or text.count("\n\n|") > inside:
        yield from _headless(page)


def may_cut_code(signs: str) -> bool:
    """Whether a cell of a table may have an odd number of backticks.

    Args:
        signs: the punctuation of a text.
    """
    # Where nothing else is left of a cell, the backticks of a pair are next to each other.
    return b"`" in signs.encode("ascii").translate(None, _IN_CELLS).replace(b"``", b"")


def cut_code(page: Page) -> Iterator[tuple[int, int, tuple[Edit, ...]]]:
    """Code in a row of a table that a bar cuts in two: both backticks, and what joins it again where that is sure."""
    text = page.text
    if not page.scan.tables or "`" not in page.signs or not may_cut_code(page.signs):
        return
    for table, table_end in page.scan.tables:
        columns, done = 0, -1
        for match in _ODD_BACKTICK.finditer(text, table, table_end):
            first, end = match.start(1), text.find("\n", match.end(), table_end)
            last = text.find("`", match.end(), end if end >= 0 else table_end)
            if first <= done or last < 0 or page.prose.text[first] != "`":
                continue
            columns = columns or _cells(page.line_at(table).strip(" \t>"))
            bars = [place for place in range(match.end(), last) if text[place] == "|" and text[place - 1] != "\\"]
            is_sure = _cells(page.line_at(first).strip(" \t>")) - len(bars) == columns
            # Where the row has a cell too many, the portal drops the last one, perhaps with the second backtick.
            if not is_sure and page.prose.text[last] != "`":
                continue
            done = last
            yield first, last, tuple(Edit(bar, bar, "\\") for bar in bars) if is_sure else ()


def _no_table(page: Page, at: int) -> Mark | None:
    head_at = page.line_start(at - 1)
    head, delimiters = page.line_at(head_at).strip(" \t>"), page.line_at(at).strip(" \t>")
    if "|" not in head or page.is_code(at) or _DELIMITERS.match(f"\n{head}"):
        return None
    there, needed = _cells(head), _cells(delimiters)
    if there == needed:
        message = "This will not become a table: the line above its header row belongs to it."
        return Mark(NOT_A_TABLE, head_at, message, "Put an empty line before the table.")
    message = f"This will not become a table: {count(needed, 'column')} below a header row with {there}."
    return Mark(NOT_A_TABLE, head_at, message, "Give the line of hyphens as many cells as the header row.")


def _end_of_rows(text: str, at: int) -> int:
    found = text.find("\n\n", at)
    return found if found >= 0 else len(text)


def _all_filled_in(page: Page) -> Iterator[Mark]:
    for start, _ in page.scan.tables:
        delimiters_at = page.text.find("\n", start) + 1
        if mark := _filled_in(page, delimiters_at, _end_of_rows(page.text, delimiters_at)):
            yield mark


def _filled_in(page: Page, delimiters_at: int, end: int) -> Mark | None:
    """A table whose short rows the portal fills up with more cells than anybody can have meant."""
    delimiters = page.line_at(delimiters_at).strip(" \t>")
    if (delimiters.count("|") + 1) * page.text.count("\n", delimiters_at, end) <= MANY_FILLED_IN:
        return None
    columns = _cells(delimiters)
    rows = page.text[delimiters_at:end].split("\n")[1:]
    if columns * len(rows) <= MANY_FILLED_IN:
        return None
    filled_in = sum(max(0, columns - _cells(row.strip(" \t>"))) for row in rows if row.strip())
    if filled_in <= MANY_FILLED_IN:
        return None
    message = f"The portal adds {filled_in:,} empty cells to this table: its rows have fewer cells than its header row."
    if filled_in > MAX_FILLED_IN:
        message += f" It ends the table after {MAX_FILLED_IN:,} of them, and readers see the bars of the other rows."
    hint = "Remove the empty columns from the header row."
    return Mark(NOT_A_TABLE, page.line_start(delimiters_at - 1), message, hint)


def _cells(row: str) -> int:
    return len(_CELL.findall(row.removeprefix("|").removesuffix("|"))) or 1


def _headless(page: Page) -> Iterator[Mark]:
    end = -1
    for match in _ROWS.finditer(f"\n{page.text}"):
        at = match.start()
        joined = at <= end + 1
        end = match.end() - 1
        if joined or page.is_code(at) or page.is_table(at):
            continue
        above = page.line_at(page.line_start(at) - 1) if page.line_start(at) else ""
        if above.strip(" \t>").startswith("|") or page.is_code(end - 1):
            continue
        yield Mark(NOT_A_TABLE, page.line_start(at), HEADLESS, f"{A_LINE} below the first row.")


@finds(NOT_A_TABLE, sign="|")
def check_single_rows(page: Page) -> Iterator[Mark]:
    """One row alone."""
    if not page.has(_ROW):
        return
    for match in _ROW.finditer(f"\n{page.text}"):
        at, bar, end = match.start(), match.start(1) - 1, match.end() - 1
        if page.is_code(bar) or page.is_table(bar) or page.prose.text[bar] != "|":
            continue
        above = page.line_at(at - 1) if at else ""
        below = page.line_at(page.text.find("\n", end) + 1) if "\n" in page.text[end : end + 2] else ""
        if not any(line.strip(" \t>").startswith("|") for line in (above, below)):
            yield Mark(NOT_A_TABLE, at, HEADLESS, f"{A_LINE} below it.")
