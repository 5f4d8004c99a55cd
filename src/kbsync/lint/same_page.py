"""Links to a heading of the same page. Those to headings of other articles are checked in `links.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from kbsync.lint.finds import finds
from kbsync.lint.likely_targets import near_anchor
from kbsync.lint.links import NO_HEADING
from kbsync.lint.page import Mark, Page
from kbsync.markdown.anchors import ANCHORED_LEVELS, heading_anchor
from kbsync.markdown.constructs import Heading

NOTHING = "For readers the link does nothing."

_DROPPED = re.compile(r"[^\w\- ]")

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
    wanted = unquote(anchor).lower()
    meant = next((heading for heading in page.scan.headings if _as_elsewhere(heading.text) == wanted), None)
    if meant is not None and (found := _without_anchor(at, meant)):
        return found
    near = heading_anchor(meant.text) if meant else near_anchor(wanted, page.body.anchors)
    first = f"Did you mean `#{near}`?" if near else "Correct the anchor."
    message = f"This page does not have a heading `#{anchor}`."
    return Mark(NO_HEADING, at, message, f"{first} {NOTHING}")


def _without_anchor(at: int, heading: Heading) -> Mark | None:
    """What is wrong with a link to a heading that is there, and that the portal gives no anchor; None where it does."""
    words = f"The heading `{heading.text}`"
    if heading.level not in ANCHORED_LEVELS:
        message = f"{words} has no anchor, because it is of level {heading.level}."
        return Mark(NO_HEADING, at, message, f"Link to a heading of level 1 to {max(ANCHORED_LEVELS)}. {NOTHING}")
    if heading_anchor(heading.text):
        return None
    message = f"{words} has no anchor, because the portal makes anchors of Latin letters and digits only."
    return Mark(NO_HEADING, at, message, f"Delete the link, or add a Latin word to the heading. {NOTHING}")


def _as_elsewhere(words: str) -> str:
    """The anchor that GitHub and most tools give to a heading."""
    return _DROPPED.sub("", words.lower()).replace(" ", "-")
