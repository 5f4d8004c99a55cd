"""What a screen is like, and texts wrapped to fit it: by words, commands and addresses never broken. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from kbsync.report.excerpt import width_of

SHOWN = 30
"""Items of one list that are shown before the rest is counted; `-v` lists them all."""

CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

NARROWEST = 24
"""Columns that a wrapped text has at least, however narrow the screen is."""

UNIT = re.compile(r"(?:`[^`]*+`|\[\w++\] (?=\w)|\S)++")
"""What must not be broken: a word, an address, a key such as `[push] live`, a command with what is beside it."""


class Style(msgspec.Struct, frozen=True):
    """How the screen is: whether it shows colour, how many columns it has, whether everything is wanted."""

    color: bool = False
    width: int = 80
    verbose: bool = False

    def paint(self, text: str, colour: str) -> str:
        """The text in a colour, where the screen shows any."""
        return f"\x1b[{CODES[colour]}m{text}\x1b[0m" if self.color and text else text

    def wrapped(self, text: str, *, hang: int = 0, colour: str = "", taken: int = 0) -> list[str]:
        """A text as lines that fit.

        Args:
            text: one line; the spaces that it begins with are the indent of all.
            hang: columns by which lines after the first are indented more.
            colour: of each line; "" for none.
            taken: columns of the first line that are taken already. Where no word fits beside them, that line is "".
        """
        stripped = text.lstrip(" ")
        lines = _filled(stripped, len(text) - len(stripped), hang, self.width, taken)
        return [" " * margin + (self.paint(line, colour) if colour else line) for margin, line in lines]


def rest_lines(number: int, style: Style) -> list[str]:
    """What a list leaves out."""
    return [style.paint(f"  … and {number:,} more (-v lists them all)", "dim")] if number else []


def _filled(text: str, margin: int, hang: int, width: int, taken: int = 0) -> Iterator[tuple[int, str]]:
    """Lines with their margins. Spaces within a line stay as they are."""
    rest = margin + hang
    line, used, end = "", taken, 0
    for found in UNIT.finditer(text):
        gap, unit = text[end : found.start()], found[0]
        end = found.end()
        columns = width_of(unit)
        if (line or used) and used + len(gap) + columns > max(NARROWEST, width - margin):
            yield margin, line
            margin, line, used, gap = rest, "", 0, ""
        line += gap + unit
        used += len(gap) + columns
    if line:
        yield margin, line
