"""Dead links whose target git knows: where it was moved to, or when it was deleted. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from kbsync.content.fate import Fate
from kbsync.content.source import Link
from kbsync.content.tree import Tree
from kbsync.lint.likely_targets import relative_to
from kbsync.lint.links import NO_FILE
from kbsync.model import Finding

COMMIT_CHARS = 7
"""As git writes a commit in short."""


def dead_links(tree: Tree, findings: Iterable[Finding]) -> Iterator[tuple[Finding, Link]]:
    """The findings about links to files of the tree that do not exist, each with its link."""
    wanted = {
        (found.path, found.line, found.column): found
        for found in findings
        if found.code == NO_FILE.code and found.path in tree.sources
    }
    for path in dict.fromkeys(path for path, _, _ in wanted):
        for link in tree.sources[path].links:
            found = wanted.get((path, link.line, link.column))
            if found is not None and not link.target.startswith(".."):
                yield found, link


def file_of(link: Link) -> str:
    """The article that a link means; other tools leave the ending out."""
    return link.target if link.target.endswith(".md") else f"{link.target}.md"


def explained(found: Finding, link: Link, fate: Fate) -> Finding:
    """The finding, with what became of the target of its link; one that says it already is as it was."""
    commit = f"commit {fate.commit[:COMMIT_CHARS]}" if fate.commit else "a change that is not committed yet"
    if not fate.path:
        told = f"It was deleted in {commit}. "
        rest = found.hint.removeprefix(told) if found.fixable or "Did you mean" in found.hint else ""
        return replace(found, hint=told + (rest or "Link to what replaces it, or delete the link."))
    written = relative_to(found.path, fate.path) + (f"#{link.anchor}" if link.anchor else "")
    hint = f"It was {'' if fate.is_sure else 'probably '}moved to `{written}` in {commit}."
    return replace(found, hint=hint, fixable=found.fixable or fate.is_sure)
