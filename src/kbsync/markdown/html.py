"""The portal's HTML of an article, to the byte.

Parsed by markdown-it-py and written here. Where the portal's parser (cmark-gfm 0.29 with tables) reads otherwise than
markdown-it-py, the portal's way is in `dialect.py` and the rules that it names.

Also: what the HTML of an article is written to, block by block.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token
from markdown_it.utils import EnvType

from kbsync.markdown.dialect import block_parser, parse_inside
from kbsync.markdown.entities import decode
from kbsync.markdown.inline_html import OMITTED, column_widths, escape, inlines_html, open_table
from kbsync.markdown.limits import Check, unlimited
from kbsync.markdown.versions import NEWEST, V4_16, Version

_INFO_GAP = re.compile(r"[ \t\r\n\f\v]+")


@dataclass(slots=True)
class Page:
    """HTML written so far; blocks start on a line of their own.

    `env` has the link definitions and the `check` that may end it, `widths` those of the next table's columns.
    """

    version: Version
    env: EnvType = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    widths: tuple[int, ...] = ()

    def out(self, html: str) -> None:
        """Write HTML as it is."""
        if html:
            self.pieces.append(html)

    def fresh_line(self) -> None:
        """Begin a line, where none has just begun."""
        if self.pieces and not self.pieces[-1].endswith("\n"):
            self.pieces.append("\n")


def render_html(markdown: str, version: Version = NEWEST, check: Check = unlimited) -> str:
    """Give the HTML that the portal of a version shows for an article body; `check` may end it at any step.

    Captured video addresses and `javascript:` links come out as unsafe as on the portal:
    a page that shows this has to defuse them.
    """
    return render_with_lines(markdown, version, check)[0]


def render_with_lines(markdown: str, version: Version = NEWEST, check: Check = unlimited) -> tuple[str, list[int]]:
    """The same, and the first line, from 0, of each block that left something in it."""
    page, lines, written = Page(version, {"check": check}), list[int](), 0
    for line in _write_blocks(markdown, [page]):
        if "<" in "".join(page.pieces[written:]):
            lines.append(line)
        written = len(page.pieces)
    return "".join(page.pieces), lines


def render_blocks(markdown: str, versions: Sequence[Version]) -> Iterator[tuple[int, list[str]]]:
    """The same block by block (a heading, a list, a table): its first line from 0, and the HTML of each version.

    Line breaks between blocks are not part of them.
    """
    env: EnvType = {}
    pages = [Page(version, env) for version in versions]
    for line in _write_blocks(markdown, pages):
        yield line, ["".join(page.pieces).strip("\n") for page in pages]
        for page in pages:
            page.pieces.clear()


def _write_blocks(markdown: str, pages: Sequence[Page]) -> Iterator[int]:
    """Write to all pages, which share an `env`; the first line of each block of the text when it is written."""
    line, text = 0, markdown.removeprefix("\ufeff")
    # What is inside blocks is parsed when it is written.
    for token in block_parser().parse(text if text.endswith("\n") else f"{text}\n", pages[0].env):
        if token.level == 0 and token.map:
            line = token.map[0]
        for page in pages:
            _write(page, token)
        if token.level == 0 and token.nesting <= 0:
            yield line


def _write(page: Page, token: Token) -> None:
    if writer := _BLOCKS.get(token.type):
        writer(page, token)
    elif token.type.endswith("_open"):
        page.out(f"<{token.tag}{_alignment(token)}>{_OPENED.get(token.tag, '')}")
    else:
        page.out(f"</{token.tag}>\n")


_OPENED = {"thead": "\n", "tbody": "\n", "tr": "\n", "ul": "\n", "blockquote": "\n"}
"""Line breaks after an opening tag, as the portal's renderer sets them."""


def _alignment(token: Token) -> str:
    side = token.attrGet("align")
    return f' align="{side}"' if side else ""


def _block_open(page: Page, token: Token) -> None:
    if not token.hidden:
        page.fresh_line()
        page.out(f"<{token.tag}>{_OPENED.get(token.tag, '')}")


def _block_close(page: Page, token: Token) -> None:
    if not token.hidden:
        page.out(f"</{token.tag}>\n")


def _ordered_list_open(page: Page, token: Token) -> None:
    page.fresh_line()
    start = token.attrGet("start")
    page.out("<ol>\n" if start is None else f'<ol start="{start}">\n')


def _code(page: Page, token: Token) -> None:
    page.fresh_line()
    info = decode(token.info.strip("\t\r "))
    # Unescaped, as on the portal: a hostile info string breaks out of the attribute there too.
    page.out(f'<pre><code class="language-{_INFO_GAP.split(info)[0]}">' if info else "<pre><code>")
    page.out(f"{escape(token.content)}</code></pre>\n")


def _rule(page: Page, token: Token) -> None:
    page.fresh_line()
    page.out("<hr />\n")


def _html_block(page: Page, token: Token) -> None:
    if page.version >= V4_16 and (widths := column_widths(token.content)) is not None:
        page.widths = widths
        return
    page.fresh_line()
    page.out(f"{OMITTED}\n")


def _table_open(page: Page, token: Token) -> None:
    widths, page.widths = page.widths, ()
    page.out(open_table(widths) if page.version >= V4_16 else "<table>\n")


def _table_close(page: Page, token: Token) -> None:
    page.out("</table>\n</div>" if page.version >= V4_16 else "</table>\n")


def _cells_filled_in(page: Page, token: Token) -> None:
    sides = (f' align="{side}"' if side else "" for side in token.meta["alignments"])
    page.out("".join(f"<{token.tag}{side}></{token.tag}>\n" for side in sides))


def _inline(page: Page, token: Token) -> None:
    page.out(inlines_html(parse_inside(token.content, page.env), page.version))


_BLOCKS: dict[str, Callable[[Page, Token], None]] = {
    "paragraph_open": _block_open,
    "paragraph_close": _block_close,
    "heading_open": _block_open,
    "heading_close": _block_close,
    "blockquote_open": _block_open,
    "blockquote_close": _block_close,
    "bullet_list_open": _block_open,
    "ordered_list_open": _ordered_list_open,
    "list_item_open": _block_open,
    "list_item_close": _block_close,
    "fence": _code,
    "code_block": _code,
    "hr": _rule,
    "html_block": _html_block,
    "inline": _inline,
    "table_open": _table_open,
    "table_close": _table_close,
    "cells_filled_in": _cells_filled_in,
}
"""Rows and cells are not here. Unlike other blocks, the portal does not start a table on a fresh line."""
