"""The end of a report of findings: how many of each code, what `--fix` fixes, and how to ignore the rest. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from kbsync.model import Finding
from kbsync.report.rules import RULES
from kbsync.words import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from kbsync.report.style import Style

MOST_OF_A_CODE = 20
"""Findings of one code that a text shows; `-v` shows all."""

FEW = 20
"""With at most as many findings a list says by itself what there is."""

MORE = "At most {most} of each code are shown. Add `-v` to see all."


class OfCode(msgspec.Struct, frozen=True, array_like=True):
    """How many findings one code has, in how many files; `stays`: a warning of it is left by `--fix`."""

    code: str
    number: int
    fixable: int
    files: int
    stays: bool


class Totals(msgspec.Struct, frozen=True, array_like=True):
    """How many findings there are; `fixable_files` are the files in which `--fix` fixes one."""

    errors: int
    warnings: int
    fixable: int
    fixable_files: int
    codes: tuple[OfCode, ...]


class Extract(msgspec.Struct, frozen=True, array_like=True):
    """What a text needs of thousands of findings: the first ones of each code, and the totals of all."""

    first: tuple[Finding, ...]
    totals: Totals


@dataclass(slots=True)
class _Count:
    number: int = 0
    fixable: int = 0
    stays: bool = False
    files: set[str] = field(default_factory=set)


def extract_of(findings: Sequence[Finding]) -> Extract:
    """What a text needs of findings, errors alone or all of them."""
    first = _first_of_each(findings, attrgetter("code", "level"), most=MOST_OF_A_CODE)
    return Extract(tuple(first), totals_of(findings))


def totals_of(findings: Iterable[Finding]) -> Totals:
    """The numbers of some findings."""
    of_codes: dict[str, _Count] = {}
    errors = warnings = fixable = 0
    fixable_files = set()
    for finding in findings:
        row = of_codes.get(finding.code) or of_codes.setdefault(finding.code, _Count())
        row.number += 1
        row.files.add(finding.path)
        if finding.fixable:
            fixable += 1
            row.fixable += 1
            fixable_files.add(finding.path)
        if finding.level == "error":
            errors += 1
        else:
            warnings += 1
            row.stays = row.stays or not finding.fixable
    codes = (OfCode(code, row.number, row.fixable, len(row.files), row.stays) for code, row in of_codes.items())
    return Totals(errors, warnings, fixable, len(fixable_files), tuple(codes))


def shown_of(findings: Iterable[Finding], *, most: int) -> list[Finding]:
    """The first findings of each code, in the order given."""
    return _first_of_each(findings, attrgetter("code"), most=most)


def _first_of_each(findings: Iterable[Finding], key: Callable[[Finding], Hashable], *, most: int) -> list[Finding]:
    seen: dict[Hashable, int] = {}
    kept = []
    for finding in findings:
        kind = key(finding)
        number = seen.get(kind, 0)
        if number < most:
            seen[kind] = number + 1
            kept.append(finding)
    return kept


def total_lines(totals: Totals, style: Style, *, ignored: Sequence[str] = ()) -> Iterator[str]:
    """A line for each code, the most frequent first, and what would ignore the warnings that stay
    and that readers do not notice; no lines for few.

    Args:
        totals: of all findings, also those that are not shown.
        style: the screen.
        ignored: what kbsync.toml ignores already.
    """
    if totals.errors + totals.warnings <= FEW:
        return
    width = len(f"{max(row.number for row in totals.codes):,}")
    for row in sorted(totals.codes, key=lambda row: (-row.number, row.code)):
        title = RULES[row.code].title if row.code in RULES else ""
        fixed = f" (`--fix` fixes {row.fixable:,})" if row.fixable else ""
        yield f"{row.code}  {row.number:{width},} in {count(row.files, 'file')}: {title}{fixed}"
    yield from _ignore_lines(totals, ignored)


def _ignore_lines(totals: Totals, ignored: Sequence[str]) -> Iterator[str]:
    codes = {row.code for row in totals.codes if row.stays and row.code in RULES and RULES[row.code].unnoticed}
    if codes:
        words = ", ".join(f'"{code}"' for code in (*ignored, *sorted(codes - set(ignored))))
        yield from ("To ignore what readers do not notice, write this in kbsync.toml:", "    [lint]")
        yield f"    ignore = [{words}]"
