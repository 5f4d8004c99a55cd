"""The end of a report of findings: how many of each code, what `--fix` fixes, and how to ignore the rest. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from kbsync.model import Finding
from kbsync.report.style import Style
from kbsync.words import count

MOST_OF_A_CODE = 20
"""Findings of one code that a text shows; `-v` shows all."""

FEW = 20
"""With at most as many findings a list says by itself what there is."""

MORE = "At most {most} of each code are shown. Add `-v` to see all."


def shown_of(findings: Iterable[Finding], *, most: int) -> list[Finding]:
    """The first findings of each code, in the order given."""
    seen: Counter[str] = Counter()
    kept = []
    for finding in findings:
        seen[finding.code] += 1
        if seen[finding.code] <= most:
            kept.append(finding)
    return kept


def totals(findings: Sequence[Finding], style: Style, *, ignored: Sequence[str] = ()) -> Iterator[str]:
    """A line for each code, the most frequent first, and what would ignore the warnings that stay; no lines for few.

    Args:
        findings: all of them, also those that are not shown.
        style: the screen.
        ignored: what kbsync.toml ignores already.
    """
    if len(findings) <= FEW:
        return
    # Loaded here: it takes every rule of lint with it.
    from kbsync.report.rules import RULES

    numbers = Counter(finding.code for finding in findings)
    fixable = Counter(finding.code for finding in findings if finding.fixable)
    files: defaultdict[str, set[str]] = defaultdict(set)
    for finding in findings:
        files[finding.code].add(finding.path)
    width = len(f"{max(numbers.values()):,}")
    for code, number in sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0])):
        title = RULES[code].title if code in RULES else ""
        fixed = f" (`--fix` fixes {fixable[code]:,})" if fixable[code] else ""
        yield f"{code}  {number:{width},} in {count(len(files[code]), 'file')}: {title}{fixed}"
    yield from _to_ignore(findings, ignored)


def _to_ignore(findings: Iterable[Finding], ignored: Sequence[str]) -> Iterator[str]:
    """The lines of kbsync.toml, where a warning is left that `--fix` leaves alone."""
    codes = {finding.code for finding in findings if finding.level == "warning" and not finding.fixable}
    if codes:
        words = ", ".join(f'"{code}"' for code in (*ignored, *sorted(codes - set(ignored))))
        yield "To ignore the warnings that `--fix` leaves, write this in kbsync.toml:"
        yield "    [lint]"
        yield f"    ignore = [{words}]"
