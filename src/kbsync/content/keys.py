"""The keys a front matter may have, and what each may hold. Explained in content/en/writing/front-matter.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from kbsync.config.moments import EXAMPLES, lacks_zone, read_moment
from kbsync.content.entries import WORDS, Entry, FrontMatter
from kbsync.content.rules import (
    NO_VALUE,
    NUL,
    UNCLEAR_TIMING,
    UNKNOWN_MANAGE,
    UNKNOWN_STATUS,
    WRONG_TYPE,
)
from kbsync.content.source import Problem
from kbsync.content.unknown_keys import unknown_key
from kbsync.fields import FIELDS, Owner, Type
from kbsync.model import Manage, Status
from kbsync.words import did_you_mean

TEXT, NUMBER, LIST, MANAGE = "text", "a whole number", "a list of texts", "true, false or seed"
MOMENT, NAME = "a date", "a name or a number"
BLOB, SWITCH = "the id of a git blob", "true or false"

WORDS_OF: Mapping[Type, str] = {Type.TEXT: TEXT, Type.NUMBER: NUMBER, Type.TEXTS: LIST}


def _keys_of(owner: Owner) -> dict[str, str]:
    """The keys whose values are fields, and what each may hold."""
    return {field.name: WORDS_OF[field.type] for field in FIELDS if owner in field.of and field.name != "content"}


# An author is a name here, and an id on the portal.
ARTICLE_KEYS: Mapping[str, str] = {
    "title": TEXT, **_keys_of("article"), "author": TEXT, "locale": TEXT, "status": TEXT, "translation_of": TEXT,
    "aliases": LIST, "manage": MANAGE, "publish_on": MOMENT, "release": NAME, "translated_from": BLOB,
    "machine": SWITCH, "lint_ignore": LIST,
}  # fmt: skip

CATEGORY_KEYS: Mapping[str, str] = {
    "name": TEXT,
    **_keys_of("category"),
    "translation_of": TEXT,
    "locale": TEXT,
    "aliases": LIST,
    "lint_ignore": LIST,
}

INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,9})")
MAX_NUMBER = 2_147_483_647
"""Source: docs/service.md, S24: a number beyond the database's makes the service answer 500."""

COLOR = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}")
COLOR_HINT = 'Write `#` and three or six hexadecimal digits, in quotes: "#1f93ff".'
"""Pages leave out what is none (docs/service.md, S102). Without quotes, YAML takes it for a comment."""

MAX_SHOWN = 60
"""Characters of a wrong value that its message repeats."""

YES, NO = {"true", "yes", "on"}, {"false", "no", "off"}
WORDS_ALLOWED = {"status": [status.value for status in Status], "manage": [manage.value for manage in Manage]}
CLEARED = {
    field.name: "[]" if field.type is Type.TEXTS else '""'
    for field in FIELDS
    if field.as_given and field.type is not Type.NUMBER
}
"""Keys that can be cleared, and how that is written."""

WRITTEN = {"str", "int", "float", "timestamp"}
"""What YAML may take a date or the name of a release for."""

WORDLESS = {"null", "list", "map"}
"""What is not text, and would not become what its writer wants in quotes."""

RULE_OF = {"status": UNKNOWN_STATUS, "manage": UNKNOWN_MANAGE}


EXAMPLE_OF = {NUMBER: "20", MOMENT: "2026-12-01", NAME: '"5.2"', BLOB: "3f2a91c07be4", SWITCH: "true"}

BLOB_ID = re.compile(r"[0-9a-f]{12,64}")
"""The first digits of the name that git gives to a file's bytes; 12 of them tell the files of a repository apart."""


def take_values(front: FrontMatter, allowed: Mapping[str, str], problems: list[Problem]) -> dict[str, Any]:
    """The values that are as they should be; every other one becomes a problem."""
    values: dict[str, Any] = {}
    for key, entry in front.items():
        wanted = allowed.get(key)
        if wanted is None:
            place, is_simple = (entry.place.line, entry.place.column), entry.tag not in {"list", "map"}
            problems.append(unknown_key(key, place, allowed, front, is_simple=is_simple))
        elif entry.tag == "null" and not entry.text.strip("~"):
            problems.append(_untimed(entry) if wanted in {MOMENT, NAME} else _empty(entry))
        else:
            value = _typed(entry, wanted, problems)
            if value is not None:
                values[key] = value
    return values


def _empty(entry: Entry) -> Problem:
    message = f"`{entry.key}` is empty, so kbsync treats it as left out."
    return entry.problem(NO_VALUE, message, _empty_hint(entry.key))


def _untimed(entry: Entry) -> Problem:
    """Left out, it would be published at once: not what somebody wants who begins such a line."""
    hint = "Delete the line to publish the article without it, or write a value."
    return entry.problem(UNCLEAR_TIMING, f"`{entry.key}` is empty.", hint)


def _empty_hint(key: str) -> str:
    if key == "icon_color":
        return f"Delete the line. {COLOR_HINT}"
    if key in WORDS_ALLOWED:
        return f"Delete the line, or write one of: {', '.join(WORDS_ALLOWED[key])}."
    if key in CLEARED:
        return f"Delete the line, or write `{key}: {CLEARED[key]}` to clear it."
    return "Delete the line, or write a value."


def _typed(entry: Entry, wanted: str, problems: list[Problem]) -> Any:
    tags, take = _TAKES[wanted]
    return take(entry, problems) if tags is None or entry.tag in tags else _refuse(entry, wanted, problems)


def _refuse(entry: Entry, wanted: str, problems: list[Problem]) -> Any:
    problems.append(_wrong_type(entry, wanted))
    return None


def _manage(entry: Entry, problems: list[Problem]) -> str | None:
    text = entry.text.lower()
    if entry.tag != "bool" or text not in YES | NO:
        return _one_of(entry, problems)
    return "true" if text in YES else "false"


def _number(entry: Entry, problems: list[Problem]) -> Any:
    if INTEGER.fullmatch(entry.text) and abs(int(entry.text)) <= MAX_NUMBER:
        return int(entry.text)
    return _refuse(entry, NUMBER, problems)


def _list(entry: Entry, problems: list[Problem]) -> Any:
    if any(item.tag != "str" for item in entry.items):
        return _refuse(entry, LIST, problems)
    return None if _has_nul(entry, problems) else tuple(item.text for item in entry.items)


def _text(entry: Entry, problems: list[Problem]) -> str | None:
    if entry.key in WORDS_ALLOWED:
        return _one_of(entry, problems)
    if entry.key == "icon_color" and entry.text and not COLOR.fullmatch(entry.text):
        problems.append(entry.problem(WRONG_TYPE, f"`{_short(entry.text)}` is not a color.", COLOR_HINT))
        return None
    return None if _has_nul(entry, problems) else entry.text


LIKENESS = 0.8
"""How much a word has to look like an allowed one: `active` is not a misspelled `archived`."""


def _one_of(entry: Entry, problems: list[Problem]) -> str | None:
    allowed = WORDS_ALLOWED[entry.key]
    if entry.text in allowed:
        return entry.text
    hint = f"Use one of: {', '.join(allowed)}."
    if near := did_you_mean(entry.text.lower(), allowed, cutoff=LIKENESS):
        hint = f"{near} {hint}"
    shown = f"`{_short(entry.text)}`" if entry.text else "This"
    message = f"{shown} is not a value of `{entry.key}`."
    problems.append(entry.problem(RULE_OF[entry.key], message, hint))
    return None


def _moment(entry: Entry, problems: list[Problem]) -> str | None:
    """As it is written: which moment a date is depends on the project."""
    text = entry.text.strip()
    if read_moment(text) is not None:
        return text
    if lacks_zone(text):
        message = f"`{entry.key}` has a time without a time zone: `{_short(text)}`."
        hint = f"Add the zone, such as `{text}Z` for UTC or `{text}+01:00`. Or write only the date."
    else:
        message = f"`{entry.key}` must be a date, or a date and time with a zone, and is `{_short(text)}`."
        hint = f"Write it as {EXAMPLES}."
    problems.append(entry.problem(UNCLEAR_TIMING, message, hint))
    return None


def _blob(entry: Entry, problems: list[Problem]) -> Any:
    text = entry.text.strip().lower()
    if not text:
        return _refuse(entry, BLOB, problems)
    if BLOB_ID.fullmatch(text):
        return text
    message = f"`{entry.key}` must be {BLOB}, and is `{_short(entry.text)}`."
    hint = "Delete the line. If the translation is up to date, run `kbsync translate --done` with this file."
    problems.append(entry.problem(WRONG_TYPE, message, hint))
    return None


def _name(entry: Entry, problems: list[Problem]) -> str | None:
    """A name as it is written: as a number, 5.10 would be 5.1."""
    if not (text := " ".join(entry.text.split())):
        problems.append(_untimed(entry))
        return None
    return None if _has_nul(entry, problems) else text


def _has_nul(entry: Entry, problems: list[Problem]) -> bool:
    if "\0" not in entry.text and not (entry.items and any("\0" in item.text for item in entry.items)):
        return False
    # Source: docs/service.md, S24: the service answers 500.
    problems.append(entry.problem(NUL, f"`{entry.key}` has a NUL character.", "Delete it."))
    return True


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def _wrong_type(entry: Entry, wanted: str) -> Problem:
    if entry.tag == "list":
        return _wrong_list(entry, wanted)
    found = WORDS.get(entry.tag) or {"str": "text", "map": "a mapping"}.get(entry.tag, entry.tag)
    text = _short(entry.text)
    if entry.tag == "null":
        hint = _empty_hint(entry.key)
    elif wanted == TEXT:
        hint = f'Put it in quotes: `{entry.key}: "{text}"`.' if text else "Put it in quotes."
    else:
        hint = f"Write `{entry.key}: {f'[{text}]' if wanted == LIST else EXAMPLE_OF[wanted]}`."
    shown = f": `{text}`" if text else ""
    return entry.problem(WRONG_TYPE, f"`{entry.key}` must be {wanted}, and is {found}{shown}.", hint)


def _wrong_list(entry: Entry, wanted: str) -> Problem:
    bad = next((item for item in entry.items if item.tag != "str"), None)
    if wanted != LIST or bad is None:
        return entry.problem(WRONG_TYPE, f"`{entry.key}` must be {wanted}, and is a list.", "Write one value.")
    message = f"`{entry.key}` has an item that is {WORDS.get(bad.tag, 'not text')}: `{_short(bad.text)}`."
    hint = "Delete it, or write text." if bad.tag in WORDLESS else f'Put it in quotes: "{_short(bad.text)}".'
    return bad.problem(WRONG_TYPE, message, hint)


_TAKES: Mapping[str, tuple[Collection[str] | None, Callable[[Entry, list[Problem]], Any]]] = {
    TEXT: ({"str"}, _text),
    NUMBER: ({"int"}, _number),
    LIST: ({"list"}, _list),
    MANAGE: (None, _manage),
    MOMENT: (WRITTEN, _moment),
    NAME: (WRITTEN, _name),
    BLOB: (WRITTEN, _blob),
    SWITCH: ({"bool"}, lambda entry, _: entry.text.lower() in YES),
}
"""By what a key may hold: the types of YAML that this may be (None for all), and what takes the value."""
