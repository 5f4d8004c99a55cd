"""Numbers in sentences (one thing is, two things are), and the known word that somebody misspelt. Pure."""

from __future__ import annotations

from collections.abc import Iterable


def count(number: int, noun: str) -> str:
    """`1 article`, `12 articles`, `2 categories`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def counted(number: int, noun: str) -> str:
    """`1 article is`, `12 articles are`."""
    return f"{count(number, noun)} {are(number)}"


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
    from difflib import get_close_matches  # Loaded here: it is needed only after a mistake.

    return get_close_matches(word, list(known), n=most, cutoff=cutoff)


def suggestion(text: str) -> str:
    """The hint for somebody who wrote something like this text."""
    return f"Did you mean `{text}`?"


def did_you_mean(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """The hint with the known word that looks most like this one; "" where none does."""
    near = similar(word, known, cutoff=cutoff)
    return suggestion(near[0]) if near else ""
