"""Data of a sandbox that an earlier kbsync made."""

import sqlite3

import pytest

from kbsync.sandbox import DataRefused
from kbsync.sandbox.schema import ADDED, INDICES, TABLES, TRIGGERS

from .asking import drafts, make, patch
from .world import ACME, a_sandbox


def a_file_of_before(folder, *statements):
    database = sqlite3.connect(folder / "sandbox.db")
    database.executescript(TABLES + INDICES + TRIGGERS)
    database.execute(
        "INSERT INTO articles (id, account_id, portal_id, author_id, locale, slug, status, created_at, updated_at, title) "
        "VALUES (1, 1, 1, 1, 'en', 'kept', 1, 1, 1, 'Kept')"
    )
    database.execute("INSERT INTO sequences VALUES ('articles', 1)")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def test_it_gets_the_columns_of_4_16_and_keeps_its_articles(tmp_path):
    a_file_of_before(tmp_path)
    for _ in range(2):
        with a_sandbox(tmp_path, setup=ACME) as sandbox:
            assert patch(sandbox, 1, draft_content="staged", content="text").status == 200
            assert drafts(sandbox, "kept") == (None, "staged")
    with a_sandbox(tmp_path) as sandbox:
        assert make(sandbox, "new") == 2


@pytest.mark.parametrize("column", [f"{name} {kind}" for _, name, kind in ADDED])
def test_one_that_has_some_of_them_in_another_place_is_refused(tmp_path, column):
    a_file_of_before(tmp_path, f"ALTER TABLE portals ADD COLUMN {column}")
    with pytest.raises(DataRefused, match="portals"), a_sandbox(tmp_path):
        pass
