"""The snapshot is a cache: what is damaged, foreign or old is no snapshot, and everything is read anew."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.service.snapshot import LocaleRows, Row, Snapshot, load_snapshot, snapshot_path, store_snapshot

ROW = Row(1, 2, "slug", None, "draft", ("Title", "digest", "", 3, "ana", ("t",), "", ""))
TARGET = "https://help.example.com|1|handbook"


def a_snapshot():
    return Snapshot(TARGET, {"en": LocaleRows(100, {1: ROW, "x": ROW})})


def test_what_was_stored_comes_back(tmp_path):
    path = snapshot_path(tmp_path / "new", TARGET)
    store_snapshot(path, a_snapshot())
    assert load_snapshot(path, TARGET) == a_snapshot()


def test_no_file_is_an_empty_snapshot(tmp_path):
    assert load_snapshot(tmp_path / "none", TARGET) == Snapshot(TARGET)
    assert load_snapshot(tmp_path, TARGET) == Snapshot(TARGET)


def test_the_snapshot_of_another_portal_is_none_of_ours(tmp_path):
    assert snapshot_path(tmp_path, TARGET) != snapshot_path(tmp_path, TARGET + "x")
    path = tmp_path / "portal.cache"
    store_snapshot(path, a_snapshot())
    assert load_snapshot(path, "other") == Snapshot("other")


def test_the_snapshot_of_another_version_is_not_read(tmp_path):
    path = tmp_path / "portal.cache"
    store_snapshot(path, a_snapshot())
    path.write_bytes(path.read_bytes().replace(b"kbsync.portal/", b"kbsync.portal/9"))
    assert load_snapshot(path, TARGET) == Snapshot(TARGET)


def test_a_place_that_cannot_be_written_costs_the_next_listing_and_nothing_else(tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    store_snapshot(tmp_path / "file" / "portal.cache", a_snapshot())


@given(st.integers(0, 10_000), st.integers(1, 255), st.booleans())
def test_a_damaged_file_is_an_empty_snapshot(place, flip, cut):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "portal.cache"
        store_snapshot(path, a_snapshot())
        data = bytearray(path.read_bytes())
        place %= len(data)
        if cut:
            data = data[:place]
        else:
            data[place] ^= flip
        path.write_bytes(bytes(data))
        assert load_snapshot(path, TARGET) == Snapshot(TARGET)


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"{}", b"\xdd\xff\xff\xff\xff"])
def test_a_foreign_file_is_an_empty_snapshot(tmp_path, data):
    (tmp_path / "portal.cache").write_bytes(data)
    assert load_snapshot(tmp_path / "portal.cache", TARGET) == Snapshot(TARGET)
