"""Carries a move out: each file gets its new text, then its new name, then the files that link to it change.

No article ever has two files. What is to be done is kept in `.kbsync/move.journal` until all of it is done; whatever
ends kbsync in between, `kbsync mv --finish` does what is left.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from kbsync.app.moving.move_paths import is_same_file
from kbsync.app.pulled_files import check_target, not_of_this_clone
from kbsync.app.reading import check_pulled, move_journal
from kbsync.app.workspace import Workspace
from kbsync.content.images import MAX_BYTES
from kbsync.content.relocation import Relocation
from kbsync.errors import ContentError, UsageError
from kbsync.files import load_sealed, make_folder, read_within, real_path, store_sealed, write_whole
from kbsync.history.git_index import open_index
from kbsync.history.git_process import GitFailed

HEAD = b"kbsync.move/2\n"
FINISH = "Run `kbsync mv --finish`."


class Step(msgspec.Struct, frozen=True):
    """One file: its paths, the digest of what it is before, and its bytes after; None where these stay."""

    old: str
    new: str
    before: str
    after: bytes | None = None


def check_unfinished(workspace: Workspace) -> None:
    """Refuse to begin while an earlier move is not finished.

    Raises:
        UsageError: one was interrupted.
        ContentError: a pull was, and would write its files where they are no longer.
    """
    check_pulled(workspace)
    if move_journal(workspace).exists():
        raise UsageError("An earlier move was interrupted, and some of its files are not changed yet.", hint=FINISH)


def write_move(workspace: Workspace, relocation: Relocation) -> None:
    """Carry a move out.

    Raises:
        ContentError: a file changed meanwhile, or cannot be written.
    """
    root = real_path(workspace.content_root)
    steps = tuple(
        Step(
            change.old,
            change.new,
            _digest_of(root / change.old),
            change.after if change.after != change.before else None,
        )
        for change in relocation.changes
    )
    path = move_journal(workspace)
    try:
        make_folder(path.parent)
    except OSError as exc:
        raise ContentError(f"{path} cannot be written: {exc.strerror}. Nothing was moved.") from exc
    if not store_sealed(path, HEAD, msgspec.msgpack.encode(steps), workspace.seal_key):
        raise ContentError(f"{path} cannot be written. Nothing was moved.", hint="Check its permissions and the disk.")
    _do(workspace, root, steps)


def finish_move(workspace: Workspace) -> int:
    """Do what an interrupted move left; how many files it was about.

    Raises:
        UsageError: there is no such move.
        ContentError: a file changed meanwhile, or cannot be written.
    """
    path = move_journal(workspace)
    if not os.path.lexists(path):
        raise UsageError("No move was interrupted.")
    body = load_sealed(path, HEAD, workspace.seal_key)
    if body is None:
        raise not_of_this_clone(path, "a move that was interrupted")
    steps = msgspec.msgpack.decode(body, type=tuple[Step, ...])
    root = real_path(workspace.content_root)
    for step in steps:
        for name in (step.old, step.new):
            check_target(root, name)
    _do(workspace, root, steps)
    return len(steps)


def _digest_of(place: Path) -> str:
    """A digest of a file's bytes; "" where it is not there."""
    try:
        return blake2b(read_within(place, MAX_BYTES), digest_size=16).hexdigest()
    except OSError as exc:
        if exc.errno == errno.ENOENT:
            return ""
        raise ContentError(f"{place} cannot be read: {exc.strerror}. Nothing was moved.") from exc


def _do(workspace: Workspace, root: Path, steps: tuple[Step, ...]) -> None:
    """All that is not done yet: files that move first, then those that only change."""
    left = [step for step in steps if not _is_done(root, step)]
    for step in left:
        _check(root, step)
    try:
        for step in left:
            _do_one(root, step)
    except OSError as exc:
        reason = exc.strerror or type(exc).__name__
        raise ContentError(f"{exc.filename or root} cannot be written: {reason}.", hint=FINISH) from exc
    folders = {folder for step in steps if step.old != step.new for folder in _folders(root, step.old)}
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        with suppress(OSError):  # Something else is in it.
            folder.rmdir()
    _rename_in_git(workspace, root, steps)
    move_journal(workspace).unlink(missing_ok=True)


def _folders(root: Path, path: str) -> Iterator[Path]:
    """The folders around a path."""
    place = (root / path).parent
    while place != root:
        yield place
        place = place.parent


def _after(step: Step) -> str:
    return step.before if step.after is None else blake2b(step.after, digest_size=16).hexdigest()


def _is_done(root: Path, step: Step) -> bool:
    has_left = (
        step.old == step.new or not os.path.lexists(root / step.old) or is_same_file(root / step.old, root / step.new)
    )
    return (
        has_left
        and root.joinpath(step.new).name in _names(root / step.new)
        and _digest_of(root / step.new) == _after(step)
    )


def _names(place: Path) -> list[str]:
    """What is in the folder of a place, by the names that the disk has."""
    try:
        return [other.name for other in place.parent.iterdir()]
    except OSError:
        return []


def _check(root: Path, step: Step) -> None:
    """A file that changed since is somebody's work, and so is one at the new place."""
    found = _digest_of(root / step.old)
    if found not in {step.before, _after(step)} or not found:
        raise ContentError(
            f"{step.old} changed while it was to be moved.",
            hint="Put it back as it was, for example by `git restore`, and run `kbsync mv --finish`. "
            "Or finish by hand, and delete `.kbsync/move.journal`.",
        )
    new = root / step.new
    if step.old != step.new and os.path.lexists(new) and not is_same_file(root / step.old, new):
        raise ContentError(f"{step.new} exists by now.", hint=f"Move it away. Then: {FINISH}")


def _do_one(root: Path, step: Step) -> None:
    old, new = root / step.old, root / step.new
    if step.after is not None and _digest_of(old) == step.before:
        write_whole(old, step.after)
    if old != new:
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)


def _rename_in_git(workspace: Workspace, root: Path, steps: tuple[Step, ...]) -> None:
    """What git tracks keeps being tracked under its new name, as after `git mv`."""
    names = {step.old: step.new for step in steps if step.old != step.new}
    if names and (index := open_index(root)) is not None:
        try:
            index.rename(names)
        except GitFailed as exc:
            workspace.session.note(f"The files are moved, but git does not know it yet: {exc} Run `git add -A`.")
