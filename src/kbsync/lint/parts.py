"""The checks of some sources. A large tree is checked part by part, so that it is never in memory all at once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import TypeVar

import msgspec
from msgspec import structs

from kbsync.config import LintSettings
from kbsync.content.tree import problems_of
from kbsync.lint import AT_ONCE, TreeCheck, judged
from kbsync.lint.context import Context
from kbsync.lint.ignore import Severities, check_ignores
from kbsync.model import Finding

Value = TypeVar("Value")

PART = 1_000
"""Sources of one part; decoded they take some five megabytes."""


class Part(Mapping[str, Value]):
    """A part of a mapping: it gives its own one by one, and knows all."""

    def __init__(self, own: dict[str, Value], whole: Mapping[str, Value]) -> None:
        self._own, self._whole = own, whole

    @classmethod
    def of(cls, whole: Mapping[str, Value], paths: Iterable[str]) -> Part[Value]:
        """Those of some paths that it has."""
        return cls({path: whole[path] for path in paths if path in whole}, whole)

    def __getitem__(self, path: str) -> Value:
        return self._own[path] if path in self._own else self._whole[path]

    def __contains__(self, path: object) -> bool:
        return path in self._whole

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)


def part_of(context: Context, paths: Collection[str]) -> Context:
    """What a check gets to see that has to look at some sources alone."""
    tree, site = context.tree, context.site
    return structs.replace(
        context,
        tree=replace(tree, sources=Part.of(tree.sources, paths), every=tree.paths),
        site=structs.replace(site, articles=Part.of(site.articles, paths), categories=Part.of(site.categories, paths)),
        of_the_whole=context.overview,
    )


def check_parts(
    context: Context, settings: LintSettings, checks: Iterable[TreeCheck], size: int = PART
) -> Iterator[Finding]:
    """What `check_tree` finds, in the same order.

    Args:
        context: a tree whose rows are kept in a file.
        settings: the table [lint].
        checks: all of them.
        size: how many sources a part has.
    """
    tree, severities = context.tree, Severities(settings)
    paths = list(tree.sources)
    read = _Waiting.of(tree.findings)
    steps = [_Waiting.of(check(context)) if check in AT_ONCE else check for check in checks]
    for start in range(0, len(paths), size):
        these, end = paths[start : start + size], next(iter(paths[start + size : start + size + 1]), None)
        part = part_of(context, these)
        sources = part.tree.sources
        found = [*read.until(end), *(problem for source in sources.values() for problem in problems_of(source))]
        for step in steps:
            found += step.until(end) if isinstance(step, _Waiting) else step(part)
        found += check_ignores(sources.values())
        yield from judged(found, sources, severities)


class _Waiting(msgspec.Struct):
    """Findings in path order, until it is their turn."""

    findings: list[Finding]
    at: int = 0

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> _Waiting:
        return cls(sorted(findings, key=_path))

    def until(self, path: str | None) -> list[Finding]:
        """Those before a path, or all, that nobody took yet."""
        end = len(self.findings) if path is None else bisect_left(self.findings, path, self.at, key=_path)
        some, self.at = self.findings[self.at : end], end
        return some


_path = attrgetter("path")
