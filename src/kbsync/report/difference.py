"""Two texts, and the lines in which they differ. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from kbsync.model import visible


def difference(one: str, other: str, *, before: str, after: str) -> Iterator[str]:
    """The lines of a unified diff, without control characters.

    Args:
        one, other: the texts.
        before, after: what they are called in its head.
    """
    for line in unified_diff(one.splitlines(), other.splitlines(), before, after, lineterm="", n=2):
        yield visible(line)
