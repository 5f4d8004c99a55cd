"""Findings for people: each one with its place, the line of the source that it is about, and what to do. Pure.

At the end: how many there are of each code, how many of them `--fix` fixes, and how to ignore the rest.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

import msgspec
from msgspec.structs import replace

from kbsync.model import Finding, visible
from kbsync.report.escape import inert
from kbsync.report.rules import RULES
from kbsync.report.style import Style, excerpt, width_of
from kbsync.words import count

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
    return Extract(tuple(_first_of_each(findings, "code", "level")), totals_of(findings))


def totals_of(findings: Iterable[Finding]) -> Totals:
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


def _first_of_each(findings: Iterable[Finding], *names: str) -> list[Finding]:
    """The first findings, in the order given, of all with the same values of these names."""
    key, seen, kept = attrgetter(*names), Counter[Hashable](), []
    for finding in findings:
        seen[kind := key(finding)] += 1
        if seen[kind] <= MOST_OF_A_CODE:
            kept.append(finding)
    return kept


def total_lines(totals: Totals, *, ignored: Sequence[str] = ()) -> Iterator[str]:
    """A line for each code, the most frequent first, and what would ignore the warnings that stay
    and that readers do not notice; no lines for few.

    Args:
        totals: of all findings, also those that are not shown.
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


FIX = "kbsync lint --fix"
LINE_END = re.compile(r"\r\n|\n|\r")
FENCE = "---"

Read = Callable[[str], str | None]
"""The text of a source by its path, None where it cannot be had."""


def findings_text(
    findings: Sequence[Finding],
    style: Style,
    *,
    root: str,
    here: str = "",
    sources: int,
    read: Read,
    quiet: bool = False,
    fix: str = FIX,
    by_line: bool = False,
    by_code: bool = False,
    ignored: Sequence[str] = (),
    totals: Totals | None = None,
) -> Iterator[str]:
    """Findings as `path:line:column: level CODE message`, which editors and terminals make clickable; piece by piece.

    Errors come first.

    Args:
        findings: in path order.
        style: the screen.
        root: the content root as the user would type it, put before each path.
        here: the working folder as seen from the content root, where it is inside of it. Paths are from there then.
        sources: how many files were looked at.
        read: gives the text of a source; asked once for each that has findings.
        quiet: show errors alone, and count the rest.
        fix: the command that fixes what can be fixed, in the words of the shell.
        by_line: messages stay on the line of their place, however long: who reads this searches it line by line.
        by_code: in the order of their codes.
        ignored: what kbsync.toml ignores.
        totals: of all findings, where these are only the first of each code.
    """
    texts = replace(style, width=sys.maxsize) if by_line else style
    wanted = [finding for finding in findings if finding.level == "error" or not quiet]
    wanted.sort(key=lambda finding: (finding.level != "error", finding.code if by_code else ""))
    shown = wanted if style.verbose else _first_of_each(wanted, "code")
    for _, group in groupby(shown, key=attrgetter("code" if by_code else "path")):
        for path, of_path in groupby(group, key=attrgetter("path")):
            place = posixpath.relpath(path, here) if here else path if root == "." else f"{root}/{path}"
            lines = LINE_END.split(read(path) or "")
            for finding in of_path:
                yield from (inert(f"{line}\n") for line in _finding(finding, lines, style, texts, place))
        yield "\n"
    totals = totals or totals_of(findings)
    end = [] if quiet else texts.paragraphs(total_lines(totals, ignored=ignored), hang=4)
    if len(shown) < totals.errors + totals.warnings * (not quiet):
        end = [*texts.wrapped(MORE.format(most=MOST_OF_A_CODE)), *end]
    yield from (f"{line}\n" for line in (*end, *texts.paragraphs(_summary(totals, sources, fix))))


def _finding(finding: Finding, lines: Sequence[str], style: Style, texts: Style, place: str) -> Iterator[str]:
    """One finding. The source line fits `style`, and what is written about it `texts`."""
    head = f"{visible(place)}:{finding.line}:{finding.column}: "
    level = f"{finding.level} {finding.code}"
    first, *rest = texts.wrapped(_one_line(finding.message), hang=4, taken=width_of(f"{head}{level} "))
    painted = style.paint(level, "red" if finding.level == "error" else "yellow")
    yield f"{head}{painted} {first}".rstrip()
    yield from rest
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    if line.strip() not in {"", FENCE}:
        yield from _quoted(line, finding, style)
    if finding.hint:
        yield from texts.wrapped(f"    {_one_line(finding.hint)}", colour="dim")


def _quoted(line: str, finding: Finding, style: Style) -> Iterator[str]:
    number = f"  {finding.line} | "
    text, before = excerpt(line, finding.column, style.width - len(number))
    yield f"{style.paint(number, 'dim')}{text.rstrip()}"
    caret = style.paint("^", "red" if finding.level == "error" else "yellow")
    yield f"{style.paint('| '.rjust(len(number)), 'dim')}{' ' * before}{caret}"


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _summary(totals: Totals, sources: int, fix: str) -> list[str]:
    total = f"{count(sources, 'file')}: {count(totals.errors, 'error')}, {count(totals.warnings, 'warning')}."
    where = f", in {count(totals.fixable_files, 'file')}" if totals.fixable_files > 1 else ""
    return [total, *([f"`{fix}` can fix {totals.fixable:,} of them{where}."] if totals.fixable else [])]
