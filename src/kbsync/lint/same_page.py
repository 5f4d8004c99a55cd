"""Links to a heading of the same page. Those to headings of other articles are checked in `links.py`.

Also: dead links to a heading of another page that is there and that the portal gives no anchor. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from urllib.parse import unquote

from msgspec.structs import replace

from kbsync.content.source import Link
from kbsync.content.tree import Tree
from kbsync.lint.finds import finds
from kbsync.lint.likely_targets import near_anchor
from kbsync.lint.links import LANDS_ABOVE, NO_HEADING, links_with
from kbsync.lint.page import Mark, Page
from kbsync.markdown.anchors import ANCHORED_LEVELS, heading_anchor
from kbsync.markdown.constructs import Heading, Target
from kbsync.model import Finding
from kbsync.patterns import Pattern


def dead_anchors(tree: Tree, findings: Iterable[Finding]) -> Iterator[tuple[Finding, Link]]:
    """The findings about links to headings of other pages, each with its link."""
    return ((found, link) for found, link in links_with(tree, findings, NO_HEADING) if link.target in tree.sources)


def with_heading(found: Finding, link: Link, headings: Iterable[Heading]) -> Finding:
    """The finding; it names the heading that is meant, where the page has it.

    Args:
        found: the finding.
        link: its link.
        headings: those of the page that the link leads to.
    """
    wanted = unquote(link.anchor).lower()
    meant = next((heading for heading in headings if as_elsewhere(heading.text) == wanted), None)
    told = without_anchor(meant) if meant else None
    if told is None:
        return found
    message, hint = told
    return replace(found, message=f"{link.target}: {message}", hint=f"{hint} {LANDS_ABOVE}")


NOTHING = "For readers the link does nothing."

_DROPPED = Pattern(r"[^\w\- ]")

TOP = frozenset({"", "top"})
"""Where every browser goes to the top of the page."""


MOST_COMPARED = 40
"""Dead links of one page whose anchors are compared with those of all headings. A page may have thousands."""


@finds(NO_HEADING)
def check_same_page(page: Page) -> Iterator[Mark]:
    """Each link to an anchor that no heading of the page has."""
    # Nearly all links lead elsewhere, and there are tens of thousands of them.
    dead = [
        target
        for target in page.scan.targets
        if target.destination[:1] == "#" and target.kind != "image" and _is_dead(page.anchors, target.destination[1:])
    ]
    if not dead:
        return
    headings: dict[str, Heading] = {}
    for heading in page.scan.headings:
        headings.setdefault(as_elsewhere(heading.text), heading)
    for number, target in enumerate(dead):
        yield _nowhere(page, target, headings, page.body.anchors if number < MOST_COMPARED else ())


def _is_dead(anchors: Collection[str], anchor: str) -> bool:
    return anchor.lower() not in TOP and not anchor.startswith(":~:") and unquote(anchor) not in anchors


def _nowhere(page: Page, target: Target, headings: Mapping[str, Heading], compared: Collection[str]) -> Mark:
    anchor = target.destination[1:]
    wanted, words = unquote(anchor).lower(), as_elsewhere(target.text)
    # The words of a link in a table of contents are those of its heading.
    meant = headings.get(wanted) or (headings.get(words) if words else None)
    if meant is not None and (told := without_anchor(meant)):
        return Mark(NO_HEADING, target.start, told[0], f"{told[1]} {NOTHING}")
    near = heading_anchor(meant.text) if meant else near_anchor(wanted, compared)
    first = f"Did you mean `#{near}`?" if near else "Correct the anchor."
    message = f"This page does not have a heading `#{anchor}`."
    return Mark(NO_HEADING, target.start, message, f"{first} {NOTHING}")


def without_anchor(heading: Heading) -> tuple[str, str] | None:
    """Why the portal gives a heading no anchor, and what to do about a link to it; None where it does."""
    words = f"The heading `{heading.text}`"
    if heading.level not in ANCHORED_LEVELS:
        message = f"{words} has no anchor, because it is of level {heading.level}."
        return message, f"Link to a heading of level 1 to {max(ANCHORED_LEVELS)}."
    if heading_anchor(heading.text):
        return None
    message = f"{words} has no anchor, because the portal makes anchors of Latin letters and digits only."
    return message, "Delete the link, or add a Latin word to the heading."


def as_elsewhere(words: str) -> str:
    """The anchor that GitHub and most tools give to a heading."""
    return _DROPPED.sub("", words.lower()).replace(" ", "-")
