"""A profile's TOML, looked at before it is believed: every key is one that kbsync knows, every value of its kind.

Also: what the service does differently from version to version. Code asks these facts and never compares versions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from itertools import chain
from string import Formatter
from typing import Any

import msgspec

from kbsync.errors import ConfigError
from kbsync.fields import ARTICLE_FIELDS, CATEGORY_FIELDS, CONFIG_KEYS, LINK_FIELD, SideEffects
from kbsync.markdown.versions import Version
from kbsync.model import Status
from kbsync.words import did_you_mean


class Facts(msgspec.Struct, frozen=True):
    """What is so in one version of the service. Whether it has an operation is another question: `can`.

    Args:
        stages_edits: the edit of a live article can wait in the panel (docs/service.md, S105 to S116).
        empty_drafts: an article that is not published may have no body (docs/service.md, S117).
        atomic_reorder: a reorder is one transaction, renumbers its categories and answers with all positions
            (docs/service.md, S123 to S126).
        public_markdown: a published article can be read at its address with `.md` (docs/service.md, S144).
    """

    stages_edits: bool = False
    empty_drafts: bool = False
    atomic_reorder: bool = False
    public_markdown: bool = False


FACTS = Facts.__struct_fields__
"""The names of all facts, as a profile's table [since] writes them."""


OPERATIONS = (
    "check",
    "version",
    "profile",
    "list_portals",
    "show_portal",
    "update_portal",
    "list_categories",
    "show_category",
    "create_category",
    "update_category",
    "delete_category",
    "reorder_categories",
    "list_articles",
    "show_article",
    "create_article",
    "update_article",
    "delete_article",
    "reorder_articles",
    "bulk_status",
    "bulk_category",
    "bulk_delete",
    "find_article",
    "read_markdown",
    "read_page",
    "list_published",
    "unlock",
    "upload",
)
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PATH_WORDS = ("account_id", "portal", "locale", "id", "slug")
URL_WORDS = ("portal", "locale", "slug")
KEPT = {"article": (*ARTICLE_FIELDS, LINK_FIELD), "category": CATEGORY_FIELDS}
LIMITS = ("title_chars", "slug_chars", "content_chars", "description_chars", "reserved_slugs")
TABLES: Mapping[str, Collection[str]] = {
    "operations": OPERATIONS,
    "fields": tuple(KEPT),
    "status": tuple(status.value for status in Status),
    "limits": LIMITS,
    "side_effects": SideEffects._fields,
    "since": (*OPERATIONS, *dict.fromkeys(chain.from_iterable(KEPT.values())), *LIMITS, *FACTS, *CONFIG_KEYS),
    "pace": ("requests_per_minute", "uploads_per_hour", "allowed_per_minute"),
    "public": ("article_url", "category_url"),
    "token": ("headers",),
}
TEXTS = ("name", "extends")

HEADER = re.compile(r"[A-Za-z0-9_-]+: (?:[!-z]+ )?\{token\}\Z")
"""A name, and the token behind it; one word may be before that, such as `Bearer`."""


def check_declaration(raw: Mapping[str, Any], name: str) -> None:
    """Look at one file of a profile.

    Args:
        raw: its tables.
        name: how kbsync.toml names it.

    Raises:
        ConfigError: names the first key that is wrong, and what was expected.
    """
    for table, value in raw.items():
        _check_known(table, (*TEXTS, *TABLES), name, "key")
        if table in TEXTS:
            if not isinstance(value, str) or not value:
                raise _wrong(name, table, "a name", value)
            continue
        if not isinstance(value, dict):
            raise _wrong(name, table, "a table", value)
        for key, inner in value.items():
            _check_known(key, TABLES[table], name, f"key in [{table}]")
            CHECKS[table](name, f"[{table}] {key}", inner)


def _check_operation(name: str, where: str, value: Any) -> None:
    if value == "":
        return  # Takes an operation of the extended profile away.
    method, _, path = value.partition(" ") if isinstance(value, str) else ("", "", "")
    if method not in METHODS or not path.startswith("/"):
        raise _wrong(name, where, f"METHOD /path with one of {', '.join(METHODS)}", value)
    _check_words(name, where, path, PATH_WORDS)


def _check_words(name: str, where: str, template: str, words: Collection[str]) -> None:
    expected = f"a path with only {', '.join(f'{{{word}}}' for word in words)} in braces"
    try:
        parts = [part for part in Formatter().parse(template) if part[1] is not None]
    except ValueError as exc:
        raise _wrong(name, where, expected, template) from exc
    if any(word not in words or form or conversion for _, word, form, conversion in parts):
        raise _wrong(name, where, expected, template)


def _check_url(name: str, where: str, value: Any) -> None:
    if not isinstance(value, str):
        raise _wrong(name, where, "a path", value)
    _check_words(name, where, value, URL_WORDS)


def _check_fields(name: str, where: str, value: Any) -> None:
    _check_names(name, where, value, KEPT[where.rpartition(" ")[2]])


def _check_names(name: str, where: str, value: Any, known: Collection[str]) -> None:
    if not isinstance(value, list):
        raise _wrong(name, where, "a list of fields", value)
    for field in value:
        _check_known(field, known, name, f"field in {where}")


def _check_side_effect(name: str, where: str, value: Any) -> None:
    if where.endswith("renumbers_on"):
        _check_names(name, where, value, KEPT["article"])
    elif value != "":
        _check_known(value, KEPT["article"], name, f"field in {where}")


def _number_from(least: int) -> Callable[[str, str, Any], None]:
    def check(name: str, where: str, value: Any) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise _wrong(name, where, f"a whole number, {least} or more", value)

    return check


def _check_limit(name: str, where: str, value: Any) -> None:
    if not where.endswith(" reserved_slugs"):
        _number_from(0)(name, where, value)
    elif not isinstance(value, list) or not all(isinstance(slug, str) for slug in value):
        raise _wrong(name, where, "a list of slugs", value)


def _check_headers(name: str, where: str, value: Any) -> None:
    forms = value if isinstance(value, list) else []
    if not forms or not all(isinstance(form, str) and HEADER.match(form) for form in forms):
        raise _wrong(name, where, 'a list of headers such as "api_access_token: {token}"', value)


def _check_since(name: str, where: str, value: Any) -> None:
    if value == "":
        return  # Takes a line of the extended profile away.
    try:
        Version.of(value if isinstance(value, str) else "")
    except ValueError as exc:
        raise _wrong(name, where, 'a version such as "4.16"', value) from exc


CHECKS: Mapping[str, Callable[[str, str, Any], None]] = {
    "operations": _check_operation,
    "fields": _check_fields,
    "status": _number_from(0),
    "limits": _check_limit,
    "side_effects": _check_side_effect,
    "since": _check_since,
    "pace": _number_from(1),
    "public": _check_url,
    "token": _check_headers,
}


def _check_known(key: object, known: Collection[str], name: str, what: str) -> None:
    if key in known:
        return
    hint = did_you_mean(str(key), known) or f"Use one of: {', '.join(known)}."
    raise ConfigError(f"Profile `{name}`: Unknown {what}: `{key}`.", hint=hint)


def _wrong(name: str, where: str, expected: str, found: object) -> ConfigError:
    return ConfigError(
        f"Profile `{name}`: {where}: expected {expected}, found {found!r}.",
        hint='Start from a built-in one: `extends = "chatwoot"`, then only what differs.',
    )
