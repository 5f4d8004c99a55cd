"""The few sources that moved are read alone, also where commands take turns and each has another time to begin from."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import pytest

from builders import source_of, write_files
from kbsync.content.part import read_part, store_part
from kbsync.content.scan_cache import MOST_STAMPS, RACY_NS, Row
from kbsync.content.tree import Tree, read_tree, store_tree
from kbsync.content.walk import Stamp, walk_tree
from patience import eventually

A, B = "en/a.md", "en/b.md"
HEAD = "---\ntitle: A\n---\n"


class Edits:
    """A tree of two articles, of which one is edited."""

    def __init__(self, folder: Path) -> None:
        self.root, self.cache = folder / "content", folder / "cache" / "scan.cache"
        write_files(self.root, {A: HEAD + "Text.\n", B: "---\ntitle: B\n---\n[a](a.md)\n"})
        self.read_whole()

    def settle(self) -> None:
        """Wait until no file is so young that it may change unseen."""
        newest_ns = max((self.root / path).stat().st_ctime_ns for path in (A, B))
        eventually(lambda: time.time_ns() - newest_ns > RACY_NS, "every file is old enough")

    def edit(self, body: str) -> Stamp:
        """Write the article anew; what its stamp was before."""
        then = walk_tree(self.root).sources[A]
        write_files(self.root, {A: HEAD + body})
        self.settle()
        return then

    def touch(self) -> Stamp:
        then = walk_tree(self.root).sources[A]
        os.utime(self.root / A)
        self.settle()
        return then

    def read_whole(self) -> None:
        self.settle()
        store_tree(read_tree(self.root, cache=self.cache), self.cache)

    def read_part(self, then: Stamp) -> Tree | None:
        walk = walk_tree(self.root)
        return read_part(self.root, walk, {A: then}, cache=self.cache, inspect=None, default_locale="en")

    def read_and_keep(self, then: Stamp) -> None:
        tree = self.read_part(then)
        assert tree is not None
        store_part(tree, self.cache)


@pytest.fixture
def edits(tmp_path: Path) -> Edits:
    return Edits(tmp_path)


def test_a_text_is_read_alone_whatever_other_commands_read_of_it_since(edits):
    first = edits.edit("One.\n")
    edits.read_and_keep(first)
    second = edits.edit("Two.\n")
    edits.read_and_keep(second)
    third = edits.edit("Three.\n")
    assert all(edits.read_part(then) is not None for then in (first, second, third))


def test_what_is_in_the_cache_already_is_neither_parsed_nor_written_again(edits):
    then = edits.edit("One.\n")
    edits.read_and_keep(then)
    tree = edits.read_part(then)
    assert tree is not None
    assert not tree.stale
    assert tree.rows[A].same_shape == (then,)


def test_touching_every_file_again_and_again_does_not_make_the_cache_larger(edits):
    size = edits.cache.stat().st_size
    for _ in range(3):
        edits.touch()
        edits.read_whole()
    assert edits.cache.stat().st_size == size


def test_what_others_see_of_a_source_is_that_of_the_time_from_which_it_moved(edits):
    first = edits.edit("One.\n")
    edits.read_and_keep(first)
    second = edits.edit("[b](b.md)\n")
    assert edits.read_part(first) is edits.read_part(second) is None
    edits.read_whole()
    third = edits.edit("[b](b.md) and more.\n")
    assert edits.read_part(first) is edits.read_part(second) is None
    assert edits.read_part(third) is not None


def test_going_back_to_what_others_saw_before_does_not_bring_back_the_times_of_then(edits):
    first = edits.edit("[b](b.md)\n")
    edits.read_whole()
    edits.edit("Text.\n")
    edits.read_whole()
    assert edits.read_part(first) is None


def test_a_row_keeps_so_many_stamps_and_none_of_a_time_at_which_the_file_could_change_unseen():
    row = Row(1, 0, 0, racy=False, source=source_of("Text.\n"))
    for number in range(1, 2 * MOST_STAMPS):
        row = msgspec.structs.replace(row, mtime_ns=number, same_shape=row.stamps_of_shape())
    assert len(row.same_shape) == MOST_STAMPS
    assert row.had_shape_at(Stamp(1, 2 * MOST_STAMPS - 2, 0))
    assert not row.had_shape_at(Stamp(1, 0, 0))
    young = msgspec.structs.replace(row, racy=True)
    assert young.stamps_of_shape() == row.same_shape
