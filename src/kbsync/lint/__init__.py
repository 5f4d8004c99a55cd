"""The rules for a content tree. This registry is all of them; each family is a file.

A finding of level error stops plan and push. Whatever the portal may legitimately hold already is at most a warning.
`rules.py` explains each code, those of other layers included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kbsync.config import LintSettings
from kbsync.content.inspection import Body
from kbsync.content.source import Problem
from kbsync.lint import endings, limits, links, pictures, structure
from kbsync.lint.context import Context
from kbsync.lint.ignore import Judge, check_ignores
from kbsync.model import Finding

DEFAULTS = LintSettings()

Family = Callable[[Context], Iterator[Finding]]

OF_A_SOURCE: tuple[Family, ...] = (
    limits.check_texts,
    limits.check_slugs,
    links.check_links,
    pictures.check_pictures,
)
"""What they say of a source follows from it and from what its links mean."""

OF_ALL: tuple[Family, ...] = (structure.check_coverage, links.check_pictures, endings.check_endings)
"""What they say of a file needs every source."""

CODES_OF_ALL = frozenset({"KB117", "KB214", "KB308"})
"""What `OF_ALL` finds."""

OF_SHAPES: tuple[Family, ...] = (
    structure.check_categories,
    structure.check_articles,
    structure.check_unique_slugs,
    structure.check_translations,
)
"""What they say of a source follows from it and from those that it could be taken for."""

OF_THE_TREE = OF_SHAPES + OF_ALL
"""What they say of a source follows from the shapes of all (`content/part.py`), and from nothing else."""

CODES_OF_THE_TREE = frozenset({"KB110", "KB201", "KB202", "KB203", "KB204", "KB210", "KB211", "KB213", *CODES_OF_ALL})
"""What `OF_THE_TREE` finds; no other family, and no reading of a file, gives one of these."""


def check_tree(
    context: Context, settings: LintSettings = DEFAULTS, *, families: Iterable[Family] = OF_A_SOURCE + OF_THE_TREE
) -> list[Finding]:
    """Every finding of some families, and of reading the tree, in path and line order, without what is ignored.

    A finding of level error is not ignored: the service would refuse the article, or something would be lost.
    """
    findings = list(context.tree.findings)
    for check in families:
        findings += check(context)
    findings += check_ignores(context.tree.sources.values())
    return in_order(Judge(settings).judge(findings, context.tree.sources))


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings as a reader goes through them."""
    return sorted(findings, key=lambda finding: (finding.path, finding.line, finding.column, finding.code))


def inspect(body: Body) -> list[Problem]:
    """What the rules for one article find in its text: an argument of `read_tree`, which caches it."""
    # Loaded here: when the cache knows every file, no text is looked at.
    from kbsync.lint.bodies import inspect_body

    return inspect_body(body)
