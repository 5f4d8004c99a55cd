"""The index of a repository: which files git tracks, and giving them other names there, as `git mv` does.

Only names change: what is staged of a file stays staged, and what is not stays so. No hook, filter or other program of
the repository is run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from kbsync.files import real_path
from kbsync.history.blobs import Blobs
from kbsync.history.git_process import GitFailed, complaint
from kbsync.history.repository import Repository


class GitIndex:
    """The index of the repository that a content tree lies in. Names of files are relative to the content root.

    Raises:
        GitFailed: not a repository, git is missing, or git refuses.
    """

    def __init__(self, root: Path, environ: Mapping[str, str] = os.environ) -> None:
        self.repository = Repository(real_path(root), environ)

    def entries(self) -> dict[str, list[tuple[str, str, str]]]:
        """By name, what git tracks: mode, id and stage of each entry. More than one: an unfinished merge."""
        found: dict[str, list[tuple[str, str, str]]] = {}
        for line in self.repository.git.ask("ls-files", "-z", "--stage").split(b"\0"):
            if line:
                head, _, name = line.partition(b"\t")
                mode, oid, stage = head.decode("ascii").split(" ")
                found.setdefault(name.decode("utf-8", "surrogateescape"), []).append((mode, oid, stage))
        return found

    def rename(self, names: Mapping[str, str]) -> int:
        """Give files other names in the index, all at once; how many git tracks under their old names.

        Raises:
            GitFailed: git cannot write the index.
        """
        entries = self.entries()
        tracked = {old: new for old, new in names.items() if old in entries}
        lines = [f"0 {'0' * len(entries[old][0][1])}\t{self._in_repository(old)}" for old in tracked]
        lines += [
            f"{mode} {oid} {stage}\t{self._in_repository(new)}"
            for old, new in tracked.items()
            for mode, oid, stage in entries[old]
        ]
        if lines:
            self._feed(lines)
        return len(tracked)

    def _in_repository(self, name: str) -> str:
        return self.repository.prefix.decode("utf-8", "surrogateescape") + name

    def _feed(self, lines: Iterable[str]) -> None:
        data = b"".join(line.encode("utf-8", "surrogateescape") + b"\0" for line in lines)
        with self.repository.git.run("update-index", "-z", "--index-info") as (child, said):
            child.communicate(data)
            if child.returncode:
                raise GitFailed(complaint(said))

    def at_head(self, names: Iterable[str]) -> dict[str, bytes]:
        """The bytes of files as the last commit has them; what it has not is left out."""
        asked = {self.repository.at("HEAD", name): name for name in names}
        if not self.repository.head():
            return {}
        with closing(Blobs(self.repository)) as blobs:
            return {asked[key]: data for key, data in blobs.texts(asked).items()}


def open_index(root: Path, environ: Mapping[str, str] = os.environ) -> GitIndex | None:
    """The index; None where the folder is in no repository, or git cannot be used."""
    try:
        return GitIndex(root, environ)
    except GitFailed:
        return None
