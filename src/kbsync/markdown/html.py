"""The portal's HTML of an article, to the byte.

markdown-it-py parses, this module writes. Where the portal's parser (cmark-gfm 0.29 with tables) reads
otherwise than markdown-it-py, the portal's way stands in `dialect.py` and the rules that it names.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kbsync.markdown.dialect import portal_parser
from kbsync.markdown.embeds import player
from kbsync.markdown.entities import decode
from kbsync.markdown.sizes import column_widths, image_style, open_table
from kbsync.markdown.versions import NEWEST, V4_16, Version

OMITTED = "<!-- raw HTML omitted -->"
"""Stands in the page for every piece of raw HTML. Source: docs/service.md, section 9."""

BLANKS = "\t\n\v\f\r \0"
"""What the portal's Ruby strips before it calls a text empty; no-break space is not among them."""

_SUPERSCRIPT = re.compile(r"(\^[^^]+\^)")
_INFO_GAP = re.compile(r"[ \t\r\n\f\v]+")
_HREF_SAFE = "-_.~!*(),%#@?=;:/+$&'"
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


@cache
def _parser() -> MarkdownIt:
    return portal_parser()


def render_html(markdown: str, version: Version = NEWEST) -> str:
    """Give the HTML that the portal of a version shows for an article body.

    Captured video addresses and `javascript:` links come out as unsafe as on the portal:
    a page that shows this has to defuse them.
    """
    page = _Page(version)
    for token in _tokens(markdown):
        page.write(token)
    return "".join(page.pieces)


@dataclass(frozen=True, slots=True)
class Part:
    """The HTML of a part of an article.

    `lines` has the first line, from 0, of each block that left something in it. `widths` are those that the columns of
    the next table get. `is_open` says that the last block, a fence or raw HTML, goes on with whatever follows.
    """

    html: str
    lines: tuple[int, ...]
    widths: tuple[int, ...]
    is_open: bool


def render_part(markdown: str, version: Version, widths: tuple[int, ...] = ()) -> Part:
    """The same of a part of an article, whose definitions count in this part only."""
    page, lines, line, written = _Page(version, widths=widths), list[int](), 0, 0
    tokens = _tokens(markdown)
    for token in tokens:
        if token.level == 0 and token.map:
            line = token.map[0]
        page.write(token)
        if token.level == 0 and token.nesting <= 0:
            if "<" in "".join(page.pieces[written:]):
                lines.append(line)
            written = len(page.pieces)
    last = tokens[-1] if tokens else None
    is_open = bool(last and last.map and last.type in _ENDLESS and last.map[1] >= markdown.count("\n"))
    return Part("".join(page.pieces), tuple(lines), page.widths, is_open)


def render_blocks(markdown: str, versions: Sequence[Version]) -> Iterator[tuple[int, list[str]]]:
    """The same block by block (a heading, a list, a table): its first line from 0, and the HTML of each version.

    Line breaks between blocks are not part of them.
    """
    pages, line = [_Page(version) for version in versions], 0
    for token in _tokens(markdown):
        if token.level == 0 and token.map:
            line = token.map[0]
        for page in pages:
            page.write(token)
        if token.level == 0 and token.nesting <= 0:
            yield line, ["".join(page.pieces).strip("\n") for page in pages]
            for page in pages:
                page.pieces.clear()


def _tokens(markdown: str) -> list[Token]:
    text = markdown.removeprefix("\ufeff")
    return _parser().parse(text if text.endswith("\n") else f"{text}\n")


@dataclass(slots=True)
class _Page:
    """HTML written so far; blocks start on a line of their own. `widths` are those of the next table's columns."""

    version: Version
    pieces: list[str] = field(default_factory=list)
    widths: tuple[int, ...] = ()

    def write(self, token: Token) -> None:
        if writer := _BLOCKS.get(token.type):
            writer(self, token)
        elif token.type.endswith("_open"):
            self.out(f"<{token.tag}{_alignment(token)}>{_OPENED.get(token.tag, '')}")
        else:
            self.out(f"</{token.tag}>\n")

    def out(self, html: str) -> None:
        if html:
            self.pieces.append(html)

    def fresh_line(self) -> None:
        if self.pieces and not self.pieces[-1].endswith("\n"):
            self.pieces.append("\n")


_OPENED = {"thead": "\n", "tbody": "\n", "tr": "\n", "ul": "\n", "blockquote": "\n"}
"""Line breaks after an opening tag, as the portal's renderer sets them."""


_ENDLESS = ("fence", "html_block")
"""Blocks that a blank line does not end."""


def _alignment(token: Token) -> str:
    side = token.attrGet("align")
    return f' align="{side}"' if side else ""


def _block_open(page: _Page, token: Token) -> None:
    if not token.hidden:
        page.fresh_line()
        page.out(f"<{token.tag}>{_OPENED.get(token.tag, '')}")


def _block_close(page: _Page, token: Token) -> None:
    if not token.hidden:
        page.out(f"</{token.tag}>\n")


def _ordered_list_open(page: _Page, token: Token) -> None:
    page.fresh_line()
    start = token.attrGet("start")
    page.out("<ol>\n" if start is None else f'<ol start="{start}">\n')


def _code(page: _Page, token: Token) -> None:
    page.fresh_line()
    info = decode(token.info.strip("\t\r "))
    # Unescaped, as on the portal: a hostile info string breaks out of the attribute there too.
    page.out(f'<pre><code class="language-{_INFO_GAP.split(info)[0]}">' if info else "<pre><code>")
    page.out(f"{_escape(token.content)}</code></pre>\n")


def _rule(page: _Page, token: Token) -> None:
    page.fresh_line()
    page.out("<hr />\n")


def _html_block(page: _Page, token: Token) -> None:
    if page.version >= V4_16 and (widths := column_widths(token.content)) is not None:
        page.widths = widths
        return
    page.fresh_line()
    page.out(f"{OMITTED}\n")


def _table_open(page: _Page, token: Token) -> None:
    widths, page.widths = page.widths, ()
    page.out(open_table(widths) if page.version >= V4_16 else "<table>\n")


def _table_close(page: _Page, token: Token) -> None:
    page.out("</table>\n</div>" if page.version >= V4_16 else "</table>\n")


def _cells_filled_in(page: _Page, token: Token) -> None:
    sides = (f' align="{side}"' if side else "" for side in token.meta["alignments"])
    page.out("".join(f"<{token.tag}{side}></{token.tag}>\n" for side in sides))


def _inline(page: _Page, token: Token) -> None:
    page.out(_inlines(token.children or [], page.version))


_BLOCKS: dict[str, Callable[[_Page, Token], None]] = {
    "paragraph_open": _block_open,
    "paragraph_close": _block_close,
    "heading_open": _block_open,
    "heading_close": _block_close,
    "blockquote_open": _block_open,
    "blockquote_close": _block_close,
    "bullet_list_open": _block_open,
    "bullet_block_close": _block_close,
    "ordered_list_open": _ordered_list_open,
    "ordered_block_close": _block_close,
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


def _inlines(tokens: Sequence[Token], version: Version) -> str:
    """Write the inside of a block. No recursion: emphasis may nest thousands deep."""
    pieces, place = [], 0
    while place < len(tokens):
        end = place
        html = None
        if tokens[place].type == "link_open":
            end = _link_end(tokens, place)
            html = _player(tokens, place, end, version)
        pieces.append(_element(tokens[place], version) if html is None else html)
        place = (place if html is None else end) + 1
    return "".join(pieces)


def _link_end(tokens: Sequence[Token], place: int) -> int:
    """Find where a link closes; links are never nested."""
    return next(end for end in range(place, len(tokens)) if tokens[end].type == "link_close")


def _player(tokens: Sequence[Token], start: int, end: int, version: Version) -> str | None:
    """The player for a link without text beside it; images, code and line breaks do not count as text."""
    beside = (*tokens[max(start - 1, 0) : start], *tokens[end + 1 : end + 2])
    if any(token.type == "text" and token.content.strip(BLANKS) for token in beside):
        return None
    return player(str(tokens[start].attrGet("href")), version)


def _element(token: Token, version: Version) -> str:
    match token.type:
        case "text":
            return _text(token.content)
        case "softbreak":
            return "\n"
        case "hardbreak":
            return "<br />\n"
        case "code_inline":
            return f"<code>{_escape(token.content)}</code>"
        case "html_inline":
            return OMITTED
        case "image":
            return _image(token, version)
        case "link_open":
            return f'<a href="{_href(token, "href")}"{_title(token)}>'
        case _:
            return f"<{token.tag}>" if token.nesting > 0 else f"</{token.tag}>"


def _image(token: Token, version: Version) -> str:
    src, title = _href(token, "src"), _title(token)
    if version < V4_16:
        return f'<img src="{src}" alt="{_alt(token)}"{title} />'
    if not str(token.attrGet("title") or "").strip():
        title = ""
    return f'<img src="{src}" alt="{_alt(token)}"{title}{image_style(src)} />'


def _alt(image: Token) -> str:
    """Write an image's text; code, tags and hard breaks leave nothing, superscript leaves its tags."""
    return "".join(_alt_piece(token) for token in image.children or [])


def _alt_piece(token: Token) -> str:
    match token.type:
        case "text":
            return _text(token.content)
        case "softbreak":
            return "\n"
        case "image":
            return _alt(token)
        case _:
            return ""


def _text(content: str) -> str:
    if "^" not in content:
        return _escape(content)
    return "".join(
        f"<sup>{_escape(part[1:-1])}</sup>" if part.startswith("^") and part.endswith("^") else _escape(part)
        for part in _SUPERSCRIPT.split(content)
    )


def _title(token: Token) -> str:
    title = token.attrGet("title")
    return f' title="{_escape(str(title))}"' if title else ""


def _href(token: Token, name: str) -> str:
    address = quote(str(token.attrGet(name)), safe=_HREF_SAFE, errors="surrogatepass")
    return address.replace("&", "&amp;").replace("'", "&#x27;")


def _escape(text: str) -> str:
    return text.translate(_ESCAPES)
