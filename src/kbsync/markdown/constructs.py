"""What a scan of a Markdown text finds, as values. `spans.py` finds it.

Tens of thousands are made: a tuple with names costs a fifth of a dataclass.
"""

from typing import Literal, NamedTuple

import msgspec


class Target(NamedTuple):
    """One destination in the text; `text[start:end]` is how it is written there.

    `destination` is what the reader's browser gets: escapes and entities resolved, an e-mail address with its
    `mailto:`. `start` and `end` are character offsets without angle brackets and title; for an empty `()`
    they are the same. `line` and `column` belong to `start`, from 1. `text` is what is shown, plain: the link's
    words or the image's alt; for a definition its label.
    """

    kind: Literal["link", "image", "definition", "autolink"]
    destination: str
    start: int
    end: int
    line: int
    column: int
    text: str
    title: str


class Reference(NamedTuple):
    """A link or image that names a definition, as `[text][label]`, `[label][]` or `[label]`.

    Rewriting it means rewriting the definition of that label, a target of its own.
    """

    kind: Literal["link", "image"]
    label: str
    destination: str
    start: int
    end: int
    line: int
    column: int
    text: str


class Heading(NamedTuple):
    """A heading; `source[start:end]` is all of it, its line end included, and `text` is what a reader sees."""

    level: int
    text: str
    start: int
    end: int
    line: int


class RawHtml(NamedTuple):
    """Raw HTML, which the portal drops: a single tag or comment within a line, or a whole block."""

    kind: Literal["inline", "block"]
    html: str
    start: int
    end: int
    line: int
    column: int


class Scan(msgspec.Struct, frozen=True):
    """What stands in one text, each kind in the order of the text; of tables and blocks of code only the spans."""

    targets: tuple[Target, ...]
    references: tuple[Reference, ...]
    headings: tuple[Heading, ...]
    raw_html: tuple[RawHtml, ...]
    tables: tuple[tuple[int, int], ...] = ()
    code: tuple[tuple[int, int], ...] = ()
