"""Inline rules of the portal's parser where markdown-it-py follows a later CommonMark or is less literal."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it.common.utils import isMdAsciiPunct
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

from kbsync.markdown.entities import ENTITY, character, decode, decode_entities
from kbsync.markdown.html_syntax import RAW_HTML

_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9.+-]{1,31}:[^\0-\x20<>]*)>")
_NAME_PART = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL = re.compile(rf"<([a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_NAME_PART}(?:\.{_NAME_PART})*)>")
_ANGLED = re.compile(r"<((?:[^<>\\\n]|\\.)*)>")
_PLAIN_STOP = re.compile(r"[()]|\\[!-/:-@\[-`{-~]|[ \t\n]")
_TITLE = re.compile(r""" "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | \((?:[^()\\]|\\.)*\) """, re.VERBOSE | re.DOTALL)
_MAX_PARENTHESES = 32
_SPACES = frozenset("\t\n\f\r \u00a0\u1680\u202f\u205f\u3000") | {chr(code) for code in range(0x2000, 0x200B)}


@dataclass(slots=True)
class Found:
    """A destination or title as markdown-it-py's rules want it: whether there is one, its text, where it ends."""

    ok: bool = False
    pos: int = 0
    str: Any = ""


def link_destination(text: str, pos: int, end: int) -> Found:
    """Read `<angled>` or plain, with balanced parentheses."""
    if text.startswith("<", pos):
        angled = _ANGLED.match(text, pos, end)
        return Found(True, angled.end(), decode(angled[1])) if angled else Found()
    depth, stop = 0, end
    for found in _PLAIN_STOP.finditer(text, pos, end):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth > _MAX_PARENTHESES:
            return Found()
        if depth < 0 or found[0].isspace():
            stop = found.start()
            break
    return Found(True, stop, decode(text[pos:stop])) if stop > pos else Found()


def link_title(text: str, start: int, end: int, unfinished: None = None) -> Found:
    """Read a title in quotes or parentheses.

    markdown-it-py's image rule always hands in `unfinished`; it is of use only to its own definitions, which
    `definitions.py` replaces.
    """
    title = _TITLE.match(text, start, end)
    return Found(True, title.end(), decode(title[0][1:-1])) if title else Found()


def newline(state: StateInline, silent: bool) -> bool:
    """A line end: two blanks before it make a hard break, and blanks around it vanish."""
    if state.src[state.pos] != "\n":
        return False
    if not silent:
        hard = state.src.endswith("  ", 0, state.pos)
        state.pending = state.pending.rstrip("\t ")
        state.push("hardbreak" if hard else "softbreak", "br", 0)
    state.pos += 1
    while state.pos < state.posMax and state.src[state.pos] in " \t":
        state.pos += 1
    return True


def escape(state: StateInline, silent: bool) -> bool:
    """A backslash: before punctuation it makes a plain character of it, before a line end a break."""
    if state.src[state.pos] != "\\":
        return False
    after = state.src[state.pos + 1 : min(state.pos + 2, state.posMax)]
    escaped = bool(after) and isMdAsciiPunct(ord(after))
    if not silent and after == "\n":
        state.push("hardbreak", "br", 0)
    elif not silent:
        token = state.push("text_special", "", 0)
        token.content, token.info = after if escaped else "\\", "escape"
    state.pos += 2 if escaped or after == "\n" else 1
    return True


def entity(state: StateInline, silent: bool) -> bool:
    """`&copy;`, `&#169;`, `&#xA9;`."""
    found = ENTITY.match(state.src, state.pos, state.posMax)
    if not found or (text := character(found[1])) is None:
        return False
    if not silent:
        token = state.push("text_special", "", 0)
        token.content, token.markup, token.info = text, found[0], "entity"
    state.pos = found.end()
    return True


def autolink(state: StateInline, silent: bool) -> bool:
    """`<https://example.com>` and `<me@example.com>`; entities inside are resolved."""
    if state.src[state.pos] != "<":
        return False
    url = _AUTOLINK.match(state.src, state.pos, state.posMax)
    found = url or _EMAIL.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        address = decode_entities(found[1])
        state.push("link_open", "a", 1).attrs = {"href": address if url else f"mailto:{address}"}
        state.push("text", "", 0).content = address
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def html_inline(state: StateInline, silent: bool) -> bool:
    """A tag, a comment or another piece of raw HTML inside a line."""
    if state.src[state.pos] != "<":
        return False
    found = RAW_HTML.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        state.push("html_inline", "", 0).content = found[0]
    state.pos = found.end()
    return True


def emphasis(state: StateInline, silent: bool) -> bool:
    """Note a run of `*` or `_`; which of them pair up is decided by markdown-it-py afterwards."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    end = state.pos
    while end < state.posMax and state.src[end] == marker:
        end += 1
    opens, closes = _flanking(state, state.pos, end)
    for _ in range(state.pos, end):
        state.push("text", "", 0).content = marker
        place = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(marker), end - state.pos, place, -1, opens, closes))
    state.pos = end
    return True


def _flanking(state: StateInline, start: int, end: int) -> tuple[bool, bool]:
    """Say whether a run of markers may open, and whether it may close emphasis."""
    before = state.src[start - 1] if start > 0 else "\n"
    after = state.src[end] if end < state.posMax else "\n"
    left = after not in _SPACES and (not _is_punctuation(after) or before in _SPACES or _is_punctuation(before))
    right = before not in _SPACES and (not _is_punctuation(before) or after in _SPACES or _is_punctuation(after))
    if state.src[start] == "*":
        return left, right
    return left and (not right or _is_punctuation(before)), right and (not left or _is_punctuation(after))


@cache
def _is_punctuation(char: str) -> bool:
    """Symbols such as `€` or an emoji are not punctuation, unlike in later versions of CommonMark."""
    return isMdAsciiPunct(ord(char)) or unicodedata.category(char).startswith("P")
