"""The portal's HTML of what is inside a block, from the parser's tokens.

Also: widths that the panel writes into a text since 4.16: of a table's columns and of an image.

Source: docs/service.md, S151 to S153.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote

from markdown_it.token import Token

from kbsync.markdown.embeds import MAX_DIGITS, pixels, player, width_in
from kbsync.markdown.versions import V4_16, Version

WRAPPER = "tableWrapper"
"""The class of the element around every table."""

MIN_COLUMN_PX = 50
"""What a column without a width counts in a table where others have one."""

_COLUMNS = re.compile(r"<!--cw-colwidths:([0-9,]+)-->")


def column_widths(raw_html: str) -> tuple[int, ...] | None:
    """The widths in `<!--cw-colwidths:120,80-->` within a block of raw HTML, in pixels; None where it has no such."""
    found = _COLUMNS.search(raw_html)
    if found is None:
        return None
    return tuple(int(width[:MAX_DIGITS] or 0) for width in found[1].rstrip(",").split(","))


def open_table(widths: Sequence[int]) -> str:
    """The beginning of a table with its wrapper.

    Args:
        widths: of its columns in pixels; zeros are open, and if there is nothing else the table is as wide as it likes.
    """
    if not any(widths):
        return f'<div class="{WRAPPER}"><table>\n'
    total = sum(width or MIN_COLUMN_PX for width in widths)
    columns = "".join(f'<col style="width: {width}px;">' if width else "<col>" for width in widths)
    around, style = "", f"min-width: max(100%, {total}px) !important;"
    if all(widths):
        around = f' style="width: {total}px; max-width: 100%;"'
        style = f"width: {total}px !important; min-width: {total}px !important;"
    return (
        f'<div class="{WRAPPER}"{around}><table style="table-layout: fixed; {style}">\n<colgroup>{columns}</colgroup>\n'
    )


def image_style(src: str) -> str:
    """The attribute `style` of an image that says in its address how wide it is, with a space before it; else "".

    Args:
        src: the address as it is in the HTML: the portal reads it there, where an `&` is `&amp;`.
    """
    width = pixels(width_in(src, "cw_image_width"))
    return "" if width is None else f' style="width: {width}px; max-width: 100%; height: auto;"'


OMITTED = "<!-- raw HTML omitted -->"
"""Stands in the page for every piece of raw HTML. Source: docs/service.md, section 9."""

BLANKS = "\t\n\v\f\r \0"
"""What the portal's Ruby strips before it calls a text empty; no-break space is not among them."""

_SUPERSCRIPT = re.compile(r"(\^[^^]+\^)")
_HREF_SAFE = "-_.~!*(),%#@?=;:/+$&'"


def inlines_html(tokens: Sequence[Token], version: Version) -> str:
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
            return f"<code>{escape(token.content)}</code>"
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
        return escape(content)
    return "".join(
        f"<sup>{escape(part[1:-1])}</sup>" if part.startswith("^") and part.endswith("^") else escape(part)
        for part in _SUPERSCRIPT.split(content)
    )


def _title(token: Token) -> str:
    title = token.attrGet("title")
    return f' title="{escape(str(title))}"' if title else ""


def _href(token: Token, name: str) -> str:
    address = quote(str(token.attrGet(name)), safe=_HREF_SAFE, errors="surrogatepass")
    return address.replace("&", "&amp;").replace("'", "&#x27;")


def escape(text: str) -> str:
    """Text as HTML has it. For a text with other letters than ASCII, `str.translate` takes many times as long."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
