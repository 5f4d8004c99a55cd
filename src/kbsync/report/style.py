"""What a screen is like, and texts wrapped to fit it: by words, commands and addresses never broken. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kbsync.report.excerpt import width_of

SHOWN = 30
"""Items of one list that are shown before the rest is counted; `-v` lists them all."""

CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

NARROWEST = 24
"""Columns that a wrapped text has at least, however narrow the screen is."""

UNIT = re.compile(r"(?:`[^`]*`|\S)+")
"""What must not be broken: a word, an address, a command between backticks with what is beside it."""


@dataclass(frozen=True, slots=True)
class Style:
    """How the screen is: whether it shows colour, how many columns it has, whether everything is wanted."""

    color: bool = False
    width: int = 80
    verbose: bool = False

    def paint(self, text: str, colour: str) -> str:
        """The text in a colour, where the screen shows any."""
        return f"\x1b[{CODES[colour]}m{text}\x1b[0m" if self.color and text else text

    def wrapped(self, text: str, *, indent: int = 0, colour: str = "") -> list[str]:
        """A text as lines that fit; those after the first are indented two columns more.

        Args:
            text: one line, which may begin with spaces: they count as its indent.
            indent: columns before the first line, beside these.
            colour: of each line; "" for none.
        """
        stripped = text.lstrip(" ")
        first = indent + len(text) - len(stripped)
        lines = _filled(stripped, first, self.width)
        return [" " * margin + (self.paint(line, colour) if colour else line) for margin, line in lines]


def _filled(text: str, first: int, width: int) -> Iterator[tuple[int, str]]:
    """Lines with their margins. Spaces within a line stay as they are."""
    margin, line, used, end = first, "", 0, 0
    for found in UNIT.finditer(text):
        gap, unit = text[end : found.start()], found[0]
        end = found.end()
        columns = width_of(unit)
        if line and used + len(gap) + columns > max(NARROWEST, width - margin):
            yield margin, line
            margin, line, used, gap = first + 2, "", 0, ""
        line += gap + unit
        used += len(gap) + columns
    if line:
        yield margin, line
