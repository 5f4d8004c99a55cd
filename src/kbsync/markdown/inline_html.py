"""The portal's HTML of what is inside a block, from the parser's tokens."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from markdown_it.token import Token

from kbsync.markdown.embeds import player
from kbsync.markdown.sizes import image_style
from kbsync.markdown.versions import V4_16, Version

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
