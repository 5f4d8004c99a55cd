"""Raw HTML: the portal drops the tags, and whole blocks with their words.

Source: docs/service.md, section 9. Comments are dropped, too, and are meant to be.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from kbsync.lint.finds import finds
from kbsync.lint.page import Edit, Mark, Page, short
from kbsync.lint.tags import KNOWN, SEEN_ALONE
from kbsync.markdown.constructs import RawHtml
from kbsync.markdown.html_syntax import is_comment
from kbsync.model import Rule
from kbsync.patterns import Pattern

RAW_HTML = Rule("KB401", "Raw HTML", fixable=True)
PLACEHOLDER = Rule("KB402", "Placeholder in angle brackets", fixable=True)
BREAK_IN_TABLE = Rule("KB403", "`<br>` in a table")

_TAG = Pattern(r"<(/?)([A-Za-z][A-Za-z0-9-]*)((?:\"[^\"]*+\"|'[^']*+'|[^'\"<>])*+)>")
_CLOSED = Pattern(r"</([A-Za-z][A-Za-z0-9-]*)")
_BREAK = Pattern(r"</?br[ \t]*/?>", re.IGNORECASE)
_ESCAPED_END = Pattern(r"<(?<!\\<)([A-Za-z][A-Za-z0-9]{0,20})[ \t]?/?\\>")
NEAR_CHARS = 200
"""How far an end of a cell is looked for behind breaks: a row may have thousands of them."""

_LINE_END = Pattern(r"[ \t]*(?=\r?\n)")
PLACEHOLDER_HINT = "Write `\\<`, or put it in backticks."


@finds(RAW_HTML, PLACEHOLDER, BREAK_IN_TABLE)
def check_html(page: Page) -> Iterator[Mark]:
    """One finding for each tag within a line, and one for each block."""
    closed = None
    for piece in page.scan.raw_html:
        if closed is None:
            closed = frozenset(_CLOSED.findall(page.text))
        if piece.html.startswith("<!--") and piece.kind == "inline":
            if not is_comment(piece.html):
                yield _printed_comment(piece)
            continue
        mark = _block(piece, closed) if piece.kind == "block" else _tag(page, piece, closed)
        if mark:
            yield mark


def _printed_comment(piece: RawHtml) -> Mark:
    message = "This comment does not end here: inside a line, the portal prints it, or hides all up to the next `-->`."
    closed = f"<!--{piece.html[4:-1].rstrip('-')}-->"
    return Mark(
        RAW_HTML,
        piece.start,
        message,
        "Write `-->`, without another hyphen in front.",
        (Edit(piece.start, piece.end, closed),),
    )


@finds(RAW_HTML, sign="\\>")
def check_escaped_ends(page: Page) -> Iterator[Mark]:
    """`<br\\>`, which is no tag."""
    for match in _ESCAPED_END.finditer(page.text):
        name, start = match[1].lower(), match.start()
        if name in KNOWN and not page.is_code(start) and page.prose.text[start] == "<":
            message = f"`{match[0]}` is not a tag: the portal prints it."
            yield Mark(RAW_HTML, start, message, _INSTEAD.get(name, "Delete it, or write it in Markdown."))


def _tag(page: Page, piece: RawHtml, closed: Collection[str]) -> Mark | None:
    tag = _TAG.match(piece.html)
    if tag is None:
        message = f"`{short(piece.html)}` is raw HTML: the portal drops it."
        return Mark(RAW_HTML, piece.start, message, "Delete it, or put it in backticks.")
    name = tag[2].lower()
    if tag[1] and name != "br":
        return None
    if _is_placeholder(tag, closed):
        return _placeholder(piece, tag)
    if name == "br":
        return _line_break(page, piece)
    message = f"`<{tag[2]}>` is raw HTML: the portal drops {_what_is_lost(name)}."
    return Mark(RAW_HTML, piece.start, message, _instead(name))


def _what_is_lost(name: str) -> str:
    if name == "a":
        return "the link or the anchor"
    if name in WORDLESS:
        return "it"
    return "the image or player" if name in SEEN_ALONE else "the tag, and keeps the words in it"


def _line_break(page: Page, piece: RawHtml) -> Mark | None:
    if page.is_table(piece.start):
        if _is_at_edge_of_cell(page.text, piece):
            # Nothing is lost: there are words on one side only.
            return None
        message = "The portal drops `<br>`, so the words before and after it run together."
        if page.text[piece.start - 1] in " \t" or page.text[piece.end] in " \t":
            message = "The portal drops `<br>`, so the line does not break."
        return Mark(BREAK_IN_TABLE, piece.start, message, "Use two rows, or two sentences: cells have no line breaks.")
    message = f"The portal drops `{piece.html}`, so the line does not break."
    hint = "End the line with a backslash, or start a new paragraph."
    return Mark(RAW_HTML, piece.start, message, hint, _hard_break(page, piece))


def _is_at_edge_of_cell(text: str, piece: RawHtml) -> bool:
    """Whether only other breaks are between it and an end of its cell."""
    row_start = text.rfind("\n", max(0, piece.start - NEAR_CHARS), piece.start) + 1
    row_end = text.find("\n", piece.end, piece.end + NEAR_CHARS)
    before = text[row_start or max(0, piece.start - NEAR_CHARS) : piece.start]
    after = text[piece.end : row_end if row_end >= 0 else piece.end + NEAR_CHARS]
    left, right = _BREAK.sub("", before).rstrip(" \t>"), _BREAK.sub("", after).lstrip(" \t\r")
    return not right or right[0] == "|" or not left or (left[-1] == "|" and left[-2:] != "\\|")


def _hard_break(page: Page, piece: RawHtml) -> tuple[Edit, ...]:
    """A backslash for a `<br>` at the end of a line in the midst of a paragraph; elsewhere it would be printed."""
    text = page.text
    spaces = _LINE_END.match(text, piece.end)
    start = page.before_spaces(piece.start)
    if not spaces or start == 0 or text[start - 1] in ">\\\n\r":
        return ()
    line_end = text.index("\n", piece.end)
    is_soft = any(place in page.prose.breaks for place in range(piece.end, line_end + 1))
    return (Edit(start, spaces.end(), "\\"),) if is_soft else ()


def _block(piece: RawHtml, closed: Collection[str]) -> Mark | None:
    inside = _without_comments(piece.html)
    if not inside.strip():
        return None
    start = piece.start + len(piece.html) - len(piece.html.lstrip())
    tags = list(_TAG.finditer(inside))
    words = _TAG.sub("", inside).strip()
    if not tags:
        return Mark(RAW_HTML, start, *_without_tags(piece.html, words))
    tag = _first_open(tags)
    if tag[1] and not words and not any(tag[2].lower() == "br" for tag in tags):
        return None
    if _is_placeholder(tag, closed) and piece.html.lstrip().startswith(tag[0]):
        return _placeholder(piece, tag, skipped=start - piece.start)
    return _lost_block(start, tag, tags, words)


def _first_open(tags: list[re.Match[str]]) -> re.Match[str]:
    return next((tag for tag in tags if not tag[1]), tags[0])


def _without_tags(html: str, words: str) -> tuple[str, str]:
    if not html.lstrip().startswith("<!--"):
        return f"`{short(words)}` is raw HTML: the portal drops it.", "Delete it, or put it in a code block."
    if "-->" not in html:
        return "This comment is never closed, so readers do not see any text below it.", "Close it with `-->`."
    message = f"`{short(words)}` is on the line of a comment, so readers do not see it."
    return message, "Move it to its own line, after an empty one."


def _without_comments(html: str) -> str:
    pieces, at = [], 0
    while (start := html.find("<!--", at)) >= 0 and (end := html.find("-->", start + 4)) >= 0:
        pieces.append(html[at:start])
        at = end + 3
    return "".join((*pieces, html[at:]))


def _lost_block(start: int, tag: re.Match[str], tags: list[re.Match[str]], words: str) -> Mark:
    name = tag[2].lower()
    if words:
        message = f"Readers do not see `{short(words)}`: the portal drops the whole block of raw HTML (`<{tag[2]}>`)."
        return Mark(RAW_HTML, start, message, _instead(name, "Write it in Markdown, with an empty line before it."))
    seen = next((other[2].lower() for other in tags if other[2].lower() in SEEN_ALONE), "")
    message = f"`<{seen or tag[1] + tag[2]}>` is raw HTML: the portal drops {_what_is_lost(seen or name)}."
    # Where it is all that a block has, the paragraphs beside it are apart without it.
    return Mark(RAW_HTML, start, message, "Delete it." if name == "br" and not seen else _instead(seen or name))


def _is_placeholder(tag: re.Match[str], closed: Collection[str]) -> bool:
    """Whether it looks like a name to fill in, rather than like a component of some other tool."""
    is_open = not tag[1] and "=" not in tag[3] and not tag[3].rstrip().endswith("/")
    return tag[2].lower() not in KNOWN and is_open and tag[2] not in closed


def _placeholder(piece: RawHtml, tag: re.Match[str], skipped: int = 0) -> Mark:
    at = piece.start + skipped
    message = f"Readers will not see `{short(tag[0])}`: the portal reads it as raw HTML."
    return Mark(PLACEHOLDER, at, message, PLACEHOLDER_HINT, (Edit(at, at, "\\"),))


WORDLESS = frozenset({"br", "hr", "wbr", "link", "meta", "script", "style"})
"""Tags that have no words for readers."""

_INSTEAD = {
    "script": "Delete it: the portal runs no scripts.",
    "style": "Delete it: the portal has its own styles.",
    "br": "Start a new paragraph, or end the line with a backslash.",
    "img": "Write `![what it shows](address)`.",
    "a": "Write `[words](address)`. To link within a page, link to a heading: headings have anchors.",
    "b": "Write `**words**`.",
    "strong": "Write `**words**`.",
    "i": "Write `*words*`.",
    "em": "Write `*words*`.",
    "code": "Put it in backticks.",
    "kbd": "Put it in backticks, or in `**`.",
    "sup": "Write `^word^` for one word. Around more, delete the tags.",
    "hr": "Write `---` between empty lines.",
    "table": "Write a Markdown table.",
    "iframe": "Write the video's address as `<https://...>` on its own line.",
    "video": "Write the video's address as `<https://...>` on its own line.",
}


def _instead(name: str, otherwise: str = "Delete the tags, or write it in Markdown.") -> str:
    return _INSTEAD.get(name, otherwise)
