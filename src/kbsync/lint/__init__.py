"""The rules for a content tree. This registry is all of them; each family is a file.

A finding of level error stops plan and push. Whatever the portal may legitimately hold already is at most a warning.
`rules.py` explains each code, those of other layers included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kbsync.content.inspection import Body
from kbsync.content.source import Problem
from kbsync.lint import limits, links, structure
from kbsync.lint.context import Context
from kbsync.lint.rules import RULES, Rule
from kbsync.model import Finding

__all__ = ["FAMILIES", "RULES", "Rule", "check_tree", "inspect"]

FAMILIES: tuple[Callable[[Context], Iterator[Finding]], ...] = (
    structure.check_categories,
    structure.check_articles,
    structure.check_unique_slugs,
    structure.check_translations,
    structure.check_coverage,
    limits.check_texts,
    limits.check_slugs,
    links.check_links,
    links.check_pictures,
)


def check_tree(context: Context, *, ignore: Iterable[str] = ()) -> list[Finding]:
    """Every finding of the tree, those of reading it included, in path and line order, without the ignored codes.

    A finding of level error is not ignored: the service would refuse the article, or something would be lost.
    """
    ignored = set(ignore)
    findings = list(context.tree.findings)
    for check in FAMILIES:
        findings += check(context)
    kept = [finding for finding in findings if finding.level == "error" or finding.code not in ignored]
    return sorted(kept, key=lambda finding: (finding.path, finding.line, finding.column, finding.code))


def inspect(body: Body) -> list[Problem]:
    """What the rules for one article find in its text: an argument of `read_tree`, which caches it."""
    # Loaded here: when the cache knows every file, no text is looked at.
    from kbsync.lint.bodies import inspect_body

    return inspect_body(body)
