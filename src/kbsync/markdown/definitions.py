"""Link definitions, `[label]: destination "title"`, taken off the head of a paragraph as cmark-gfm does it.

Also: addresses and titles of links as cmark-gfm reads them.
"""

import re
from dataclasses import dataclass

from markdown_it.common.utils import normalizeReference
from markdown_it.rules_block import StateBlock

from kbsync.markdown.entities import decode

_ANGLED = re.compile(r"<((?:[^<>\\\n]|\\.)*)>")
_PLAIN_STOP = re.compile(r"[()]|\\[!-/:-@\[-`{-~]|[ \t\n]")
_TITLE = re.compile(r""" "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | \((?:[^()\\]|\\.)*\) """, re.VERBOSE | re.DOTALL)
_MAX_PARENTHESES = 32


@dataclass(frozen=True, slots=True)
class Scanned:
    """What an address or a title says, and the place behind it."""

    text: str
    end: int


def link_destination(text: str, start: int, end: int) -> Scanned | None:
    """Read `<angled>` or plain, with balanced parentheses; None where there is nothing, or not an address."""
    if text.startswith("<", start, end):
        angled = _ANGLED.match(text, start, end)
        return Scanned(decode(angled[1]), angled.end()) if angled else None
    depth, stop = 0, end
    for found in _PLAIN_STOP.finditer(text, start, end):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth > _MAX_PARENTHESES:
            return None
        if depth < 0 or found[0].isspace():
            stop = found.start()
            break
    return Scanned(decode(text[start:stop]), stop) if stop > start else None


def link_title(text: str, start: int, end: int) -> Scanned | None:
    """Read a title in quotes or parentheses."""
    title = _TITLE.match(text, start, end)
    return Scanned(decode(title[0][1:-1]), title.end()) if title else None


MAX_LABEL_CHARS = 1000
_LABEL = re.compile(rf"\[((?:[^\\\[\]]|\\.){{1,{MAX_LABEL_CHARS}}})\]:", re.DOTALL)
_GAP = re.compile(r"[ \t]*\n?[ \t]*")
_LINE_END = re.compile(r"[ \t]*(?:\n|$)")


def take_definitions(state: StateBlock, paragraph: str) -> str:
    """Note the definitions that a paragraph begins with and give back the rest of it."""
    place = 0
    while paragraph.startswith("[", place) and (end := _take(state, paragraph, place)):
        place = end
    return paragraph[place:]


def _take(state: StateBlock, text: str, start: int) -> int | None:
    """Note one definition; give where it ends, or None where it is not one. The first of a label counts."""
    found = _LABEL.match(text, start)
    label = normalizeReference(found[1]) if found else ""
    if not found or not label:
        return None
    address = link_destination(text, _gap_end(text, found.end()), len(text))
    if address is None:
        return None
    title, end = _title(text, address.end)
    if end is not None:
        state.env.setdefault("references", {}).setdefault(label, {"href": address.text, "title": title})
    return end


def _title(text: str, start: int) -> tuple[str, int | None]:
    """Read a title if there is one; after it, or else after the destination, the line has to end.

    A title with more behind it stays text, and yet the portal shows it as the link's title too.
    """
    gap = _gap_end(text, start)
    found = link_title(text, gap, len(text))
    if found is None or gap == start:
        line_end = _LINE_END.match(text, start)
        return "", line_end.end() if line_end else None
    line_end = _LINE_END.match(text, found.end) or _LINE_END.match(text, start)
    return found.text, line_end.end() if line_end else None


def _gap_end(text: str, start: int) -> int:
    gap = _GAP.match(text, start)
    return gap.end() if gap else start
