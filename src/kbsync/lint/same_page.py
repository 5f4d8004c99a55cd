"""Links to a heading of the same page. Those to headings of other articles are checked in `links.py`."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from kbsync.lint.finds import finds
from kbsync.lint.links import NO_HEADING
from kbsync.lint.page import Mark, Page
from kbsync.words import similar

TOP = frozenset({"", "top"})
"""Where every browser goes to the top of the page."""


@finds(NO_HEADING)
def check_same_page(page: Page) -> Iterator[Mark]:
    """Each link to an anchor that no heading of the page has."""
    # Nearly all links lead elsewhere, and there are tens of thousands of them.
    for target in [target for target in page.scan.targets if target.destination[:1] == "#"]:
        anchor = target.destination[1:]
        if target.kind == "image" or anchor.lower() in TOP or anchor.startswith(":~:"):
            continue
        if unquote(anchor) not in page.body.anchors:
            yield _nowhere(page, target.start, anchor)


def _nowhere(page: Page, at: int, anchor: str) -> Mark:
    near = similar(unquote(anchor).lower(), filter(None, page.body.anchors))
    first = f"Did you mean `#{near[0]}`?" if near else "Correct the anchor."
    message = f"This page does not have a heading `#{anchor}`."
    return Mark(NO_HEADING, at, message, f"{first} For readers the link does nothing.")
