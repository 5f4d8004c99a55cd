"""One line of a source as a terminal shows it, cut to fit, and where in it a caret goes. Pure."""

from __future__ import annotations

import unicodedata

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
