"""The rules for a content tree. This registry is all of them; each family is a file.

A finding of level error stops plan and push. Whatever the portal may legitimately hold already is at most a warning.
`rules.py` explains each code, those of other layers included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kbsync.config import LintSettings
from kbsync.lint import limits, links, structure
from kbsync.lint.context import Context
from kbsync.lint.ignore import Judge, check_ignores
from kbsync.lint.rules import RULES, Rule
from kbsync.model import Finding

__all__ = ["FAMILIES", "RULES", "Rule", "check_tree", "in_order"]

DEFAULTS = LintSettings()

FAMILIES: tuple[Callable[[Context], Iterator[Finding]], ...] = (
    structure.check_categories,
    structure.check_articles,
    structure.check_unique_slugs,
    structure.check_translations,
    limits.check_texts,
    limits.check_slugs,
    links.check_links,
)


def check_tree(context: Context, settings: LintSettings = DEFAULTS) -> list[Finding]:
    """Every finding of the tree, those of reading it included, in path and line order, without what is ignored.

    A finding of level error is not ignored: the service would refuse the article, or something would be lost.
    """
    findings = list(context.tree.findings)
    for check in FAMILIES:
        findings += check(context)
    findings += check_ignores(context.tree.sources.values())
    return in_order(Judge(settings).judge(findings, context.tree.sources))


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings as a reader goes through them."""
    return sorted(findings, key=lambda finding: (finding.path, finding.line, finding.column, finding.code))
