"""Lists that fit into so many bytes: rows while there is room, then names, then the number of the rest. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

OPEN_ROWS = 20
"""Rows of a list that are seen without unfolding."""

NAMES_SHARE = 0.3
"""Of the room of a list whose rows do not all fit: for the names of the others."""

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One list of `total` rows. Their cells are Markdown already, and are made only as far as there is room.

    `folded` says what is not seen at first: the rows below their heading, or the heading's list as a whole. `names` are
    the files, for those whose rows have no room; None where the rest is only counted.
    """

    heading: str
    columns: Row
    rows: Iterable[Row]
    total: int
    names: Iterable[str] | None = None
    folded: Literal["", "rows", "list"] = ""


def section_text(section: Section, room: int) -> str:
    """A list whose rows and names take no more than so many bytes; what is around them comes on top."""
    rows = _fitting(section, room)
    heading = f"{section.heading}: {section.total:,}"
    whole = section.folded == "list"
    blocks = [f"<details><summary>{heading}</summary>" if whole else f"### {heading}"]
    seen = len(rows) if whole else 0 if section.folded else OPEN_ROWS
    if rows[:seen]:
        blocks.append(table(section.columns, rows[:seen]))
    if more := rows[seen:]:
        blocks += [f"<details><summary>{len(more):,} more</summary>", table(section.columns, more), "</details>"]
    if len(rows) < section.total:
        taken = sum(size_of(line(row)) for row in rows)
        blocks.append(_rest(section, len(rows), room - taken))
    return "\n\n".join([*blocks, "</details>"] if whole else blocks)


def _fitting(section: Section, room: int) -> list[Row]:
    """The first rows: all of them where they fit, else so many that there is room for the names of others."""
    kept = room if section.names is None else room * (1 - NAMES_SHARE)
    rows: list[Row] = []
    taken = 0
    for row in section.rows:
        rows.append(row)
        taken += size_of(line(row))
        if taken > room:
            while rows and taken > kept:
                taken -= size_of(line(rows.pop()))
            break
    return rows


def _rest(section: Section, shown: int, room: int) -> str:
    """The names of what has no row, and the number of what has no name."""
    if section.names is None:
        return f"… and {section.total - shown:,} more are not shown: a comment has a size limit."
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
    """Bytes, with what parts it from the next; a surrogate that has lost its other half counts as three."""
    return len(text.encode("utf-8", "surrogatepass")) + 2
