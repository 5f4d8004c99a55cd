"""JSON Schemas of what kbsync prints and reads, made from the types that do it. Pure.

No file has them, so none can be out of date; `make schemas` writes them for a test that notices every change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import msgspec

from kbsync.config.about import ABOUT as ABOUT_SETTINGS
from kbsync.config.about import ABOUT_PORTAL
from kbsync.config.moments import DATE
from kbsync.config.moments import MOMENT as WITH_ZONE
from kbsync.config.portal_file import NESTED, PortalTables
from kbsync.config.settings import Settings
from kbsync.content.about import ABOUT as ABOUT_KEYS
from kbsync.content.keys import (
    ARTICLE_KEYS,
    BLOB,
    BLOB_ID,
    CATEGORY_KEYS,
    LIST,
    MANAGE,
    MAX_NUMBER,
    MOMENT,
    NAME,
    NUMBER,
    SWITCH,
    TEXT,
    WORDS_ALLOWED,
)
from kbsync.fields import GROUPS
from kbsync.ledger.dump import SCHEMA, TABLES, Export
from kbsync.model import Manage
from kbsync.report.escape import json_text
from kbsync.report.handoff_types import HandOff, TranslateInput
from kbsync.report.json_types import (
    CheckReport,
    DiffReport,
    HistoryReport,
    LintReport,
    PlanReport,
    PushReport,
    StatusReport,
    VerifyReport,
)

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REF = "#/$defs/{name}"

Schema = dict[str, Any]


def schema_text(name: str) -> str:
    number, title, make = SCHEMAS[name]
    # Not an address: the schema is where kbsync is, and nowhere on the web.
    head = {"$schema": DIALECT, "$id": f"urn:kbsync:schema:{name}:{number}", "title": title}
    return json_text(head | {key: _ordered(value) for key, value in make().items() if key != "title"})


def _ordered(value: Any) -> Any:
    """With nothing as the last alternative: versions of msgspec put it first or last."""
    if isinstance(value, list):
        return [_ordered(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: _ordered(item) for key, item in value.items()}
    if "anyOf" in found:
        found["anyOf"] = sorted(found["anyOf"], key=lambda one: one == {"type": "null"})
    return found


def schema_names() -> dict[str, str]:
    """Every name, with what the schema is about."""
    return {name: title for name, (_, title, _) in SCHEMAS.items()}


def _of(kind: type) -> Callable[[], Schema]:
    """Makes the schema of a type, with those that it refers to below it."""

    def make() -> Schema:
        _, components = msgspec.json.schema_components([kind], ref_template=REF)
        top: Schema = components.pop(kind.__name__)
        return top | ({"$defs": components} if components else {})

    return make


def _ledger() -> Schema:
    """An export, each table with the number of its columns."""
    found = _of(Export)()
    cell = found["properties"]["tables"]["additionalProperties"]["items"]["items"]
    found["properties"]["schema"] = {"description": found["properties"]["schema"]["description"], "enum": [SCHEMA]}
    found["properties"]["tables"] |= {
        "properties": {name: _table(columns, cell) for name, columns in TABLES.items()},
        "additionalProperties": False,
    }
    return found


def _table(columns: tuple[str, ...], cell: Schema) -> Schema:
    names = ", ".join(column.strip('"') for column in columns)
    row = {"type": "array", "items": cell, "minItems": len(columns), "maxItems": len(columns)}
    return {"description": f"Rows with these columns, in this order: {names}.", "type": "array", "items": row}


def _config() -> Schema:
    """kbsync.toml: what is not in it is an error, so it is one here, too."""
    hints = get_type_hints(Settings)
    names = [name for name in Settings.__struct_fields__ if name not in {"path", "state"}]
    kinds = [hints[name] for name in names if name != "authors"]
    _, components = msgspec.json.schema_components(kinds, ref_template=REF)
    tables = {
        name: _settings_table(name, components[hints[name].__name__]) if name != "authors" else _authors()
        for name in names
    }
    refs: Schema = {name: {"$ref": f"#/$defs/{name}"} for name in names}
    environment = {"type": "object", "properties": refs, "additionalProperties": False}
    about = ABOUT_SETTINGS["env"]
    return {
        "description": "The settings of a project, in the file kbsync.toml.",
        "type": "object",
        "properties": refs | {"env": {"description": about, "type": "object", "additionalProperties": environment}},
        "additionalProperties": False,
        "$defs": tables,
    }


def _settings_table(name: str, schema: Schema) -> Schema:
    properties = {
        key: {"description": ABOUT_SETTINGS[f"{name}.{key}"]} | value for key, value in schema["properties"].items()
    }
    about = ABOUT_SETTINGS[name]
    return {"description": about, "type": "object", "properties": properties, "additionalProperties": False}


def _authors() -> Schema:
    return {"description": ABOUT_SETTINGS["authors"], "type": "object", "additionalProperties": {"type": "integer"}}


def _portal() -> Schema:
    """portal.toml: what is not in it is an error, so it is one here, too."""
    top = _of(PortalTables)()
    found = {key: _strict(top["$defs"][kind.__name__], f"{key}.") for key, kind in NESTED.items()}
    tables = {
        key: {"description": ABOUT_PORTAL[key]}
        | (inner if key in GROUPS else {"type": "object", "additionalProperties": inner})
        for key, inner in found.items()
    }
    plain = {key: value for key, value in top["properties"].items() if key not in NESTED}
    schema = _strict({"properties": plain}, "")
    properties = schema["properties"] | tables
    return schema | {"description": "What the portal itself is, in the file portal.toml.", "properties": properties}


def _strict(schema: Schema, prefix: str) -> Schema:
    """An object with these keys and no others, each with its sentence."""
    known = schema["properties"].items()
    properties = {key: {"description": ABOUT_PORTAL[prefix + key]} | value for key, value in known}
    return {"type": "object", "properties": properties, "additionalProperties": False}


KINDS: Mapping[str, Schema] = {
    TEXT: {"type": "string"},
    NUMBER: {"type": "integer", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
    LIST: {"type": "array", "items": {"type": "string"}},
    MANAGE: {"enum": [True, False, Manage.SEED.value]},
    MOMENT: {"type": "string", "pattern": f"^(?:{DATE.pattern}|{WITH_ZONE.pattern})$"},
    NAME: {"type": ["string", "number"]},
    BLOB: {"type": ["string", "integer"], "pattern": f"^{BLOB_ID.pattern}$"},
    SWITCH: {"type": "boolean"},
}
"""By what a key may hold."""


def _front_matter() -> Schema:
    """Keys of articles and categories in one: those that both have hold the same. Other keys are ignored."""
    keys = {**ARTICLE_KEYS, **CATEGORY_KEYS}
    properties = {key: {"description": _about(key)} | _allowed(key, kind) for key, kind in keys.items()}
    return {
        "description": "The keys at the top of an article or of a _category.md.",
        "type": "object",
        "properties": properties,
    }


def _about(key: str) -> str:
    """What a key is, and where it can be used if not everywhere."""
    if key in ARTICLE_KEYS and key in CATEGORY_KEYS:
        return ABOUT_KEYS[key]
    place = "articles" if key in ARTICLE_KEYS else "categories"
    return f"{ABOUT_KEYS[key].removesuffix('.')} ({place} only)."


def _allowed(key: str, kind: str) -> Schema:
    if kind == TEXT and key in WORDS_ALLOWED:
        return {"enum": list(WORDS_ALLOWED[key])}
    return KINDS[kind]


SCHEMAS: Mapping[str, tuple[int, str, Callable[[], Schema]]] = {
    "plan": (1, "Output of `kbsync plan --format json`", _of(PlanReport)),
    "push": (1, "Output of `kbsync push --format json` and `kbsync undo --format json`", _of(PushReport)),
    "lint": (1, "Output of `kbsync lint --format json`", _of(LintReport)),
    "check": (1, "Output of `kbsync check --format json`", _of(CheckReport)),
    "verify": (1, "Output of `kbsync verify --format json`", _of(VerifyReport)),
    "status": (1, "Output of `kbsync status --format json`", _of(StatusReport)),
    "diff": (1, "Output of `kbsync diff --format json`", _of(DiffReport)),
    "history": (1, "Output of `kbsync why --history --format json`", _of(HistoryReport)),
    "handoff": (1, "The file manifest.json of `kbsync translate --out`", _of(HandOff)),
    "translate": (1, "What the program of `kbsync translate --with` reads", _of(TranslateInput)),
    "ledger": (9, "Output of `kbsync ledger export`", _ledger),
    "config": (1, "The file kbsync.toml", _config),
    "portal": (1, "The file portal.toml", _portal),
    "front-matter": (1, "The block at the top of a Markdown file", _front_matter),
}
"""By name: version, title, and what makes it."""
