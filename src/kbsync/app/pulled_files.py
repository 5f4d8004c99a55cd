"""The files of a pull: first all of them beside `.kbsync`, then all at once into the content folder.

A pull that is killed before it has them all has changed nothing. One that is killed while it puts them into place is
finished by the next: links between files that exist only in part would make a tree that nothing can be done with.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from kbsync.content.body import raw_digest
from kbsync.content.images import MAX_BYTES
from kbsync.errors import ContentError
from kbsync.files import (
    ABANDONED_S,
    load_sealed,
    make_folder,
    read_within,
    real_path,
    relative,
    store_sealed,
    write_whole,
)
from kbsync.model import visible

HEAD = b"kbsync.pull/1\n"
READY = "ready"


Progress = Callable[[int, int], None]
"""Told how many files are in place, of how many."""


class Staged(msgspec.Struct, frozen=True, array_like=True):
    """A file: where it goes, the name under which it waits, and the digest of what is there now (b"": nothing)."""

    path: str
    name: str
    before: bytes


@dataclass(slots=True)
class Stage:
    """What one pull is going to write.

    Args:
        above: the folder of all pulls that are under way, or ended early.
        root: the content root.
        key: what only this clone seals with.
    """

    above: Path
    root: Path
    key: bytes
    files: list[Staged] = field(default_factory=list)
    folder: Path = field(init=False)

    def __post_init__(self) -> None:
        # Two pulls at once must not take each other's files.
        self.folder = self.above / secrets.token_hex(8)

    @property
    def is_ready(self) -> bool:
        """Whether all files wait for nothing but to be put into place."""
        return (self.folder / READY).exists()

    def clear(self) -> None:
        """Begin anew, with nothing."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.files.clear()

    def add(self, path: str, data: bytes, *, before: bytes | None = None) -> None:
        """Keep a file until all are there.

        Args:
            path: relative to the content root.
            data: its bytes.
            before: the bytes that are there now; None: there is no such file.
        """
        name = f"{len(self.files):06}"
        try:
            make_folder(self.folder)
            (self.folder / name).write_bytes(data)
        except OSError as exc:
            hint = "Check its permissions and the room on the disk. Nothing was changed."
            raise ContentError(f"{self.folder} cannot be written to: {exc.strerror}.", hint=hint) from exc
        self.files.append(Staged(path, name, raw_digest(before) if before is not None else b""))

    def commit(self, progress: Progress = lambda _done, _all: None) -> list[str]:
        """Put all files into place; those that were changed meanwhile stay, and are the result.

        Args:
            progress: called after each file.

        Raises:
            ContentError: one would be written outside of the root, or cannot be written.
        """
        if not self.files:
            return []
        places = {file.path: check_target(self.root, file.path) for file in self.files}
        if not store_sealed(self.folder / READY, HEAD, msgspec.msgpack.encode(self.files), self.key):
            raise ContentError(f"{self.folder} cannot be written to.", hint="Check its permissions and the disk.")
        return list(_into_place(self.folder, self.files, places, progress))


def is_waiting(above: Path, key: bytes) -> bool:
    """Whether a pull has everything ready, and was killed before it was in place, or is at it right now.

    Raises:
        ContentError: what waits there is not of this clone.
    """
    return any(_ready_in(folder, key) is not None for folder in above.iterdir())


def finish(above: Path, root: Path, key: bytes, *, now_s: float, progress: Progress = lambda _done, _all: None) -> int:
    """Put into place what earlier pulls had ready when they were killed; how many there were.

    Args:
        above: the folder of all pulls.
        root: the content root.
        key: what only this clone seals with.
        now_s: the clock, seconds since 1970.
        progress: called after each file.

    Raises:
        ContentError: what waits there is not of this clone, or a file cannot be written.
    """
    finished = 0
    for folder in sorted(above.iterdir()) if above.is_dir() else ():
        files = _ready_in(folder, key)
        if files is not None:
            places = {file.path: check_target(root, file.path) for file in files}
            finished += 1
            list(_into_place(folder, files, places, progress))
        elif now_s - folder.stat().st_mtime > ABANDONED_S:
            shutil.rmtree(folder, ignore_errors=True)
    return finished


def _ready_in(folder: Path, key: bytes) -> list[Staged] | None:
    """The files that wait for nothing but to be put into place; None where a pull had not come so far.

    Raises:
        ContentError: somebody else sealed them.
    """
    if not os.path.lexists(folder / READY):
        return None
    body = load_sealed(folder / READY, HEAD, key)
    if body is None:
        raise not_of_this_clone(folder.parent, "a pull that was interrupted")
    return msgspec.msgpack.decode(body, type=list[Staged])


def not_of_this_clone(place: Path, what: str) -> ContentError:
    """The error for something that a command left for the next one, and did not seal as this clone does."""
    name = shlex.quote(relative(place))
    return ContentError(
        f"{relative(place)} has the rest of {what}, and nothing proves that this clone left it. Nothing of it was "
        "used.",
        hint=f"Compare your files with `git status`, then delete it: `rm -r {name}`.",
    )


def check_target(root: Path, path: str) -> Path:
    """Where a file that is to be written really lies.

    Raises:
        ContentError: outside of the root, or where only git, kbsync or other tools keep files.
    """
    place, base = real_path(root / path), real_path(root)
    # Links inside of the content folder are followed; by both its names the file is in no hidden folder.
    parts = [*path.split("/"), *(place.relative_to(base).parts if place.is_relative_to(base) else ("..",))]
    if any(part.startswith(".") or not part for part in parts):
        raise ContentError(
            f"{visible(path)} would be written outside of the content folder, or into a hidden folder. Nothing was "
            "written.",
            hint="Remove the symbolic link, if there is one.",
        )
    return place


def _into_place(folder: Path, files: Sequence[Staged], places: Mapping[str, Path], progress: Progress) -> Iterator[str]:
    """Write what waits; the paths of files that are not as they were."""
    for number, file in enumerate(files, 1):
        progress(number, len(files))
        waiting, place = folder / Path(file.name).name, places[file.path]
        if not waiting.exists():
            continue  # Another pull finished this one.
        data, now = read_within(waiting, MAX_BYTES, follow=False), _bytes_at(place)
        if now == data:
            continue
        if (raw_digest(now) if now is not None else b"") != file.before:
            yield file.path
            continue
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, data)
        except OSError as exc:
            raise ContentError(
                f"{file.path} cannot be written: {exc.strerror}.",
                hint="Fix that, then run `kbsync pull` again. It finishes what it began.",
            ) from exc
    shutil.rmtree(folder, ignore_errors=True)


def _bytes_at(place: Path) -> bytes | None:
    """What is there now; None for nothing. What is no file counts as another file's."""
    if not os.path.lexists(place):
        return None
    try:
        return read_within(place, MAX_BYTES)
    except OSError:
        return b"\0"
