"""The page with the errors and warnings of all files: what is listed, in which order, and how it can be limited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from kbsync.model import Finding
from kbsync.preview.urls import FINDINGS, list_url
from kbsync.site.pages import FindingsOfFile, FindingsPage, Frame, Link
from kbsync.site.writer_panel import Choice, WriterFinding
from kbsync.words import count

MOST_SHOWN = 200
"""Findings on one page of the list."""

MOST_FOLDERS = 60
"""Of more folders only the first are offered: those of the locales come before what is in them."""

HIDDEN = "KB4"
"""Codes that begin so are about Markdown that the portal ignores: it drops what is written so, or prints the marks."""

Named: TypeAlias = tuple[str, Finding]
"""A finding with the path of its file."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the list is limited to; "" for no limit. A code counts for all that begin with it."""

    level: str = ""
    code: str = ""
    folder: str = ""
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Limits:
        """What an address says."""
        page = query.get("page", "1")
        number = int(page) if page.isdecimal() and len(page) < 7 else 1
        return cls(query.get("level", ""), query.get("code", ""), query.get("folder", ""), max(1, number))

    def take(self, named: Named) -> bool:
        """Whether a finding is within them."""
        path, finding = named
        return (
            self.level in ("", finding.level)
            and finding.code.startswith(self.code)
            and (not self.folder or path == self.folder or path.startswith(f"{self.folder}/"))
        )

    @property
    def url(self) -> str:
        """The address of this list."""
        page = str(self.page) if self.page > 1 else ""
        return list_url(FINDINGS, level=self.level, code=self.code, folder=self.folder, page=page)


@dataclass(frozen=True, slots=True)
class FindingsList:
    """Makes the page.

    Args:
        named: every finding with the path of its file.
        entry: shows a finding.
        page_of: the address of a file's page and what opens it in the editor, "" where there is none.
    """

    named: tuple[Named, ...]
    entry: Callable[[str, Finding], WriterFinding]
    page_of: Callable[[str], tuple[str, str]]

    def page(self, frame: Frame, limits: Limits) -> FindingsPage:
        """The page of these limits."""
        chosen = in_order(self._within(limits))
        first = (limits.page - 1) * MOST_SHOWN
        shown = chosen[first : first + MOST_SHOWN]
        files = tuple(self._files(shown))
        return FindingsPage(
            frame,
            "Errors and warnings",
            _summary(chosen, first, len(shown)),
            tuple(self._filters(limits)),
            files,
            Link("Previous page", replace(limits, page=limits.page - 1).url) if limits.page > 1 else None,
            Link("Next page", replace(limits, page=limits.page + 1).url) if first + len(shown) < len(chosen) else None,
        )

    def _files(self, shown: Iterable[Named]) -> Iterator[FindingsOfFile]:
        for path, group in groupby(shown, key=lambda named: named[0]):
            yield FindingsOfFile(path, *self.page_of(path), tuple(self.entry(path, finding) for _, finding in group))

    def _filters(self, limits: Limits) -> Iterator[tuple[str, tuple[Choice, ...]]]:
        """Each filter counts what is there under the limits of the others."""
        limits = replace(limits, page=1)
        levels = Counter[str](finding.level for _, finding in self._within(replace(limits, level="")))
        listed = [("", _counted("All", levels.total()), "")]
        for level, text in (("error", "Errors"), ("warning", "Warnings")):
            listed.append((level, _counted(text, levels[level]), level if levels[level] else ""))
        yield "Level", _choices(limits, listed, lambda level: replace(limits, level=level))
        yield "Code", _choices(limits, self._codes(limits), lambda code: replace(limits, code=code))
        folders = _folders(path for path, _ in self._within(replace(limits, folder="")))
        listed = [(folder, _counted(folder or "All", number), "") for folder, number in folders]
        yield "Folder", _choices(limits, listed, lambda folder: replace(limits, folder=folder))

    def _codes(self, limits: Limits) -> Iterator[tuple[str, str, str]]:
        codes = Counter(finding.code for _, finding in self._within(replace(limits, code="")))
        yield "", _counted("All", codes.total()), ""
        if hidden := sum(number for code, number in codes.items() if code.startswith(HIDDEN)):
            yield HIDDEN, _counted("The portal ignores", hidden), ""
        yield from ((code, _counted(code, number), "") for code, number in sorted(codes.items()))

    def _within(self, limits: Limits) -> Iterator[Named]:
        return filter(limits.take, self.named)


def _choices(
    limits: Limits, listed: Iterable[tuple[str, str, str]], limited: Callable[[str], Limits]
) -> tuple[Choice, ...]:
    """The values of a limit, each with its text and level."""
    return tuple(
        Choice(text, limited(value).url, level, is_current=limited(value) == limits) for value, text, level in listed
    )


def in_order(named: Iterable[Named]) -> list[Named]:
    """The files with errors first, the others behind them; in a file by line."""
    listed = list(named)
    with_errors = {path for path, finding in listed if finding.level == "error"}
    return sorted(listed, key=lambda item: (item[0] not in with_errors, item[0], item[1].line, item[1].column))


def _folders(paths: Iterable[str]) -> list[tuple[str, int]]:
    """The locales and the folders in them, each with how much is in it; "" for everything."""
    counts: Counter[str] = Counter()
    for path in paths:
        parts = path.split("/")[:-1][:2]
        counts[""] += 1
        counts.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    order = sorted(counts, key=lambda folder: (folder != "", folder.count("/"), folder))
    return [(folder, counts[folder]) for folder in sorted(order[:MOST_FOLDERS])]


def _counted(text: str, number: int) -> str:
    return f"{text} ({number:,})"


def _summary(chosen: list[Named], first: int, shown: int) -> str:
    levels = Counter(finding.level for _, finding in chosen)
    files = len({path for path, _ in chosen})
    said = f"{count(levels['error'], 'error')} and {count(levels['warning'], 'warning')} in {count(files, 'file')}."
    return said if shown == len(chosen) else f"{said} Shown: {first + 1:,} to {first + shown:,}."
