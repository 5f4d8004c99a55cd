"""Where an open page went whose file was renamed, or got another slug."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kbsync.content.source import Source
from kbsync.preview.live_tree import LiveTree


@dataclass(slots=True)
class Moves:
    """Remembers which file an open page was made from, also while that file is away.

    A file that is renamed is one that goes and one with the same text that comes, in either order; the two may be
    noticed one after the other.
    """

    _files: dict[str, Source] = field(default_factory=dict)
    _arrived: set[str] = field(default_factory=set)

    def remember(self, urls: Iterable[str], live_tree: LiveTree) -> None:
        """Note what the open pages are made from, before files change."""
        paths = live_tree.index.path_at
        known = {url: live_tree.sources[paths[url]] for url in urls if url in paths}
        self._files = {url: source for url, source in self._files.items() if url in urls} | known

    def arrived(self, paths: Iterable[str]) -> None:
        """Note files that were not there before."""
        self._arrived.update(paths)

    def moved(self, live_tree: LiveTree) -> dict[str, str]:
        """The addresses of open pages that are gone, each with its new one."""
        found: dict[str, str] = {}
        for url, source in self._files.items():
            if url in live_tree.index.path_at:
                continue
            path = source.path if source.path in live_tree.sources else self._renamed(source, live_tree)
            if path:
                found[url] = live_tree.index.url_of[path]
        return found

    def _renamed(self, source: Source, live_tree: LiveTree) -> str:
        """The file that came with this one's text; "" where none did, or several."""
        arrived = [live_tree.sources[path] for path in self._arrived & live_tree.sources.keys()]
        there = _alike(arrived, source, "kind")
        same = _alike(there, source, "raw_digest")
        if not same and not source.body_blank:
            same = _alike(there, source, "body_digest")
        name = source.path.rpartition("/")[2]
        named = [other for other in same if other.path.rpartition("/")[2] == name]
        return next((listed[0].path for listed in (named, same) if len(listed) == 1), "")


def _alike(sources: Iterable[Source], one: Source, name: str) -> list[Source]:
    return [other for other in sources if getattr(other, name) == getattr(one, name)]
