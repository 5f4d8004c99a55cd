"""The tables of the sandbox's own database, and how a file becomes one."""

import os
import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from kbsync.files import unsafe_beside

TABLES = """
CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sequences (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS accounts (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, suspended INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, confirmed INTEGER NOT NULL DEFAULT 1);
CREATE TABLE IF NOT EXISTS memberships (
    account_id INTEGER NOT NULL, user_id INTEGER NOT NULL, role TEXT NOT NULL,
    PRIMARY KEY (account_id, user_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, user_id INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS portals (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE,
    color TEXT, custom_domain TEXT, header_text TEXT, homepage_link TEXT, page_title TEXT,
    archived INTEGER NOT NULL DEFAULT 0, config TEXT NOT NULL DEFAULT '{}');
CREATE TABLE IF NOT EXISTS categories (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, portal_id INTEGER NOT NULL, name TEXT NOT NULL,
    slug TEXT NOT NULL, locale TEXT NOT NULL, description TEXT, position INTEGER, icon TEXT,
    parent_category_id INTEGER, associated_category_id INTEGER, UNIQUE (portal_id, slug, locale));
CREATE TABLE IF NOT EXISTS related_categories (
    category_id INTEGER NOT NULL, related_id INTEGER NOT NULL, PRIMARY KEY (category_id, related_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS articles (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, portal_id INTEGER NOT NULL, category_id INTEGER,
    author_id INTEGER, associated_article_id INTEGER, locale TEXT NOT NULL, slug TEXT NOT NULL UNIQUE, status INTEGER,
    position INTEGER, views INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    title TEXT, description TEXT, meta TEXT NOT NULL DEFAULT '{}', content TEXT);
CREATE TABLE IF NOT EXISTS tally (
    portal_id INTEGER NOT NULL, locale TEXT NOT NULL, category_id INTEGER NOT NULL, author_id INTEGER NOT NULL,
    status INTEGER NOT NULL, rows INTEGER NOT NULL,
    PRIMARY KEY (portal_id, locale, category_id, author_id, status)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS blobs (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, account_id INTEGER NOT NULL, filename TEXT NOT NULL,
    content_type TEXT NOT NULL, data BLOB NOT NULL);
"""
"""`updated_at` and `created_at` are microseconds. `content` is last, so that reading the rest stays cheap."""

ADDED = (
    ("categories", "icon_color", "TEXT DEFAULT ''"),
    ("articles", "draft_title", "TEXT"),
    ("articles", "draft_content", "TEXT"),
)
"""Columns that came with 4.16; a file of an earlier kbsync gets them when it is opened."""

INDICES = """
CREATE INDEX IF NOT EXISTS articles_newest ON articles (portal_id, updated_at DESC);
CREATE INDEX IF NOT EXISTS articles_by_locale ON articles (portal_id, locale, updated_at DESC);
CREATE INDEX IF NOT EXISTS articles_by_status ON articles (portal_id, status, updated_at DESC);
CREATE INDEX IF NOT EXISTS articles_by_position ON articles (category_id, account_id, position);
CREATE INDEX IF NOT EXISTS articles_by_root ON articles (associated_article_id)
    WHERE associated_article_id IS NOT NULL;
"""

TALLY_KEY = (
    "{0}.portal_id, {0}.locale, coalesce({0}.category_id, 0), coalesce({0}.author_id, 0), coalesce({0}.status, -1)"
)
COUNT_UP = f"""
    INSERT INTO tally VALUES ({TALLY_KEY.format("new")}, 1)
    ON CONFLICT (portal_id, locale, category_id, author_id, status) DO UPDATE SET rows = rows + 1;
"""
COUNT_DOWN = f"""
    UPDATE tally SET rows = rows - 1
    WHERE (portal_id, locale, category_id, author_id, status) = ({TALLY_KEY.format("old")});
"""
TRIGGERS = f"""
CREATE TRIGGER IF NOT EXISTS tally_insert AFTER INSERT ON articles BEGIN {COUNT_UP} END;
CREATE TRIGGER IF NOT EXISTS tally_delete AFTER DELETE ON articles BEGIN {COUNT_DOWN} END;
CREATE TRIGGER IF NOT EXISTS tally_update AFTER UPDATE OF portal_id, locale, category_id, author_id, status ON articles
BEGIN {COUNT_DOWN} {COUNT_UP} END;
"""
"""Lists count articles by status at every page; the tally keeps that from reading all of them."""


MADE = "SELECT type, name, tbl_name, sql FROM sqlite_master"

MAX_VALUE_BYTES = 100_000_000
"""Of one value in the file; an image has some millions."""


def check_files(database: Path) -> None:
    """Refuse what SQLite would wait for, or do harm with, as in the ledger: the files may be a stranger's.

    Raises:
        sqlite3.DatabaseError: one of the files is no regular file, or the journal names another one.
    """
    if found := unsafe_beside(Path(os.path.realpath(database))):
        path, what = found
        raise sqlite3.DatabaseError(f"{path.name} {what}")


def check_schema(connection: sqlite3.Connection) -> None:
    """Refuse tables, views and triggers that are not the sandbox's own: they could compute without end.

    Raises:
        sqlite3.DatabaseError: there is one.
    """
    with closing(sqlite3.connect(":memory:")) as own:
        own.executescript(TABLES + INDICES + TRIGGERS)
        known = set(own.execute(MADE))
        for column in ADDED:
            _add_column(own, column)
            known |= set(own.execute(MADE))
    if strange := set(connection.execute(MADE)) - known:
        name = str(min(row[1] for row in strange))
        raise sqlite3.DatabaseError(f"`{name}` in it was not made by this version of kbsync")


def _add_column(connection: sqlite3.Connection, column: tuple[str, str, str]) -> None:
    table, name, kind = column
    present = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    if name not in present:
        connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")


def connect(database: Path) -> sqlite3.Connection:
    """Open or make the database.

    The file is a plaything, so it is written without waiting for the disk. The connection is handed to the server's
    thread, which alone uses it from then on.
    """
    database.parent.mkdir(parents=True, exist_ok=True)
    # There are tokens in it. SQLite gives the files beside it the same mode; what is wrong it says itself.
    with suppress(OSError):
        database.touch(0o600)
        database.chmod(0o600)
    check_files(database)
    with ExitStack() as stack:
        connection = sqlite3.connect(database, isolation_level=None, check_same_thread=False, cached_statements=512)
        stack.callback(connection.close)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        connection.execute("PRAGMA trusted_schema = OFF")
        check_schema(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -65536")
        connection.executescript(TABLES + INDICES + TRIGGERS)
        for column in ADDED:
            _add_column(connection, column)
        # It is the caller's from here on.
        stack.pop_all()
    return connection
