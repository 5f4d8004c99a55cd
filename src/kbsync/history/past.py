"""The commits that touched sources: from git, and from what the last walk kept of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing

import msgspec

from kbsync.content.identity import Site
from kbsync.history.log_cache import Kept, Log, Writer, commits_of, load, store
from kbsync.history.raw_log import Commit, Listed
from kbsync.history.repository import Repository
from kbsync.memory import Memory


class Past:
    """The history of a content tree.

    Args:
        repository: the one that it lies in.
        site: says which locales the tree has today, and which slugs are those of before.
        memory: where something may be kept; None: nothing is.
    """

    def __init__(self, repository: Repository, site: Site, memory: Memory | None = None) -> None:
        self.repository = repository
        self.memory = None if repository.is_shallow else memory
        locales = msgspec.msgpack.encode((site.locales, site.default_locale, sorted(site.kept)))
        self.kept = load(self.memory, repository.prefix, locales) if self.memory else Kept()
        self._before = self._size()

    def save(self) -> None:
        """Keep what is known now, where that is more than before."""
        if self.memory and self._size() != self._before:
            store(self.memory, self.kept)

    def _size(self) -> tuple[object, ...]:
        outlines = sum(1 for seen in self.kept.texts.values() if seen.outline)
        log = self.kept.log
        return log.head, len(log.rows), log.is_whole, len(self.kept.texts), len(self.kept.renames), outlines

    def commits(self, keep: Callable[[str], bool]) -> Generator[Commit, None, None]:
        """The commits, newest first.

        Args:
            keep: whether the changes of a file of this name matter; changes that do not may be left out.

        Raises:
            GitFailed: the history is broken or empty; what came before stays true.
        """
        head = self.repository.head() if self.memory else ""
        if not head:
            with closing(self.repository.listing()) as commits:
                for commit in commits:
                    yield commit.commit(keep)
            return
        if head != self.kept.log.head and not self._go_on(head):
            self.kept.log = Log(head)
        known = {*self.kept.log.rows}
        yield from commits_of(self.kept.log, keep)
        if not self.kept.log.is_whole:
            for commit in self._read_on(known):
                yield commit.commit(keep)

    def _read_on(self, known: set[str]) -> Iterator[Listed]:
        """The commits beyond those that are known, which are kept as they are read."""
        log = self.kept.log
        writer = Writer(log)
        with closing(self.repository.listing(head=log.head)) as commits:
            for commit in commits:
                if commit.id not in known:
                    log.top = log.top or commit.id
                    writer.add(commit)
                    yield commit
        log.is_whole = not writer.is_full

    def _go_on(self, head: str) -> bool:
        """Put the commits since the last walk on top of those that it found; False where they do not fit."""
        last = self.kept.log
        if not last.head or not self.repository.is_ancestor(last.head, head):
            return False
        new = list(self.repository.listing(head=head, since=last.head))
        known = {*last.rows, *(commit.id for commit in new)}
        top = new[0].id if new else last.top
        log = Log(head, top, [*last.names], {**last.rows}, last.is_whole)
        writer = Writer(log)
        for commit in new:
            parents = tuple(self._nearest(parent, known) for parent in commit.parents)
            if not known.issuperset(filter(None, parents)):
                return False
            writer.add(commit._replace(parents=tuple(filter(None, parents))))
        if writer.is_full:
            return False
        self.kept.log = log
        return True

    def _nearest(self, parent: str, known: set[str]) -> str:
        """What git names as the parent where the last walk began may not have touched a source itself."""
        return parent if parent in known else self.repository.nearest(parent)
