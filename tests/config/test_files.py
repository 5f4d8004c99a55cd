"""Files that are written whole or not at all."""

from pathlib import Path

import pytest

from kbsync.files import store_whole, write_whole


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    write_whole(tmp_path / "a.md", b"one")
    write_whole(tmp_path / "a.md", b"two")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.md", b"two")]


def test_a_new_file_has_the_rights_of_any_new_file_and_an_old_one_keeps_its_own(tmp_path):
    (tmp_path / "any").touch()
    write_whole(tmp_path / "new", b"x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "any").stat().st_mode
    (tmp_path / "new").chmod(0o755)
    write_whole(tmp_path / "new", b"y")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o755


def test_what_cannot_be_written_leaves_the_old_file_and_no_other(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "kept").touch()
    with pytest.raises(OSError):
        write_whole(tmp_path / "a", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    with pytest.raises(OSError) as caught:
        write_whole(tmp_path / "nowhere" / "b", b"x")
    assert caught.value.filename == str(tmp_path / "nowhere" / "b")


def test_a_name_as_long_as_a_name_may_be_can_be_written(tmp_path):
    write_whole(tmp_path / ("n" * 255), b"x")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"x"


def test_a_cache_makes_its_folder_and_says_whether_it_could_be_written(tmp_path):
    assert store_whole(tmp_path / "deep" / "er" / "cache", b"x")
    assert not store_whole(tmp_path / "deep" / "er" / "cache" / "no", b"x")
    assert not store_whole(Path("/proc/nowhere/cache"), b"x")
