"""Links and images of the portal's parser: what follows a `]`, and what it means if it is not an address.

markdown-it-py gives up where cmark-gfm still finds a reference (an image before a parenthesis that is not an address).
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

from markdown_it.common.utils import normalizeReference
from markdown_it.rules_inline import StateInline

from kbsync.markdown.definitions import MAX_LABEL_CHARS, link_destination, link_title
from kbsync.markdown.inline_rules import notes_of

_BLANKS = re.compile(r"[ \t\v\f\r\n]*")
_LABEL = re.compile(rf"\[((?:[^\\\[\]]|\\.){{0,{MAX_LABEL_CHARS}}})\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Address:
    """Where a link goes, and the place after all of it."""

    href: str
    title: str
    end: int


def link(state: StateInline, silent: bool) -> bool:
    """`[words](address "title")`, `[words][label]`, `[label][]` or `[label]`."""
    if state.src[state.pos] != "[":
        return False
    words_end = _words_end(state, state.pos)
    # Words with a link in them do not make a link, not even within an image.
    if words_end >= 0 and _has_link(state, words_end):
        return False
    address = _address(state, state.pos + 1, words_end) if words_end >= 0 else None
    if address is None:
        return False
    _note_link(state)
    if not silent:
        end, state.pos, state.posMax = state.posMax, state.pos + 1, words_end
        state.push("link_open", "a", 1).attrs = _attributes("href", address)
        state.linkLevel += 1
        state.md.inline.tokenize(state)
        state.linkLevel -= 1
        state.push("link_close", "a", -1)
        state.posMax = end
    state.pos = address.end
    return True


def _has_link(state: StateInline, end: int) -> bool:
    links = notes_of(state).links
    place = bisect_right(links, state.pos)
    return place < len(links) and links[place] < end


def _note_link(state: StateInline) -> None:
    links = notes_of(state).links
    place = bisect_right(links, state.pos)
    if not place or links[place - 1] != state.pos:
        links.insert(place, state.pos)


def image(state: StateInline, silent: bool) -> bool:
    """The same with `!` before it; its words may have links in them."""
    if not state.src.startswith("![", state.pos, state.posMax):
        return False
    words_end = _words_end(state, state.pos + 1)
    address = _address(state, state.pos + 2, words_end) if words_end >= 0 else None
    if address is None:
        return False
    if not silent:
        words = state.src[state.pos + 2 : words_end]
        token = state.push("image", "img", 0)
        token.attrs, token.content, token.children = _attributes("src", address), words, []
        state.md.inline.parse(words, state.md, state.env, token.children)
    state.pos = address.end
    return True


def _attributes(name: str, address: _Address) -> dict[str, str | int | float]:
    attributes: dict[str, str | int | float] = {name: address.href}
    return attributes | {"title": address.title} if address.title else attributes


def _words_end(state: StateInline, opening: int) -> int:
    """Find the bracket that closes one, or -1. Each is looked for once, and none is looked at twice on the way."""
    ends = notes_of(state).words_ends
    if opening in ends:
        return ends[opening]
    # Without any such bracket ahead, thousands of opening ones would each read the text to its end.
    if state.src.find("]", opening, state.posMax) < 0:
        return ends.setdefault(opening, -1)
    before, state.pos = state.pos, opening + 1
    while state.pos < state.posMax and state.src[state.pos] != "]":
        place = state.pos
        state.md.inline.skipToken(state)
        if state.src[place] == "[" and state.pos == place + 1:
            # A bracket that is not a link; if it stays open, then so does every one around it.
            inner = ends.get(place, -1)
            state.pos = inner + 1 if inner >= 0 else state.posMax
    end, state.pos = state.pos if state.pos < state.posMax else -1, before
    return ends.setdefault(opening, end)


def _address(state: StateInline, words: int, words_end: int) -> _Address | None:
    """Read what stands behind the words: an address in parentheses, else a label, else the words are the label."""
    text, place = state.src, words_end + 1
    if text.startswith("(", place, state.posMax) and (inline := _inline(text, place + 1, state.posMax)):
        return inline
    references = state.env.get("references")
    if not references:
        return None
    label = _LABEL.match(text, place, state.posMax)
    name = normalizeReference((label and label[1].strip()) or text[words:words_end])
    found = references.get(name)
    return _Address(found["href"], found["title"], label.end() if label else place) if found else None


def _inline(text: str, start: int, end: int) -> _Address | None:
    place = _blanks_end(text, start, end)
    if text.startswith(")", place, end):
        return _Address("", "", place + 1)
    address = link_destination(text, place, end)
    if address is None:
        return None
    gap = _blanks_end(text, address.end, end)
    title = link_title(text, gap, end) if gap > address.end else None
    closing = _blanks_end(text, title.end, end) if title else gap
    if not text.startswith(")", closing, end):
        return None
    return _Address(address.text, title.text if title else "", closing + 1)


def _blanks_end(text: str, start: int, end: int) -> int:
    found = _BLANKS.match(text, start, end)
    return found.end() if found else start
