"""The files of a pull: first all of them beside `.kbsync`, then all at once into the content folder.

A pull that is killed before it has them all has changed nothing. One that is killed while it puts them into place is
finished by the next: links between files that exist only in part would make a tree that nothing can be done with.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from kbsync.content.body import raw_digest
from kbsync.content.images import MAX_BYTES
from kbsync.errors import ContentError
from kbsync.files import load_sealed, make_folder, read_within, real_path, store_sealed, write_whole

HEAD = b"kbsync.pull/1\n"
READY = "ready"


class Staged(msgspec.Struct, frozen=True, array_like=True):
    """A file: where it goes, the name under which it waits, and the digest of what is there now (b"": nothing)."""

    path: str
    name: str
    before: bytes


@dataclass(slots=True)
class Stage:
    """What a pull is going to write.

    Args:
        folder: where it waits.
        root: the content root.
    """

    folder: Path
    root: Path
    files: list[Staged] = field(default_factory=list)

    def clear(self) -> None:
        """Throw away what an earlier pull left before it was ready."""
        shutil.rmtree(self.folder / "files", ignore_errors=True)
        (self.folder / READY).unlink(missing_ok=True)
        self.files.clear()
        make_folder(self.folder / "files")

    def add(self, path: str, data: bytes, *, before: bytes | None = None) -> None:
        """Keep a file until all are there.

        Args:
            path: relative to the content root.
            data: its bytes.
            before: the bytes that are there now; None: there is no such file.
        """
        name = f"{len(self.files):06}"
        (self.folder / "files" / name).write_bytes(data)
        self.files.append(Staged(path, name, raw_digest(before) if before is not None else b""))

    def commit(self) -> list[str]:
        """Put all files into place; those that were changed meanwhile stay, and are the result.

        Raises:
            OSError: one cannot be written.
        """
        if not store_sealed(self.folder / READY, HEAD, msgspec.msgpack.encode(self.files)):
            raise OSError(None, f"{self.folder} cannot be written to")
        return list(_into_place(self))

    def finish(self) -> list[str] | None:
        """Finish what an earlier pull began to put into place; None where there is nothing."""
        body = load_sealed(self.folder / READY, HEAD)
        if body is None:
            return None
        try:
            self.files = msgspec.msgpack.decode(body, type=list[Staged])
        except msgspec.DecodeError:
            return None
        return list(_into_place(self))


def _into_place(stage: Stage) -> Iterator[str]:
    root = real_path(stage.root)
    for file in stage.files:
        waiting = stage.folder / "files" / Path(file.name).name
        if not waiting.exists():
            continue  # An earlier pull put it into place.
        place = stage.root / file.path
        if not real_path(place.parent).is_relative_to(root):
            raise ContentError(f"{file.path} would be written outside of the content folder.", hint="Remove the link.")
        data = waiting.read_bytes()
        now = _bytes_at(place)
        if now != data:
            if (raw_digest(now) if now is not None else b"") != file.before:
                yield file.path
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, data)
    (stage.folder / READY).unlink(missing_ok=True)
    shutil.rmtree(stage.folder, ignore_errors=True)


def _bytes_at(place: Path) -> bytes | None:
    """What is there now; None for nothing. What is no file counts as another file's."""
    if not os.path.lexists(place):
        return None
    try:
        return read_within(place, MAX_BYTES)
    except OSError:
        return b"\0"
