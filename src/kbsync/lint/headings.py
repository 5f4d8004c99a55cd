"""Headings that cannot be linked to, or that confuse the structure of the page.

The portal gives ids to headings of level 1 to 3 only. Source: docs/service.md, section 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from kbsync.lint.finds import finds
from kbsync.lint.page import Edit, Mark, Page
from kbsync.markdown.anchors import ANCHORED_LEVELS, heading_anchor
from kbsync.markdown.constructs import Heading
from kbsync.model import Rule
from kbsync.patterns import Pattern

SAME_ANCHOR = Rule("KB313", "Headings with the same anchor", unnoticed=True)
NO_ANCHOR = Rule("KB314", "Heading without an anchor", unnoticed=True)
SKIPPED_LEVEL = Rule("KB315", "Skipped heading level", fixable=True, unnoticed=True)
SECOND_TITLE = Rule("KB316", "Level-1 heading below the title", fixable=True, unnoticed=True)

LEVELS = 6
"""Levels of headings in Markdown."""

_BLANK_LINES = Pattern(r"(?:[ \t]*+\r?\n)*+")


@finds(SECOND_TITLE)
def check_titles(page: Page) -> Iterator[Mark]:
    """Once for all headings of level 1; apart from them the title itself at the head of the body."""
    first = [heading for heading in page.headings if heading.level == 1]
    if first and _is_title(page, first[0]):
        doubled = first.pop(0)
        message = "This heading is the title again: readers see it twice."
        yield Mark(SECOND_TITLE, doubled.start, message, "Delete this line.", _without(page, doubled, first))
    if first:
        more = f" {len(first)} headings of the text are level 1, too." if len(first) > 1 else ""
        message = f"The title is already the level-1 heading.{more}"
        yield Mark(SECOND_TITLE, first[0].start, message, "Use `##`.", _one_deeper(page, first[0]))


def _one_deeper(page: Page, first: Heading) -> tuple[Edit, ...]:
    """This heading and all below it one level deeper; nothing where that would take the anchor of one away."""
    run = [heading for heading in page.headings if heading.start >= first.start]
    lost = {max(ANCHORED_LEVELS), LEVELS}
    if " ".join(first.text.split()).casefold() == " ".join((page.body.title or "").split()).casefold():
        # Nearly the title: rather one to delete.
        return ()
    if any(heading.level in lost or page.text[heading.start] != "#" for heading in run):
        return ()
    return tuple(Edit(heading.start, heading.start, "#") for heading in run)


def _is_title(page: Page, heading: Heading) -> bool:
    """Whether a heading has the words of the title, and nothing is above it."""
    title = " ".join((page.body.title or "").split())
    return bool(title) and title == " ".join(heading.text.split()) and not page.text[: heading.start].strip()


def _without(page: Page, heading: Heading, others: list[Heading]) -> tuple[Edit, ...]:
    """The heading and the empty lines below it; nothing where it is all there is, or a link of the page leads to it."""
    rest = page.text[heading.end :]
    if not rest.strip() or f"#{heading_anchor(heading.text)}" in rest:
        return ()
    blank = _BLANK_LINES.match(rest)
    end = heading.end + (blank.end() if blank else 0)
    if others and others[0].start == end:
        # The next one would be found at the very same place, as if this one had not been fixed.
        end = heading.end
    return (Edit(page.line_start(heading.start), end, ""),) if not others or others[0].start > end else ()


@finds(SKIPPED_LEVEL)
def check_levels(page: Page) -> Iterator[Mark]:
    """Each heading that is more than one level below the heading above it."""
    above: Heading | None = None
    headings = page.headings
    for number, heading in enumerate(headings):
        level = above.level if above else 1
        if heading.level > level + 1:
            what = f"a heading of level {level}" if above else "the title"
            message = f"A heading of level {heading.level} directly below {what} skips a level."
            edits = _raised(page, number, level + 1)
            yield Mark(SKIPPED_LEVEL, heading.start, message, f"Use `{'#' * (level + 1)}`.", edits)
        above = heading


def _raised(page: Page, number: int, level: int) -> tuple[Edit, ...]:
    """A heading at a level, with those that belong together with it; none where it is not clear which do: the next one
    that does not is between the two levels. None where one would get the anchor of another, either.
    """
    first = page.headings[number].level
    run = list(takewhile(lambda heading: heading.level >= first, page.headings[number:]))
    behind = page.headings[number + len(run) :]
    if behind and behind[0].level >= level:
        return ()
    gained = [
        heading_anchor(heading.text)
        for heading in run
        if heading.level not in ANCHORED_LEVELS and heading.level - first + level in ANCHORED_LEVELS
    ]
    if "" in gained or len({*gained}) < len(gained) or not page.anchors.isdisjoint(gained):
        return ()
    return tuple(Edit(heading.start, heading.start + first - level, "") for heading in run)


@finds(SAME_ANCHOR, NO_ANCHOR)
def check_anchors(page: Page) -> Iterator[Mark]:
    """Each heading that a link cannot lead to: it has no anchor, or another heading has the same one."""
    anchors = page.body.anchors
    if "" not in anchors and len(set(anchors)) == len(anchors):
        return
    start, end = page.body.title_span
    anchored = [heading for heading in page.scan.headings if heading.level in ANCHORED_LEVELS]
    shared: dict[str, list[Heading]] = {}
    for heading, anchor in zip(anchored, anchors, strict=True):
        if start <= heading.start < end:
            continue
        if anchor:
            shared.setdefault(anchor, []).append(heading)
        elif not any(map(str.isalnum, heading.text)):
            # A heading in a script that has no Latin form cannot be linked to either. The writer cannot change that,
            # and a link to it gets KB302.
            what = f"The heading `{heading.text}`" if heading.text.strip() else "A heading without words"
            yield Mark(NO_ANCHOR, heading.start, f"{what} has no anchor, so links cannot lead to it.", "Add words.")
    for anchor, equals in shared.items():
        if len(equals) > 1:
            message = f"{len(equals)} headings have the anchor `#{anchor}`. Links always lead to the first."
            yield Mark(SAME_ANCHOR, equals[1].start, message, "Change the words of one of them.")
