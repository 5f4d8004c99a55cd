"""Values and the text that the ledger's columns hold, each made from the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from kbsync.errors import LedgerError
from kbsync.ledger.contract import Entry, Owner
from kbsync.model import STATUSES, Base, Change, Fields, Pending, RemoteId, Value

BASE_COLUMNS = "kind, remote_id, locale, slug, path, fields, status, kept"
PENDING_COLUMNS = "id, action, kind, locale, slug, path, remote_id, before, after, change"
OWNER_COLUMNS = '"user", host, pid, started_at, beat_at, boot, namespace, born'
ENTRY_COLUMNS = "id, change, remote_id, state, error, hint"

FIELDS_DECODER: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])
CHANGE_DECODER: msgspec.json.Decoder[Change] = msgspec.json.Decoder(Change)
ENCODER = msgspec.json.Encoder()


def encode_fields(fields: Fields) -> str:
    """Fields as JSON."""
    return ENCODER.encode(fields).decode()


def decode_fields(text: str) -> dict[str, Value]:
    """Fields out of JSON; lists were tuples.

    Raises:
        LedgerError: it is none.
    """
    try:
        fields = FIELDS_DECODER.decode(text)
    except msgspec.DecodeError as exc:
        hint = "move it away to keep it, and run again: kbsync then adopts what is equal on both sides"
        raise LedgerError(f"the ledger cannot be used: a row of it is damaged ({exc})", hint=hint) from exc
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}


def encode_id(remote_id: RemoteId | None) -> str | None:
    """An id as JSON text, so that 7 and "7a" each come back as they went."""
    return None if remote_id is None else ENCODER.encode(remote_id).decode()


def decode_id(text: str | None) -> RemoteId | None:
    """An id out of its column."""
    return None if text is None else msgspec.json.decode(text, type=RemoteId)


def encode_change(change: Change) -> str:
    """A change as JSON."""
    return ENCODER.encode(change).decode()


def base_of(row: tuple[Any, ...]) -> Base:
    """A row of BASE_COLUMNS."""
    kind, remote_id, locale, slug, path, fields, status, kept = row
    found = decode_id(remote_id)
    assert found is not None
    parted = decode_fields(kept) if kept != "{}" else {}
    return Base(kind, found, locale, slug, path, decode_fields(fields), STATUSES.get(status), parted)


def row_of_base(target: str, base: Base) -> tuple[Any, ...]:
    """A base as a row of `target` and BASE_COLUMNS."""
    fields, kept = encode_fields(base.fields), encode_fields(base.kept) if base.kept else "{}"
    return (
        target,
        base.kind,
        encode_id(base.remote_id),
        base.locale,
        base.slug,
        base.path,
        fields,
        base.status,
        kept,
    )


def pending_of(row: tuple[Any, ...]) -> Pending:
    """A row of PENDING_COLUMNS."""
    entry, action, kind, locale, slug, path, remote_id, before, after, change = row
    leaves = CHANGE_DECODER.decode(change).leaves if '"leaves":[' in change else {}
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


def owner_of(row: tuple[Any, ...]) -> Owner:
    """A row of OWNER_COLUMNS."""
    return Owner(*row)


def entry_of(row: tuple[Any, ...]) -> Entry:
    """A row of ENTRY_COLUMNS; the change has the id that the portal gave it since."""
    number, text, remote_id, state, error, hint = row
    change = CHANGE_DECODER.decode(text)
    if remote_id is not None:
        change = replace(change, remote_id=decode_id(remote_id))
    return Entry(number, change, state, error, hint)
