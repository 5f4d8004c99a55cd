"""The folder of a site: which files in it are ours, and how they are written.

A marker in it names them. Only these are ever overwritten or deleted. While a build is under way the marker names what
is there and what may come, so that a build that was killed can be finished by the next one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from kbsync.errors import UsageError
from kbsync.files import PART, read_within, write_whole

MARKER = ".kbsync-preview"
"""A file in the folder that says: made by `kbsync preview --build`; its lines are the files that were written."""

UNFINISHED = "# unfinished"
"""A line of the marker while a build is under way."""

MOST_BYTES = 1_000_000_000
"""A larger file was not written by a build."""


@dataclass(slots=True)
class SiteFolder:
    """A folder that is ours to write to.

    Args:
        folder: the folder.
        before: the files that earlier builds wrote.
    """

    folder: Path
    before: frozenset[str]
    _made: set[str] = field(default_factory=set)

    @classmethod
    def open(cls, folder: Path) -> SiteFolder:
        """A folder that is empty, missing, or was made here.

        Raises:
            UsageError: it has something in it that was not made here.
        """
        marker = folder / MARKER
        if marker.is_file():
            lines = set(marker.read_text("utf-8").split("\n")) - {""}
            names = frozenset(name for name in lines if _is_below(name))
            if UNFINISHED in lines:
                _remove_parts(folder, names)
            return cls(folder, names - {UNFINISHED})
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is not a folder.", hint="Name a folder for the pages, such as `site`.")
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(
                f"{folder} is not empty, and was not written by `kbsync preview --build`.",
                hint="Choose another folder, or empty this one.",
            )
        return cls(folder, frozenset())

    def begin(self, names: Iterable[str]) -> None:
        """Say that these files may come, and delete those that do not."""
        coming = set(names)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._mark(self.before | coming | {UNFINISHED})
        for name in self.before - coming:
            self.remove(name)

    def finish(self, written: Iterable[str]) -> None:
        """Say which files there are."""
        self._mark(set(written))

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, None where there is no file that can be read."""
        try:
            return read_within(Path(f"{self.folder}/{name}"), MOST_BYTES)
        except OSError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Write a file; one with these bytes is left alone."""
        place = f"{self.folder}/{name}"
        parent = os.path.dirname(place)  # noqa: PTH120  (thousands of them)
        if parent not in self._made:
            Path(parent).mkdir(parents=True, exist_ok=True)
            self._made.add(parent)
        try:
            # What is new needs no second name: until the marker is finished, the next build looks at every byte.
            with open(place, "xb", buffering=0) as file:  # noqa: PTH123
                written = file.write(data)
        except FileExistsError:
            if self.read(name) != data:
                write_whole(Path(place), data)
            return
        if written != len(data):
            write_whole(Path(place), data)

    def remove(self, name: str) -> None:
        """Delete a file, if it is there."""
        with suppress(NotADirectoryError):
            (self.folder / name).unlink(missing_ok=True)

    def _mark(self, names: Iterable[str]) -> None:
        write_whole(self.folder / MARKER, "\n".join(sorted(names)).encode())


def _is_below(name: str) -> bool:
    return not name.startswith("/") and ".." not in name.split("/")


def _remove_parts(folder: Path, names: Iterable[str]) -> None:
    """Delete what a build that was killed had not finished writing."""
    for place in {folder, *((folder / name).parent for name in names)}:
        with suppress(OSError):
            for entry in list(place.iterdir()):
                if PART.fullmatch(entry.name) and entry.is_file():
                    entry.unlink()
