"""Values and the text that the ledger's columns hold, each made from the other."""

from __future__ import annotations

from typing import Any

import msgspec

from kbsync.model import STATUSES, Base, Fields, Kind, Pending, RemoteId, Value

BASE_COLUMNS = "kind, remote_id, locale, slug, path, fields, status"
PENDING_COLUMNS = "id, action, kind, locale, slug, path, remote_id, before, after"

FIELDS_DECODER: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])


def encode_fields(fields: Fields) -> str:
    """Fields as JSON."""
    return msgspec.json.encode(fields).decode()


def decode_fields(text: str) -> dict[str, Value]:
    """Fields out of JSON; lists were tuples."""
    fields = FIELDS_DECODER.decode(text)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}


def encode_id(remote_id: RemoteId | None) -> str | None:
    """An id as JSON text, so that 7 and "7a" each come back as they went."""
    return None if remote_id is None else msgspec.json.encode(remote_id).decode()


def decode_id(text: str | None) -> RemoteId | None:
    """An id out of its column."""
    return None if text is None else msgspec.json.decode(text, type=RemoteId)


def base_of(row: tuple[Kind, str, str, str, str, str, str | None]) -> Base:
    """A row of BASE_COLUMNS."""
    kind, remote_id, locale, slug, path, fields, status = row
    found = decode_id(remote_id)
    assert found is not None
    return Base(kind, found, locale, slug, path, decode_fields(fields), STATUSES.get(status))


def pending_of(row: tuple[int, str, Kind, str, str, str, str | None, str, str]) -> Pending:
    """A row of PENDING_COLUMNS."""
    entry, action, kind, locale, slug, path, remote_id, before, after = row
    return Pending(
        entry, action, kind, locale, slug, path, decode_id(remote_id), decode_fields(before), decode_fields(after)
    )
