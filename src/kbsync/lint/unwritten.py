"""The placeholder that `kbsync new article` writes: readers must not see it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kbsync.lint.finds import finds
from kbsync.lint.page import Mark, Page
from kbsync.model import Rule
from kbsync.patterns import Pattern

UNFINISHED = Rule("KB608", "Article that is not written or translated yet", "error")

PLACEHOLDER = "Write the article here."

UNTIL_THEN = "Until then, write `status: draft`: then readers do not get it."

_LINE = Pattern(r"(?m)^[ \t]*Write the article here\.[ \t\r]*$")


@finds(UNFINISHED, sign=".")
def check_placeholder(page: Page) -> Iterator[Mark]:
    """The placeholder of a new article; readers see it where the article is published."""
    if PLACEHOLDER not in page.outside:
        return
    places = (found.start() for found in _LINE.finditer(page.text))
    at = next((place for place in places if not page.is_code(place)), None)
    if at is not None:
        is_sent = page.body.status == "published"
        rule = UNFINISHED if is_sent else replace(UNFINISHED, level="warning")
        hint = f"Write the text in its place.{f' {UNTIL_THEN}' if is_sent else ''}"
        yield Mark(rule, at, "The article is not written yet: this is the placeholder of `kbsync new`.", hint)
