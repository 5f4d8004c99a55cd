"""What a whole tree has in common is shown once: a key that another tool reads is in thousands of files. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from kbsync.content.rules import FOREIGN_KEY
from kbsync.model import Finding
from kbsync.words import count


def once_per_key(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings with one for each foreign key: its first, which says how many files have it.

    Args:
        findings: those of the files that were asked for, after everything that ignores some.
    """
    given = tuple(findings)
    numbers = Counter(finding.message for finding in given if _is_foreign(finding))
    if len(numbers) == numbers.total():
        return given
    shown: set[str] = set()
    kept: list[Finding] = []
    for finding in given:
        if not _is_foreign(finding):
            kept.append(finding)
        elif finding.message not in shown:
            shown.add(finding.message)
            kept.append(_counted(finding, numbers[finding.message] - 1))
    return tuple(kept)


def _is_foreign(finding: Finding) -> bool:
    return finding.code == FOREIGN_KEY.code and finding.level == FOREIGN_KEY.level


def _counted(finding: Finding, others: int) -> Finding:
    if not others:
        return finding
    have = "has" if others == 1 else "have"
    return replace(finding, message=f"{finding.message} {count(others, 'more file')} {have} it.")
