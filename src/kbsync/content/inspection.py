"""What a rule for one article gets to see of it. The rules themselves are above, in `lint/`, and are handed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from kbsync.content.source import Ignore, Problem

if TYPE_CHECKING:
    from kbsync.markdown.constructs import Scan


class Body(msgspec.Struct, frozen=True):
    """The body of one article as it is written.

    `text` is everything after the front matter, and begins in line `first_line` of the file; `scan` is what the parser
    found in it. `title_span` are the characters of the heading that became the title, (0, 0) where there is none.
    `anchors` are the ids of the headings of level 1 to 3, in turn, `ignores` the comments to kbsync. `title` and
    `status` are what the front matter has.
    """

    path: str
    text: str
    first_line: int
    scan: Scan
    title_span: tuple[int, int]
    anchors: tuple[str, ...]
    ignores: tuple[Ignore, ...] = ()
    title: str | None = None
    status: str | None = None


Inspect = Callable[[Body], Iterable[Problem]]
"""Finds what is wrong with one body. Has to be a function of a module: it crosses into other processes by name."""
