"""Values and the text that the ledger's columns hold, each made from the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec.structs import replace

from kbsync.errors import LedgerError
from kbsync.ledger.database import Database
from kbsync.ledger.values import Entry, Owner, Source, State
from kbsync.model import (
    NO_FIELDS,
    Base,
    Change,
    Fields,
    Kind,
    Pending,
    RemoteId,
    Status,
    Value,
)

T = TypeVar("T")

BASE_COLUMNS = "kind, remote_id, locale, slug, path, fields, status, kept, overruled, touched_s, decided_for"
PENDING_COLUMNS = "id, action, kind, locale, slug, path, remote_id, before, after, change"
OWNER_COLUMNS = '"user", host, pid, started_at, beat_at, boot, namespace, born'
ENTRY_COLUMNS = "id, change, remote_id, state, error, hint"
RUN_COLUMNS = "id, command, started_at, ended_at, outcome, digest, version, who, source_commit"
IMAGE_COLUMNS = '"key", url, uploaded_at'
SOURCE_COLUMNS = "kind, remote_id, source_commit, source_s"

Seconds = Annotated[float, msgspec.Meta(ge=0, le=2e11)]
"""Since 1970; more than a calendar has is damage."""

Pid = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]

CommitId = Annotated[str, msgspec.Meta(pattern=r"\A(?:[0-9a-f]{40}(?:[0-9a-f]{24})?)?\Z")]
"""Handed to git."""

WholeSeconds = Annotated[int, msgspec.Meta(ge=0, le=200_000_000_000)]

BaseRow = tuple[Kind, str, str, str, str, str, Status | None, str, str, int, str]
PendingRow = tuple[int, str, Kind, str, str, str, str | None, str, str, str]
OwnerRow = tuple[str, str, Pid, Seconds, Seconds, str, str, int]
EntryRow = tuple[int, str, str | None, State, str, str]
RunRow = tuple[int, str, Seconds, Seconds | None, str | None, str, str, str, CommitId]
ImageRow = tuple[str, str, Seconds]
SourceRow = tuple[Kind, str, CommitId, WholeSeconds]
"""What the columns hold. SQLite puts anything into any column, and the file may have come with a clone."""

FIELDS_DECODER: msgspec.json.Decoder[dict[str, Value]] = msgspec.json.Decoder(dict[str, Value])
ID_DECODER: msgspec.json.Decoder[RemoteId] = msgspec.json.Decoder(RemoteId)
CHANGE_DECODER: msgspec.json.Decoder[Change] = msgspec.json.Decoder(Change)
ENCODER = msgspec.json.Encoder()


def encode_fields(fields: Fields) -> str:
    """Fields as JSON."""
    return ENCODER.encode(fields).decode()


@contextmanager
def reading(db: Database) -> Iterator[None]:
    """A block that makes values of rows.

    Raises:
        LedgerError: a column does not hold what it should; the message names the ledger.
    """
    try:
        yield
    except (msgspec.DecodeError, UnicodeEncodeError) as exc:
        raise LedgerError(f"{db.name} cannot be used: one of its rows is damaged ({exc}).", hint=db.rescue) from exc


def checked(db: Database, rows: list[tuple[Any, ...]], kind: type[list[T]]) -> list[T]:
    """Rows, if every column holds what it should.

    Raises:
        LedgerError: one does not.
    """
    with reading(db):
        return msgspec.convert(rows, kind)


def encode_id(remote_id: RemoteId | None) -> str | None:
    """An id as JSON text, so that 7 and "7a" each come back as they went."""
    return None if remote_id is None else ENCODER.encode(remote_id).decode()


def decode_id(text: str | None) -> RemoteId | None:
    """An id out of its column."""
    return None if text is None else ID_DECODER.decode(text)


def encode_change(change: Change) -> str:
    """A change as JSON."""
    return ENCODER.encode(change).decode()


def sources_of(db: Database, rows: list[tuple[Any, ...]]) -> dict[tuple[Kind, RemoteId], Source]:
    """Rows of SOURCE_COLUMNS, by the item that they are about."""
    with reading(db):
        found = msgspec.convert(rows, list[SourceRow])
        return {(kind, ID_DECODER.decode(id_)): Source(commit, made_s) for kind, id_, commit, made_s in found}


def bases_of(db: Database, rows: list[tuple[Any, ...]]) -> list[Base]:
    """Rows of BASE_COLUMNS."""
    with reading(db):
        return list(map(_base_of, msgspec.convert(rows, list[BaseRow])))


def _base_of(row: BaseRow) -> Base:
    kind, remote_id, locale, slug, path, text, status, kept, decided, touched_s, decided_for = row
    return Base(
        kind=kind,
        remote_id=ID_DECODER.decode(remote_id),
        locale=locale,
        slug=slug,
        path=path,
        fields=FIELDS_DECODER.decode(text),
        status=status,
        kept=_decode_decided(kept),
        overruled=_decode_decided(decided),
        decided_for=_decode_decided(decided_for),
        touched_s=touched_s,
    )


def _encode_decided(fields: Fields) -> str:
    return encode_fields(fields) if fields else "{}"


def _decode_decided(text: str) -> Fields:
    return FIELDS_DECODER.decode(text) if text != "{}" else NO_FIELDS


def row_of_base(target: str, base: Base) -> tuple[Any, ...]:
    """A base as a row of `target` and BASE_COLUMNS."""
    return (
        target,
        base.kind,
        encode_id(base.remote_id),
        base.locale,
        base.slug,
        base.path,
        encode_fields(base.fields),
        base.status,
        _encode_decided(base.kept),
        _encode_decided(base.overruled),
        base.touched_s,
        _encode_decided(base.decided_for),
    )


def all_pending_of(db: Database, rows: list[tuple[Any, ...]]) -> list[Pending]:
    """Rows of PENDING_COLUMNS."""
    with reading(db):
        return [_pending_of(row) for row in msgspec.convert(rows, list[PendingRow])]


def _pending_of(row: PendingRow) -> Pending:
    entry, action, kind, locale, slug, path, remote_id, before, after, change = row
    leaves = CHANGE_DECODER.decode(change).leaves if '"leaves":[' in change else {}
    return Pending(
        entry=entry,
        action=action,
        kind=kind,
        locale=locale,
        slug=slug,
        path=path,
        remote_id=decode_id(remote_id),
        before=FIELDS_DECODER.decode(before),
        after=FIELDS_DECODER.decode(after),
        leaves=leaves,
    )


def row_of_owner(owner: Owner, now: float) -> tuple[Any, ...]:
    """An owner whose heart beats now, as a row of OWNER_COLUMNS."""
    return (
        owner.user,
        owner.host,
        owner.pid,
        owner.started_at,
        now,
        owner.boot,
        owner.namespace,
        owner.born,
    )


def owners_of(db: Database, rows: list[tuple[Any, ...]]) -> list[Owner]:
    """Rows of OWNER_COLUMNS."""
    return [Owner(*row) for row in checked(db, rows, list[OwnerRow])]


def entries_of(db: Database, rows: list[tuple[Any, ...]]) -> list[Entry]:
    """Rows of ENTRY_COLUMNS; each change has the id that the portal gave it since."""
    with reading(db):
        return [_entry_of(row) for row in msgspec.convert(rows, list[EntryRow])]


def _entry_of(row: EntryRow) -> Entry:
    number, text, remote_id, state, error, hint = row
    change = CHANGE_DECODER.decode(text)
    if remote_id is not None:
        change = replace(change, remote_id=decode_id(remote_id))
    return Entry(number, change, state, error, hint)
