"""Carries a move out: each file gets its new text and its new name, all in one transaction; then git learns of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kbsync.app.file_transaction import MOVE, Changes, Step, Transaction
from kbsync.app.workspace import Workspace
from kbsync.content.images import MAX_BYTES
from kbsync.content.relocation import Relocation
from kbsync.errors import ContentError, UsageError
from kbsync.files import read_within
from kbsync.history.git_index import open_index
from kbsync.history.git_process import GitFailed


def check_unfinished(workspace: Workspace) -> None:
    """Refuse to begin while something earlier is not finished.

    Raises:
        UsageError: a move was interrupted.
        ContentError: another command was, and would write its files where they are no longer.
    """
    changes = Changes.of(workspace)
    if changes.interrupted() == MOVE:
        message = "An earlier move was interrupted, and some of its files are not changed yet."
        raise UsageError(message, hint=f"Run `{MOVE}`.")
    changes.check()


def write_move(workspace: Workspace, relocation: Relocation) -> None:
    """Carry a move out.

    Raises:
        ContentError: a file changed meanwhile, or cannot be written.
    """
    changes = Changes.of(workspace)
    with Transaction(changes, MOVE) as transaction:
        for change in relocation.changes:
            before = change.before if change.before is not None else _read(changes.root / change.old)
            after = before if change.after is None else change.after
            transaction.write(change.old, after, before=before, new=change.new)
        steps = transaction.steps
        transaction.commit()
    _rename_in_git(workspace, changes.root, steps)


def finish_move(workspace: Workspace) -> int:
    """Do what an interrupted move left; how many files it was about.

    Raises:
        UsageError: there is no such move.
        ContentError: a file changed meanwhile, or cannot be written.
    """
    changes = Changes.of(workspace)
    steps = changes.finish(MOVE)
    if not steps:
        raise UsageError("No move was interrupted.")
    _rename_in_git(workspace, changes.root, steps)
    return len(steps)


def _read(place: Path) -> bytes:
    try:
        return read_within(place, MAX_BYTES)
    except OSError as exc:
        raise ContentError(f"{place} cannot be read: {exc.strerror}. Nothing was moved.") from exc


def _rename_in_git(workspace: Workspace, root: Path, steps: Sequence[Step]) -> None:
    """What git tracks keeps being tracked under its new name, as after `git mv`."""
    names = {step.old: step.new for step in steps if step.old != step.new}
    if names and (index := open_index(root)) is not None:
        try:
            index.rename(names)
        except GitFailed as exc:
            workspace.session.note(f"The files are moved, but git does not know it yet: {exc} Run `git add -A`.")
