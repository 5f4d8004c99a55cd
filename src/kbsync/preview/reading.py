"""Reading the tree for the preview: all of it while pages are served already, and a few files as they change."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from kbsync.content.body import CATEGORY_FILE
from kbsync.content.cache import load_cache
from kbsync.content.parse import parse_source
from kbsync.content.source import Source
from kbsync.content.tree import PARALLEL_FROM, Tree, read_tree, store_tree
from kbsync.content.walk import Walk, walk_tree
from kbsync.lint.structure import UNREAD

CATEGORIES_AT_ONCE = 500
"""Categories that are read before the first page; the names of others are guessed until the scan is done."""

CHILD = "from kbsync.preview.reading import fill_cache; fill_cache()"


@dataclass(slots=True)
class Changes:
    """What the disk says now of some paths: sources as they are, and what is there or not."""

    sources: dict[str, Source] = field(default_factory=dict)
    pictures: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    @property
    def doubtful(self) -> set[str]:
        """What may only be half a save: a file that is away, empty, or whose front matter cannot be read."""
        return self.gone | {path for path, source in self.sources.items() if is_broken(source)}

    def __or__(self, later: Changes) -> Changes:
        """Both, where the later one knows better."""
        known = {*later.sources, *later.pictures, *later.gone}
        sources = {path: source for path, source in self.sources.items() if path not in known}
        return Changes(
            sources | later.sources, (self.pictures - known) | later.pictures, (self.gone - known) | later.gone
        )


def is_broken(source: Source) -> bool:
    """Whether the file as it is now says nothing of its keys; the page before it is worth more."""
    return any(problem.code in UNREAD for problem in source.problems)


def read_changes(root: Path, paths: Iterable[str]) -> Changes:
    """Look at some paths of the tree. What the walk would not have listed is gone, whatever it is."""
    changes = Changes()
    real_root = os.path.realpath(root)
    for path in paths:
        place = root / path
        try:
            if not _may_be_read(path, place, real_root):
                changes.gone.add(path)
            elif path.endswith(".md"):
                changes.sources[path] = parse_source(path, place.read_bytes())
            else:
                changes.pictures.add(path)
        except OSError:
            changes.gone.add(path)
    return changes


def _may_be_read(path: str, place: Path, real_root: str) -> bool:
    hidden = any(part.startswith(".") for part in path.split("/"))
    return not hidden and place.is_file() and os.path.realpath(place).startswith(real_root + os.sep)


def guess_tree(root: Path, walk: Walk) -> Tree:
    """The tree by the names of its files: enough for addresses, and for pages that are read when they are asked for."""
    sources = {path: guessed_source(path) for path in walk.sources}
    categories = [path for path in sources if path.endswith(f"/{CATEGORY_FILE}")][:CATEGORIES_AT_ONCE]
    sources |= read_changes(root, categories).sources
    return Tree(root, sources, walk.others)


def guessed_source(path: str) -> Source:
    """What a path says of a file; no bytes have an empty name, so it is read as soon as its text is wanted."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    if stem == CATEGORY_FILE.removesuffix(".md"):
        return Source(path, "category", b"")
    return Source(path, "article", b"", title=stem.replace("-", " ").replace("_", " ").capitalize(), body_blank=False)


def read_whole(root: Path, cache: Path, walk: Walk) -> Tree:
    """The whole tree. Called in a thread: many unknown files are parsed by another process, which fills the cache.

    Raises:
        ContentError: the root is no folder any more.
    """
    known = load_cache(cache)
    fitting = sum(1 for path, stamp in walk.sources.items() if (row := known.get(path)) is not None and row.fits(stamp))
    del known
    if len(walk.sources) - fitting >= PARALLEL_FROM:
        # Should it fail, what it did not do is done here, more slowly.
        subprocess.run([sys.executable, "-c", CHILD, root, cache], check=False, stderr=subprocess.DEVNULL)
        walk = walk_tree(root)
    tree = read_tree(root, cache=cache, walk=walk, workers=1)
    store_tree(tree, cache)
    return tree


def fill_cache() -> None:
    """The other process: reads the tree with all cores and leaves what it read in the cache."""
    root, cache = (Path(word) for word in sys.argv[1:3])
    store_tree(read_tree(root, cache=cache), cache)
