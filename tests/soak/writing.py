"""Texts whose every piece says which article it is of, so that the oracle can tell whose words the portal shows."""

import random
import re
from collections import Counter

SYLLABLES = ("ba", "do", "fe", "gi", "ku", "la", "mi", "no", "pe", "ra", "su", "ti", "vo", "ze")
COMMON = ("the", "account", "then", "open", "page", "with", "settings", "and", "choose", "your", "button", "after")
LINES = 10
NEAR = 0.6
"""The share of words from which two texts are the same one, edited. Edits here change a few words or nearly all."""

MARK = re.compile(r"\bU(\d+)R(\d+)\b")
TITLE_MARK = re.compile(r"\bT(\d+)v\d+\b")
WORD = re.compile(r"\w+")


def new_lines(uid: int, edition: int) -> tuple[str, ...]:
    """A text of an article; another edition has other words, and shares only the most common ones."""
    rng = random.Random(f"text {uid} {edition}")
    own = ["".join(rng.choices(SYLLABLES, k=3)) for _ in range(60)]
    return tuple(" ".join(rng.sample(own, 7) + rng.sample(COMMON, 2)).capitalize() + "." for _ in range(LINES))


def with_one_word_changed(lines: tuple[str, ...], rng: random.Random) -> tuple[str, ...]:
    """The text with one other word in one line."""
    place = rng.randrange(len(lines))
    words = lines[place].split()
    words[rng.randrange(len(words) - 1)] = "".join(rng.choices(SYLLABLES, k=3))
    return (*lines[:place], " ".join(words), *lines[place + 1 :])


def title_of(uid: int, version: int) -> str:
    """A title that names its article."""
    return f"{new_lines(uid, 0)[0].split()[0]} T{uid}v{version}"


def mark_in(text: str | None) -> tuple[int, int] | None:
    """The article and the revision that a text is of; None where a person wrote it."""
    found = MARK.search(text or "")
    return (int(found[1]), int(found[2])) if found else None


def owner_of_title(title: str | None) -> int | None:
    """The article that a title is of."""
    found = TITLE_MARK.search(title or "")
    return int(found[1]) if found else None


def likeness(one: str, other: str) -> float:
    """The share of words that two texts have in common, 0.0 to 1.0."""
    first, second = (Counter(WORD.findall(text.casefold())) for text in (one, other))
    return (first & second).total() / max(first.total(), second.total(), 1)


def is_git_rename(old: str, new: str) -> bool:
    """Whether git surely takes one file for the other under a new name: by the bytes of the lines they share."""
    first, second = (Counter(text.splitlines()) for text in (old, new))
    shared = sum(len(line) * count for line, count in (first & second).items())
    return shared >= 0.8 * max(len(old), len(new))
