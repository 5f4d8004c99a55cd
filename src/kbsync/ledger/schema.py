"""The ledger's tables, step by step, in SQL that SQLite and PostgreSQL read alike.

A ledger carries the number of the last step it has taken. A step that was released is never changed: what comes later
is another one.
"""

from __future__ import annotations

MIGRATIONS: tuple[str, ...] = (
    # 1: `fields` are what both sides last agreed on; `kept` and `overruled` are decisions about values of the portal,
    # `decided_for` what a file had then; `touched_s` is when the portal's item was last touched as far as kbsync knows.
    # `source_commit` and `source_s` are of the run that wrote a row. A plan lies in the journal from its beginning, and
    # several runners take their changes out of it. An owner's process number means something within one boot and one
    # namespace alone.
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
        kept TEXT NOT NULL DEFAULT '{}',
        overruled TEXT NOT NULL DEFAULT '{}',
        touched_s BIGINT NOT NULL DEFAULT 0,
        decided_for TEXT NOT NULL DEFAULT '{}',
        source_commit TEXT NOT NULL DEFAULT '',
        source_s BIGINT NOT NULL DEFAULT 0,
        PRIMARY KEY (target, kind, remote_id)
    );
    CREATE INDEX item_slug ON item (target, kind, slug);
    CREATE TABLE run (
        id INTEGER PRIMARY KEY,
        target TEXT NOT NULL,
        command TEXT NOT NULL,
        started_at DOUBLE PRECISION NOT NULL,
        ended_at DOUBLE PRECISION,
        outcome TEXT,
        digest TEXT NOT NULL DEFAULT '',
        version TEXT NOT NULL DEFAULT '',
        who TEXT NOT NULL DEFAULT '',
        source_commit TEXT NOT NULL DEFAULT '',
        source_s BIGINT NOT NULL DEFAULT 0
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
        begun_at DOUBLE PRECISION NOT NULL,
        ended_at DOUBLE PRECISION,
        phase INTEGER NOT NULL DEFAULT 0,
        runner TEXT NOT NULL DEFAULT '',
        again INTEGER NOT NULL DEFAULT 0,
        change TEXT NOT NULL DEFAULT '{}',
        hint TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX journal_open ON journal (target, id) WHERE state <> 'done' AND state <> 'settled';
    CREATE INDEX journal_run ON journal (run, state, phase, id);
    CREATE TABLE lock (
        target TEXT PRIMARY KEY,
        "user" TEXT NOT NULL,
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        started_at DOUBLE PRECISION NOT NULL,
        beat_at DOUBLE PRECISION NOT NULL,
        boot TEXT NOT NULL DEFAULT '',
        namespace TEXT NOT NULL DEFAULT '',
        born BIGINT NOT NULL DEFAULT 0
    );
    CREATE TABLE runner (
        run INTEGER NOT NULL REFERENCES run (id),
        "user" TEXT NOT NULL,
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        started_at DOUBLE PRECISION NOT NULL,
        beat_at DOUBLE PRECISION NOT NULL,
        boot TEXT NOT NULL DEFAULT '',
        namespace TEXT NOT NULL DEFAULT '',
        born BIGINT NOT NULL DEFAULT 0,
        PRIMARY KEY (run, host, pid, started_at)
    );
    CREATE TABLE body (
        digest TEXT PRIMARY KEY,
        body TEXT NOT NULL
    );
    CREATE TABLE picture (
        target TEXT NOT NULL,
        "key" TEXT NOT NULL,
        url TEXT NOT NULL,
        uploaded_at DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (target, "key")
    );
    """,
)

VERSION = len(MIGRATIONS)

TOO_OLD = (
    "was written before kbsync's first release and cannot be used. Your articles are safe: kbsync finds them again on "
    "the portal and in git's history. Where it cannot list the portal, it creates nothing before you agree. Only the "
    "`undo` of earlier runs and the answers of `kbsync resolve` are lost."
)
"""Said of a ledger with the tables of before, behind its name."""
