"""The frame of a report in Markdown: lists in tables and differences in folds, as many as fit into a comment. Pure.

Of each list the beginning is open and the rest is folded; what would make the whole too large is counted instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from kbsync.model import Change, Held, Observed, Target, Unpublished, Waiting
from kbsync.report.body_diff import Body, diff_lines
from kbsync.report.escape import CELL_CHARS, code, inert

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


LIMIT_BYTES = 60_000
"""Size of a whole report: GitHub cuts a comment at 65,536 characters, and the summary of a step at 1 MiB."""

RESERVED_BYTES = 4_000
"""Room that each later list is sure of, so that a long one does not push it out."""

FRAME_BYTES = 600
"""Room for what is around the rows of a list: its heading, the heads of its tables, the fold, what is left out."""

DIFF_BYTES = 6_000
"""Room of one body's difference, so that a long one leaves room for others."""

FENCE = re.compile(r"`{3,}")


def where(item: Change | Held | Observed | Unpublished | Waiting) -> str:
    path = "" if isinstance(item, Observed) else item.path
    return code(path or f"{item.locale}: {item.slug}")


def portal_of(target: Target, room: int = CELL_CHARS) -> str:
    place = "in the sandbox" if target.base_url == "sandbox" else f"at {code(target.base_url, room)}"
    return f"Portal {code(target.portal, room)} {place}"


def render(
    head: Sequence[str],
    sections: Iterable[Section],
    diffs: Sequence[tuple[Change | Held, Body]] = (),
    unread: int = 0,
) -> str:
    """The parts with a blank line between, each list with what room the earlier ones and the reserve leave it."""
    blocks, left = list(head), LIMIT_BYTES - sum(size_of(block) for block in head)
    for text in list_texts(sections, left, reserve=RESERVED_BYTES, frame=FRAME_BYTES, later=bool(diffs)):
        blocks.append(text)
        left -= size_of(text)
    return "\n\n".join([*blocks, *_diffs(diffs, unread, left - FRAME_BYTES)]) + "\n"


def list_texts(sections: Iterable[Section], room: int, *, reserve: int, frame: int, later: int = 0) -> Iterator[str]:
    """The lists that have rows, but those of which not even the beginning fits.

    Args:
        sections: the lists.
        room: bytes for all of them.
        reserve: bytes that each later list is sure of, so that a long one does not push it out.
        frame: bytes for what is around the rows of a list.
        later: how many lists follow these.
    """
    filled = [section for section in sections if section.total]
    for left, section in zip(range(len(filled) + later - 1, -1, -1), filled, strict=False):
        own = room - reserve * left - frame
        if own >= 0:
            text = section_text(section, own)
            room -= size_of(text)
            yield text


def _diffs(diffs: Sequence[tuple[Change | Held, Body]], unread: int, room: int) -> list[str]:
    """How bodies change, each folded, as many as fit."""
    if not diffs:
        return []
    blocks = ["### How bodies change"]
    for number, (item, body) in enumerate(diffs):
        block = fold_diff(where(item), diff_lines(body), min(room, DIFF_BYTES))
        room -= size_of(block)
        if room < 0:
            unread += len(diffs) - number
            break
        blocks.append(block)
    more = f"… and {unread:,} more are not shown. `plan --diff -v` shows them all."
    return [*blocks, more] if unread else blocks


def fold_diff(heading: str, found: Iterable[str], room: int) -> str:
    """One body's difference, folded. Its fence is longer than any in it; no line of it is a command to a runner.

    Args:
        heading: Markdown or HTML, what is seen of it.
        found: the lines, with `-`, `+` or a space in front.
        room: bytes for them.
    """
    lines, cut = [], ""
    for line in found:
        room -= size_of(line)
        if room < 0:
            cut = "\n\n… the rest is too long for a comment."
            break
        lines.append(line)
    text = inert("\n".join(lines))
    fence = "`" * max(3, *(len(found) + 1 for found in FENCE.findall(text)), 3)
    return f"<details><summary>{heading}</summary>\n\n{fence}diff\n{text}\n{fence}{cut}\n\n</details>"
