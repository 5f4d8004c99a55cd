"""Reading the tree for the preview: all of it while pages are served already, and a few files as they change."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from kbsync.children import python_command
from kbsync.content.body import CATEGORY_FILE
from kbsync.content.parse import parse_source
from kbsync.content.parsing import PARALLEL_FROM
from kbsync.content.rules import HIDES_KEYS
from kbsync.content.source import Source
from kbsync.content.tree import ROWS, Tree, read_tree, store_tree
from kbsync.content.walk import MAX_SOURCE_BYTES, Walk, is_for_colleagues, is_visible
from kbsync.files import read_within
from kbsync.lint import inspect
from kbsync.memory import Memory

CATEGORIES_AT_ONCE = 500
"""Categories that are read before the first page; the names of others are guessed until the scan is done."""

CHILD = "from kbsync.preview.tree_reader import fill_memory; fill_memory()"


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


def load_reader() -> None:
    """Load what reads a file. Where the whole tree came from the cache nothing has, and a save would wait for it."""
    parse_source("a.md", b"---\ntitle: A\n---\nText.\n", inspect=inspect)


def _may_be_read(path: str, place: Path, real_root: str) -> bool:
    return is_visible(path) and place.is_file() and os.path.realpath(place).startswith(real_root + os.sep)


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


def read_known(root: Path, memory: Memory, walk: Walk) -> Tree | None:
    """The whole tree, where the memory knows nearly all of it; None where another process should parse it first."""
    known = memory.all(ROWS)
    fitting = sum(1 for path, stamp in walk.sources.items() if (row := known.get(path)) is not None and row.fits(stamp))
    if len(walk.sources) - fitting >= PARALLEL_FROM:
        return None
    tree = read_tree(root, memory=memory, walk=walk, inspect=inspect, known=known, workers=1)
    store_tree(tree, memory)
    return tree


async def fill_memory_elsewhere(root: Path, memory: Memory) -> None:
    """Let another process read the tree into the memory. What it fails to do is done later, more slowly."""
    command = python_command(CHILD, root, memory.path.parent)
    # A group of its own: its helpers go with it when the preview ends meanwhile.
    process = await asyncio.create_subprocess_exec(
        *command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True
    )
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL) if os.name == "posix" else process.kill()


def read_whole(root: Path, memory: Memory) -> Tree:
    """The whole tree, in this process.

    Raises:
        ContentError: the root is not a folder any more.
    """
    tree = read_tree(root, memory=memory, inspect=inspect, workers=1)
    store_tree(tree, memory)
    return tree


def fill_memory() -> None:
    """The other process: reads the tree with all cores and leaves what it read in the memory."""
    root, memory = Path(sys.argv[1]), Memory(Path(sys.argv[2]))
    store_tree(read_tree(root, memory=memory, inspect=inspect), memory)
