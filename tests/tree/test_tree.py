"""Walking and caching: what is read, what is spared, and what cannot be followed."""

from __future__ import annotations

import os

import pytest

from kbsync.content.tree import read_tree
from kbsync.errors import ContentError

from .trees import an_article, read, write


def test_hidden_files_and_other_kinds_are_no_sources(tmp_path):
    write(tmp_path, {"en/a.md": "# A\nx", ".git/b.md": "x", "en/.c.md": "x", "en/d.txt": "x", "en/images/e.png": b"x"})
    tree = read_tree(tmp_path, cache=None)
    assert list(tree.sources) == ["en/a.md"]
    assert tree.others == {"en/d.txt", "en/images/e.png"}


def test_links_that_leave_the_root_go_in_circles_or_to_nothing_are_findings(tmp_path):
    root = write(tmp_path / "content", {"en/a.md": "# A\nx"})
    write(tmp_path, {"secret.md": "# secret\nx"})
    (root / "en/out.md").symlink_to(tmp_path / "secret.md")
    (root / "en/loop").symlink_to(root)
    (root / "en/nothing.md").symlink_to(root / "en/gone.md")
    (root / "en/inside.md").symlink_to(root / "en/a.md")
    tree = read_tree(root, cache=None)
    assert list(tree.sources) == ["en/a.md", "en/inside.md"]
    assert sorted((finding.code, finding.path) for finding in tree.findings) == [
        ("KB115", "en/loop"), ("KB115", "en/nothing.md"), ("KB115", "en/out.md"),
    ]  # fmt: skip


def test_a_pipe_and_a_folder_with_the_name_of_a_source_stop_nobody(tmp_path):
    write(tmp_path, {"en/a.md": "# A\nx", "en/b.md/c.md": "# C\nx"})
    os.mkfifo(tmp_path / "en/pipe.md")
    tree = read_tree(tmp_path, cache=None)
    assert list(tree.sources) == ["en/a.md", "en/b.md/c.md"]
    assert [(finding.code, finding.path) for finding in tree.findings] == [("KB102", "en/pipe.md")]


def test_a_root_that_is_not_there_is_an_error_with_a_way_out(tmp_path):
    with pytest.raises(ContentError, match="there is no content tree"):
        read_tree(tmp_path / "nowhere", cache=None)


def test_an_empty_tree_is_read(tmp_path):
    assert read(tmp_path).findings == []


def test_unchanged_files_come_from_the_cache_and_changed_ones_do_not(tmp_path):
    root, cache = write(tmp_path / "content", an_article("# A\none\n")), tmp_path / "scan.cache"
    read(root, cache=cache)
    os.utime(root / "en/billing/refunds.md", ns=(1, 1))
    first = read(root, cache=cache).compiler.tree
    assert first.sources["en/billing/refunds.md"].title == "A"
    write(root, {"en/billing/refunds.md": "# B\none\n"})
    assert read(root, cache=cache).compiler.tree.sources["en/billing/refunds.md"].title == "B"
    (root / "en/billing/refunds.md").unlink()
    assert list(read(root, cache=cache).compiler.tree.sources) == ["en/billing/_category.md"]


def test_an_edit_within_a_tick_of_the_clock_is_seen(tmp_path):
    root, cache = tmp_path / "content", tmp_path / "scan.cache"
    for number in range(30):
        write(root, {"en/a.md": f"# Title {number % 10}\nx\n"})
        assert read(root, cache=cache).compiler.tree.sources["en/a.md"].title == f"Title {number % 10}"


def test_an_edit_that_keeps_size_and_modification_time_is_seen(tmp_path):
    root, cache = write(tmp_path / "content", {"en/a.md": "# One\nx\n"}), tmp_path / "scan.cache"
    path = root / "en/a.md"
    os.utime(path, ns=(10**18, 10**18))
    read(root, cache=cache)
    path.write_text("# Two\nx\n")
    os.utime(path, ns=(10**18, 10**18))
    assert read(root, cache=cache).compiler.tree.sources["en/a.md"].title == "Two"


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"\x92\xa0\x80", b"\x00" * 1000])
def test_a_damaged_cache_is_as_good_as_none(tmp_path, garbage):
    root, cache = write(tmp_path / "content", {"en/a.md": "# A\nx\n"}), tmp_path / "scan.cache"
    read(root, cache=cache)
    cache.write_bytes(cache.read_bytes()[:40] + garbage)
    assert read(root, cache=cache).compiler.tree.sources["en/a.md"].title == "A"


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path):
    root = write(tmp_path / "content", {"en/a.md": "# A\nx\n"})
    (tmp_path / "file").touch()
    assert read(root, cache=tmp_path / "file" / "scan.cache").findings == []


def test_many_files_are_read_by_several_processes_with_the_same_result(tmp_path):
    files = {f"en/c/a{number:04}.md": f"# T{number}\n[x](a{number // 2:04}.md)\n" for number in range(1100)}
    root = write(tmp_path, files)
    tree = read_tree(root, cache=None)
    assert list(tree.sources) == sorted(files)
    few = write(tmp_path / "few", {name: files[name] for name in list(files)[500:510]})
    assert {path: source for path, source in tree.sources.items() if 500 <= int(path[6:10]) < 510} == read_tree(
        few, cache=None
    ).sources


def test_a_file_that_changed_after_it_was_read_is_not_sent(tmp_path):
    found = read(write(tmp_path, an_article("# A\none\n")))
    write(tmp_path, {"en/billing/refunds.md": "# A\ntwo\n"})
    with pytest.raises(ContentError, match="changed while kbsync was at work"):
        found.content("en/billing/refunds.md")
