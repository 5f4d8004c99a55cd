"""A ledger that came with somebody else's repository: opening it harms nothing but itself."""

from __future__ import annotations

import os
import sqlite3
import struct
from pathlib import Path

import pytest

from kbsync.errors import LedgerError
from kbsync.files import read_within
from kbsync.ledger.sqlite import SqliteDatabase
from kbsync.sandbox import DataRefused, running
from push.world import SETUP

MAGIC = bytes.fromhex("d9d505f920a163d7")


def hot_journal(database: Path, victim: Path) -> Path:
    """A journal that SQLite plays back as soon as it reads, and that names a file which it then deletes."""
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA journal_mode = DELETE")
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    sector = 512
    head = MAGIC + struct.pack(">IIIII", 0, 0, pages, sector, size)
    name = str(victim).encode()
    locking_page = (1 << 30) // size + 1
    tail = struct.pack(">I", locking_page) + name + struct.pack(">II", len(name), sum(name)) + MAGIC
    journal = database.with_name(database.name + "-journal")
    journal.write_bytes(head.ljust(sector, b"\0") + tail)
    return journal


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    place = tmp_path / "important.txt"
    place.write_text("not yours")
    return place


def test_a_journal_that_names_another_file_would_have_sqlite_delete_it(tmp_path, victim):
    """What this file guards against is real: plain SQLite does it."""
    database = tmp_path / "plain.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    hot_journal(database, victim)
    opened = sqlite3.connect(database)
    opened.execute("SELECT count(*) FROM sqlite_master").fetchone()
    opened.close()
    assert not victim.exists()


@pytest.mark.parametrize("looking", [False, True])
def test_a_ledger_with_such_a_journal_is_refused_and_the_file_is_there(tmp_path, victim, looking):
    database = tmp_path / "ledger.db"
    SqliteDatabase(database).close()
    hot_journal(database, victim)
    with pytest.raises(LedgerError, match="names a file that SQLite would delete"):
        SqliteDatabase(database, looking=looking)
    assert victim.read_text() == "not yours"


def test_a_sandbox_with_such_a_journal_is_refused_and_the_file_is_there(tmp_path, victim):
    database = tmp_path / "sandbox.db"
    with running(database, SETUP):
        pass
    hot_journal(database, victim)
    with pytest.raises(DataRefused), running(database, SETUP):
        pass
    assert victim.read_text() == "not yours"


def test_a_ledger_whose_columns_are_computed_is_refused(tmp_path):
    database = tmp_path / "ledger.db"
    SqliteDatabase(database).close()
    connection = sqlite3.connect(database)
    connection.execute("DROP TABLE picture")
    connection.execute("CREATE TABLE picture (a TEXT, b TEXT AS (hex(zeroblob(450000000))) VIRTUAL)")
    connection.close()
    with pytest.raises(LedgerError, match="computed columns"):
        SqliteDatabase(database)


def test_a_pipe_is_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="it is not a file"):
        read_within(pipe, 100)
