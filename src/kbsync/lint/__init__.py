"""The rules for a content tree. A rule is declared beside the check that finds it.

A finding of level error stops plan and push. Whatever the portal may legitimately hold already is at most a warning.
`registry.py` has every rule of a tree, `explanations.py` the words about each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from kbsync.config import LintSettings
from kbsync.content.inspection import Body
from kbsync.content.source import Problem, Source
from kbsync.lint import endings, images, links, parity, rooted, service_limits, structure, untranslated
from kbsync.lint.body_checks import inspect_body
from kbsync.lint.context import Context
from kbsync.lint.finds import Check, Needs, bounded, checks_of
from kbsync.lint.ignore import Severities, check_ignores
from kbsync.model import Finding

DEFAULTS = LintSettings()

TreeCheck = Callable[[Context], Iterator[Finding]]

CHECKS: tuple[Check[Context, Finding], ...] = checks_of(
    service_limits, links, rooted, images, structure, endings, parity, untranslated
)
"""Every check that looks at sources; those that look at the text of one are in `body_checks.py`."""


def _that_need(*needs: Needs) -> tuple[Check[Context, Finding], ...]:
    return tuple(check for check in CHECKS if check.needs in needs)


def _codes(checks: Iterable[Check[Context, Finding]]) -> frozenset[str]:
    return frozenset(rule.code for check in checks for rule in check.rules)


PLACE = attrgetter("path", "line", "column", "code")
"""The order of findings: as a reader goes through them."""

OF_A_SOURCE = _that_need(Needs.SOURCE, Needs.LINKS, Needs.ORIGINAL)
"""What they find in a source follows from it, from what its links lead to, and from the original that it translates."""

OF_SHAPES = _that_need(Needs.SHAPES)
"""What they find in a source follows from it and from those that it can be confused with."""

OF_ALL = _that_need(Needs.EVERYTHING)
"""What they find in a file needs every source."""

OF_THE_TREE = OF_SHAPES + OF_ALL
"""What they find in a source follows from the shapes of all (`preview/live_tree.py`), and from nothing else."""

CODES_OF_ALL = _codes(OF_ALL)
CODES_OF_THE_TREE = _codes(OF_THE_TREE)
"""What `OF_THE_TREE` finds; no other check, and no reading of a file, gives one of these."""


def check_tree(
    context: Context, settings: LintSettings = DEFAULTS, *, checks: Iterable[TreeCheck] = OF_A_SOURCE + OF_THE_TREE
) -> Sequence[Finding]:
    """Every finding of some checks, and of reading the tree, in path and line order, without what is ignored.

    A finding of level error is not ignored: the service would refuse the article, or something would be lost.
    """
    findings = list(context.tree.findings)
    for check in checks:
        findings += check(context)
    findings += check_ignores(context.tree.sources.values())
    return judged(findings, context.tree.sources, Severities(settings))


def judged(findings: Iterable[Finding], sources: Mapping[str, Source], severities: Severities) -> list[Finding]:
    """Those that count, in order, and of none too many."""
    return bounded(in_order(severities.judge(findings, sources)))


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings as a reader goes through them."""
    return sorted(findings, key=PLACE)


def inspect(body: Body) -> list[Problem]:
    """What the rules for one article find in its text: an argument of `read_tree`, which caches it."""
    return inspect_body(body)
