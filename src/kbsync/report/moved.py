"""What a move changes, as lines for people, and as a patch. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from kbsync.content.front_changes import Edit
from kbsync.content.relocation import FileChange, Relocation
from kbsync.model import visible
from kbsync.report.escape import inert
from kbsync.report.style import Style, listed
from kbsync.words import count


def moved_text(relocation: Relocation, style: Style, *, dry_run: bool) -> str:
    """The files that move with their new paths, those that change, and what to look at."""
    moves = [change for change in relocation.changes if change.is_move]
    others = [change for change in relocation.changes if not change.is_move]
    lines: list[str] = []
    for found, done, would in ((moves, "Moved", "Would move"), (others, "Changed", "Would change")):
        if found:
            heading = f"{would if dry_run else done} {count(len(found), 'file')}"
            lines += [heading, *listed(found, style, _lines_of)]
    return inert("\n".join(lines) + "\n")


def _lines_of(change: FileChange) -> Iterator[str]:
    yield f"  {visible(change.old)}"
    if change.is_move:
        yield f"      -> {visible(change.new)}"
    for edit in change.edits:
        yield f"      {visible(_edit_text(edit))}"
    if change.links:
        yield f"      {count(change.links, 'link')} in it"


def _edit_text(edit: Edit) -> str:
    if not edit.after:
        return f"{edit.key}: {edit.before} removed"
    if not edit.before:
        return f"{edit.key}: {edit.after} added"
    return f"{edit.key}: {edit.before} -> {edit.after}"


def moved_patch(relocation: Relocation, prefix: str = "") -> Iterator[str]:
    """The lines of a patch, without their ends.

    Args:
        relocation: what changes.
        prefix: the content folder, as names in the patch begin.
    """
    for change in relocation.changes:
        old, new = (visible(prefix + path) for path in (change.old, change.new))
        if change.is_move:
            yield f"rename from {old}"
            yield f"rename to {new}"
        if change.after is not None and change.before is not None and change.after != change.before:
            for line in difflib.unified_diff(_lines(change.before), _lines(change.after), old, new):
                yield line.removesuffix("\n")
                if not line.endswith("\n"):
                    yield "\\ No newline at end of file"


def _lines(data: bytes) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", data.decode(errors="replace"))
