"""The tree in memory, kept up to date change by change, and what a change touches.

Also: which sources link to a place of the tree: looked up, where a look through all of them took 20 ms of 10,000.

What a source is to the others: everything but its text.

Where some files changed and no shape did, no finding of the rest of the tree (a slug that two have, a heading that a
link means, an image without an article) can have changed.
"""

from __future__ import annotations

import os
import time
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from kbsync.content.body import raw_digest
from kbsync.content.identity import Identity, identify, identify_article, identify_category
from kbsync.content.parse import parse_source
from kbsync.content.rules import HIDES_KEYS
from kbsync.content.source import Source
from kbsync.content.tree import Tree
from kbsync.content.walk import Stamp, Walk
from kbsync.lint import inspect
from kbsync.model import Finding
from kbsync.preview.checking import Due, Findings, Project, check_some
from kbsync.preview.index import Index
from kbsync.preview.tree_reader import Changes, is_broken, read_changes
from kbsync.preview.urls import FINDINGS, OVERVIEW, home_url

Shape = tuple[Source, list[tuple[str, bool]], list[tuple[str, int, int]]]


def shape_of(source: Source) -> Shape:
    """What other sources can see of one, where its front matter is, what it links to, as its translations do, and the
    errors because of which a key has no value: a check of shapes does not report such a key as missing."""
    targets = sorted((link.target, link.is_image) for link in source.links)
    plain = msgspec.structs.replace(
        source,
        raw_digest=b"", body_digest="", body_chars=0, crlf_ends=0, links=(), problems=(), rooted=(), part_lines=(),
    )  # fmt: skip
    keys = set(zip(source.places[::2], source.places[1::2], strict=True))
    unread = [
        (problem.code, problem.line, problem.column)
        for problem in source.problems
        if problem.code in HIDES_KEYS or (problem.level == "error" and (problem.line, problem.column) in keys)
    ]
    return plain, targets, unread


@dataclass(slots=True)
class Backlinks:
    """The links of a tree by what they lead to, kept up to date source by source."""

    _paths_by_target: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, sources: Mapping[str, Source]) -> Backlinks:
        """Those of a whole tree."""
        made = cls()
        for path, source in sources.items():
            made.replace(path, None, source)
        return made

    def replace(self, path: str, old: Source | None, new: Source | None) -> None:
        """A source has become another; None where there was none, or is none any more."""
        before = {link.target for link in old.links} if old else set()
        after = {link.target for link in new.links} if new else set()
        for target in before - after:
            paths = self._paths_by_target[target]
            paths.remove(path)
            if not paths:
                del self._paths_by_target[target]
        for target in after - before:
            self._paths_by_target.setdefault(target, []).append(path)

    def linking_to(self, targets: Iterable[str]) -> set[str]:
        """The paths of the sources with a link to one of these."""
        return {path for target in targets for path in self._paths_by_target.get(target, ())}


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
        tree: what was read, or guessed.
        complete: whether all of it was read.

    `sources` are those of the tree. `unread` has the files whose last save cannot be read, `broken` what is found in
    them; `sources` keeps their last readable version.
    `dates` has the time of each file's last commit, in seconds since 1970; `redrawn` how often an image was saved.
    `due` is what has to be looked at until `findings` are those of the whole tree as it is.
    """

    project: Project
    tree: Tree
    complete: bool = False
    sources: dict[str, Source] = field(init=False)
    index: Index = field(init=False)
    findings: Findings = field(default_factory=dict)
    broken: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    unread: dict[str, Source] = field(default_factory=dict)
    revision: int = 0
    due: Due = Due.EVERYTHING
    dates: Mapping[str, float] = field(default_factory=dict)
    redrawn: Counter[str] = field(default_factory=Counter)
    _since: float = field(default_factory=time.time)
    _texts: OrderedDict[str, bytes] = field(default_factory=OrderedDict)
    _backlinks: Backlinks | None = None

    def __post_init__(self) -> None:
        self._reindex()

    def take(self, tree: Tree) -> None:
        """The tree as a whole, read again."""
        self.tree, self.complete, self._backlinks = tree, True, None
        self.broken = {path: found for path, found in self.broken.items() if path in tree.sources}
        self.unread = {path: source for path, source in self.unread.items() if path in tree.sources}
        self._reindex()

    def _reindex(self) -> None:
        self.tree.sources = self.sources = dict(sorted(self.tree.sources.items()))
        self.index = Index(identify(self.tree, self.project.settings.content), self.sources)
        self.revision += 1
        self.due = Due.EVERYTHING

    # --- changes ---------------------------------------------------------------------------------------------------

    def update(self, changes: Changes) -> Touched:
        """Take what the disk says of some paths; the pages that it touches."""
        touched = Touched()
        moved: list[str] = []
        for path, source in changes.sources.items():
            if self._update_source(path, source, touched):
                moved.append(path)
        touched.everything |= self._forget(changes.gone) or bool(changes.images - self.tree.others.keys())
        self.tree.others |= dict.fromkeys(changes.images, UNKNOWN)
        if touched.everything:
            self._reindex()
        if moved or touched:
            self.revision += 1
            touched.articles = True
            self._check(moved, touched)
        if changes.images:
            self.due = Due.EVERYTHING
            self.revision += 1
        # The pages that show an image have to load it again: its address counts how often it was saved.
        self.redrawn.update(changes.images)
        touched.urls |= self._pages_linking_to(changes.images) if changes.images else set()
        return touched

    def _update_source(self, path: str, source: Source, touched: Touched) -> bool:
        old = self.sources.get(path)
        if is_broken(source) and old is not None and old.raw_digest and not is_broken(old):
            self.unread[path] = source
            touched.urls |= {self.index.url_of[path]} | self.lists()
            return False
        if self.unread.pop(path, None) is not None:
            self.broken.pop(path, None)
            touched.urls |= {self.index.url_of[path]} | self.lists()
        if old is not None and old.raw_digest == source.raw_digest:
            return False
        if old is None or self._is_another(path, old, source):
            touched.everything = True
        else:
            self._touch_around(path, old, source, touched)
            if shape_of(old) != shape_of(source):
                self.due = max(self.due, Due.SHAPES)
        self.sources[path] = source
        self._relink(path, old, source)
        return True

    def _touch_around(self, path: str, old: Source, source: Source, touched: Touched) -> None:
        """Who a source is stays as it was: its own page, and those that show what changed."""
        touched.urls.add(self.index.url_of[path])
        # First of all: the links are gathered from the sources as they were until now.
        if any(getattr(old, name) != getattr(source, name) for name in SEEN_BY_LINKS):
            touched.urls |= self._pages_linking_to([path])
        if any(getattr(old, name) != getattr(source, name) for name in LISTED):
            touched.urls |= self.index.around(path)
            self.sources[path] = source
            self.index.resort(self.index.shelf_of(path))
            touched.urls |= self.index.around(path)

    def _is_another(self, path: str, old: Source, source: Source) -> bool:
        same = (old.kind, old.translation_of) == (source.kind, source.translation_of)
        return not same or self._identity(path, source) != self._identity(path, old)

    def _identity(self, path: str, source: Source) -> Identity:
        site = self.index.site
        if source.kind == "category":
            return identify_category(path, source, site)

        def slug_at(place: str) -> str | None:
            identity = site.categories.get(place)
            return identity.slug if identity else None

        return identify_article(path, source, site, slug_at)

    def _forget(self, gone: Iterable[str]) -> bool:
        """What is away: files, or folders with all that was in them."""
        lost = {path for path in gone if path in self.sources or path in self.tree.others}
        for path in lost:
            self._relink(path, self.sources.pop(path, None), None)
            self.tree.others.pop(path, None)
            self.findings.pop(path, None)
            self.broken.pop(path, None)
            self.unread.pop(path, None)
        # What was found when the tree was read would be shown as long as the preview runs.
        self.tree.findings = [finding for finding in self.tree.findings if finding.path not in lost]
        return bool(lost)

    # --- links -----------------------------------------------------------------------------------------------------

    def _relink(self, path: str, old: Source | None, new: Source | None) -> None:
        if self._backlinks is not None:
            self._backlinks.replace(path, old, new)

    def _pages_linking_to(self, paths: Iterable[str]) -> set[str]:
        """The pages of the articles with a link to one of these paths of the tree."""
        self._backlinks = self._backlinks or Backlinks.of(self.sources)
        site = self.index.site
        targets = {*paths}
        targets |= {path.rpartition("/")[0] for path in targets if path in site.categories}
        return {self.index.url_of[path] for path in self._backlinks.linking_to(targets) if path in site.articles}

    # --- findings --------------------------------------------------------------------------------------------------

    def _check(self, moved: Collection[str], touched: Touched) -> None:
        """The findings of what changed, of its translations, and of the articles that link to it."""
        articles = self.index.site.articles
        families = {other for path in moved if path in articles for other in self.index.all_of_family(path)}
        linking = {self.index.path_at[url] for url in touched.urls if url in self.index.path_at}
        wanted = {path for path in {*moved, *families, *linking} if path in self.sources}
        if len(wanted) > CHECKED_AT_ONCE:
            self.due = Due.EVERYTHING
            wanted = {path for path in moved if path in self.sources} if len(moved) <= CHECKED_AT_ONCE else set()
        found = check_some(self.project, wanted, self.index, self.tree.others, self.findings, self.due)
        if changed := {path for path in found if found[path] != self.findings.get(path, ())}:
            self.findings |= found
            touched.urls |= {self.index.url_of[path] for path in changed} | self.lists()
        self._check_unread()

    def take_findings(self, findings: Findings, changed: Collection[str]) -> Touched:
        """Those of the whole tree; the pages of the sources that have others now.

        Args:
            findings: all.
            changed: the paths of those sources (`others_than`).
        """
        self.findings, self.due = findings, Due.NOTHING
        self._check_unread()
        # Made now, between two saves: the next one that changes a heading does not wait for it.
        self._backlinks = self._backlinks or Backlinks.of(self.sources)
        urls = {self.index.url_of[path] for path in changed if path in self.index.url_of}
        return Touched(urls | self.lists() if changed else urls)

    def _check_unread(self) -> None:
        """What is found in files whose keys cannot be read: who they are is what they were before."""
        for path, source in self.unread.items():
            index = self.index.with_source(source)
            self.broken |= check_some(self.project, {path}, index, self.tree.others, self.findings, self.due)

    def take_walked(self, walk: Walk) -> bool:
        """What a walk says of files that are none of the tree; whether it is something else than before."""
        known = [finding for finding in self.tree.findings if finding.path not in self.sources]
        # Of what the walk has seen and nobody could read, it says nothing.
        found = [*walk.findings, *(finding for finding in known if finding.path in walk.sources)]
        if sorted(known, key=str) == sorted(found, key=str):
            return False
        self.tree.findings, self.due = found, Due.EVERYTHING
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
