"""KB313 to KB316: headings that cannot be linked to, or that make a muddle of the page.

The portal gives ids to headings of level 1 to 3 only. Source: docs/service.md, section 9.
"""

from __future__ import annotations

from collections.abc import Iterator

from kbsync.lint.page import Mark, Page
from kbsync.markdown.anchors import ANCHORED_LEVELS
from kbsync.markdown.spans import Heading


def check_headings(page: Page) -> Iterator[Mark]:
    """The heading that became the title is none of them: it left the body."""
    start, end = page.body.title_span
    headings = [heading for heading in page.scan.headings if not start <= heading.start < end]
    if headings:
        yield from _levels(headings)
        yield from _anchors(page)


def _levels(headings: list[Heading]) -> Iterator[Mark]:
    first = [heading for heading in headings if heading.level == 1]
    if first:
        more = f"{len(first)} headings" if len(first) > 1 else "a heading"
        message = f"{more} of level 1 beside the title, which is the page's own"
        yield Mark("KB316", first[0].start, message, "begin with `##`")
    above = 1
    for heading in headings:
        if heading.level > above + 1:
            what = f"a heading of level {above}" if above > 1 else "the title"
            message = f"a heading of level {heading.level} right below {what}: a level is skipped"
            yield Mark("KB315", heading.start, message, f"begin it with `{'#' * (above + 1)}`")
        above = heading.level


def _anchors(page: Page) -> Iterator[Mark]:
    start, end = page.body.title_span
    anchored = [heading for heading in page.scan.headings if heading.level in ANCHORED_LEVELS]
    shared: dict[str, list[Heading]] = {}
    for heading, anchor in zip(anchored, page.body.anchors, strict=True):
        if start <= heading.start < end:
            continue
        if anchor:
            shared.setdefault(anchor, []).append(heading)
        elif not any(map(str.isalnum, heading.text)):
            # A heading in a script that has no Latin form cannot be linked to either. Nobody can help that, and who
            # tries gets KB302.
            what = f"the heading `{heading.text}`" if heading.text.strip() else "an empty heading"
            yield Mark("KB314", heading.start, f"{what} has no anchor: nobody can link to it", "give it words")
    if len(shared) < len(anchored):
        for anchor, equals in shared.items():
            if len(equals) > 1:
                message = f"{len(equals)} headings have the anchor `#{anchor}`: links always lead to the first"
                yield Mark("KB313", equals[1].start, message, "word them differently, if somebody may link to them")
