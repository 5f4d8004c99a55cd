"""Where the target of a dead link probably is now: one file of the tree has its name, or nearly. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Collection
from functools import cached_property

from kbsync.content.body import CATEGORY_FILE
from kbsync.content.source import Link
from kbsync.words import similar, suggestion

ENDINGS = (".md", ".markdown", ".mdx", ".html", ".htm")
"""What other tools write behind the name of a page."""

INDEX = frozenset({"index", "readme", "_index", "_category"})
"""Names that say nothing of a page: each folder may have one."""


class Moved:
    """The files of a tree by name; gathered at the first dead link.

    Args:
        sources: the paths of all articles and categories.
        others: the paths of all other files.
    """

    def __init__(self, sources: Collection[str], others: Collection[str]) -> None:
        self._sources = sources
        self.others = others
        self._named: dict[str, list[str]] = {}
        self._in_folder: dict[str, list[str]] = {}

    @cached_property
    def pages(self) -> Collection[str]:
        """What links can lead to: articles, categories and their folders."""
        folders = (
            path.removesuffix(f"/{CATEGORY_FILE}") for path in self._sources if path.endswith(f"/{CATEGORY_FILE}")
        )
        return frozenset((*self._sources, *folders))

    def hint(self, path: str, link: Link, among: Collection[str]) -> str:
        """What the link should be; "" where no file is certainly meant.

        Args:
            path: the file that has the link.
            link: the link.
            among: `pages` or `others`.
        """
        if not self._named:
            self._gather()
        found = self._found(link.target, among)
        if not found:
            return ""
        written = posixpath.relpath(found, posixpath.dirname(path) or ".")
        return suggestion(written + (f"#{link.anchor}" if link.anchor else ""))

    def _gather(self) -> None:
        for path in sorted((*self.pages, *self.others)):
            self._named.setdefault(_stem(path), []).append(path)
            self._in_folder.setdefault(posixpath.dirname(path), []).append(path)

    def _found(self, target: str, among: Collection[str]) -> str:
        stem, folder = _stem(target), posixpath.dirname(target)
        if stem in INDEX:
            return folder if folder in among else ""
        for written in (f"{target}.md", f"{posixpath.splitext(target)[0]}.md", f"{target}/index.md"):
            if written in among:
                return written
        if same := [path for path in self._named.get(stem, ())[:MOST_COMPARED] if path in among]:
            near = _of_its_locale(same, target)
            return near[0] if len(near) == 1 else ""
        beside = {posixpath.basename(path): path for path in self._in_folder.get(folder, ()) if path in among}
        near = similar(posixpath.basename(target), beside, cutoff=LIKENESS) if len(beside) <= MOST_COMPARED else []
        return beside[near[0]] if near else ""


LIKENESS = 0.85
MOST_COMPARED = 200
"""Names in one folder that a misspelled one is compared with: a tree may have thousands of dead links."""


def _of_its_locale(paths: list[str], target: str) -> list[str]:
    """Those in the same locale; all where none is."""
    locale = target.partition("/")[0]
    return [path for path in paths if path.partition("/")[0] == locale] or paths


def _stem(path: str) -> str:
    name = posixpath.basename(path).lower()
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)
