"""Files of the content folder that one command changes together: all of them, or none.

    staged   the new texts are in `.kbsync/changes`, and the content folder is as it was
    ready    so is the journal, sealed for this clone: what it says will be done
    done     every step is applied; the journal goes first, then the folder

A command that is killed before it is ready has changed nothing. What it leaves later is finished by the command that
the journal names; until then no plan, push or move begins. A file that somebody changed meanwhile is not overwritten.
One file alone is replaced by `write_file`: that needs no journal.
"""

from __future__ import annotations

import errno
import os
import secrets
import shlex
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

import msgspec
from msgspec.structs import replace

from kbsync.app.workspace import Workspace
from kbsync.content.body import raw_digest
from kbsync.content.images import MAX_BYTES
from kbsync.errors import ContentError
from kbsync.files import (
    ABANDONED_S,
    PART,
    load_sealed,
    make_folder,
    read_within,
    real_path,
    relative,
    store_sealed,
    write_whole,
)
from kbsync.model import visible

HEAD = b"kbsync.changes/1\n"
JOURNAL, DATA = "journal", "data"

PULL, MOVE, FIX, TAKE = "kbsync pull", "kbsync mv --finish", "kbsync lint --fix", "kbsync translate --in"
"""The commands that finish what they began."""

CHANGED = "it changed while kbsync was running. Run the command again"
MADE = "a file was made there meanwhile"

Progress = Callable[[int, int], None]
"""Told how many files are in place, of how many."""


class Step(msgspec.Struct, frozen=True, array_like=True):
    """One file: its path now and then, and the digest of its bytes before and after; b"" for no file.

    `start` and `size` say where its new bytes are in the staged data; `size` is -1 where the bytes stay.
    """

    old: str
    new: str
    before: bytes
    after: bytes
    start: int = 0
    size: int = -1


class Journal(msgspec.Struct, frozen=True, array_like=True):
    command: str
    steps: list[Step]


class NewBytes(NamedTuple):
    """A file of the content folder with its bytes before, None for no file, and after."""

    path: str
    before: bytes | None
    after: bytes


class Overtaken(OSError):
    """Somebody else wrote the file meanwhile."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The transactions of one clone.

    Args:
        folder: where they are kept, each in a folder of its own: two commands must not take each other's files.
        root: the content root, without symbolic links.
        key: gives what only this clone seals with.
    """

    folder: Path
    root: Path
    key: Callable[[], bytes]

    @classmethod
    def of(cls, workspace: Workspace) -> Changes:
        """Those of a project."""
        return cls(workspace.state_folder / "changes", real_path(workspace.content_root), lambda: workspace.seal_key)

    def interrupted(self) -> str:
        """The command that finishes what was interrupted, or is at it right now; "" for none."""
        return next((journal.command for _, journal in self._ready()), "")

    def write(self, command: str, files: Sequence[NewBytes]) -> dict[str, str]:
        """Write files that do not need each other; by path, why one stays as it is."""
        if len(files) == 1:
            path, before, after = files[0]
            try:
                write_file(check_target(self.root, path), before, after)
            except OSError as exc:
                return {path: exc.strerror or type(exc).__name__}
            return {}
        with Transaction(self, command) as transaction:
            for path, before, after in files:
                transaction.write(path, after, before=before)
            return transaction.commit(drops=True)

    def check(self) -> None:
        """Refuse to work on files of which some are as before a command, and some as after it.

        Raises:
            ContentError: one was interrupted.
        """
        command = self.interrupted()
        if command == MOVE:
            raise ContentError("A move was interrupted, and some links are not changed yet.", hint=f"Run `{MOVE}`.")
        if command:
            message = "was interrupted, and some of its files are not in place yet."
            again = f"`{command}` with the folder of the hand-off" if command == TAKE else f"`{command}`"
            hint = f"Run {again}. It finishes what it began."
            raise ContentError(f"{'A pull' if command == PULL else f'`{command}`'} {message}", hint=hint)

    def finish(
        self, command: str, progress: Progress = lambda done, of: None, note: Callable[[str], None] = lambda text: None
    ) -> list[Step]:
        """Do what this command left when it was killed, and forget what was never ready; the steps that were done."""
        began_s = time.time()
        found = [(folder, journal) for folder, journal in self._ready() if journal.command == command]
        for folder, journal in found:
            for path, why in _apply(self.root, folder, journal, progress).items():
                note(f"{visible(path)} stays as it is: {why}.")
            _clear_parts({place.parent for step in journal.steps for place in _places(self.root, step)}, began_s)
        self._forget_abandoned()
        return [step for _, journal in found for step in journal.steps]

    def _forget_abandoned(self) -> None:
        for folder in self._folders():
            with suppress(OSError):  # It ended meanwhile.
                if not os.path.lexists(folder / JOURNAL) and time.time() - folder.stat().st_mtime > ABANDONED_S:
                    shutil.rmtree(folder)

    def settle(self, command: str, note: Callable[[str], None], progress: Progress = lambda done, of: None) -> None:
        """Finish what this command left, with a note, and refuse to begin while another is not finished."""
        if self.finish(command, progress, note):
            note(f"Finished an earlier {'pull' if command == PULL else f'`{command}`'} that was interrupted.")
        self.check()

    def _folders(self) -> list[Path]:
        return sorted(self.folder.iterdir()) if self.folder.is_dir() else []

    def _ready(self) -> Iterator[tuple[Path, Journal]]:
        for folder in self._folders():
            if os.path.lexists(folder / JOURNAL):
                body = load_sealed(folder / JOURNAL, HEAD, self.key())
                if body is None and not os.path.lexists(folder / JOURNAL):
                    continue  # It ended meanwhile.
                try:
                    journal = msgspec.msgpack.decode(body or b"", type=Journal)
                except msgspec.MsgspecError as exc:
                    raise not_of_this_clone(self.folder) from exc
                if journal.command not in {PULL, MOVE, FIX, TAKE}:
                    raise not_of_this_clone(self.folder)
                yield folder, journal


@dataclass(slots=True)
class Transaction:
    """What one command is going to write."""

    changes: Changes
    command: str
    steps: list[Step] = field(default_factory=list)
    folder: Path = field(init=False)
    size: int = 0

    def __post_init__(self) -> None:
        self.folder = self.changes.folder / secrets.token_hex(8)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def write(self, path: str, data: bytes, *, before: bytes | None = None, new: str = "") -> None:
        """Give a file, which has these bytes `before` (None for a new file), others, and where it moves its new path.

        Raises:
            ContentError: there is no room for it.
        """
        step = Step(path, new or path, _digest(before), raw_digest(data))
        if data != before:
            step = replace(step, start=self.size, size=len(data))
            try:
                make_folder(self.folder)
                with (self.folder / DATA).open("ab") as file:
                    self.size += file.write(data)
            except OSError as exc:
                raise self._unwritable(exc.strerror) from exc
        self.steps.append(step)

    def clear(self) -> None:
        """Forget everything; what is ready already is for the next command to finish."""
        if not os.path.lexists(self.folder / JOURNAL):
            shutil.rmtree(self.folder, ignore_errors=True)
        self.steps, self.size = [], 0

    def commit(self, progress: Progress = lambda done, of: None, *, drops: bool = False) -> dict[str, str]:
        """Apply every step. By path, why files stay as they are: those that somebody changed meanwhile.

        Args:
            progress: called after each file.
            drops: a file that cannot be written is one of the result, too; else it is finished later.

        Raises:
            ContentError: a file would be outside of the root, or cannot be written; in a move, somebody changed one.
        """
        if not self.steps:
            return {}
        journal, part = Journal(self.command, self.steps), self.folder / "part"
        for step in self.steps:
            _places(self.changes.root, step)
        try:
            make_folder(self.folder)
            _sync(self.folder / DATA)
            if not store_sealed(part, HEAD, msgspec.msgpack.encode(journal), self.changes.key()):
                raise OSError(None, "the journal could not be made")
            _sync(part)
            part.replace(self.folder / JOURNAL)
        except OSError as exc:
            raise self._unwritable(exc.strerror) from exc
        return _apply(self.changes.root, self.folder, journal, progress, drops=drops)

    def _unwritable(self, reason: str | None) -> ContentError:
        hint = "Check its permissions and the room on the disk. Nothing was changed."
        return ContentError(f"{self.folder} cannot be written to: {reason}.", hint=hint)


def write_file(place: Path, before: bytes | None, after: bytes) -> None:
    """Replace one file, or make it where `before` is None. OSError: it cannot be written, or changed meanwhile."""
    _put(place, _digest(before), after)


def not_of_this_clone(place: Path) -> ContentError:
    """What is there may be a stranger's."""
    name = shlex.quote(relative(place))
    return ContentError(
        f"{relative(place)} has the rest of a command that was interrupted, and nothing proves that this clone left "
        "it. Nothing of it was used.",
        hint=f"Compare your files with `git status`, then delete it: `rm -r {name}`.",
    )


def check_target(root: Path, path: str, hidden: Collection[str] = ()) -> Path:
    """Where a file that is to be written really lies; `hidden` are the names with a dot that may be in its path.

    Raises:
        ContentError: outside of the root, or where only git, kbsync or other tools keep files.
    """
    place, base = real_path(root / path), real_path(root)
    # Links inside of the content folder are followed; by both its names the file is in no hidden folder.
    parts = [*path.split("/"), *(place.relative_to(base).parts if place.is_relative_to(base) else ("..",))]
    if any((part.startswith(".") and part not in hidden) or not part for part in parts):
        raise ContentError(
            f"{visible(path)} would be written outside of the content folder, or into a hidden folder. Nothing was "
            "written.",
            hint="Remove the symbolic link, if there is one.",
        )
    return place


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two names that differ in case alone are one file, as on disks that do not tell them apart."""
    is_one_name = os.fspath(one).casefold() == os.fspath(other).casefold()
    return is_one_name and one.exists() and other.exists() and one.samefile(other)


def _places(root: Path, step: Step) -> tuple[Path, Path]:
    """Where a file is and where it goes. One that keeps its bytes may be hidden, if it was."""
    hidden = {part for part in step.old.split("/") if step.size < 0 and part.startswith(".")} - {".", "..", ".git"}
    return check_target(root, step.old, hidden), check_target(root, step.new, hidden)


def _apply(root: Path, folder: Path, journal: Journal, progress: Progress, *, drops: bool = False) -> dict[str, str]:
    """Do what is not done yet, as `Transaction.commit` says."""
    steps = [(step, *_places(root, step)) for step in journal.steps]
    for step, old, new in steps if journal.command == MOVE else ():
        _check_move(step, old, new)
    stay: dict[str, str] = {}
    for number, (step, old, new) in enumerate(steps, 1):
        progress(number, len(steps))
        try:
            if not _is_done(step, old, new):
                _do(folder, step, old, new)
        except Overtaken as exc:
            stay[step.old] = str(exc.strerror)
        except OSError as exc:
            if not os.path.lexists(folder / JOURNAL):
                break  # Another command finished it.
            reason = exc.strerror or type(exc).__name__
            if not drops:
                raise ContentError(
                    f"{step.old} cannot be written: {reason}.",
                    hint=f"Fix that, then run `{journal.command}` again. It finishes what it began.",
                ) from exc
            stay[step.old] = reason
    _remove_emptied(root, [old for _, old, new in steps if old != new])
    # Without the journal, nothing of the rest counts.
    (folder / JOURNAL).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    return stay


def _remove_emptied(root: Path, moved: Sequence[Path]) -> None:
    above = {parent for old in moved for parent in old.parents if root in parent.parents}
    for folder in sorted(above, key=lambda place: -len(place.parts)):
        with suppress(OSError):  # Something else is in it.
            folder.rmdir()


def _do(folder: Path, step: Step, old: Path, new: Path) -> None:
    if step.size >= 0:
        data = b""
        with suppress(FileNotFoundError), (folder / DATA).open("rb") as file:
            file.seek(step.start)
            data = file.read(step.size)
        if not os.path.lexists(folder / JOURNAL):
            raise FileNotFoundError(folder)  # Another command finished it.
        if raw_digest(data) != step.after:
            raise not_of_this_clone(folder.parent)
        _put(old, step.before, data)
    if old != new:
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)


def _clear_parts(folders: Collection[Path], began_s: float) -> None:
    """Delete what the killed command was writing just then; a part of a command that runs now is younger."""
    for place in (place for folder in folders if folder.is_dir() for place in folder.iterdir()):
        with suppress(OSError):
            if PART.fullmatch(place.name) and place.lstat().st_mtime < began_s:
                place.unlink()


def _check_move(step: Step, old: Path, new: Path) -> None:
    """Refuse before anything is done: a file that changed since is somebody's work, and so is one at the new place."""
    if _is_done(step, old, new):
        return
    if _digest_at(old) not in {step.before, step.after}:
        raise ContentError(
            f"{step.old} changed while it was to be moved.",
            hint=f"Put it back as it was, for example by `git restore`, and run `{MOVE}`. "
            "Or finish by hand, and delete `.kbsync/changes`.",
        )
    if old != new and os.path.lexists(new) and not is_same_file(old, new):
        raise ContentError(f"{step.new} exists by now.", hint=f"Move it away. Then: Run `{MOVE}`.")


def _is_done(step: Step, old: Path, new: Path) -> bool:
    if old == new:
        return _digest_at(new) == step.after
    if os.path.lexists(old) and not is_same_file(old, new):
        return False
    # Where a disk does not tell them apart, the file has the new name only if the folder lists it so.
    return _digest_at(new) == step.after and new in new.parent.iterdir()


def _put(place: Path, before: bytes, data: bytes) -> None:
    """Write a file that has the bytes of this digest; nothing where it has the new ones already."""
    found = _digest_at(place)
    if found == raw_digest(data):
        return
    if found != before:
        raise Overtaken(None, (CHANGED if found else os.strerror(errno.ENOENT)) if before else MADE)
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, data)


def _digest(data: bytes | None) -> bytes:
    return b"" if data is None else raw_digest(data)


def _digest_at(place: Path) -> bytes:
    """The digest of what is there; b"" for nothing. What cannot be read counts as another's."""
    try:
        return raw_digest(read_within(place, MAX_BYTES)) if os.path.lexists(place) else b""
    except OSError:
        return b"?"


def _sync(place: Path) -> None:
    with place.open("ab") as file:
        os.fsync(file.fileno())
