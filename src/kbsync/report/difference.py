"""Two texts, and the lines in which they differ. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from kbsync.model import visible

BREAKS = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}


def difference(one: str, other: str, *, before: str, after: str) -> Iterator[str]:
    """The lines of a unified diff, without control characters.

    Args:
        one, other: the texts.
        before, after: what they are called in its head.
    """
    lines, other_lines = one.splitlines(), other.splitlines()
    if lines == other_lines and one != other:
        yield f"Only the line breaks differ: {_breaks(one)} in {before}, {_breaks(other)} in {after}."
    for line in unified_diff(lines, other_lines, before, after, lineterm="", n=2):
        yield visible(line)


def _breaks(text: str) -> str:
    """What ends the lines of a text."""
    ends = {line[len(line.rstrip("\r\n")) :] for line in text.splitlines(keepends=True)}
    return " and ".join(name for end, name in BREAKS.items() if end in ends) or "no line breaks"
