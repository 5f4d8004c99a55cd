"""The rules for a content tree. A rule is declared beside the check that finds it.

A finding of level error stops plan and push. Whatever the portal may legitimately hold already is at most a warning.
`registry.py` has every rule of a tree, `explanations.py` the words about each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from kbsync.config import LintSettings
from kbsync.content.inspection import Body
from kbsync.content.source import Problem, Source
from kbsync.lint import endings, links, parity, rooted, service_limits, structure, untranslated
from kbsync.lint.body_checks import marks_of
from kbsync.lint.context import Context
from kbsync.lint.finds import MOST, Check, Needs, bounded, checks_of, with_more
from kbsync.lint.ignore import Ignored, Severities, check_ignores
from kbsync.lint.page import Mark
from kbsync.markdown.offsets import Places
from kbsync.model import Finding

DEFAULTS = LintSettings()

TreeCheck = Callable[[Context], Iterator[Finding]]

CHECKS: tuple[Check[Context, Finding], ...] = checks_of(
    service_limits, links, rooted, structure, endings, parity, untranslated
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
    """What the rules for one article find in its text, as many as are kept of each code.

    An argument of `read_tree`, which caches it.
    """
    marks = marks_of(body)
    if any(mark.edits for mark in marks):
        # Loaded here: most files have nothing to fix.
        from kbsync.lint.fixes import that_can_be_fixed

        marks = that_can_be_fixed(body, marks)
    return list(_problems(marks, body)) if marks else []


def _problems(marks: list[Mark], body: Body) -> Iterator[Problem]:
    places, ignored = Places(body.text), Ignored(body.ignores)
    left = Counter(mark.code for mark in marks)
    kept: Counter[str] = Counter()
    for mark in marks:
        code = mark.code
        left[code] -= 1
        if kept[code] == MOST:
            continue
        line = body.first_line + places.line(mark.at) - 1
        message = mark.message
        # A finding that a comment ignores does not count.
        if not ignored.has(code, line):
            kept[code] += 1
            if kept[code] == MOST and left[code]:
                message = with_more(message, left[code])
        level, fixable = mark.rule.level, bool(mark.edits)
        yield Problem(code, level, line, places.column(mark.at), message, mark.hint, fixable)
