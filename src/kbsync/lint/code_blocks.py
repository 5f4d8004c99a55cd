"""Blocks of code that backticks or tildes begin; the spans of a scan have those by their indent, too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.lint.page import Page
from kbsync.markdown.offsets import Places
from kbsync.markdown.spans import events_of

INDENT = 4
"""Columns of an indented block. A fence has less, behind the marks of the quotes and lists around it."""


def fenced_blocks(page: Page, first_line: re.Pattern[str]) -> Iterator[tuple[re.Match[str], int]]:
    """The match of each fenced block whose first line matches, with the end of the block.

    A line of backticks in an indented block is code that readers see.
    """
    indented: frozenset[int] | None = None
    for start, end in page.scan.code:
        if match := first_line.match(page.text, start):
            # Nearly all fences begin their line. Of the others only the parser knows how deep their list is.
            if len(page.text[page.line_start(start) : start].expandtabs(INDENT)) >= INDENT:
                indented = _indented(page.text) if indented is None else indented
                if start in indented:
                    continue
            yield match, end


def _indented(text: str) -> frozenset[int]:
    """The first characters of the blocks of code by their indent."""
    places = Places(text, skipped=1 if text.startswith("\ufeff") else 0)
    return frozenset(
        places.char(span["start"])
        for event, span in events_of(text)
        if event.__class__ is dict and event.get("Start") == {"CodeBlock": "Indented"}
    )
