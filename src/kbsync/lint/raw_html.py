"""KB401 to KB403: raw HTML, of which the portal drops the tags, and of blocks the words as well.

Source: docs/service.md, section 9. Comments are dropped, too, and are meant to be.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from kbsync.lint.page import Edit, Mark, Page
from kbsync.lint.tags import KNOWN, SEEN_ALONE
from kbsync.markdown.spans import RawHtml

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)((?:\"[^\"]*+\"|'[^']*+'|[^'\"<>])*+)>")
_CLOSED = re.compile(r"</([A-Za-z][A-Za-z0-9-]*)")
_LINE_END = re.compile(r"[ \t]*(?=\r?\n)")
PLACEHOLDER_HINT = "write `\\<` or put it between backticks"


def check_html(page: Page) -> Iterator[Mark]:
    """One finding for each tag within a line, and one for each block."""
    closed = None
    for piece in page.scan.raw_html:
        if closed is None:
            closed = frozenset(_CLOSED.findall(page.text))
        if piece.html.startswith("<!--") and piece.kind == "inline":
            continue
        mark = _block(piece, closed) if piece.kind == "block" else _tag(page, piece, closed)
        if mark:
            yield mark


def _tag(page: Page, piece: RawHtml, closed: Collection[str]) -> Mark | None:
    tag = _TAG.match(piece.html)
    if tag is None:
        message = f"`{_short(piece.html)}` is raw HTML: the portal drops it"
        return Mark("KB401", piece.start, message, "delete it, or put it between backticks")
    if tag[1]:
        return None
    name = tag[2].lower()
    if _is_placeholder(tag, closed):
        return _placeholder(piece, tag)
    if name == "br":
        return _line_break(page, piece)
    message = f"`<{tag[2]}>` is raw HTML: the portal drops {_what_is_lost(name)}"
    return Mark("KB401", piece.start, message, _instead(name))


def _what_is_lost(name: str) -> str:
    if name == "a":
        return "the link or the anchor"
    return "the picture or player" if name in SEEN_ALONE else "the tag; the words in it stay"


def _line_break(page: Page, piece: RawHtml) -> Mark:
    if page.is_table(piece.start):
        message = "`<br>` in a table is dropped: what stands before and after it runs together"
        return Mark("KB403", piece.start, message, "make two rows of it, or two sentences: cells have no line breaks")
    hint = "end the line with a backslash, or begin a new paragraph"
    return Mark("KB401", piece.start, "`<br>` is dropped: the line does not break", hint, _hard_break(page, piece))


def _hard_break(page: Page, piece: RawHtml) -> tuple[Edit, ...]:
    """A backslash for a `<br>` at the end of a line in the midst of a paragraph; elsewhere it would be printed."""
    text = page.text
    blanks = _LINE_END.match(text, piece.end)
    start = len(text[: piece.start].rstrip(" \t"))
    if not blanks or start == 0 or text[start - 1] in ">\\\n\r":
        return ()
    line_end = text.index("\n", piece.end)
    is_soft = any(place in page.prose.breaks for place in range(piece.end, line_end + 1))
    return (Edit(start, blanks.end(), "\\"),) if is_soft else ()


def _block(piece: RawHtml, closed: Collection[str]) -> Mark | None:
    inside = _without_comments(piece.html)
    if not inside.strip():
        return None
    start = piece.start + len(piece.html) - len(piece.html.lstrip())
    tags = list(_TAG.finditer(inside))
    words = _TAG.sub("", inside).strip()
    if not tags:
        if piece.html.lstrip().startswith("<!--"):
            if "-->" not in piece.html:
                message = "a comment that is never closed: all text below it is lost"
                return Mark("KB401", start, message, "close it with `-->`")
            message = f"`{_short(words)}` stands on the line of a comment and is lost with it"
            return Mark("KB401", start, message, "move it to a line of its own, after an empty one")
        message = f"`{_short(inside.strip())}` is raw HTML: the portal drops it"
        return Mark("KB401", start, message, "delete it, or put it into a block of code")
    if all(tag[1] for tag in tags) and not words:
        return None
    tag = next((tag for tag in tags if not tag[1]), tags[0])
    if not tag[1] and _is_placeholder(tag, closed) and piece.html.lstrip().startswith(tag[0]):
        return _placeholder(piece, tag, skipped=start - piece.start)
    return _lost_block(start, tag, tags, words)


def _without_comments(html: str) -> str:
    pieces, at = [], 0
    while (start := html.find("<!--", at)) >= 0 and (end := html.find("-->", start + 4)) >= 0:
        pieces.append(html[at:start])
        at = end + 3
    return "".join((*pieces, html[at:]))


def _lost_block(start: int, tag: re.Match[str], tags: list[re.Match[str]], words: str) -> Mark:
    name = tag[2].lower()
    if words:
        message = (
            f"`{_short(words)}` is lost: the portal drops a block of raw HTML (`<{tag[2]}>`) with all that is in it"
        )
        return Mark("KB401", start, message, _instead(name, "write it in Markdown, with an empty line before it"))
    seen = next((other[2].lower() for other in tags if other[2].lower() in SEEN_ALONE), "")
    message = f"`<{seen or tag[2]}>` is raw HTML: the portal drops {_what_is_lost(seen or name)}"
    return Mark("KB401", start, message, _instead(seen or name))


def _is_placeholder(tag: re.Match[str], closed: Collection[str]) -> bool:
    """Whether it looks like a name to fill in, rather than like a component of some other tool."""
    is_open = "=" not in tag[3] and not tag[3].rstrip().endswith("/")
    return tag[2].lower() not in KNOWN and is_open and tag[2] not in closed


def _placeholder(piece: RawHtml, tag: re.Match[str], skipped: int = 0) -> Mark:
    at = piece.start + skipped
    message = f"readers will not see `{_short(tag[0])}`: the portal takes it for raw HTML"
    return Mark("KB402", at, message, PLACEHOLDER_HINT, (Edit(at, at, "\\"),))


_INSTEAD = {
    "img": "write `![what it shows](address)`",
    "a": "write `[words](address)`; link to headings, which have anchors of their own",
    "b": "write `**words**`",
    "strong": "write `**words**`",
    "i": "write `*words*`",
    "em": "write `*words*`",
    "code": "put it between backticks",
    "kbd": "put it between backticks, or in `**`",
    "sup": "write `^words^`",
    "hr": "write `---` between empty lines",
    "table": "write a Markdown table",
    "iframe": "write the video's address as `<https://...>` on a line of its own",
    "video": "write the video's address as `<https://...>` on a line of its own",
}


def _instead(name: str, otherwise: str = "delete the tags, or write it in Markdown") -> str:
    return _INSTEAD.get(name, otherwise)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"
