"""What a move changes, as lines for people, and as a patch. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from kbsync.content.front_changes import Edit
from kbsync.content.relocation import FileChange, Relocation
from kbsync.model import visible
from kbsync.report.escape import inert
from kbsync.report.style import SHOWN, Style, rest_lines
from kbsync.words import count


def moved_text(relocation: Relocation, style: Style, *, dry_run: bool) -> str:
    """The files that move with their new paths, those that change, and what to look at."""
    moves = [change for change in relocation.changes if change.is_move]
    others = [change for change in relocation.changes if not change.is_move]
    lines: list[str] = []
    if moves:
        lines.append(f"{'Would move' if dry_run else 'Moved'} {count(len(moves), 'file')}")
        lines += _listed(moves, style)
    if others:
        lines.append(f"{'Would change' if dry_run else 'Changed'} {count(len(others), 'file')}")
        lines += _listed(others, style)
    return inert("\n".join(lines) + "\n")


def _listed(changes: Sequence[FileChange], style: Style) -> Iterator[str]:
    shown = changes if style.verbose else changes[:SHOWN]
    for change in shown:
        yield f"  {visible(change.old)}"
        if change.is_move:
            yield f"      -> {visible(change.new)}"
        yield from _details(change)
    yield from rest_lines(len(changes) - len(shown), style)


def _details(change: FileChange) -> Iterator[str]:
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
