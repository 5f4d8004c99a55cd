"""Which files the folders of the tree had at older commits.

To find one path, git reads a folder after the other from the commit on, each time anew. So where several files of a
folder are asked about, the folder itself is read, once, and looked into here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from kbsync.history.blobs import Blob, Blobs
from kbsync.history.repository import Repository

Place = tuple[str, str]
"""A commit and a path."""

MANY = 3
"""Of a folder with fewer paths that are asked about, git finds each on its own."""

MOST_NAMES = 100_000
"""So many names of files are remembered."""

FILE_MODES = (b"100", b"120")
"""How the mode of a file or a symbolic link begins; those of folders and submodules do not."""


class Folders:
    """Reads folders, and remembers them for the next question about the same commit."""

    def __init__(self, repository: Repository, blobs: Blobs) -> None:
        self.repository = repository
        self.blobs = blobs
        self._known: dict[Place, dict[str, str] | None] = {}

    def find(self, places: Iterable[Place]) -> dict[Place, str]:
        """The ids of files, "" where none was; left out are those of which each has to be asked for by its path.

        Raises:
            GitFailed: too much of the repository is broken.
        """
        if sum(len(files) for files in self._known.values() if files) > MOST_NAMES:
            self._known.clear()
        by_folder: dict[Place, list[str]] = defaultdict(list)
        for commit, path in places:
            if _is_plain(path):
                by_folder[commit, path.rpartition("/")[0]].append(path)
        wanted = {place: paths for place, paths in by_folder.items() if len(paths) >= MANY or place in self._known}
        self._read([place for place in wanted if place not in self._known])
        return {
            (commit, path): files.get(path.rpartition("/")[2], "")
            for (commit, folder), paths in wanted.items()
            if (files := self._known[commit, folder]) is not None
            for path in paths
        }

    def _read(self, places: list[Place]) -> None:
        asked = {self.repository.at(commit, folder).rstrip("/"): (commit, folder) for commit, folder in places}
        found = self.blobs.read(asked, kind=b"tree")
        self._known |= {place: _files_of(found.get(request)) for request, place in asked.items()}


def _is_plain(path: str) -> bool:
    """Whether git takes a path as it is: `./x` is relative to where git runs, and a request is a line."""
    return "\n" not in path and {"", ".", ".."}.isdisjoint(path.split("/"))


def _files_of(folder: Blob | None) -> dict[str, str] | None:
    """The ids of a folder's files by name; None where there is no such folder, it is too large or broken."""
    if folder is None or folder.data is None:
        return None
    entries = re.findall(rb"([0-7]+) ([^\0]+)\0(.{%d})" % (len(folder.oid) // 2), folder.data, re.DOTALL)
    if sum(len(mode) + len(name) + len(oid) + 2 for mode, name, oid in entries) != len(folder.data):
        return None
    return {name.decode("utf-8", "surrogateescape"): oid.hex() for mode, name, oid in entries if mode[:3] in FILE_MODES}
