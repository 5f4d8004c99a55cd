"""Which files git could not give back: those that are not committed as they are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Set
from pathlib import Path

from kbsync.history.git_process import GitFailed
from kbsync.history.repository import MAX_NAMES, Repository


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


def not_committed(root: Path, paths: Set[str], environ: Mapping[str, str] = os.environ) -> frozenset[str]:
    """Those of some files below a folder that no commit has as they are; none where git cannot tell.

    A file that was never added to git is in no commit either: no other clone gets it.
    """
    try:
        repository = Repository(root, environ)
        changed = _changed(repository)
        names = sorted(path for path in paths if path and os.path.lexists(root / path))
        asked = [f":(literal){path}" for path in names] if len(names) <= MAX_NAMES else ["."]
        listed = repository.git.ask("ls-files", "-z", "--", *asked) if names else b""
    except GitFailed:
        return frozenset()
    untracked = frozenset(names) - _names(listed.split(b"\0"))
    return _names(changed) & paths | untracked


def _names(found: Iterable[bytes]) -> frozenset[str]:
    return frozenset(name.decode("utf-8", "surrogateescape") for name in found)


def _changed(repository: Repository) -> set[bytes]:
    status = repository.git.ask("status", "--porcelain", "--no-renames", "--untracked-files=no", "-z", "--", ".")
    return {entry[3:].removeprefix(repository.prefix) for entry in status.split(b"\0") if entry}
