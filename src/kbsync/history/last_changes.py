"""When each file was last changed, by the commits that are checked out: one reading of the log for all of them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from kbsync.history.git_process import GitFailed
from kbsync.history.repository import Repository


def last_changes(root: Path, paths: Collection[str], environ: Mapping[str, str] = os.environ) -> dict[str, int]:
    """The time of the last commit that changed each file, in seconds since 1970.

    A file is left out of which git cannot tell: one that was never committed, one whose last change is beyond the end
    of a shallow clone, and all of them without git.

    Args:
        root: the content root.
        paths: the files, relative to it.
        environ: what git may need of the environment.
    """
    wanted, found = set(paths), dict[str, int]()
    with suppress(GitFailed):
        repository = Repository(root, environ)
        for commit in repository.log(only=wanted) if wanted else ():
            # A merge brings changes that have commits of their own; where a shallow clone ends, everything looks new.
            if len(commit.parents) > 1 or (repository.is_shallow and not commit.parents):
                continue
            for entry in commit.entries:
                if entry.name in wanted:
                    wanted.discard(entry.name)
                    found[entry.name] = commit.time_s
            if not wanted:
                break
    return found
