"""Words for people: the names of fields, and numbers in sentences (one thing is, two things are). Pure."""

from __future__ import annotations

from collections.abc import Iterable

FIELD_WORDS = {
    "content": "body",
    "translation_of": "translation of",
    "meta_title": "meta title",
    "meta_description": "meta description",
}


def field_names(names: Iterable[str]) -> str:
    """`title, body`: fields as people know them."""
    return ", ".join(FIELD_WORDS.get(name, name) for name in names)


def count(number: int, noun: str) -> str:
    """`1 article`, `12 articles`, `2 categories`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def are(number: int) -> str:
    """What so many things do: `is` or `are`."""
    return "is" if number == 1 else "are"
