"""Which files git could not give back: those that are not committed as they are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from kbsync.history.git_process import GitFailed
from kbsync.history.repository import Repository


def uncommitted(root: Path, paths: Iterable[str], environ: Mapping[str, str] = os.environ) -> list[str]:
    """Those of some files that are new, changed or in the middle of a merge.

    Args:
        root: the content root.
        paths: relative to it.

    Raises:
        GitFailed: the files are in no repository, or git refuses.
    """
    repository = Repository(root, environ)
    tracked = set(repository.git.ask("ls-files", "-z", "--", ".").split(b"\0"))
    changed = _changed(repository)
    wanted = ((path, path.encode("utf-8", "surrogateescape")) for path in paths)
    return sorted(path for path, name in wanted if name not in tracked or name in changed)


def changed_files(root: Path, environ: Mapping[str, str] = os.environ) -> frozenset[str]:
    """The files below a folder that are new, changed or deleted since the last commit; none where git cannot tell.

    A file that git is told to ignore is no part of any commit, and not among them.
    """
    try:
        found = _changed(Repository(root, environ), untracked="all")
    except GitFailed:
        return frozenset()
    return frozenset(name.decode("utf-8", "surrogateescape") for name in found)


def _changed(repository: Repository, untracked: str = "no") -> set[bytes]:
    options = ("--porcelain", "--no-renames", f"--untracked-files={untracked}", "-z")
    status = repository.git.ask("status", *options, "--", ".")
    return {entry[3:].removeprefix(repository.prefix) for entry in status.split(b"\0") if entry}
