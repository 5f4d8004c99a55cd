"""What a screen is like, and texts wrapped to fit it: by words, commands and addresses never broken. Pure.

Also: one line of a source as a terminal shows it, cut to fit, and where in it a caret goes. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from kbsync.model import visible

TAB = "    "
ELLIPSIS = "…"


def excerpt(line: str, column: int, room: int) -> tuple[str, int]:
    """What is shown of a line, and how many columns of the screen come before the caret.

    Args:
        line: the line as it is in the file, without its end.
        column: where the caret points to, in characters from 1; behind the end of the line it is the end.
        room: columns of the screen; at least a few are taken in any case.
    """
    room = max(room, 8)
    at = min(max(column - 1, 0), len(line))
    # A line may have a million characters: only those near the caret are looked at.
    first, last = max(0, at - room), min(len(line), at + room)
    cells = [_cell(character) for character in line[first:last]]
    widths = [width_of(cell) for cell in cells]
    caret = at - first
    if first == 0 and last == len(line) and sum(widths) <= room:
        start, end = 0, len(cells)
    else:
        start, end = _window(widths, caret, room - 2)
    head = ELLIPSIS if first or start else ""
    tail = ELLIPSIS if end < len(cells) or last < len(line) else ""
    return head + "".join(cells[start:end]) + tail, len(head) + sum(widths[start:caret])


def _window(widths: list[int], caret: int, room: int) -> tuple[int, int]:
    """The cells around the caret that fit: half of the room before it, and more where less comes after it."""
    before, behind = sum(widths[:caret]), sum(widths[caret:])
    left = min(before, max(room // 2, room - behind))
    start = caret
    while start and left >= widths[start - 1]:
        start -= 1
        left -= widths[start]
    right = room - sum(widths[start:caret])
    end = caret
    while end < len(widths) and right >= widths[end]:
        right -= widths[end]
        end += 1
    return start, end


def _cell(character: str) -> str:
    """A character as it is shown; nothing for what acts on a terminal."""
    return TAB if character == "\t" else visible(character)


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters take two, marks on others none."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


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
        return f"\x1b[{CODES[colour]}m{text}\x1b[0m" if self.color and text else text

    def wrapped(self, text: str, *, hang: int = 0, colour: str = "", taken: int = 0) -> list[str]:
        """A text as lines that fit; of "" none.

        Args:
            text: one line; the spaces that it begins with are the indent of all.
            hang: columns by which lines after the first are indented more.
            colour: of each line; "" for none.
            taken: columns of the first line that are taken already. Where no word fits beside them, that line is "".
        """
        stripped = text.lstrip(" ")
        lines = _filled(stripped, len(text) - len(stripped), hang, self.width, taken)
        return [" " * margin + (self.paint(line, colour) if colour else line) for margin, line in lines]

    def paragraphs(self, texts: Iterable[str], *, hang: int = 0, colour: str = "") -> list[str]:
        return [line for text in texts for line in self.wrapped(text, hang=hang, colour=colour)]


Item = TypeVar("Item")


def listed(
    items: Sequence[Item],
    style: Style,
    lines_of: Callable[[Item], Iterable[str]],
    *,
    most: int = SHOWN,
    indent: int = 2,
) -> Iterator[str]:
    """The lines of each item of a list; of a long one those of the first items, and how many are left out."""
    shown = items if style.verbose else items[:most]
    for item in shown:
        yield from lines_of(item)
    if left := len(items) - len(shown):
        yield style.paint(f"{' ' * indent}… and {left:,} more (-v lists them all)", "dim")


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
