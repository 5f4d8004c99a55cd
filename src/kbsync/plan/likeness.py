"""How much of two bodies is the same. Pure."""

from __future__ import annotations

import re
from collections import Counter

NEAR = 0.6
"""The share of words that two bodies have in common from which one counts as the other. git's own is 0.5, of lines."""

HALF = 0.5
"""The share below which two bodies are quite unlike."""

MIN_WORDS = 8
"""Bodies of fewer words are alike or unlike by chance."""

TITLE = 0.1
"""What the same title adds."""

WORD = re.compile(r"\w+")


def words(text: str) -> Counter[str]:
    """The words of a body, counted."""
    return Counter(WORD.findall(text.casefold()))


def likeness(one: Counter[str], other: Counter[str], *, same_title: bool) -> float | None:
    """How much of two bodies is the same, 0.0 to 1.0; None where they are too short to say, and the titles differ."""
    most = max(one.total(), other.total())
    if most < MIN_WORDS and not same_title:
        return None
    share = (one & other).total() / most if most else 1.0
    return min(1.0, share + (TITLE if same_title else 0.0))
