"""A row of the ledger as a line of JSON, and back, without what its file or its change says already. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from kbsync.ledger.dump import TABLES
from kbsync.model import Change

JSON_COLUMNS = frozenset({"remote_id", "fields", "kept", "overruled", "decided_for", "before", "after", "change"})
"""Columns that hold JSON: in the files it is part of the line."""

LEFT_OUT: Mapping[str, frozenset[str]] = {
    "item": frozenset({"target"}),
    "run": frozenset({"target"}),
    "journal": frozenset({"target", "run", "runner"}),
    "picture": frozenset({"target"}),
}
"""What the place of the line says already, or what means something on one machine alone."""

OF_CHANGE = frozenset({"action", "kind", "locale", "slug", "path", "before", "after"})
"""Columns of the journal that its change says as well."""

DEFAULTS: Mapping[str, Any] = {
    "error": "", "hint": "", "again": 0, "phase": 0, "kept": "{}", "overruled": "{}", "decided_for": "{}",
    "version": "", "who": "", "source_commit": "", "source_s": 0,
}  # fmt: skip
"""Left out of a line where it is so."""

NAMES: Mapping[str, tuple[str, ...]] = {
    table: tuple(name.strip('"') for name in columns) for table, columns in TABLES.items()
}
"""The columns of each table, as a line names them."""

BY = ("path", "key", "remote_id")
"""What the lines of a file are sorted by."""


def lines_of(table: str, rows: Iterable[Sequence[Any]]) -> bytes:
    """The content of a file with some rows, in the order of its lines."""
    names = NAMES[table]
    lines: list[tuple[str, bytes]] = []
    for row in rows:
        values = dict(zip(names, row, strict=True))
        order = f"{values['id']:012}" if table == "journal" else "\0".join(str(values.get(key)) for key in BY)
        lines.append((order, msgspec.json.encode(as_dict(table, row))))
    return b"\n".join(line for _, line in sorted(lines)) + b"\n"


def as_dict(table: str, row: Sequence[Any]) -> dict[str, Any]:
    """What the line of a row says, by column."""
    found: dict[str, Any] = {}
    names = NAMES[table]
    change = _decoded(row[names.index("change")] or "null") if "change" in names else None
    left_out = LEFT_OUT[table] | OF_CHANGE | {"change"} if change else LEFT_OUT[table]
    for name, value in zip(names, row, strict=True):
        if value is None or name in left_out or value == DEFAULTS.get(name):
            continue
        found[name] = _decoded(value) if name in JSON_COLUMNS else value
    if change:
        found["change"] = _brief(change)
    # Who reads a line looks for the file first.
    return {"path": found.pop("path"), **found} if "path" in found else found


def _brief(change: dict[str, Any]) -> dict[str, Any]:
    """A change without what is as it always is; `leaves: []` says something."""
    fields = [{name: value for name, value in field.items() if value is not None} for field in change["fields"]]
    brief = {name: value for name, value in change.items() if value not in (None, "", False, 0, [])}
    return {**brief, "fields": fields}


def _decoded(text: str) -> Any:
    value = msgspec.json.decode(text)
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def rows_of(table: str, content: bytes, target: str, **given: Any) -> list[list[Any]]:
    """The rows of a file; `given` are columns that its name says."""
    lines = msgspec.json.Decoder(dict[str, Any]).decode_lines(content)
    return [as_row(table, line, {"target": target, "runner": "", **given}) for line in lines]


def as_row(table: str, found: dict[str, Any], given: Mapping[str, Any]) -> list[Any]:
    """The row of what a line says."""
    if found.get("change"):
        found = {**found, **_of_change(found["change"])}
    row = []
    for name in NAMES[table]:
        value = given[name] if name in given else found.get(name, DEFAULTS.get(name))
        if name in JSON_COLUMNS and value is not None and name in found:
            value = msgspec.json.encode(value).decode()
        row.append(value)
    return row


def _of_change(brief: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that follow from a change."""
    required = {"locale": "", "slug": "", "path": "", "title": "", "remote_id": None}
    fields = [{"before": None, "after": None, **field} for field in brief["fields"]]
    change = msgspec.convert({**required, **brief, "fields": fields}, Change)
    columns = {name: getattr(change, name) for name in ("action", "kind", "locale", "slug", "path", "before", "after")}
    return {**columns, "change": change}
