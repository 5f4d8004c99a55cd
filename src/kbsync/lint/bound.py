"""A bound on the findings of one code in one file: a file of a megabyte may have tens of thousands. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from msgspec.structs import replace

from kbsync.model import Finding

MOST = 100
"""Findings of one code that are kept of one file."""

_PATH = attrgetter("path")
_OF_A_CODE = attrgetter("path", "code")


def with_more(message: str, more: int) -> str:
    """The message of the last finding that is kept, with the number of those that are not."""
    return f"{message} This file has {more:,} more of these."


def bounded(findings: Sequence[Finding]) -> list[Finding]:
    """The first findings of each code in each file, in the order given."""
    # Nearly always so few that the codes need not be told apart.
    if max(Counter(map(_PATH, findings)).values(), default=0) <= MOST:
        return list(findings)
    numbers = Counter(map(_OF_A_CODE, findings))
    if not any(number > MOST for number in numbers.values()):
        return list(findings)
    kept: list[Finding] = []
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        key = (finding.path, finding.code)
        seen[key] += 1
        if seen[key] == MOST < numbers[key]:
            kept.append(replace(finding, message=with_more(finding.message, numbers[key] - MOST)))
        elif seen[key] <= MOST:
            kept.append(finding)
    return kept
