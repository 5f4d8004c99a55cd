"""A file of a ledger in git is made again only if its rows are not those that it has."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from kbsync.ledger.ledger import Ledger
from kbsync.ledger.shards import NAMES, from_files, to_files
from kbsync.ledger.sqlite import SqliteDatabase
from kbsync.ledger.tracked import decoded, encoded, fingerprint
from kbsync.model import Base

from .makers import TARGET, a_base

KEY = TARGET.key
HERE, THERE = "items/en/billing.jsonl", "items/en/search.jsonl"


def tables(folder: Path, *bases: Base):
    """A ledger with these rows, as they are read from its file."""
    with closing(Ledger(SqliteDatabase(folder / f"{len(list(folder.iterdir()))}.db"))) as ledger:
        ledger.record(KEY, bases)
        return ledger.dump()


def in_category(number: int, category: str, title: str = "Title"):
    return a_base(f"a-{number}", number, fields={"title": title, "category": category})


@pytest.fixture
def before(tmp_path):
    """The rows of three articles, as they are read from a commit."""
    made = tables(tmp_path, in_category(1, "billing"), in_category(2, "billing"), in_category(3, "search"))
    return from_files(to_files(made, KEY, None).files, KEY, "origin ref").tables


def fingerprints_of(files):
    return from_files(files, KEY, "origin ref").fingerprints


def test_files_whose_rows_are_the_same_are_not_made_again(before):
    files = to_files(before, KEY, None).files
    again = to_files(before, KEY, None, fingerprints_of(files))
    assert {HERE, THERE} <= files.keys() and again.same == {HERE, THERE}
    assert again.files.keys() == files.keys() - {HERE, THERE}


def test_their_order_does_not_matter(before):
    rows = before["item"]
    assert fingerprint(rows) == fingerprint(rows[::-1]) != fingerprint(rows[1:])


def test_a_row_that_changed_makes_its_file_again_and_no_other(before):
    there = fingerprints_of(to_files(before, KEY, None).files)
    touched = dict(zip(NAMES["item"], before["item"][0], strict=True)) | {"touched_s": 99}
    now = {**before, "item": [[*touched.values()], *before["item"][1:]]}
    made = to_files(now, KEY, None, there)
    assert HERE in made.files and made.same == {THERE}
    assert made.files[HERE] == to_files(now, KEY, None).files[HERE]


def test_a_file_that_was_written_from_other_rows_of_the_same_meaning_is_as_it_was(tmp_path, before):
    made = tables(tmp_path, in_category(1, "billing"), in_category(2, "billing"), in_category(3, "search"))
    assert made["item"] != before["item"]  # The keys of their fields are in another order.
    assert to_files(made, KEY, None).files == to_files(before, KEY, None).files


def test_a_row_in_the_wrong_file_makes_both_again(before):
    files = to_files(before, KEY, None).files
    misplaced = {**files, HERE: b"".join(files[HERE].splitlines(keepends=True)[:1])}
    misplaced[THERE] = files[THERE] + b"".join(files[HERE].splitlines(keepends=True)[1:])
    made = to_files(before, KEY, None, fingerprints_of(misplaced))
    assert made.same == frozenset() and made.files == files


def test_fingerprints_of_another_commit_or_damaged_ones_are_of_no_use():
    kept = encoded("a" * 40, {HERE: b"1" * 16})
    assert decoded(kept, "a" * 40) == {HERE: b"1" * 16}
    assert decoded(kept, "b" * 40) == decoded(kept[:-1], "a" * 40) == decoded(b"", "a" * 40) == {}
