"""The portal itself as an item: its settings as fields that decide one by one, and the JSON that changes them.

Source: docs/service.md, S103 and S133 to S139. A PATCH of `config` leaves the keys alone that it does not name, and
replaces those that it names whole. So what is in such a key and not ours goes along as it was right before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UnsetType

from kbsync.fields import GROUPS, POPULAR, TRANSLATED, TRANSLATIONS, config_key
from kbsync.model import Fields, Observed, RemoteId, Status, Value
from kbsync.service import wire

TEXTS = ("name", "color", "header_text", "page_title", "homepage_link")
CONFIG = ("layout", TRANSLATIONS, "popular_content", *map(config_key, GROUPS))


def observed_portal(portal: wire.WirePortal) -> Observed:
    """The portal as an item. Readers see it, unless it is archived."""
    return Observed(
        kind="portal",
        remote_id=wire.as_id(portal.id),
        locale="",
        slug=portal.slug,
        fields=dict(_fields(portal)),
        status=None if portal.archived else Status.PUBLISHED,
    )


def known_keys(portal: wire.WirePortal) -> frozenset[str]:
    """The keys of its config that this version of the service has: those in its answers. Source: S103."""
    found = {key for key in CONFIG if not isinstance(getattr(portal.config, key), UnsetType)}
    if any(not isinstance(locale.draft, UnsetType) for locale in _locales(portal)):
        found.add("draft_locales")
    return frozenset(found)


def portal_body(fields: Fields, now: wire.WirePortal) -> dict[str, Any]:
    """The JSON of some fields; what else is in the keys that they are in goes along as it is now.

    Args:
        fields: what to send, by kbsync's names; popular items as ids.
        now: the portal, asked right before.
    """
    body: dict[str, Any] = {}
    config: dict[str, Any] = {}
    for name, value in fields.items():
        root, _, of = name.partition(".")
        key = config_key(name)
        if not key:
            body[name] = value
        elif not of:
            config[key] = list(value) if isinstance(value, tuple) else value
        else:
            group = config.setdefault(key, dict(_mapping(getattr(now.config, key))))
            if root in GROUPS:
                _put(group, of, value)
            else:
                inner = group[of] = dict(_mapping(group.get(of)))
                _put(inner, POPULAR.get(root, root), value)
    return body | ({"config": config} if config else {})


def _put(group: dict[str, Any], key: str, value: Value) -> None:
    """Set one value; a text that is cleared leaves, for a page would show an empty link."""
    if isinstance(value, tuple):
        group[key] = [wire.as_id(item) for item in value]
    elif value:
        group[key] = value
    else:
        group.pop(key, None)


def _fields(portal: wire.WirePortal) -> Iterator[tuple[str, Value]]:
    for name in TEXTS:
        if not isinstance(given := getattr(portal, name), UnsetType):
            yield name, wire.text_of(given)
    config = portal.config
    if not isinstance(config.layout, UnsetType):
        yield "layout", wire.text_of(config.layout) or "classic"
    if "draft_locales" in known_keys(portal):
        yield "draft_locales", tuple(sorted(locale.code for locale in _locales(portal) if locale.draft is True))
    for locale, texts in _mapping(config.locale_translations).items():
        yield from ((f"{name}.{locale}", wire.text_of(_mapping(texts).get(name))) for name in TRANSLATED)
    for locale, items in _mapping(config.popular_content).items():
        yield from ((f"{name}.{locale}", _ids(_mapping(items).get(key))) for name, key in POPULAR.items())
    for group in GROUPS:
        for name, text in _mapping(getattr(config, config_key(group))).items():
            yield f"{group}.{name}", wire.text_of(text)


def _locales(portal: wire.WirePortal) -> list[wire.WireLocale]:
    return [locale for locale in portal.config.allowed_locales if isinstance(locale, wire.WireLocale)]


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _ids(value: object) -> tuple[str, ...]:
    found: list[RemoteId] = [item for item in value if isinstance(item, int | str)] if isinstance(value, list) else []
    return tuple(str(item) for item in found)
