"""Looks into the pages that dead links to headings lead to: most of these headings are there, and have no anchor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kbsync.app.linting.dead_links import explain_dead_links
from kbsync.app.reading import Reading
from kbsync.content.apart import take_apart
from kbsync.content.parse import MAX_SCANNED
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.files import read_within
from kbsync.lint.links import NO_HEADING
from kbsync.lint.same_page import dead_anchors, with_heading
from kbsync.markdown.spans import scan
from kbsync.model import Finding

if TYPE_CHECKING:
    from kbsync.markdown.constructs import Heading

MOST_PAGES = 200
"""Pages that are read again; a tree of another tool may have a dead link in each."""


def explain_dead_anchors(reading: Reading, findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings of a reading; those about headings of other pages name the heading that has no anchor."""
    if not any(found.code == NO_HEADING.code for found in findings):
        return findings
    tree = reading.compiler.tree
    dead = dict(dead_anchors(tree, findings))
    pages = _headings(tree.root, list(dict.fromkeys(link.target for link in dead.values()))[:MOST_PAGES])
    told = {found: with_heading(found, link, pages.get(link.target, ())) for found, link in dead.items()}
    return tuple(told.get(found, found) if found.code == NO_HEADING.code else found for found in findings)


def _headings(root: Path, paths: Iterable[str]) -> dict[str, tuple[Heading, ...]]:
    found = {}
    for path in paths:
        try:
            text = read_within(root / path, MAX_SOURCE_BYTES).decode()
        except (OSError, UnicodeDecodeError):
            continue  # Reading the tree says so, as a finding.
        found[path] = scan(take_apart(text).body[:MAX_SCANNED]).headings
    return found


def explained(reading: Reading) -> Sequence[Finding]:
    """The findings of a reading; those about dead links say more than the files that have them can tell."""
    return explain_dead_anchors(reading, explain_dead_links(reading).findings)
