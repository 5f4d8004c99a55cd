"""The words around an article in the language of its page: one file of `locales/` a language.

Months, the shape of a date and the plural forms come from CLDR (THIRD_PARTY.md); the words are kbsync's own.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

Plural = Callable[[int], str]

FALLBACK = "en"

OTHER_NAMES = {
    "zh-tw": "zh-hant",
    "zh-hk": "zh-hant",
    "zh-mo": "zh-hant",
    "iw": "he",
    "no": "nb",
    "nn": "nb",
    "in": "id",
    "en-us": "en",
    "en-ca": "en",
}
"""Locales whose words are in another's file."""


@dataclass(frozen=True, slots=True)
class ReaderWords:
    """The words of one language; a template asks for one by its name: `words['next']`.

    After a dot it would be looked for among the attributes first, and that fails 26 times a page.

    Args:
        code: whose they are, as HTML writes it; English for a language that kbsync has no words of.
        texts: what `locales/en.toml` has, in this language.
        months: the names of the twelve, as a date has them.
        counted: "3 articles" by CLDR's category of the number.
    """

    code: str
    texts: Mapping[str, str]
    months: tuple[str, ...]
    counted: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.texts[name]

    def article_count(self, number: int) -> str:
        """`10,000 articles`."""
        plural = PLURALS.get(self.code.split("-")[0], _one_or_many)(number)
        form = self.counted.get(plural) or self.counted["other"]
        return form.replace("{count}", f"{number:,}".replace(",", self.texts["group"]))

    def long_date(self, day: date) -> str:
        """`22 novembre 2026`."""
        month = self.months[day.month - 1]
        return self.texts["date"].format(day=day.day, month=month, year=day.year)

    def status(self, name: str) -> str:
        """A status; one that is not the service's stays as it is."""
        return self.texts[name] if name in STATUSES else name

    def filled(self, name: str, **values: str) -> str:
        """A text with its gaps filled."""
        text = self.texts[name]
        for gap, value in values.items():
            text = text.replace("{" + gap + "}", value)
        return text


STATUSES = frozenset({"draft", "published", "archived"})


@cache
def words_of(locale: str) -> ReaderWords:
    """The words of a locale (`pt_BR`, `zh-TW`); English where there are none."""
    return _words(locale.replace("_", "-").lower())


@cache
def _words(locale: str) -> ReaderWords:
    language = locale.split("-", maxsplit=1)[0]
    if language == "en" and "-" in locale and locale not in OTHER_NAMES:
        locale = "en-gb"
    # `zh-hant-tw` is written as `zh-hant` is.
    tried = (locale, "-".join(locale.split("-")[:2]), language)
    name = next((name for code in tried if (name := OTHER_NAMES.get(code, code)) in _languages()), FALLBACK)
    found = _read(FALLBACK) | _read(name.split("-")[0]) | _read(name)
    texts = {key: text for key, text in found.items() if isinstance(text, str)}
    return ReaderWords(name, texts, tuple(found["months"]), found["articles"])


@cache
def _languages() -> frozenset[str]:
    return frozenset(entry.name.removesuffix(".toml") for entry in (files("kbsync.site") / "locales").iterdir())


def _read(name: str) -> dict[str, Any]:
    if name not in _languages():
        return {}
    return tomllib.loads((files("kbsync.site") / "locales" / f"{name}.toml").read_text("utf-8"))


# --- plural forms of whole numbers, as CLDR has them ---------------------------------------------------------------


def _one_or_many(number: int) -> str:
    return "one" if number == 1 else "other"


def _zero_is_one(number: int) -> str:
    return "one" if number in {0, 1} else "other"


def _east_slavic(number: int) -> str:
    if number % 10 == 1 and number % 100 != 11:
        return "one"
    return "few" if number % 10 in {2, 3, 4} and number % 100 not in {12, 13, 14} else "many"


def _polish(number: int) -> str:
    if number == 1:
        return "one"
    return "few" if number % 10 in {2, 3, 4} and number % 100 not in {12, 13, 14} else "many"


def _czech(number: int) -> str:
    return "one" if number == 1 else "few" if number in {2, 3, 4} else "other"


def _romanian(number: int) -> str:
    if number == 1:
        return "one"
    return "few" if number == 0 or 1 <= number % 100 <= 19 else "other"


def _hebrew(number: int) -> str:
    return {1: "one", 2: "two"}.get(number, "other")


def _arabic(number: int) -> str:
    if number in {0, 1, 2}:
        return ("zero", "one", "two")[number]
    if number % 100 in range(3, 11):
        return "few"
    return "many" if number % 100 >= 11 else "other"


PLURALS: dict[str, Plural] = {
    "fr": _zero_is_one,
    "pt": _zero_is_one,
    "ru": _east_slavic,
    "uk": _east_slavic,
    "pl": _polish,
    "cs": _czech,
    "ro": _romanian,
    "he": _hebrew,
    "ar": _arabic,
}
"""By the part of the locale before `-`; every other language has `one` and `other`, or `other` alone."""
