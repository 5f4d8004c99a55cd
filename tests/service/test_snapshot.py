"""The snapshot of a portal: without one, everything is read anew."""

from __future__ import annotations

from kbsync.memory import Memory
from kbsync.service.snapshot import LocaleRows, Row, Snapshot, load_snapshot, store_snapshot

ROW = Row(1, 2, "slug", None, "draft", ("Title", "digest", "", 3, "ana", ("t",), "", ""))
TARGET = "https://help.example.com|1|handbook"


def a_snapshot():
    return Snapshot(TARGET, {"en": LocaleRows(100, {1: ROW, "x": ROW})})


def test_what_was_stored_comes_back_and_that_of_another_portal_is_none_of_ours(tmp_path):
    memory = Memory(tmp_path / "new")
    assert load_snapshot(memory, TARGET) == Snapshot(TARGET)
    store_snapshot(memory, a_snapshot())
    assert load_snapshot(memory, TARGET) == a_snapshot()
    assert load_snapshot(memory, "other") == Snapshot("other")
