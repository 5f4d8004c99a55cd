"""Which files git could not give back: those that are not committed as they are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

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
    prefix = repository.prefix
    tracked = set(repository.git.ask("ls-files", "-z", "--", ".").split(b"\0"))
    status = repository.git.ask("status", "--porcelain", "--no-renames", "--untracked-files=no", "-z", "--", ".")
    changed = {entry[3:].removeprefix(prefix) for entry in status.split(b"\0") if entry}
    wanted = ((path, path.encode("utf-8", "surrogateescape")) for path in paths)
    return sorted(path for path, name in wanted if name not in tracked or name in changed)
