"""Findings for people: each one with its place, the line of the source that it is about, and what to do. Pure."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from msgspec.structs import replace

from kbsync.model import Finding, visible
from kbsync.report.escape import inert
from kbsync.report.finding_totals import MORE, MOST_OF_A_CODE, Totals, shown_of, total_lines, totals_of
from kbsync.report.style import Style, excerpt, width_of
from kbsync.words import count

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
    totals = totals or totals_of(findings)
    wanted = [finding for finding in findings if finding.level == "error" or not quiet]
    wanted.sort(key=lambda finding: (finding.level != "error", finding.code if by_code else ""))
    shown = wanted if style.verbose else shown_of(wanted, most=MOST_OF_A_CODE)

    def place_of(path: str) -> str:
        return posixpath.relpath(path, here) if here else path if root == "." else f"{root}/{path}"

    for _, group in groupby(shown, key=attrgetter("code" if by_code else "path")):
        for path, of_path in groupby(group, key=attrgetter("path")):
            lines = LINE_END.split(read(path) or "")
            for finding in of_path:
                yield from map(inert, _finding(finding, lines, style, texts, place_of(path)))
        yield "\n"
    is_cut = len(shown) < totals.errors + (0 if quiet else totals.warnings)
    end = texts.wrapped(MORE.format(most=MOST_OF_A_CODE)) if is_cut else []
    end += [] if quiet else texts.paragraphs(total_lines(totals, texts, ignored=ignored), hang=4)
    yield from (f"{line}\n" for line in [*end, *texts.paragraphs(_summary(totals, sources, fix))])


def _finding(finding: Finding, lines: Sequence[str], style: Style, texts: Style, place: str) -> Iterator[str]:
    """One finding. The source line fits `style`, and what is written about it `texts`."""
    head = f"{visible(place)}:{finding.line}:{finding.column}: "
    level = f"{finding.level} {finding.code}"
    first, *rest = texts.wrapped(_one_line(finding.message), hang=4, taken=width_of(f"{head}{level} "))
    painted = style.paint(level, "red" if finding.level == "error" else "yellow")
    yield f"{head}{painted} {first}".rstrip() + "\n"
    yield from (f"{line}\n" for line in rest)
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    if line.strip() not in {"", FENCE}:
        yield from _quoted(line, finding, style)
    if finding.hint:
        yield from (f"{line}\n" for line in texts.wrapped(f"    {_one_line(finding.hint)}", colour="dim"))


def _quoted(line: str, finding: Finding, style: Style) -> Iterator[str]:
    number = f"  {finding.line} | "
    text, before = excerpt(line, finding.column, style.width - len(number))
    yield f"{style.paint(number, 'dim')}{text.rstrip()}\n"
    caret = style.paint("^", "red" if finding.level == "error" else "yellow")
    yield f"{style.paint('| '.rjust(len(number)), 'dim')}{' ' * before}{caret}\n"


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _summary(totals: Totals, sources: int, fix: str) -> list[str]:
    total = f"{count(sources, 'file')}: {count(totals.errors, 'error')}, {count(totals.warnings, 'warning')}."
    where = f", in {count(totals.fixable_files, 'file')}" if totals.fixable_files > 1 else ""
    return [total, *([f"`{fix}` can fix {totals.fixable:,} of them{where}."] if totals.fixable else [])]
