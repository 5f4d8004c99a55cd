"""Files that are judged by their size before they are read: a sparse file of terabytes costs nothing to make."""

import errno
import os
from pathlib import Path

import pytest

from builders import write_files
from kbsync.content.images import UNREAD, SeenImages, read_images
from kbsync.content.tree import read_tree
from kbsync.content.walk import MAX_SOURCE_BYTES, walk_tree
from kbsync.files import read_within
from kbsync.memory import Memory
from kbsync.preview.tree_reader import read_changes

GIB = 1 << 30


def sparse(path: Path, size: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.truncate(path, size)
    return path


def test_a_source_of_three_gigabytes_is_an_error_and_is_not_read(tmp_path):
    write_files(tmp_path, {"en/a.md": "# A\nx"})
    sparse(tmp_path / "en/big.md", 3 * GIB)
    tree = read_tree(tmp_path, memory=None)
    assert list(tree.sources) == ["en/a.md"]
    (found,) = tree.findings
    assert (found.code, found.level, found.path) == ("KB102", "error", "en/big.md")
    assert found.message == "The file has 3,221.2 MB; at most 2 MB are read."


def test_a_source_of_exactly_the_limit_is_read(tmp_path):
    write_files(tmp_path, {"en/a.md": "# A\n" + "x" * (MAX_SOURCE_BYTES - 4)})
    assert list(read_tree(tmp_path, memory=None).sources) == ["en/a.md"]


def test_a_source_that_grows_between_the_walk_and_the_reading_is_not_read_either(tmp_path):
    write_files(tmp_path, {"en/a.md": "# A\nx"})
    walk = walk_tree(tmp_path)
    sparse(tmp_path / "en/a.md", 3 * GIB)
    tree = read_tree(tmp_path, memory=None, walk=walk)
    assert not tree.sources
    assert [(found.code, found.message) for found in tree.findings] == [
        ("KB102", "Cannot be read: it is larger than 2 MB.")
    ]


def test_the_preview_takes_a_source_that_became_too_large_for_gone(tmp_path):
    sparse(tmp_path / "en/a.md", 3 * GIB)
    assert read_changes(tmp_path, ["en/a.md"]).gone == {"en/a.md"}


def test_an_image_beyond_what_the_settings_allow_is_known_by_its_size_alone(tmp_path):
    sparse(tmp_path / "en/a.png", 5_000_001)
    others, memory = walk_tree(tmp_path).others, Memory(tmp_path / ".kbsync")
    found = read_images(tmp_path, ["en/a.png"], others, memory=memory, now_ns=0, most_bytes=5_000_000)
    assert (found["en/a.png"].kind, found["en/a.png"].id, found["en/a.png"].size) == (UNREAD, "", 5_000_001)
    found = read_images(tmp_path, ["en/a.png"], others, memory=memory, now_ns=0, most_bytes=6_000_000)
    assert found["en/a.png"].id, "more is allowed now: it is read"


def test_a_process_that_looks_often_reads_what_it_knows_of_images_once(tmp_path):
    (tmp_path / "en").mkdir()
    (tmp_path / "en/a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    others, memory, seen = walk_tree(tmp_path).others, Memory(tmp_path / ".kbsync"), SeenImages()
    later_ns = others["en/a.png"].mtime_ns + 60_000_000_000
    first = read_images(tmp_path, ["en/a.png"], others, memory=memory, now_ns=later_ns, seen=seen)
    memory.path.unlink()
    (tmp_path / "en/a.png").unlink()
    assert read_images(tmp_path, ["en/a.png"], others, memory=memory, now_ns=later_ns, seen=seen) == first
    assert read_images(tmp_path, ["en/a.png"], others, memory=memory, now_ns=later_ns)["en/a.png"].kind == UNREAD


def test_nothing_is_read_beyond_the_limit(tmp_path):
    path = sparse(tmp_path / "a", 1 << 40)
    with pytest.raises(OSError, match="larger than 5 MB") as caught:
        read_within(path, 5_000_000)
    assert caught.value.errno == errno.EFBIG
    assert read_within(sparse(tmp_path / "b", 10), 10) == bytes(10)


def test_what_says_that_it_is_empty_and_is_not_is_read_to_the_limit_only():
    endless = Path("/proc/self/maps")
    if endless.is_file():  # Linux has files that say so.
        assert endless.stat().st_size == 0
        with pytest.raises(OSError, match="larger than"):
            read_within(endless, 1000)
    with pytest.raises(OSError, match="it is not a file"):
        read_within(Path("/dev/zero"), 1000)
