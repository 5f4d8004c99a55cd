"""The tree in memory, kept up to date change by change, and what a change touches."""

from __future__ import annotations

import os
import time
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from kbsync.content.body import raw_digest
from kbsync.content.identity import identify
from kbsync.content.parse import parse_source
from kbsync.content.source import Source
from kbsync.content.tree import Tree
from kbsync.content.walk import Stamp, Walk
from kbsync.lint import inspect
from kbsync.model import Finding
from kbsync.preview.checking import Findings, Project, check_some
from kbsync.preview.index import Index
from kbsync.preview.tree_reader import Changes, is_broken, read_changes
from kbsync.preview.urls import FINDINGS, OVERVIEW, home_url

UNKNOWN = Stamp(0, 0, 0)
"""Of an image that came since the walk; whoever has to look into it reads it."""

TEXTS = 100
"""So many files keep their last good bytes: what is open when its front matter breaks."""

LISTS = (FINDINGS, OVERVIEW)
"""The pages that list what is in all files."""

LISTED = ("title", "name", "description", "status", "position", "icon", "author")
"""What other pages show of a source."""

SEEN_BY_LINKS = ("anchors", "status", "manage", "body_blank")
"""What makes a link to a source a good or a bad one."""

CHECKED_AT_ONCE = 50
"""Of more changed sources the findings come with those of the whole tree."""


@dataclass(slots=True)
class Touched:
    """The pages that may be different after a change; `everything` where addresses came or went.

    Where `articles` changed, the lists of all files may be different, too.
    """

    urls: set[str] = field(default_factory=set)
    everything: bool = False
    articles: bool = False

    def __bool__(self) -> bool:
        return self.everything or bool(self.urls)

    def __contains__(self, url: object) -> bool:
        return self.everything or url in self.urls or (self.articles and url in LISTS)


@dataclass(slots=True, eq=False)
class LiveTree:
    """Everything that pages are made of. Used by one thread alone.

    Args:
        project: settings and profile.
        tree: what was read.

    `sources` are those of the tree. `unread` has the files whose last save cannot be read, `broken` what is found in
    them; `sources` keeps their last readable version.
    `dates` has the time of each file's last commit, in seconds since 1970; `redrawn` how often an image was saved.
    `due`: `findings` are not those of the whole tree as it is, until it is checked.
    """

    project: Project
    tree: Tree
    sources: dict[str, Source] = field(init=False)
    index: Index = field(init=False)
    findings: Findings = field(default_factory=dict)
    broken: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    unread: dict[str, Source] = field(default_factory=dict)
    revision: int = 0
    due: bool = True
    dates: Mapping[str, float] = field(default_factory=dict)
    redrawn: Counter[str] = field(default_factory=Counter)
    _since: float = field(default_factory=time.time)
    _texts: OrderedDict[str, bytes] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        self._reindex()

    def _reindex(self) -> None:
        self.tree.sources = self.sources = dict(sorted(self.tree.sources.items()))
        self.index = Index(identify(self.tree, self.project.settings.content), self.sources)
        self.revision += 1
        self.due = True

    # --- changes ---------------------------------------------------------------------------------------------------

    def update(self, changes: Changes) -> Touched:
        """Take what the disk says of some paths; the pages that it touches."""
        touched = Touched()
        moved = {path: source for path, source in changes.sources.items() if self._is_news(path, source, touched)}
        touched.everything = self._forget(changes.gone) or not changes.images <= self.tree.others.keys()
        self.tree.others |= dict.fromkeys(changes.images, UNKNOWN)
        if moved or touched.everything:
            self._take(moved, touched)
        if moved or touched:
            self.revision += 1
            touched.articles = True
            self._check(moved.keys(), touched)
        if changes.images:
            self._redraw(changes.images, touched)
        return touched

    def _redraw(self, images: Collection[str], touched: Touched) -> None:
        """The pages that show an image have to load it again: its address counts how often it was saved."""
        self.due = True
        self.revision += 1
        self.redrawn.update(images)
        touched.urls |= self._pages_linking_to(images)

    def _take(self, moved: Mapping[str, Source], touched: Touched) -> None:
        """Put sources into the place of those that were there."""
        before, was = self.index, {path: self.sources.get(path) for path in moved}
        self.sources |= moved
        self._reindex()
        touched.everything |= self._are_others(before, was)
        if not touched.everything:
            # None was new: each is in the place of another.
            touched.urls.update(*(self._showing(old, moved[path], before) for path, old in was.items()))

    def _is_news(self, path: str, source: Source, touched: Touched) -> bool:
        """Whether a source takes the place of the one that is known: not where only that can be read."""
        old = self.sources.get(path)
        if is_broken(source) and old is not None and not is_broken(old):
            self.unread[path] = source
            touched.urls |= {self.index.url_of[path]} | self.lists()
            return False
        if self.unread.pop(path, None) is not None:
            self.broken.pop(path, None)
            touched.urls |= {self.index.url_of[path]} | self.lists()
        return old is None or old.raw_digest != source.raw_digest

    def _are_others(self, before: Index, was: Mapping[str, Source | None]) -> bool:
        """Whether an address, or a family of translations, is another than before."""
        site, earlier = self.index.site, before.site
        if (site.articles, site.categories) != (earlier.articles, earlier.categories):
            return True
        return any(old is None or old.translation_of != self.sources[path].translation_of for path, old in was.items())

    def _showing(self, old: Source | None, source: Source, before: Index) -> set[str]:
        """The pages that show what changed of a source which stays who it is."""
        path, urls = source.path, {self.index.url_of[source.path]}
        if any(getattr(old, name) != getattr(source, name) for name in SEEN_BY_LINKS):
            urls |= self._pages_linking_to([path])
        if any(getattr(old, name) != getattr(source, name) for name in LISTED):
            urls |= before.around(path) | self.index.around(path)
        return urls

    def _forget(self, gone: Iterable[str]) -> bool:
        """What is away: files, or folders with all that was in them."""
        lost = {path for path in gone if path in self.sources or path in self.tree.others}
        for path in lost:
            self.sources.pop(path, None)
            self.tree.others.pop(path, None)
            self.findings.pop(path, None)
            self.broken.pop(path, None)
            self.unread.pop(path, None)
        # What was found when the tree was read would be shown as long as the preview runs.
        self.tree.findings = [finding for finding in self.tree.findings if finding.path not in lost]
        return bool(lost)

    # --- links -----------------------------------------------------------------------------------------------------

    def _pages_linking_to(self, paths: Iterable[str]) -> set[str]:
        """The pages of the articles with a link to one of these paths of the tree."""
        site = self.index.site
        targets = {*paths}
        targets |= {path.rpartition("/")[0] for path in targets if path in site.categories}
        return {
            self.index.url_of[path]
            for path in site.articles
            if any(link.target in targets for link in self.sources[path].links)
        }

    # --- findings --------------------------------------------------------------------------------------------------

    def _check(self, moved: Collection[str], touched: Touched) -> None:
        """The findings of what changed, of its translations, and of the articles that link to it."""
        index = self.index
        families = (index.all_of_family(path) for path in moved if path in index.site.articles)
        linking = {index.path_at.get(url, "") for url in touched.urls}
        wanted = {*moved, *chain.from_iterable(families), *linking} & self.sources.keys()
        if len(wanted) > CHECKED_AT_ONCE:
            wanted = set(moved) if len(moved) <= CHECKED_AT_ONCE else set()
        found = check_some(self.project, wanted, index, self.tree.others, self.findings, due=self.due)
        if changed := {path for path in found if found[path] != self.findings.get(path, ())}:
            self.findings |= found
            touched.urls |= {index.url_of[path] for path in changed} | self.lists()
        self._check_unread()

    def take_findings(self, findings: Findings, changed: Collection[str]) -> Touched:
        """Those of the whole tree; the pages of the sources that have others now.

        Args:
            findings: all.
            changed: the paths of those sources (`others_than`).
        """
        self.findings, self.due = findings, False
        self._check_unread()
        urls = {self.index.url_of[path] for path in changed if path in self.index.url_of}
        return Touched(urls | self.lists() if changed else urls)

    def _check_unread(self) -> None:
        """What is found in files whose keys cannot be read: who they are is what they were before."""
        for path, source in self.unread.items():
            index = self.index.with_source(source)
            self.broken |= check_some(self.project, {path}, index, self.tree.others, self.findings, due=False)

    def take_walked(self, walk: Walk) -> bool:
        """What a walk says of files that are none of the tree; whether it is something else than before."""
        known = [finding for finding in self.tree.findings if finding.path not in self.sources]
        # Of what the walk has seen and nobody could read, it says nothing.
        found = [*walk.findings, *(finding for finding in known if finding.path in walk.sources)]
        if sorted(known, key=str) == sorted(found, key=str):
            return False
        self.tree.findings, self.due = found, True
        self.revision += 1
        return True

    def lists(self) -> set[str]:
        """The pages that count what is to do in all files."""
        return {home_url(locale) for locale in self.index.locales}.union(LISTS)

    def as_it_is(self) -> dict[str, Any]:
        """What `check_all` wants, copied: it runs in a thread while files change."""
        walked = [finding for finding in self.tree.findings if finding.path not in self.sources]
        return {
            "project": self.project,
            "sources": dict(self.sources),
            "others": dict(self.tree.others),
            "site": self.index.site,
            "walked": walked,
        }

    # --- texts -----------------------------------------------------------------------------------------------------

    def text_of(self, path: str) -> tuple[Source, bytes]:
        """A source with its bytes; of a broken one the last good ones, where somebody had looked at them.

        Raises:
            OSError: the file is not there any more.
        """
        source = self.sources[path]
        try:
            data = self.tree.read_bytes(path)
        except OSError:
            if path not in self._texts:
                raise
            data = b""
        if raw_digest(data) != source.raw_digest:
            kept = self._texts.get(path, b"")
            if raw_digest(kept) != source.raw_digest:
                # Not what was read before, and no event has come yet: the file itself is right.
                return parse_source(path, data, inspect=inspect), data
            data = kept
        self._texts[path] = data
        self._texts.move_to_end(path)
        while len(self._texts) > TEXTS:
            self._texts.popitem(last=False)
        return source, data

    def look_again(self, path: str) -> Changes | None:
        """What the file says, if that is not what we know; events are hints, and may be late."""
        changes = read_changes(self.tree.root, [path])
        source = changes.sources.get(path)
        if source is None:
            return changes
        if path in self.broken:
            return None if is_broken(source) else changes
        return changes if source.raw_digest != self.sources[path].raw_digest else None

    def updated_at(self, path: str) -> float | None:
        """When the file was last changed, in seconds since 1970: just now, else in git, else by its own time."""
        try:
            saved = os.stat(self.tree.root / path).st_mtime  # noqa: PTH116
        except OSError:
            saved = None
        # The time of a file is that of its checkout, unless somebody has saved it since the preview began.
        if saved is not None and saved > self._since:
            return saved
        return self.dates.get(path, saved)
