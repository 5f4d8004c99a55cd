"""Addresses and titles of links as cmark-gfm reads them."""

import re
from dataclasses import dataclass

from kbsync.markdown.entities import decode

_ANGLED = re.compile(r"<((?:[^<>\\\n]|\\.)*)>")
_PLAIN_STOP = re.compile(r"[()]|\\[!-/:-@\[-`{-~]|[ \t\n]")
_TITLE = re.compile(r""" "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | \((?:[^()\\]|\\.)*\) """, re.VERBOSE | re.DOTALL)
_MAX_PARENTHESES = 32


@dataclass(frozen=True, slots=True)
class Found:
    """What an address or a title says, and the place behind it."""

    text: str
    end: int


def link_destination(text: str, start: int, end: int) -> Found | None:
    """Read `<angled>` or plain, with balanced parentheses; None where there is nothing, or not an address."""
    if text.startswith("<", start, end):
        angled = _ANGLED.match(text, start, end)
        return Found(decode(angled[1]), angled.end()) if angled else None
    depth, stop = 0, end
    for found in _PLAIN_STOP.finditer(text, start, end):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth > _MAX_PARENTHESES:
            return None
        if depth < 0 or found[0].isspace():
            stop = found.start()
            break
    return Found(decode(text[start:stop]), stop) if stop > start else None


def link_title(text: str, start: int, end: int) -> Found | None:
    """Read a title in quotes or parentheses."""
    title = _TITLE.match(text, start, end)
    return Found(decode(title[0][1:-1]), title.end()) if title else None
