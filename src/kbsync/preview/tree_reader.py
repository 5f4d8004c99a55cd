"""Reading the tree for the preview: all of it before the first page, and a few files as they change."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from kbsync.content.parse import parse_source
from kbsync.content.rules import HIDES_KEYS
from kbsync.content.source import Source
from kbsync.content.tree import Tree, read_tree, store_tree
from kbsync.content.walk import MAX_SOURCE_BYTES, is_for_colleagues, is_visible
from kbsync.files import read_within
from kbsync.lint import inspect
from kbsync.memory import Memory


@dataclass(slots=True)
class Changes:
    """What the disk says now of some paths: sources as they are, and what is there or not."""

    sources: dict[str, Source] = field(default_factory=dict)
    images: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    @property
    def doubtful(self) -> set[str]:
        """What may only be half a save: a file that is away, empty, or whose front matter cannot be read."""
        return self.gone | {path for path, source in self.sources.items() if is_broken(source)}

    def __or__(self, later: Changes) -> Changes:
        """Both, where the later one knows better."""
        known = {*later.sources, *later.images, *later.gone}
        sources = {path: source for path, source in self.sources.items() if path not in known}
        return Changes(sources | later.sources, (self.images - known) | later.images, (self.gone - known) | later.gone)


def is_broken(source: Source) -> bool:
    """Whether the file as it is now says nothing of its keys; the page before it is worth more."""
    return any(problem.code in HIDES_KEYS for problem in source.problems)


def read_changes(root: Path, paths: Iterable[str]) -> Changes:
    """Look at some paths of the tree. What the walk would not have listed is gone, whatever it is; but while the root
    itself is away, nothing is known of any of them.
    """
    changes = Changes()
    if not root.is_dir():
        return changes
    real_root = os.path.realpath(root)
    for path in paths:
        place = root / path
        try:
            if not _may_be_read(path, place, real_root) or is_for_colleagues(place):
                changes.gone.add(path)
            elif path.endswith(".md"):
                changes.sources[path] = parse_source(path, read_within(place, MAX_SOURCE_BYTES), inspect=inspect)
            else:
                changes.images.add(path)
        except OSError:
            changes.gone.add(path)
    return changes


def _may_be_read(path: str, place: Path, real_root: str) -> bool:
    return is_visible(path) and place.is_file() and os.path.realpath(place).startswith(real_root + os.sep)


def read_whole(root: Path, memory: Memory) -> Tree:
    """The whole tree, in this process: it has threads already, and a fork of it may wait for what they held.

    Raises:
        ContentError: the root is not a folder any more.
    """
    tree = read_tree(root, memory=memory, inspect=inspect, workers=1)
    store_tree(tree, memory)
    return tree
