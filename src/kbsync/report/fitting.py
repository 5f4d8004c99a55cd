"""Tables that fit into so many bytes: rows while there is room, then names, then the number of the rest. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

RESERVED_BYTES = 500
"""Room that each later list is sure of, so that a long one does not push it out."""

FRAME_BYTES = 400
"""Room for what is around the rows of a list: its heading, the heads of its tables, the fold, the rest."""

OPEN_ROWS = 20
"""Rows of a list that are seen without unfolding."""

NAMES_SHARE = 0.3
"""Of the room of a list whose rows do not all fit: for the names of the others."""

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One list. The cells are Markdown already, and are made only as far as there is room; `names` are the files."""

    heading: str
    columns: Row
    rows: Iterator[Row]
    names: Iterator[str]
    total: int
    folded: bool = False


def section_text(section: Section, room: int) -> str:
    """A list within so many bytes; "" where not even its beginning fits."""
    if room < FRAME_BYTES:
        return ""
    rows = _fitting(section, room - FRAME_BYTES)
    heading = f"{section.heading}: {section.total:,}"
    blocks = [f"<details><summary>{heading}</summary>" if section.folded else f"### {heading}"]
    opened = rows if section.folded else rows[:OPEN_ROWS]
    if opened:
        blocks.append(table(section.columns, opened))
    if more := rows[len(opened) :]:
        blocks += [f"<details><summary>{len(more):,} more</summary>", table(section.columns, more), "</details>"]
    if len(rows) < section.total:
        taken = sum(size_of(line(row)) for row in rows)
        blocks.append(_rest(section, len(rows), room - FRAME_BYTES - taken))
    return "\n\n".join([*blocks, "</details>"] if section.folded else blocks)


def _fitting(section: Section, room: int) -> list[Row]:
    """The first rows: all of them where they fit, else so many that there is room for the names of others."""
    rows: list[Row] = []
    taken = 0
    for row in section.rows:
        rows.append(row)
        taken += size_of(line(row))
        if taken > room:
            while rows and taken > room * (1 - NAMES_SHARE):
                taken -= size_of(line(rows.pop()))
            break
    return rows


def _rest(section: Section, shown: int, room: int) -> str:
    """The names of what has no row, and the number of what has no name."""
    names: list[str] = []
    for name in islice(section.names, shown, None):
        room -= size_of(name)
        if room < 0:
            break
        names.append(name)
    left = section.total - shown - len(names)
    others = f"{left:,} {'others' if names else 'more'}, because a comment has a size limit" if left else ""
    return "Not shown in full: " + ", ".join([*names, others] if others else names) + "."


def table(columns: Row, rows: Iterable[Row]) -> str:
    return "\n".join([line(columns), line(("---",) * len(columns)), *map(line, rows)])


def line(cells: Row) -> str:
    return f"| {' | '.join(cells)} |"


def size_of(text: str) -> int:
    """Bytes, with what parts it from the next."""
    return len(text.encode("utf-8", "surrogatepass")) + 2
