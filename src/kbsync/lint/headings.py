"""Headings that cannot be linked to, or that confuse the structure of the page.

The portal gives ids to headings of level 1 to 3 only. Source: docs/service.md, section 9.
"""

from __future__ import annotations

from collections.abc import Iterator

from kbsync.lint.finds import finds
from kbsync.lint.page import Mark, Page
from kbsync.markdown.anchors import ANCHORED_LEVELS
from kbsync.markdown.constructs import Heading
from kbsync.model import Rule

SAME_ANCHOR = Rule("KB313", "Headings with the same anchor")
NO_ANCHOR = Rule("KB314", "Heading without an anchor")
SKIPPED_LEVEL = Rule("KB315", "Skipped heading level")
SECOND_TITLE = Rule("KB316", "Level-1 heading below the title")


def _headings(page: Page) -> list[Heading]:
    """The headings of the body; the one that became the title has left it."""
    start, end = page.body.title_span
    return [heading for heading in page.scan.headings if not start <= heading.start < end]


@finds(SECOND_TITLE)
def check_titles(page: Page) -> Iterator[Mark]:
    """Once for all headings of level 1."""
    first = [heading for heading in _headings(page) if heading.level == 1]
    if first:
        more = f" {len(first)} headings of the text are level 1, too." if len(first) > 1 else ""
        message = f"The title is already the level-1 heading.{more}"
        yield Mark(SECOND_TITLE, first[0].start, message, "Use `##`.")


@finds(SKIPPED_LEVEL)
def check_levels(page: Page) -> Iterator[Mark]:
    """Each heading that is more than one level below the heading above it."""
    above = 1
    for heading in _headings(page):
        if heading.level > above + 1:
            what = f"a heading of level {above}" if above > 1 else "the title"
            message = f"A heading of level {heading.level} directly below {what} skips a level."
            yield Mark(SKIPPED_LEVEL, heading.start, message, f"Use `{'#' * (above + 1)}`.")
        above = heading.level


@finds(SAME_ANCHOR, NO_ANCHOR)
def check_anchors(page: Page) -> Iterator[Mark]:
    """Each heading that a link cannot lead to: it has no anchor, or another heading has the same one."""
    start, end = page.body.title_span
    anchored = [heading for heading in page.scan.headings if heading.level in ANCHORED_LEVELS]
    shared: dict[str, list[Heading]] = {}
    for heading, anchor in zip(anchored, page.body.anchors, strict=True):
        if start <= heading.start < end:
            continue
        if anchor:
            shared.setdefault(anchor, []).append(heading)
        elif not any(map(str.isalnum, heading.text)):
            # A heading in a script that has no Latin form cannot be linked to either. The writer cannot change that,
            # and a link to it gets KB302.
            what = f"The heading `{heading.text}`" if heading.text.strip() else "An empty heading"
            yield Mark(NO_ANCHOR, heading.start, f"{what} has no anchor, so links cannot lead to it.", "Add words.")
    if len(shared) < len(anchored):
        for anchor, equals in shared.items():
            if len(equals) > 1:
                message = f"{len(equals)} headings have the anchor `#{anchor}`. Links always lead to the first."
                yield Mark(SAME_ANCHOR, equals[1].start, message, "Change the words of one of them.")
