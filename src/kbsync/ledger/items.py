"""The rows of managed items and of images, and the bodies that the portal held before a push changed them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from kbsync.ledger.database import AT_ONCE, Database
from kbsync.ledger.rows import (
    BASE_COLUMNS,
    IMAGE_COLUMNS,
    SOURCE_COLUMNS,
    ImageRow,
    bases_of,
    checked,
    encode_id,
    row_of_base,
    sources_of,
)
from kbsync.ledger.values import Source, Uploaded
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Base, Kind, RemoteId

DIGEST_BYTES = 16

ROWS_AT_ONCE = 500
"""SQLite before 3.32 takes 999 values in a query."""


def bases(db: Database, target: str) -> list[Base]:
    """The base of every managed item of a portal."""
    query = f"SELECT {BASE_COLUMNS} FROM item WHERE target = ?"
    return [base for rows in db.ask_in_parts(query, (target,)) for base in bases_of(db, rows)]


def bases_of_slugs(db: Database, target: str, kind: Kind, slugs: Iterable[str]) -> list[Base]:
    """The bases of some slugs."""
    query = f"SELECT {BASE_COLUMNS} FROM item WHERE target = ? AND kind = ? AND slug = ?"
    return [base for slug in slugs for base in bases_of(db, db.ask(query, (target, kind, slug)))]


def sources(db: Database, target: str) -> dict[tuple[Kind, RemoteId], Source]:
    """By item, the commit of the run that wrote its row, where it had one."""
    query = f"SELECT {SOURCE_COLUMNS} FROM item WHERE target = ? AND source_commit <> ''"
    return sources_of(db, db.ask(query, (target,)))


def put(db: Database, target: str, some: Iterable[Base], source: Source) -> None:
    """Record some bases, written by a run of this commit; where it has none, that of each row stays.

    No two of them are of one source file. Of many, never more than some are in memory.
    """
    columns = f"{BASE_COLUMNS}, source_commit, source_s"
    came = ", source_commit = excluded.source_commit, source_s = excluded.source_s" if source.commit else ""
    left = iter(some)
    stale: set[tuple[str, str | None]] = set()
    while part := list(islice(left, AT_ONCE)):
        # An item made again for its source has another id; the old row would make it managed twice. It goes last: where
        # two sources trade items, it may be the row of one that is still to come, with its commit.
        stale |= _other_rows(db, target, part)
        stale -= {(base.kind, encode_id(base.remote_id)) for base in part}
        db.run_many(
            f"""INSERT INTO item (target, {columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (target, kind, remote_id) DO UPDATE SET locale = excluded.locale, slug = excluded.slug,
                path = excluded.path, fields = excluded.fields, status = excluded.status, kept = excluded.kept,
                overruled = excluded.overruled, touched_s = excluded.touched_s,
                decided_for = excluded.decided_for{came}""",
            [(*row_of_base(target, base), source.commit, source.made_s) for base in part],
        )
    if stale:
        remove(db, target, stale)


def _other_rows(db: Database, target: str, some: Iterable[Base]) -> set[tuple[str, str | None]]:
    """The rows of the sources of some bases under other ids, by kind and encoded id.

    Of another source a row may have the same slug for a while: it gave that up, and the answer that says so was lost.
    """
    ours = {_source(base.kind, base.locale, base.slug, base.path): encode_id(base.remote_id) for base in some}
    found: set[tuple[str, str | None]] = set()
    for kind in {source[0] for source in ours}:
        slugs = list({source[2] for source in ours if source[0] == kind})
        for first in range(0, len(slugs), ROWS_AT_ONCE):
            part = slugs[first : first + ROWS_AT_ONCE]
            query = f"""SELECT remote_id, locale, slug, path FROM item
                        WHERE target = ? AND kind = ? AND slug IN ({", ".join("?" * len(part))})"""
            for remote_id, locale, slug, path in db.ask(query, (target, kind, *part)):
                if ours.get(_source(kind, locale, slug, path), remote_id) != remote_id:
                    found.add((kind, remote_id))
    return found


def _source(kind: str, locale: str, slug: str, path: str) -> tuple[str, str, str, str]:
    """What names a source: an article stays one whatever its locale."""
    return kind, "" if kind == "article" else locale, slug, path


def remove(db: Database, target: str, keys: Iterable[tuple[str, str | None]]) -> None:
    """Forget some items, by kind and encoded id."""
    query = "DELETE FROM item WHERE target = ? AND kind = ? AND remote_id = ?"
    db.run_many(query, [(target, kind, remote_id) for kind, remote_id in keys])


def forget(db: Database, target: str, some: Iterable[Base]) -> None:
    """Forget what some bases are about."""
    remove(db, target, ((base.kind, encode_id(base.remote_id)) for base in some))


def images(db: Database, target: str) -> dict[str, Uploaded]:
    """Where images were uploaded to, by key."""
    rows = db.ask(f"SELECT {IMAGE_COLUMNS} FROM picture WHERE target = ?", (target,))
    return {key: Uploaded(url, at) for key, url, at in checked(db, rows, list[ImageRow])}


def keep_image(db: Database, target: str, key: str, uploaded: Uploaded) -> None:
    """Record where an image was uploaded to."""
    query = """INSERT INTO picture (target, "key", url, uploaded_at) VALUES (?, ?, ?, ?)
               ON CONFLICT (target, "key") DO UPDATE SET url = excluded.url, uploaded_at = excluded.uploaded_at"""
    db.run(query, (target, key, uploaded.url, uploaded.at))


def keep_bodies(db: Database, bodies: Iterable[str]) -> None:
    """Keep bodies under their digests; of those that differ in line breaks at the ends alone, the last one."""
    query = "INSERT INTO body (digest, body) VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET body = excluded.body"
    db.run_many(query, [(body_digest(body), body) for body in bodies])
