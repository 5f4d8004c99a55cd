"""Dead links to a heading of another page that is there and that the portal gives no anchor. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from msgspec.structs import replace

from kbsync.content.source import Link
from kbsync.content.tree import Tree
from kbsync.lint.links import LANDS_ABOVE, NO_HEADING
from kbsync.lint.same_page import as_elsewhere, without_anchor
from kbsync.markdown.constructs import Heading
from kbsync.model import Finding


def dead_anchors(tree: Tree, findings: Iterable[Finding]) -> Iterator[tuple[Finding, Link]]:
    """The findings about links to headings of other pages, each with its link."""
    wanted = {
        (found.path, found.line, found.column): found
        for found in findings
        if found.code == NO_HEADING.code and found.path in tree.sources
    }
    for path in dict.fromkeys(path for path, _, _ in wanted):
        for link in tree.sources[path].links:
            found = wanted.get((path, link.line, link.column))
            if found is not None and link.target in tree.sources:
                yield found, link


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
