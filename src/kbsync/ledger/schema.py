"""The ledger's tables, step by step. A ledger carries the number of the last step it has taken."""

from __future__ import annotations

MIGRATIONS: tuple[str, ...] = (
    # 1: the first tables.
    """
    CREATE TABLE item (
        target TEXT NOT NULL,
        kind TEXT NOT NULL,
        locale TEXT NOT NULL,
        slug TEXT NOT NULL,
        remote_id TEXT NOT NULL,
        path TEXT NOT NULL,
        status TEXT,
        fields TEXT NOT NULL,
        PRIMARY KEY (target, kind, remote_id)
    );
    CREATE TABLE run (
        id INTEGER PRIMARY KEY,
        target TEXT NOT NULL,
        command TEXT NOT NULL,
        started_at REAL NOT NULL,
        ended_at REAL,
        outcome TEXT
    );
    CREATE TABLE journal (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run (id),
        target TEXT NOT NULL,
        action TEXT NOT NULL,
        kind TEXT NOT NULL,
        locale TEXT NOT NULL,
        slug TEXT NOT NULL,
        path TEXT NOT NULL,
        remote_id TEXT,
        before TEXT NOT NULL,
        after TEXT NOT NULL,
        state TEXT NOT NULL,
        error TEXT NOT NULL DEFAULT '',
        begun_at REAL NOT NULL,
        ended_at REAL
    );
    CREATE INDEX journal_pending ON journal (target, id) WHERE state = 'pending';
    CREATE TABLE lock (
        target TEXT PRIMARY KEY,
        user TEXT NOT NULL,
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        started_at REAL NOT NULL,
        beat_at REAL NOT NULL
    );
    """,
)

VERSION = len(MIGRATIONS)
