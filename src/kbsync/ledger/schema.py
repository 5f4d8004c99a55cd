"""The ledger's tables, step by step, in SQL that SQLite and PostgreSQL read alike.

A ledger carries the number of the last step it has taken.
"""

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
        started_at DOUBLE PRECISION NOT NULL,
        ended_at DOUBLE PRECISION,
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
        begun_at DOUBLE PRECISION NOT NULL,
        ended_at DOUBLE PRECISION
    );
    CREATE INDEX journal_pending ON journal (target, id) WHERE state = 'pending';
    CREATE TABLE lock (
        target TEXT PRIMARY KEY,
        "user" TEXT NOT NULL,
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        started_at DOUBLE PRECISION NOT NULL,
        beat_at DOUBLE PRECISION NOT NULL
    );
    """,
    # 2: a plan lies in the journal from its beginning, several runners take their changes out of it, and what the
    # portal held before is kept.
    """
    ALTER TABLE run ADD COLUMN digest TEXT NOT NULL DEFAULT '';
    ALTER TABLE item ADD COLUMN kept TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE journal ADD COLUMN phase INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE journal ADD COLUMN runner TEXT NOT NULL DEFAULT '';
    ALTER TABLE journal ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE journal ADD COLUMN change TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE journal ADD COLUMN hint TEXT NOT NULL DEFAULT '';
    DROP INDEX journal_pending;
    CREATE INDEX journal_open ON journal (target, id) WHERE state <> 'done' AND state <> 'settled';
    CREATE INDEX journal_run ON journal (run, state, phase, id);
    CREATE TABLE body (
        digest TEXT PRIMARY KEY,
        body TEXT NOT NULL
    );
    CREATE TABLE runner (
        run INTEGER NOT NULL REFERENCES run (id),
        "user" TEXT NOT NULL,
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        started_at DOUBLE PRECISION NOT NULL,
        beat_at DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (run, host, pid, started_at)
    );
    """,
    # 3: each answer of a push looks for other rows of its slug; where pictures were uploaded to, by what is in them.
    """
    CREATE INDEX item_slug ON item (target, kind, slug);
    CREATE TABLE picture (
        target TEXT NOT NULL,
        "key" TEXT NOT NULL,
        url TEXT NOT NULL,
        uploaded_at DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (target, "key")
    );
    """,
    # 4: which process an owner is: its number means something within one boot and one namespace, and is used again.
    """
    ALTER TABLE lock ADD COLUMN boot TEXT NOT NULL DEFAULT '';
    ALTER TABLE lock ADD COLUMN namespace TEXT NOT NULL DEFAULT '';
    ALTER TABLE lock ADD COLUMN born BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE runner ADD COLUMN boot TEXT NOT NULL DEFAULT '';
    ALTER TABLE runner ADD COLUMN namespace TEXT NOT NULL DEFAULT '';
    ALTER TABLE runner ADD COLUMN born BIGINT NOT NULL DEFAULT 0;
    """,
    # 5: values of the portal that somebody decided to replace, so that the decision can be taken back and undone; when
    # the portal's item was last touched as far as kbsync knows, so that it sees that somebody was there since.
    """
    ALTER TABLE item ADD COLUMN overruled TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE item ADD COLUMN touched_s BIGINT NOT NULL DEFAULT 0;
    """,
    # 6: bodies are named with their images by key (`plan/former.py` knows the names of before); an older kbsync would
    # take every article with images for edited.
    "",
    # 7: the version of the service that a run was carried out with.
    """
    ALTER TABLE run ADD COLUMN version TEXT NOT NULL DEFAULT '';
    """,
    # 8: who began a run, for `kbsync log`: a runner's own row goes when it has done its part.
    """
    ALTER TABLE run ADD COLUMN who TEXT NOT NULL DEFAULT '';
    """,
    # 9: the commit whose files a push published, so that a clone without it knows that it is behind; what a file had
    # when somebody decided for it (`ledger/rows.py` knows where that was before).
    """
    ALTER TABLE run ADD COLUMN source_commit TEXT NOT NULL DEFAULT '';
    ALTER TABLE item ADD COLUMN decided_for TEXT NOT NULL DEFAULT '{}';
    """,
    # 10: by field, the commit whose files had what is agreed on: what a push found alike is in no journal.
    """
    ALTER TABLE item ADD COLUMN commits TEXT NOT NULL DEFAULT '{}';
    """,
    # 11: beside the commit of a run may be the id of its clone (`ledger/rows.py`); an older kbsync would take the row
    # for damaged.
    "",
)

VERSION = len(MIGRATIONS)
