"""One article as its rules see it, and what they say of it."""

from __future__ import annotations

import string
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

import msgspec

from kbsync.content.inspection import Body
from kbsync.markdown.constructs import Heading, Scan
from kbsync.markdown.prose import Prose, read_prose
from kbsync.model import Rule
from kbsync.patterns import Pattern


class Edit(NamedTuple):
    """Put `text` in the place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


class Mark(msgspec.Struct, frozen=True):
    """One thing that a rule found, at a character of the body; `edits` fix it, if there is only one way to do so."""

    rule: Rule
    at: int
    message: str
    hint: str
    edits: tuple[Edit, ...] = ()

    @property
    def code(self) -> str:
        """The code of the rule."""
        return self.rule.code


Span = tuple[int, int]

MAX_SHOWN = 40
"""Characters of what a message repeats from the text."""


def short(text: str) -> str:
    """A text in one line, as a message repeats it."""
    return cut(" ".join(text.split()))


def cut(text: str, most: int = MAX_SHOWN) -> str:
    """The beginning of a text that is too long for a message."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


_NO_SIGNS = bytes(byte for byte in range(256) if chr(byte) != "\n" and chr(byte) not in string.punctuation)
"""What is left out of the signs of a text: letters, digits, spaces, and whatever is not ASCII."""


_INLINE = frozenset({"link", "image"})


def _signs_of(text: str) -> str:
    return text.encode(errors="replace").translate(None, _NO_SIGNS).decode("ascii")


def covering(spans: Sequence[Span], place: int) -> Span | None:
    """The one of some spans that a character is in; they lie in order, and none in another."""
    number = bisect_right(spans, place, key=itemgetter(0)) - 1
    return spans[number] if number >= 0 and place < spans[number][1] else None


def _without(text: str, blocks: Sequence[Span]) -> str:
    """A text with a line end in the place of each block, and before its first line."""
    pieces, at = [""], 0
    for start, end in blocks:
        pieces.append(text[at:start])
        at = end
    return "\n".join((*pieces, text[at:]))


def _headings_of(body: Body) -> Sequence[Heading]:
    """Those of a body; the one that became the title has left it."""
    start, end = body.title_span
    headings = body.scan.headings
    return [heading for heading in headings if not start <= heading.start < end] if end else headings


class Page:
    """A body with what can be known of it. The prose costs a second parsing: ask for it where there is a suspicion.

    `outside` is the text without blocks of code and raw HTML, where no mark is one; every line in it, the first too,
    is behind a line end; `inside` is what was taken out. `signs` are the punctuation and line ends of `outside`: a
    sequence of them that it has, they have as well. They are a tenth as long, so they are asked first, and what is not
    in them needs no further look. `headings` has no title.
    """

    def __init__(self, body: Body) -> None:
        self.body = body
        self.text: str = body.text
        self.scan: Scan = body.scan
        # Plain attributes: nearly every page is asked for them, and a cached property of Python 3.11 takes a lock.
        self._blocks: list[Span] = [(piece.start, piece.end) for piece in body.scan.raw_html if piece.kind == "block"]
        blocks = sorted([*body.scan.code, *self._blocks]) if self._blocks else body.scan.code
        self.outside = _without(body.text, blocks)
        self.signs = _signs_of(self.outside)
        self.headings = _headings_of(body)
        self._lone_cr = "\r" in body.text and body.text.count("\r") != body.text.count("\r\n")

    @cached_property
    def prose(self) -> Prose:
        """The text without code, addresses and marks, each character at its own place."""
        return read_prose(self.text)

    @cached_property
    def anchors(self) -> frozenset[str]:
        """The anchors of the headings."""
        return frozenset(self.body.anchors)

    @cached_property
    def inside(self) -> str:
        """The blocks of code and raw HTML, each behind a line end."""
        return "".join([f"\n{self.text[start:end]}" for start, end in (*self.scan.code, *self._blocks)])

    @cached_property
    def signs_inside(self) -> str:
        """The punctuation and line ends of these."""
        return _signs_of(self.inside)

    @cached_property
    def has_loose_brackets(self) -> bool:
        """Whether a square bracket may be one that no inline link and no image begins or ends with."""
        inline = sum([target.kind in _INLINE for target in self.scan.targets])
        return self.signs.count("[") != inline or self.signs.count("]") != inline

    def is_code(self, place: int) -> bool:
        """Whether a character is in a block of code or of raw HTML."""
        return covering(self.scan.code, place) is not None or covering(self._blocks, place) is not None

    def is_text(self, place: int) -> bool:
        """Whether readers see the character there as it is written."""
        return not self.is_code(place) and self.prose.text[place] == self.text[place]

    @cached_property
    def _headings(self) -> list[Span]:
        return [(heading.start, heading.end) for heading in self.scan.headings]

    def heading_at(self, place: int) -> Span | None:
        """The heading that a character is in."""
        return covering(self._headings, place)

    def is_table(self, place: int) -> bool:
        """Whether a character is in a table."""
        return covering(self.scan.tables, place) is not None

    def link_at(self, place: int) -> Span | None:
        """The link that a character is in, from its first bracket to its last."""
        return covering(self.prose.links, place)

    def has(self, pattern: Pattern) -> bool:
        """Whether a pattern matches outside of blocks: a suspicion, worth looking at the prose."""
        return pattern.search(self.outside) is not None

    def line_start(self, place: int) -> int:
        """The first character of the line that a character is in."""
        start = self.text.rfind("\n", 0, place) + 1
        return max(start, self.text.rfind("\r", start, place) + 1) if self._lone_cr else start

    def before_spaces(self, place: int) -> int:
        """The place without the spaces and tabs before it. A slice of all the text before it would cost too much."""
        while place and self.text[place - 1] in " \t":
            place -= 1
        return place

    def line_at(self, place: int) -> str:
        """The line that a character is in, without its end."""
        end = self.text.find("\n", place)
        return self.text[self.line_start(place) : end if end >= 0 else len(self.text)].rstrip("\r")
