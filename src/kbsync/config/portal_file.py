"""portal.toml, beside kbsync.toml: what the portal itself shall be. Read up to a limit; errors name file, line and key.

Only what the file alone can say is checked here; which articles and locales there are, the content tree knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from kbsync.config.checks import split_address
from kbsync.config.load import convert
from kbsync.config.places import find_line, shown_path
from kbsync.config.toml import read_toml
from kbsync.errors import ConfigError
from kbsync.fields import GROUPS, TRANSLATED
from kbsync.model import PORTAL_FILE, Value
from kbsync.words import did_you_mean

COLOR = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}")
"""Source: docs/service.md, S139."""

Text = str | UnsetType


class LocaleTexts(msgspec.Struct, frozen=True):
    """What the portal is called in one language."""

    name: Text = UNSET
    page_title: Text = UNSET
    header_text: Text = UNSET


class PopularItems(msgspec.Struct, frozen=True):
    """What the home page of one language shows first: slugs of categories, paths of articles."""

    categories: list[str] | UnsetType = UNSET
    articles: list[str] | UnsetType = UNSET


class SocialLinks(msgspec.Struct, frozen=True):
    """Where else the help center's people are. Source of the names: docs/service.md, S138."""

    facebook: Text = UNSET
    x: Text = UNSET
    instagram: Text = UNSET
    linkedin: Text = UNSET
    youtube: Text = UNSET
    tiktok: Text = UNSET
    github: Text = UNSET
    whatsapp: Text = UNSET


class AnalyticsIds(msgspec.Struct, frozen=True):
    """Who counts visits, each by its own id. Source of the names: docs/service.md, S159."""

    gtm_container_id: Text = UNSET
    ga4_measurement_id: Text = UNSET
    hotjar_site_id: Text = UNSET
    plausible_domain: Text = UNSET
    amplitude_api_key: Text = UNSET
    clarity_project_id: Text = UNSET
    meta_pixel_id: Text = UNSET


class PortalTables(msgspec.Struct, frozen=True):
    """All that portal.toml may say; what it leaves out is not ours."""

    name: Text = UNSET
    color: Text = UNSET
    header_text: Text = UNSET
    page_title: Text = UNSET
    homepage_link: Text = UNSET
    layout: Literal["classic", "documentation"] | UnsetType = UNSET
    draft_locales: list[str] | UnsetType = UNSET
    locale: dict[str, LocaleTexts] = {}
    popular: dict[str, PopularItems] = {}
    social: SocialLinks = SocialLinks()
    analytics: AnalyticsIds = AnalyticsIds()


PLAIN = ("name", "color", "header_text", "page_title", "homepage_link", "layout")


@dataclass(frozen=True, slots=True)
class PortalFile:
    """The file as it was read: where it is for messages, its text, and what it says."""

    shown: str
    text: str
    tables: PortalTables

    @property
    def fields(self) -> Mapping[str, Value]:
        """What it gives, by the names of `fields.PORTAL`; popular items are as they are written."""
        return dict(_fields(self.tables))

    def wrong(self, table: str, key: str, message: str, hint: str = "") -> NoReturn:
        """Refuse a key of the file.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(f"{_place(self.shown, self.text, table, key)}: {message}", hint=hint)


def read_portal_file(folder: Path) -> PortalFile | None:
    """The file beside kbsync.toml; None where there is none.

    Raises:
        ConfigError: with file, line, key and what was expected.
    """
    path = folder / PORTAL_FILE
    if path.is_symlink():
        # What it leads to may be a file of this machine that nobody wants to publish.
        hint = "Put the file itself there."
        raise ConfigError(f"{path.name} is a symbolic link, and kbsync does not follow it.", hint=hint)
    shown = shown_path(path)
    try:
        text, raw = read_toml(path, shown)
    except FileNotFoundError:
        return None
    file = PortalFile(shown, text, PortalTables(**_values(PortalTables, raw, "", (shown, text))))
    _check(file)
    return file


def _values(kind: type, raw: Mapping[str, Any], table: str, where: tuple[str, str]) -> dict[str, Any]:
    """The values of one table, each as its type asks."""
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for key, value in raw.items():
        if key not in hints:
            hint = did_you_mean(key, hints) or f"The keys are: {', '.join(hints)}."
            raise ConfigError(f"{_place(*where, table, key)}: This is not a known key.", hint=hint)
        if key in NESTED and not table:
            values[key] = _nested(key, value, where)
        else:
            asked = next(one for one in get_args(hints[key]) if one is not UnsetType)
            values[key] = convert(value, asked, partial(_place, *where, table, key))
    return values


NESTED = {"locale": LocaleTexts, "popular": PopularItems, "social": SocialLinks, "analytics": AnalyticsIds}


def _nested(key: str, value: Any, where: tuple[str, str]) -> Any:
    example = f"[{key}]" if key in GROUPS else f"[{key}.en]"
    kind = NESTED[key]
    if not isinstance(value, dict):
        raise ConfigError(f"{_place(*where, key, '')}: Expected a table.", hint=f"Write {example} and its keys below.")
    if key in GROUPS:
        return kind(**_values(kind, value, key, where))
    for name, inner in value.items():
        if not isinstance(inner, dict):
            message = f"{_place(*where, key, name)}: Expected a table for each language."
            raise ConfigError(message, hint=f"Write {example} and its keys below.")
    return {name: kind(**_values(kind, inner, f"{key}.{name}", where)) for name, inner in value.items()}


def _place(shown: str, text: str, table: str, key: str) -> str:
    """`portal.toml:3: `[locale.fr] name``."""
    line = find_line(text, table, key) if table else find_line(text, key, "")
    written = f"[{table}] {key}".strip() if table else key
    return f"{shown}:{line or 1}: `{written}`"


def _check(file: PortalFile) -> None:
    tables = file.tables
    if tables.name == "":
        file.wrong("", "name", "The portal must have a name.", "Write one, or delete the line.")
    if not isinstance(tables.color, UnsetType) and not COLOR.fullmatch(tables.color):
        hint = 'Write it as "#1f93ff" or "#19f".'
        file.wrong("", "color", f"{tables.color!r} is not a color that the portal takes.", hint)
    if not isinstance(tables.homepage_link, UnsetType) and tables.homepage_link:
        parts = split_address(tables.homepage_link)
        if parts is None or parts.scheme != "https":
            message = f"Expected an address that begins with https://, found {tables.homepage_link!r}."
            file.wrong("", "homepage_link", message)


def _fields(tables: PortalTables) -> Iterator[tuple[str, Value]]:
    yield from _given(tables, PLAIN)
    if not isinstance(tables.draft_locales, UnsetType):
        yield "draft_locales", tuple(sorted(set(tables.draft_locales)))
    for locale, texts in tables.locale.items():
        for name, value in _given(texts, TRANSLATED):
            yield f"{name}.{locale}", value
    for locale, items in tables.popular.items():
        for name, found in (("popular_categories", items.categories), ("popular_articles", items.articles)):
            if not isinstance(found, UnsetType):
                yield f"{name}.{locale}", tuple(dict.fromkeys(found))
    for group in GROUPS:
        table = getattr(tables, group)
        yield from ((f"{group}.{name}", value) for name, value in _given(table, table.__struct_fields__))


def _given(table: msgspec.Struct, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return ((name, value) for name in names if isinstance(value := getattr(table, name), str))
