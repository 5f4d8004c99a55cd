"""Blocks that are certain at sight, written as HTML without the parser: most of an article is such.

Paragraphs, headings, fences, tables, quotes and lists whose lines are just where they belong. Where a line could mean
something else (indented, lazy, a rule, raw HTML, a heading's underline), the parser reads on from that block.
Texts with tabs or link definitions are not read here at all.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from kbsync.markdown.block_rules import BLANKS, heading_text
from kbsync.markdown.html_page import Page
from kbsync.markdown.tables import table_cells, table_sides

MAX_DEPTH = 10
"""How deep lists and quotes may nest here."""

_FIRST = r"(?:[^\s`~>*\-_+<#0-9|:=]|`(?!``)|\*{1,2}+[^\s*]|[0-9]++(?![.)]))"
"""How a line begins that is text wherever it stands: it begins no block, underlines nothing and divides no table."""

_BLANK = re.compile(r"(?: *\n)*+")
_HEADING = re.compile(r"(#{1,6}) ([^\n]*)\n")
# A line that surely begins another block ends a paragraph, too.
_PARAGRAPH = re.compile(
    rf"(?>(?:{_FIRST}[^\n]*\n)++)(?= *\n|\Z|```[^`\n]*\n|#{{1,6}} |>|[-*+] [^\s*+\-_]|1[.)] [^\s*+\-_])"
)
_FENCE = re.compile(r"```([^`\n]*)\n")
_FENCE_END = re.compile(r"\n {0,3}```+ *\n")
_QUOTE = re.compile(r"(?>> [^ \n][^\n]*\n(?:> [^ \n][^\n]*\n|>\n)*+)(?= *\n|\Z)")
_QUOTE_MARK = re.compile("^> ?", re.MULTILINE)
_TABLE = re.compile(r"(\|[^\n]*)\n(\|[^\n]*)\n((?:\|[^\n]*\n)*+)(?= *\n|\Z)")
_ITEM = re.compile(rf"([-*+]|[0-9]{{1,9}}[.)]) (?={_FIRST})([^\n]*\n)")
_ITEM_LIKE = re.compile(r" |[-*+][ \n]|[0-9]{1,9}[.)][ \n]")
_REST_OF_ITEM = {width: re.compile(rf"(?: {{{width}}} *[^ \n][^\n]*\n)*+") for width in range(2, 12)}


def write_blocks(page: Page, text: str, at: int = 0, depth: int = 0) -> int:
    """Write blocks from a place between two of them, as long as each is certain.

    Args:
        page: what they are written to.
        text: ends with a line break, and has no tab, no carriage return and no link definition.
        at: where the first one begins.
        depth: in how many lists and quotes.

    Returns:
        The place of the first block that was not written, or the end of the text.
    """
    blank = _BLANK.match(text, at)
    at = blank.end() if blank else at
    while at < len(text):
        written, widths = len(page.pieces), page.widths
        end = _write_block(page, text, at, depth)
        if not end:
            # A table in a part of the block may have taken the widths that wait for it.
            del page.pieces[written:]
            page.widths = widths
            return at
        blank = _BLANK.match(text, end)
        at = blank.end() if blank else end
    return at


def _write_block(page: Page, text: str, at: int, depth: int) -> int:
    """Write one block; the place after it, or 0 where it is not certain."""
    sign = text[at]
    if sign == "#":
        return _heading(page, text, at)
    if sign == "|":
        return _table(page, text, at)
    if sign == ">":
        return _quote(page, text, at, depth)
    if sign == "`" and (end := _fence(page, text, at)):
        return end
    if sign in "-*+0123456789" and (end := _list(page, text, at, depth)):
        return end
    if found := _PARAGRAPH.match(text, at):
        page.fresh_line()
        page.out(f"<p>{page.inside(found[0].rstrip(BLANKS))}</p>\n")
    return found.end() if found else 0


def _heading(page: Page, text: str, at: int) -> int:
    found = _HEADING.match(text, at)
    if not found:
        return 0
    level = len(found[1])
    page.fresh_line()
    page.out(f"<h{level}>{page.inside(heading_text(found[2]))}</h{level}>\n")
    return found.end()


def _fence(page: Page, text: str, at: int) -> int:
    begin = _FENCE.match(text, at)
    # From the line break on: the fence may be empty.
    end = _FENCE_END.search(text, begin.end() - 1) if begin else None
    if not begin or not end:
        return 0
    page.code(begin[1], text[begin.end() : end.start() + 1])
    return end.end()


def _quote(page: Page, text: str, at: int, depth: int) -> int:
    found = _QUOTE.match(text, at)
    if not found or depth == MAX_DEPTH:
        return 0
    inside = _QUOTE_MARK.sub("", found[0])
    page.fresh_line()
    page.out("<blockquote>\n")
    if write_blocks(page, inside, 0, depth + 1) < len(inside):
        return 0
    page.out("</blockquote>\n")
    return found.end()


def _table(page: Page, text: str, at: int) -> int:
    found = _TABLE.match(text, at)
    sides = table_sides(found[2]) if found else []
    if not found or not sides:
        return 0
    head, *rows = [table_cells(row) for row in (found[1], *found[3].split("\n")[:-1])]
    # A row without a cell would end the table, and one with too few is filled in.
    if len(head) != len(sides) or any(len(row) < len(sides) for row in rows):
        return 0
    page.open_table()
    page.out("<thead>\n")
    _row(page, "th", head, sides)
    page.out("</thead>\n")
    if rows:
        page.out("<tbody>\n")
        for row in rows:
            _row(page, "td", row, sides)
        page.out("</tbody>\n")
    page.close_table()
    return found.end()


def _row(page: Page, tag: str, cells: Sequence[str], sides: Sequence[str]) -> None:
    page.out("<tr>\n")
    for cell, side in zip(cells, sides, strict=False):
        start = f'<{tag} align="{side}">' if side else f"<{tag}>"
        page.out(f"{start}{page.inside(cell)}</{tag}>\n")
    page.out("</tr>\n")


class _Items(NamedTuple):
    """The items of a list, each without its indentation; whether they are apart, and the place after the last."""

    texts: list[str]
    loose: bool
    end: int


def _list(page: Page, text: str, at: int, depth: int) -> int:
    first = _ITEM.match(text, at)
    items = _items(text, first) if first and depth < MAX_DEPTH else None
    if not first or not items:
        return 0
    number = first[1][:-1]
    tag = "ol" if number else "ul"
    page.fresh_line()
    page.out(f'<ol start="{int(number)}">\n' if number and int(number) != 1 else f"<{tag}>\n")
    for item in items.texts:
        if not _item(page, item, depth, loose=items.loose):
            return 0
        page.out("</li>\n")
    page.out(f"</{tag}>\n")
    return items.end


def _items(text: str, first: re.Match[str]) -> _Items | None:
    """The items of the list that begins here; None where a line is not certain to be one of an item."""
    texts, loose, kind = list[str](), False, first[1][-1]
    found: re.Match[str] | None = first
    while found and found[1][-1] == kind:
        width = len(found[1]) + 1
        rest = _REST_OF_ITEM[width].match(text, found.end())
        end = rest.end() if rest else found.end()
        below = text[found.end() : end]
        texts.append(found[2] + (below.replace(f"\n{' ' * width}", "\n")[width:] if below else ""))
        blank = _BLANK.match(text, end)
        at = blank.end() if blank else end
        if at == len(text):
            return _Items(texts, loose, at)
        found = _ITEM.match(text, at)
        if found and found[1][-1] == kind:
            loose |= at > end
        elif at == end or (not found and _ITEM_LIKE.match(text, at)):
            return None
    return _Items(texts, loose, at)


def _item(page: Page, text: str, depth: int, *, loose: bool) -> bool:
    """Write an item but for its end: a paragraph, and a list below it; whether that is all of it."""
    found = _PARAGRAPH.match(text)
    if not found:
        return False
    html, at = page.inside(found[0].rstrip(BLANKS)), found.end()
    page.out(f"<li>\n<p>{html}</p>\n" if loose else f"<li>{html}")
    return at == len(text) or _list(page, text, at, depth + 1) == len(text)
