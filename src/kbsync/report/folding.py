"""The frame of a report in Markdown: lists in tables and differences in folds, as many as fit into a comment. Pure.

Of each list the beginning is open and the rest is folded; what would make the whole too large is counted instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kbsync.model import Change, Held, Observed, Target, Unpublished, Waiting
from kbsync.report.body_diff import Body, diff_lines
from kbsync.report.escape import CELL_CHARS, code, inert
from kbsync.report.fitting import Section, section_text, size_of

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
    """Which portal a report is about."""
    place = "in the sandbox" if target.base_url == "sandbox" else f"at {code(target.base_url, room)}"
    return f"Portal {code(target.portal, room)} {place}"


def render(
    head: Sequence[str],
    sections: Iterable[Section],
    diffs: Sequence[tuple[Change | Held, Body]] = (),
    unread: int = 0,
) -> str:
    """The parts with a blank line between, each list with what room the earlier ones and the reserve leave it."""
    filled = [section for section in sections if section.total]
    blocks, left = list(head), LIMIT_BYTES - sum(size_of(block) for block in head)
    lists = len(filled) + bool(diffs)
    for number, section in enumerate(filled, start=1):
        text = section_text(section, left - RESERVED_BYTES * (lists - number) - FRAME_BYTES)
        blocks.append(text)
        left -= size_of(text)
    return "\n\n".join([*blocks, *_diffs(diffs, unread, left - FRAME_BYTES)]) + "\n"


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
