"""Numbers in sentences: one thing is, two things are. Pure."""

from __future__ import annotations


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
