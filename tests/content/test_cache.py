"""The scan cache: what did not change is not read again, what did is, and a cache is never needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import Reading, beside, read_content, write_files
from kbsync.content.scan_cache import load_cache
from kbsync.content.tree import read_tree, store_tree
from kbsync.content.walk import Stamp, walk_tree
from kbsync.files import load_sealed
from kbsync.lint import inspect

ONE, TWO, PATH = "# One\nText.\n", "# Two\nText.\n", "en/billing/refunds.md"
LONG_AGO = (10**18, 10**18)


def settle(root: Path, cache: Path) -> Reading:
    """Read until the rows are older than the tick of any clock."""
    reading = read_content(root, cache=cache)
    while any(row.racy for row in reading.tree.rows.values()):
        reading = read_content(root, cache=cache)
    return reading


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "content", beside(ONE))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "scan.cache"


def title(root: Path, cache: Path | None) -> str | None:
    return read_content(root, cache=cache).tree.sources[PATH].title


def test_an_unchanged_file_is_not_read_again(root, cache):
    settle(root, cache)
    tree = read_tree(root, cache=cache)
    assert not tree.stale
    stat = (root / PATH).stat()
    assert tree.rows[PATH].fits(Stamp(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns))


def test_what_a_killed_run_left_of_a_cache_goes_with_the_next_cache(root, cache):
    cache.parent.mkdir()
    left = cache.with_name(".kbsync-0123456789abcdef")
    left.write_bytes(b"half of a cache")
    os.utime(left, ns=LONG_AGO)
    settle(root, cache)
    assert [path.name for path in cache.parent.iterdir()] == [cache.name]


def test_other_bytes_of_the_same_size_and_modification_time_are_seen(root, cache):
    os.utime(root / PATH, ns=LONG_AGO)
    settle(root, cache)
    write_files(root, {PATH: TWO})
    os.utime(root / PATH, ns=LONG_AGO)
    assert title(root, cache) == "Two"


def test_a_file_that_was_only_touched_keeps_its_row_with_what_its_links_came_to(root, cache):
    write_files(root, {PATH: "# One\n[a](other.md)\n", "en/billing/other.md": "# Other\nx"})
    before = settle(root, cache).tree.rows[PATH]
    assert before.content_digest
    os.utime(root / PATH, ns=LONG_AGO)
    after = read_content(root, cache=cache).tree.rows[PATH]
    assert (after.source, after.links_key, after.content_digest) == (
        before.source,
        before.links_key,
        before.content_digest,
    )
    assert after.mtime_ns == LONG_AGO[0]


def test_an_edit_right_after_the_file_was_read_is_seen_even_within_one_tick(root, cache):
    for number in range(40):
        write_files(root, {PATH: f"# Title {number % 10}\nText.\n"})
        assert title(root, cache) == f"Title {number % 10}"


def test_a_deleted_file_leaves_the_cache(root, cache):
    settle(root, cache)
    size = cache.stat().st_size
    (root / PATH).unlink()
    assert list(read_content(root, cache=cache).tree.sources) == ["en/billing/_category.md"]
    assert cache.stat().st_size < size
    write_files(root, {PATH: TWO})
    assert title(root, cache) == "Two"


def test_a_renamed_file_is_another_file(root, cache):
    settle(root, cache)
    (root / PATH).rename(root / "en/billing/money.md")
    assert list(read_content(root, cache=cache).desired) == ["en/billing/_category.md", "en/billing/money.md"]


def test_findings_of_an_unchanged_file_are_told_again(root, cache):
    write_files(root, {PATH: "---\ntitel: x\nstatus: live\n---\n# T\n[a](no.md)\n"})
    first = settle(root, cache).findings
    assert read_content(root, cache=cache).findings == first
    assert [finding.code for finding in first] == ["KB107", "KB109", "KB301"]


def test_everything_that_a_source_can_say_survives_the_cache(root, cache):
    write_files(root, {PATH: "---\ntitle: é\ntags: [a, b]\nposition: -2147483647\naliases: []\nmanage: seed\n---\n# 😀\n"
                             "[a](b.md?x=1#y) ![c](d.png)\0"})  # fmt: skip
    fresh = read_tree(root, cache=None, inspect=inspect).sources
    settle(root, cache)
    assert read_tree(root, cache=cache).sources == fresh


@pytest.mark.parametrize("length", [0, 1, 10, 30, 60, -1])
def test_a_cache_that_was_cut_off_is_as_good_as_none(root, cache, length):
    settle(root, cache)
    cache.write_bytes(cache.read_bytes()[:length])
    assert title(root, cache) == "One"


def test_a_cache_of_another_version_or_another_tool_is_not_read(root, cache):
    settle(root, cache)
    data = cache.read_bytes()
    for foreign in (data.replace(b"scan/", b"scon/", 1), b"SQLite format 3\0" + data, b"\x80", b"{}"):
        cache.write_bytes(foreign)
        assert read_tree(root, cache=cache).stale


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_flipped_bit_anywhere_in_the_cache_changes_nothing_that_is_read(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp() / "flipped"
    if not folder.exists():
        write_files(folder / "content", beside(ONE))
        settle(folder / "content", folder / "good.cache")
    good = bytearray((folder / "good.cache").read_bytes())
    good[data.draw(st.integers(0, len(good) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    (folder / "bad.cache").write_bytes(good)
    assert read_tree(folder / "content", cache=folder / "bad.cache").sources[PATH].title == "One"


def test_a_cache_that_is_a_folder_or_cannot_be_written_costs_only_time(root, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for place in (tmp_path / "folder", tmp_path / "file" / "scan.cache", Path("/proc/nowhere/scan.cache")):
        assert title(root, place) == title(root, place) == "One"


def test_many_files_are_read_by_several_processes_with_the_same_result(tmp_path):
    files = {f"en/c/a{number:04}.md": f"---\ntitle: T{number}\n---\n# H\n[x](a{number // 2:04}.md#h)\n"
             for number in range(1100)}  # fmt: skip
    files |= {"en/c/b.md": b"\xff", "en/c/c.md": "---\ntitle: [\n---\n"}
    tree = read_tree(write_files(tmp_path / "many", files), cache=None)
    assert list(tree.sources) == sorted(files)
    names = sorted(files)
    for start in range(0, len(names), 600):
        part = {name: files[name] for name in names[start : start + 600]}
        few = read_tree(write_files(tmp_path / f"few{start}", part), cache=None)
        assert few.sources == {name: tree.sources[name] for name in part}


def test_links_to_the_same_article_have_one_text(root):
    write_files(root, {"en/a.md": "[Refunds](billing/refunds.md)\n", "en/b.md": "[Back](billing/refunds.md#one)\n"})
    sources = read_tree(root, cache=None).sources
    (first,), (second,) = sources["en/a.md"].links, sources["en/b.md"].links
    assert first.target == PATH
    assert first.target is second.target


def test_a_tree_without_changes_does_not_write_its_cache(root, cache):
    settle(root, cache)
    before = cache.stat()
    store_tree(read_tree(root, cache=cache), cache)
    assert (cache.stat().st_ino, cache.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_pipe_where_a_cache_should_be_is_no_cache_and_is_not_waited_for(tmp_path):
    # Whoever reads it waits for ever; there is no clock here, the test would just not end.
    os.mkfifo(tmp_path / "scan.cache")
    assert load_sealed(tmp_path / "scan.cache", b"") is None
    assert load_cache(tmp_path / "scan.cache") == {}


def test_the_problems_of_sources_are_none_of_the_walk_whose_problems_forbid_to_keep_findings(root: Path):
    write_files(root, {PATH: "[[wiki]] and ==marked==\n"})
    walk = walk_tree(root)
    assert "KB418" in {finding.code for finding in read_tree(root, cache=None, walk=walk, inspect=inspect).findings}
    assert walk.findings == []


class ReplacedMeanwhile(type(Path())):
    """The path of a cache that another process writes anew as soon as this one has opened it."""

    def open(self, *arguments, **options):
        file = super().open(*arguments, **options)
        new = Path(f"{self}.new")
        new.write_bytes(b"another cache, of another size")
        new.replace(self)
        return file


def test_a_cache_that_another_process_replaces_while_it_is_opened_is_read_as_it_was(root, cache):
    rows = settle(root, cache).tree.rows
    assert load_cache(ReplacedMeanwhile(cache)) == dict(rows)
