"""What is remembered of files: what did not change is not read again, and what did is."""

import os
from pathlib import Path

import pytest

from builders import Reading, beside, read_content, write_files
from kbsync.content.tree import ROWS, read_tree, store_tree
from kbsync.content.walk import Stamp, walk_tree
from kbsync.lint import inspect
from kbsync.memory import Memory

ONE, TWO, PATH = "# One\nText.\n", "# Two\nText.\n", "en/billing/refunds.md"
LONG_AGO = (10**18, 10**18)


def settle(root: Path, memory: Memory) -> Reading:
    """Read until the rows are older than the tick of any clock."""
    reading = read_content(root, memory=memory)
    while any(row.racy for row in reading.tree.rows.values()):
        reading = read_content(root, memory=memory)
    return reading


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "content", beside(ONE))


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / ".kbsync")


def title(root: Path, memory: Memory | None) -> str | None:
    return read_content(root, memory=memory).tree.sources[PATH].title


def test_an_unchanged_file_is_not_read_again(root, memory):
    settle(root, memory)
    tree = read_tree(root, memory=memory)
    assert not tree.new and not tree.gone
    stat = (root / PATH).stat()
    assert tree.rows[PATH].fits(Stamp(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns))


def test_other_bytes_of_the_same_size_and_modification_time_are_seen(root, memory):
    os.utime(root / PATH, ns=LONG_AGO)
    settle(root, memory)
    write_files(root, {PATH: TWO})
    os.utime(root / PATH, ns=LONG_AGO)
    assert title(root, memory) == "Two"


def test_a_file_that_was_only_touched_keeps_its_row_with_what_its_links_came_to(root, memory):
    write_files(root, {PATH: "# One\n[a](other.md)\n", "en/billing/other.md": "# Other\nx"})
    before = settle(root, memory).tree.rows[PATH]
    assert before.content_digest
    os.utime(root / PATH, ns=LONG_AGO)
    after = read_content(root, memory=memory).tree.rows[PATH]
    assert (after.source, after.links_key) == (before.source, before.links_key)
    assert (after.content_digest, after.mtime_ns) == (before.content_digest, LONG_AGO[0])


def test_an_edit_right_after_the_file_was_read_is_seen_even_within_one_tick(root, memory):
    for number in range(40):
        write_files(root, {PATH: f"# Title {number % 10}\nText.\n"})
        assert title(root, memory) == f"Title {number % 10}"


def test_a_deleted_file_is_forgotten(root, memory):
    settle(root, memory)
    (root / PATH).unlink()
    assert list(read_content(root, memory=memory).tree.sources) == ["en/billing/_category.md"]
    assert list(memory.all(ROWS)) == ["en/billing/_category.md"]
    write_files(root, {PATH: TWO})
    assert title(root, memory) == "Two"


def test_a_renamed_file_is_another_file(root, memory):
    settle(root, memory)
    (root / PATH).rename(root / "en/billing/money.md")
    assert list(read_content(root, memory=memory).desired) == ["en/billing/_category.md", "en/billing/money.md"]


def test_findings_of_an_unchanged_file_are_told_again(root, memory):
    write_files(root, {PATH: "---\ntitel: x\nstatus: live\n---\n# T\n[a](no.md)\n"})
    first = settle(root, memory).findings
    assert read_content(root, memory=memory).findings == first
    assert [finding.code for finding in first] == ["KB107", "KB109", "KB301"]


def test_everything_that_a_source_can_say_survives_the_cache(root, memory):
    write_files(root, {PATH: "---\ntitle: é\ntags: [a, b]\nposition: -2147483647\naliases: []\nmanage: seed\n---\n# 😀\n"
                             "[a](b.md?x=1#y) ![c](d.png)\0"})  # fmt: skip
    fresh = read_tree(root, memory=None, inspect=inspect).sources
    settle(root, memory)
    assert read_tree(root, memory=memory).sources == fresh


def test_many_files_are_read_by_several_processes_with_the_same_result(tmp_path):
    files = {f"en/c/a{number:04}.md": f"---\ntitle: T{number}\n---\n# H\n[x](a{number // 2:04}.md#h)\n"
             for number in range(1100)}  # fmt: skip
    files |= {"en/c/b.md": b"\xff", "en/c/c.md": "---\ntitle: [\n---\n"}
    tree = read_tree(write_files(tmp_path / "many", files), memory=None)
    assert list(tree.sources) == sorted(files)
    names = sorted(files)
    for start in range(0, len(names), 600):
        part = {name: files[name] for name in names[start : start + 600]}
        few = read_tree(write_files(tmp_path / f"few{start}", part), memory=None)
        assert few.sources == {name: tree.sources[name] for name in part}


def test_of_a_tree_without_changes_nothing_is_written(root, memory):
    settle(root, memory)
    before = memory.path.stat().st_mtime_ns
    store_tree(read_tree(root, memory=memory), memory)
    assert memory.path.stat().st_mtime_ns == before


def test_the_problems_of_sources_are_none_of_the_walk_whose_problems_forbid_to_keep_findings(root: Path):
    write_files(root, {PATH: "[[wiki]] and ==marked==\n"})
    walk = walk_tree(root)
    assert "KB418" in {finding.code for finding in read_tree(root, memory=None, walk=walk, inspect=inspect).findings}
    assert walk.findings == []
