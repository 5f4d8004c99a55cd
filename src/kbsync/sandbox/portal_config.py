"""The settings of a portal. Source: docs/service.md, S103 and S133 to S139."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from .casts import is_scalar
from .records import Portal
from .refusals import Problem, crashed, invalid

Config: TypeAlias = dict[str, Any]

KEYS = (
    "allowed_locales",
    "default_locale",
    "draft_locales",
    "layout",
    "locale_translations",
    "popular_content",
    "social_profiles",
)
LISTS = ("allowed_locales", "draft_locales")
BY_LOCALE = ("locale_translations", "popular_content")
LAYOUTS = ("classic", "documentation")
TRANSLATED = ("name", "page_title", "header_text")
POPULAR = ("category_ids", "article_ids")
ANALYTICS = {
    "gtm_container_id": r"GTM-[A-Z0-9]+",
    "ga4_measurement_id": r"G-[A-Z0-9]+",
    "hotjar_site_id": r"[0-9]+",
    "plausible_domain": r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?",
    "amplitude_api_key": r"[A-Za-z0-9]+",
    "clarity_project_id": r"[A-Za-z0-9]+",
    "meta_pixel_id": r"[0-9]+",
}
"""What an id of each looks like. Source: docs/service.md, S159."""

SOCIAL = ("facebook", "x", "instagram", "linkedin", "youtube", "tiktok", "github", "whatsapp")


def locales_of(portal: Portal, *, is_4_16: bool) -> list[str]:
    """The locales that categories may have.

    Raises:
        Halt: 500 for settings that are null, and before 4.16 for empty ones (S140).
    """
    if portal.config is None or (portal.allowed_locales is None and not is_4_16):
        raise crashed()
    return portal.allowed_locales or ([portal.default_locale] if is_4_16 else [])


def draft_locales(portal: Portal) -> list[str]:
    """The locales that the language menu leaves out (S135)."""
    return (portal.config or {}).get("draft_locales") or []


def settings_of(portal: Portal, *, has_analytics: bool = False) -> Config:
    """What answers of 4.16 tell of the settings, besides the locales (S103)."""
    config = portal.config or {}
    counting = {"analytics": config.get("analytics") or {}} if has_analytics else {}
    return counting | {
        "default_locale": portal.default_locale,
        "layout": config.get("layout") or LAYOUTS[0],
        "social_profiles": config.get("social_profiles") or {},
        "locale_translations": config.get("locale_translations") or {},
        "popular_content": config.get("popular_content") or {},
    }


def merged(stored: Config, sent: Mapping[str, Any], *, has_analytics: bool) -> Config:
    """The settings after a PATCH: each sent key replaces that key whole, unknown ones are dropped (S133).

    Raises:
        Halt: 422 for a value of the wrong type, and for a default locale that is to be hidden.
    """
    keys = (*KEYS, "analytics") if has_analytics else KEYS
    taken = {name: sent[name] for name in keys if name in sent and _is_taken(name, sent[name])}
    config = stored | {name: _CLEANED.get(name, _same)(value) for name, value in taken.items()}
    config |= _locales(config)
    if problems := [*_problems(config)]:
        raise invalid(problems)
    return config


def _locales(config: Config) -> Config:
    """The locales of settings: at least the default one, and only known ones hidden."""
    default, hidden = config.get("default_locale") or "en", config.get("draft_locales") or []
    allowed = config.get("allowed_locales") or [default]
    if default in hidden:
        raise invalid([("config", "Config default locale cannot be drafted.")])
    return {"allowed_locales": allowed, "draft_locales": [locale for locale in hidden if locale in allowed]}


def stored_order(value: Any) -> Any:
    """A value as the database hands it back: keys by length, then by letter."""
    if not isinstance(value, dict):
        return value
    return {name: stored_order(value[name]) for name in sorted(value, key=lambda name: (len(name), name))}


def is_sound(config: Config) -> bool:
    """Whether settings that were read have the types that are relied on; their file may have come with a clone."""
    lists = [config.get(name) for name in LISTS]
    groups = [config.get(name) for name in ("social_profiles", "analytics", *BY_LOCALE)]
    inner = [value for name in BY_LOCALE for value in _values(config.get(name))]
    return all(isinstance(value, list | None) for value in lists) and all(
        isinstance(value, dict | None) for value in groups + inner
    )


def _values(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []


def _is_taken(name: str, value: Any) -> bool:
    """Whether a value gets past the list of permitted parameters; one of another kind is dropped."""
    if name in LISTS:
        return isinstance(value, list) and all(isinstance(locale, str) for locale in value)
    return is_scalar(value) if name in ("default_locale", "layout") else isinstance(value, dict)


def _same(value: Any) -> Any:
    return value


def _only(names: tuple[str, ...]) -> Callable[[Any], Any]:
    def clean(value: Any) -> Any:
        return {name: value[name] for name in names if isinstance(value, dict) and name in value}

    return clean


def _by_locale(names: tuple[str, ...]) -> Callable[[Any], Any]:
    keep = _only(names)

    def clean(value: Any) -> Any:
        return {locale: keep(inner) for locale, inner in value.items()}

    return clean


_CLEANED: Mapping[str, Callable[[Any], Any]] = {
    "locale_translations": _by_locale(TRANSLATED),
    "popular_content": _by_locale(POPULAR),
    "social_profiles": _only(SOCIAL),
}


def _problems(config: Config) -> Iterator[Problem]:
    yield from _wrong_ids(config.get("analytics") or {})
    if config.get("layout") not in (None, *LAYOUTS):
        yield _wrong("layout", "enum")
    for path, word in _inner(config, "locale_translations"):
        if not isinstance(word, str | None):
            yield _wrong(path, "type")
    for path, ids in _inner(config, "popular_content"):
        for place, number in enumerate(ids if isinstance(ids, list) else []):
            if type(number) is not int:
                yield _wrong(f"{path}/{place}", "integer")


def _wrong_ids(given: Mapping[str, Any]) -> Iterator[Problem]:
    """Ids of who counts visits that are not of the form that theirs have (S159)."""
    for name, text in given.items():
        if name not in ANALYTICS:
            yield "config", f"Config {name} is not supported"
        elif text and not re.fullmatch(ANALYTICS[name], str(text)):
            yield "config", f"Config {name.removesuffix('_id').capitalize().replace('_', ' ')} is invalid"


def _inner(config: Config, name: str) -> Iterator[tuple[str, Any]]:
    """What a setting has for each locale, with the path to it."""
    for locale, values in (config.get(name) or {}).items():
        yield from ((f"{name}/{locale}/{key}", value) for key, value in values.items())


def _wrong(path: str, kind: str) -> Problem:
    return path, f"{path.replace('_', ' ').capitalize()} must be of type {kind}"
