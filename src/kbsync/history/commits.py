"""Which commit is checked out, and which others are part of it.

Also: when each file was last changed, by the commits that are checked out: one reading of the log for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from kbsync.history.git_process import Git, GitFailed
from kbsync.history.repository import Repository
from kbsync.ledger.values import NO_SOURCE, Source


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


def head(root: Path, environ: Mapping[str, str] = os.environ) -> Source:
    """What is checked out in the repository of a folder; none where there is no repository, or no commit yet."""
    with suppress(GitFailed):
        told = Git(root, environ).ask("log", "--max-count=1", "--no-show-signature", "--format=%H %ct", "HEAD")
        commit, _, made_s = told.decode("ascii").strip().partition(" ")
        return Source(commit, int(made_s))
    return NO_SOURCE


def is_shallow(root: Path, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether older commits are missing in the repository of a folder."""
    with suppress(GitFailed):
        return Git(root, environ).ask("rev-parse", "--is-shallow-repository").startswith(b"true")
    return False


def contained(root: Path, commits: Collection[str], environ: Mapping[str, str] = os.environ) -> frozenset[str]:
    """Those of some commits, by their full ids, that HEAD is made of, as far as this clone knows."""
    asked = sorted(commits)
    try:
        git = Git(root, environ)
        told = git.ask("cat-file", "--batch-check", given="".join(f"{commit}\n" for commit in asked).encode())
        kinds = [line.split(b" ")[1] for line in told.splitlines()]
        here = {commit for commit, kind in zip(asked, kinds, strict=True) if kind == b"commit"}
        given = "".join(f"{line}\n" for line in (*sorted(here), "^HEAD")).encode()
        beyond = git.ask("rev-list", "--stdin", given=given) if here else b""
    except GitFailed:
        return frozenset()
    return frozenset(here) - frozenset(beyond.decode("ascii").split())


def continues(root: Path, commit: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a commit is known here and has HEAD among those that it is made of."""
    with suppress(GitFailed):
        Git(root, environ).ask("merge-base", "--is-ancestor", "HEAD", commit)
        return True
    return False


def files_at(
    root: Path, commit: str, paths: Collection[str], environ: Mapping[str, str] = os.environ
) -> frozenset[str]:
    """Those of some files that a commit has; all of them where this clone does not know the commit."""
    with suppress(GitFailed):
        told = Git(root, environ).ask("ls-tree", "-r", "-z", "--name-only", commit)
        return frozenset(told.decode("utf-8", "surrogateescape").split("\0")) & frozenset(paths)
    return frozenset(paths)
