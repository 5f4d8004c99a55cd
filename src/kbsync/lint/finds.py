"""A check: a function that finds something, and beside it the rules whose findings it gives and what it has to see.

    @finds(TWO_CARETS)
    def check_carets(page: Page) -> Iterator[Mark]: ...

One function finds one rule, or those few that one look at the text decides between.

Also: how many findings of one code are shown: of one file at most a hundred, of a key that another tool reads, which
may be in thousands of files, one. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from operator import attrgetter
from types import ModuleType
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from kbsync.content.rules import FOREIGN_KEY
from kbsync.model import Finding, Rule
from kbsync.words import count

MOST = 100
"""Findings of one code that are kept of one file."""

_OF_A_CODE = attrgetter("path", "code")


def with_more(message: str, more: int) -> str:
    """The message of the last finding that is kept, with the number of those that are not."""
    return f"{message} This file has {more:,} more of these."


def bounded(findings: Sequence[Finding]) -> list[Finding]:
    """The first findings of each code in each file, in the order given."""
    numbers = Counter(map(_OF_A_CODE, findings))
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


Seen = TypeVar("Seen")
Found = TypeVar("Found")


class Needs(Enum):
    """What the findings of a file follow from. What a cache or the preview may leave out depends on it."""

    TEXT = "its own text"
    SOURCE = "its own front matter and size"
    LINKS = "itself and what its links lead to"
    ORIGINAL = "itself and the article that it translates"
    SHAPES = "itself and the files that it can be confused with"
    EVERYTHING = "every file"


class Check(msgspec.Struct, Generic[Seen, Found], frozen=True):
    """A function with its declaration; can be called like the function.

    `sign` is punctuation (`Page.signs`) without which nothing is found in a text, so it need not be called.
    """

    find: Callable[[Seen], Iterator[Found]]
    rules: tuple[Rule, ...]
    needs: Needs
    sign: str = ""

    def __call__(self, seen: Seen) -> Iterator[Found]:
        """Everything that is found there."""
        return self.find(seen)


def finds(
    *rules: Rule, needs: Needs = Needs.TEXT, sign: str = ""
) -> Callable[[Callable[[Seen], Iterator[Found]]], Check[Seen, Found]]:
    """Declare the rules of a function. Caches and the preview rely on it: it gives findings of these rules only."""
    return lambda find: Check(find, rules, needs, sign)


def checks_of(*modules: ModuleType) -> tuple[Check[Any, Any], ...]:
    """The checks of some modules, in the order in which they are written."""
    return tuple(value for module in modules for value in vars(module).values() if isinstance(value, Check))


def once_per_key(findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings with one for each foreign key: its first, which says how many files have it.

    Args:
        findings: those of the files that were asked for, after everything that ignores some.
    """
    if not any(found.code == FOREIGN_KEY.code for found in findings):
        return findings
    numbers = Counter(finding.message for finding in findings if _is_foreign(finding))
    return findings if len(numbers) == numbers.total() else tuple(_once(findings, numbers))


def _once(findings: Iterable[Finding], numbers: Mapping[str, int]) -> Iterator[Finding]:
    shown: set[str] = set()
    for finding in findings:
        if not _is_foreign(finding):
            yield finding
        elif finding.message not in shown:
            shown.add(finding.message)
            yield _counted(finding, numbers[finding.message] - 1)


def _is_foreign(finding: Finding) -> bool:
    return finding.code == FOREIGN_KEY.code and finding.level == FOREIGN_KEY.level


def _counted(finding: Finding, others: int) -> Finding:
    if not others:
        return finding
    have = "has" if others == 1 else "have"
    return replace(finding, message=f"{finding.message} {count(others, 'more file')} {have} it.")
