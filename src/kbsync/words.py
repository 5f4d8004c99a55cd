"""Words for people: names of fields, numbers in sentences (one thing is, two things are), misspelt words. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from kbsync.fields import label_of


def field_names(names: Iterable[str]) -> str:
    """`title, body`: fields as people know them."""
    return ", ".join(map(label_of, names))


def count(number: int, noun: str) -> str:
    """`1 article`, `12 articles`, `2 categories`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def are(number: int) -> str:
    """What so many things do: `is` or `are`."""
    return "is" if number == 1 else "are"


def similar(word: str, known: Iterable[str], *, most: int = 1, cutoff: float = 0.6) -> list[str]:
    """The known words that look most like this one, the best first.

    Args:
        word: what somebody wrote.
        known: the words that exist.
        most: how many to give.
        cutoff: how alike they must be, 0.0 to 1.0.
    """
    return get_close_matches(word, list(known), n=most, cutoff=cutoff)


def suggestion(text: str) -> str:
    """The hint for somebody who wrote something like this text."""
    return f"Did you mean `{text}`?"


def did_you_mean(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """The hint with the known word that looks most like this one; "" where none does."""
    near = similar(word, known, cutoff=cutoff)
    return suggestion(near[0]) if near else ""
