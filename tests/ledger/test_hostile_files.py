"""A ledger that came with somebody else's repository: opening it harms nothing but itself."""

import os
import socket
import sqlite3
import struct
import threading
from contextlib import closing
from pathlib import Path

import pytest

from kbsync.errors import LedgerError
from kbsync.files import read_within, unsafe_beside
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


@pytest.fixture
def ledger_db(tmp_path: Path) -> Path:
    SqliteDatabase(tmp_path / "ledger.db").close()
    return tmp_path / "ledger.db"


@pytest.fixture
def sandbox_db(tmp_path: Path) -> Path:
    with running(tmp_path / "sandbox.db", SETUP):
        return tmp_path / "sandbox.db"


def refused(database: Path, words: str) -> None:
    """The sandbox does not take this file as its own."""
    with pytest.raises(DataRefused, match=words), running(database, SETUP):
        pass


ENDINGS = ["-journal", "-wal", "-shm"]


@pytest.mark.parametrize("ending", ["", *ENDINGS])
@pytest.mark.parametrize("made", ["pipe", "folder", "socket"])
def test_what_is_no_file_is_not_waited_for_and_is_named(tmp_path, ending, made):
    """SQLite would wait for a pipe for ever, or say that the disk is broken."""
    database = tmp_path / "l.db"
    if ending:
        SqliteDatabase(database).close()
    place_something(tmp_path / f"l.db{ending}", made)
    with pytest.raises(LedgerError, match="is not a"):
        SqliteDatabase(database)
    refused(database, f"l.db{ending} is not a regular file")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_link_in_place_of_a_file_beside_the_ledger_is_not_followed(ledger_db, victim, ending):
    ledger_db.with_name(f"ledger.db{ending}").symlink_to(victim)
    with pytest.raises(LedgerError, match="is not a regular file"):
        SqliteDatabase(ledger_db)
    assert victim.read_text() == "not yours"


def place_something(path: Path, made: str) -> None:
    if made == "pipe":
        os.mkfifo(path)
    elif made == "folder":
        path.mkdir()
    else:
        with closing(socket.socket(socket.AF_UNIX)) as listener:
            listener.bind(str(path))


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TRIGGER t AFTER DELETE ON tokens BEGIN SELECT 1; END",
        "ALTER TABLE portals RENAME TO p; CREATE VIEW portals AS SELECT * FROM p",
        "CREATE INDEX i ON tokens (hex(zeroblob(450000)))",
        "DROP TABLE users; CREATE TABLE users (id INTEGER PRIMARY KEY, name, email DEFAULT (hex(zeroblob(9))))",
    ],
)
def test_a_sandbox_with_tables_triggers_or_views_that_are_not_its_own_is_refused(sandbox_db, made):
    with closing(sqlite3.connect(sandbox_db)) as connection:
        connection.executescript(made)
    refused(sandbox_db, "was not made by this version of kbsync")


@pytest.mark.parametrize("by_a_link", [False, True])
@pytest.mark.parametrize("looking", [False, True])
def test_a_ledger_with_such_a_journal_also_beside_what_a_link_leads_to_is_refused_and_the_file_is_there(
    tmp_path, ledger_db, victim, looking, by_a_link
):
    hot_journal(ledger_db, victim)
    with pytest.raises(LedgerError, match="names another file, which SQLite would delete"):
        SqliteDatabase(linked(tmp_path, ledger_db) if by_a_link else ledger_db, looking=looking)
    assert victim.read_text() == "not yours"


@pytest.mark.parametrize("by_a_link", [False, True])
def test_a_sandbox_with_such_a_journal_also_beside_what_a_link_leads_to_is_refused_and_the_file_is_there(
    tmp_path, sandbox_db, victim, by_a_link
):
    hot_journal(sandbox_db, victim)
    refused(linked(tmp_path, sandbox_db) if by_a_link else sandbox_db, "names another file")
    assert victim.read_text() == "not yours"


def linked(folder: Path, real: Path) -> Path:
    link = folder / "elsewhere" / "link.db"
    link.parent.mkdir()
    link.symlink_to(real)
    return link


@pytest.mark.parametrize("config", ["[" * 100_000, '{"allowed_locales": 5}', "9" * 10_000, "{"])
def test_a_sandbox_whose_portal_has_damaged_settings_is_refused(sandbox_db, config):
    with closing(sqlite3.connect(sandbox_db)) as connection, connection:
        connection.execute("UPDATE portals SET config = ?", (config,))
    refused(sandbox_db, "settings of a portal in it are damaged")


def test_a_ledger_whose_columns_are_computed_is_refused(ledger_db):
    with closing(sqlite3.connect(ledger_db)) as connection:
        connection.execute("DROP TABLE picture")
        connection.execute("CREATE TABLE picture (a TEXT, b TEXT AS (hex(zeroblob(450000))) VIRTUAL)")
    with pytest.raises(LedgerError, match="computed columns"):
        SqliteDatabase(ledger_db)


def test_a_pipe_is_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="it is not a file"):
        read_within(pipe, 100)


def test_a_journal_that_another_process_deletes_meanwhile_is_none(tmp_path):
    database, stop = tmp_path / "ledger.db", threading.Event()
    journal = tmp_path / "ledger.db-journal"

    def come_and_go() -> None:
        while not stop.is_set():
            journal.touch()
            journal.unlink()

    other = threading.Thread(target=come_and_go)
    other.start()
    try:
        assert [found for _ in range(3_000) if (found := unsafe_beside(database))] == []
    finally:
        stop.set()
        other.join()
