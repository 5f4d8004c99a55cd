"""Values and the text that the ledger's columns hold, each made from the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, TypeVar

import msgspec

from kbsync.errors import LedgerError
from kbsync.ledger.contract import Entry, Owner, State
from kbsync.model import Base, Change, Fields, Kind, Pending, RemoteId, Status, Value

T = TypeVar("T")

BASE_COLUMNS = "kind, remote_id, locale, slug, path, fields, status, kept, overruled"
PENDING_COLUMNS = "id, action, kind, locale, slug, path, remote_id, before, after, change"
OWNER_COLUMNS = '"user", host, pid, started_at, beat_at, boot, namespace, born'
ENTRY_COLUMNS = "id, change, remote_id, state, error, hint"

Seconds = Annotated[float, msgspec.Meta(ge=0, le=2e11)]
"""Since 1970; more than a calendar has is damage."""

Pid = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]

BaseRow = tuple[Kind, str, str, str, str, str, Status | None, str, str]
PendingRow = tuple[int, str, Kind, str, str, str, str | None, str, str, str]
OwnerRow = tuple[str, str, Pid, Seconds, Seconds, str, str, int]
EntryRow = tuple[int, str, str | None, State, str, str]
RunRow = tuple[int, str, Seconds, Seconds | None, str, str]
PictureRow = tuple[str, str, Seconds]
"""What the columns hold. SQLite puts anything into any column, and the file may have come with a clone."""

FIELDS_DECODER: msgspec.json.Decoder[dict[str, Value]] = msgspec.json.Decoder(dict[str, Value])
ID_DECODER: msgspec.json.Decoder[RemoteId] = msgspec.json.Decoder(RemoteId)
CHANGE_DECODER: msgspec.json.Decoder[Change] = msgspec.json.Decoder(Change)
ENCODER = msgspec.json.Encoder()


def encode_fields(fields: Fields) -> str:
    """Fields as JSON."""
    return ENCODER.encode(fields).decode()


def checked(rows: list[tuple[Any, ...]], kind: type[list[T]]) -> list[T]:
    """Rows, if every column holds what it should.

    Raises:
        LedgerError: one does not.
    """
    try:
        return msgspec.convert(rows, kind)
    except msgspec.ValidationError as exc:
        raise _damaged(exc) from exc


def decode_fields(text: str) -> dict[str, Value]:
    """Fields out of JSON; lists were tuples."""
    return _decoded(FIELDS_DECODER, text)


def _decoded(decoder: msgspec.json.Decoder[T], text: str) -> T:
    try:
        return decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError) as exc:
        raise _damaged(exc) from exc


def _damaged(exc: Exception) -> LedgerError:
    hint = "move it away to keep it, and run again: kbsync then adopts what is equal on both sides"
    return LedgerError(f"the ledger cannot be used: a row of it is damaged ({exc})", hint=hint)


def encode_id(remote_id: RemoteId | None) -> str | None:
    """An id as JSON text, so that 7 and "7a" each come back as they went."""
    return None if remote_id is None else ENCODER.encode(remote_id).decode()


def decode_id(text: str | None) -> RemoteId | None:
    """An id out of its column."""
    return None if text is None else _decoded(ID_DECODER, text)


def encode_change(change: Change) -> str:
    """A change as JSON."""
    return ENCODER.encode(change).decode()


def bases_of(rows: list[tuple[Any, ...]]) -> list[Base]:
    """Rows of BASE_COLUMNS."""
    return [_base_of(row) for row in checked(rows, list[BaseRow])]


def _base_of(row: BaseRow) -> Base:
    kind, remote_id, locale, slug, path, fields, status, kept, overruled = row
    found = _decoded(ID_DECODER, remote_id)
    decided = (_decode_decided(kept), _decode_decided(overruled))
    return Base(kind, found, locale, slug, path, decode_fields(fields), status, *decided)


def _encode_decided(fields: Fields) -> str:
    return encode_fields(fields) if fields else "{}"


def _decode_decided(text: str) -> dict[str, Value]:
    return decode_fields(text) if text != "{}" else {}


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
    )


def all_pending_of(rows: list[tuple[Any, ...]]) -> list[Pending]:
    """Rows of PENDING_COLUMNS."""
    return [_pending_of(row) for row in checked(rows, list[PendingRow])]


def _pending_of(row: PendingRow) -> Pending:
    entry, action, kind, locale, slug, path, remote_id, before, after, change = row
    leaves = _decoded(CHANGE_DECODER, change).leaves if '"leaves":[' in change else {}
    fields = (decode_fields(before), decode_fields(after))
    return Pending(entry, action, kind, locale, slug, path, decode_id(remote_id), *fields, leaves)


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


def owners_of(rows: list[tuple[Any, ...]]) -> list[Owner]:
    """Rows of OWNER_COLUMNS."""
    return [Owner(*row) for row in checked(rows, list[OwnerRow])]


def entries_of(rows: list[tuple[Any, ...]]) -> list[Entry]:
    """Rows of ENTRY_COLUMNS; each change has the id that the portal gave it since."""
    return [_entry_of(row) for row in checked(rows, list[EntryRow])]


def _entry_of(row: EntryRow) -> Entry:
    number, text, remote_id, state, error, hint = row
    change = _decoded(CHANGE_DECODER, text)
    if remote_id is not None:
        change = replace(change, remote_id=decode_id(remote_id))
    return Entry(number, change, state, error, hint)
