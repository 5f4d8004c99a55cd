"""What somebody may have meant who asks for an address where nothing is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from kbsync.content.identity import Identity
from kbsync.content.source import Source

MOST = 5

SHORT = 4
"""Words with fewer letters are alike only if they are equal."""

ENOUGH = 0.5
"""Of the words of an address, weighed by their letters, so many must be found."""

_WORDS = re.compile(r"[^\W_]+")


def suggest(slug: str, locale: str, articles: Mapping[str, Identity], sources: Mapping[str, Source]) -> list[str]:
    """The paths of the articles that may have been meant, best first: the article that had this slug before, those of
    another language with it, then those of this language whose slug or title has its words.
    """
    named = [
        (identity.slug != slug, identity.locale != locale, path)
        for path, identity in articles.items()
        if slug in {identity.slug, *sources[path].aliases}
    ]
    exact = [path for _, _, path in sorted(named)]
    asked = _words(slug)
    # Of those that have as many of the words, the one that has the fewest others is meant.
    near = [
        (-share, abs(len(identity.slug) - len(slug)), path)
        for path, identity in articles.items()
        if identity.locale == locale and path not in exact
        if (share := _share(asked, _words(f"{identity.slug} {sources[path].title or ''}"))) >= ENOUGH
    ]
    return [*exact, *(path for _, _, path in sorted(near))][:MOST]


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(_WORDS.findall(text.lower())))


def _share(asked: list[str], there: list[str]) -> float:
    """How much of the asked words is there, by letters."""
    letters = sum(map(len, asked))
    found = sum(len(word) * max((_likeness(word, other) for other in there), default=0.0) for word in asked)
    return found / letters if letters else 0.0


@lru_cache(maxsize=1 << 16)
def _likeness(one: str, other: str) -> float:
    """1 for the same word, less for one with a slip in it, and for one that begins with the other."""
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=len)
    if len(short) < SHORT:
        return 0.0
    if long.startswith(short):
        return 0.7
    return 0.9 if _is_a_slip(short, long) else 0.0


def _is_a_slip(short: str, long: str) -> bool:
    """Whether one letter is wrong, missing, or has changed places with the next."""
    if len(long) - len(short) > 1:
        return False
    start = next((place for place, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[start:] == long[start + 1 :]
    swapped = short[start + 1 : start + 2] + short[start : start + 1] + short[start + 2 :]
    return short[start + 1 :] == long[start + 1 :] or swapped == long[start:]
