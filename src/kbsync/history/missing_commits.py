"""Which commit is checked out, and which others are not part of it."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from kbsync.history.git_process import SLOW_S, Git, GitFailed
from kbsync.history.repository import MAX_NAMES
from kbsync.plan.known import NO_WAYS, Ways


class Missing(msgspec.Struct, frozen=True):
    """Commits that are not part of what is checked out; `possible`: a clone without old commits cannot tell.

    `ahead` are those of them that are made of what is checked out: whatever they changed is newer. `ways`: how to get
    those that a `git pull` may not bring.
    """

    certain: frozenset[str] = frozenset()
    possible: frozenset[str] = frozenset()
    ahead: frozenset[str] = frozenset()
    ways: Ways = NO_WAYS


def head_commit(root: Path, environ: Mapping[str, str] = os.environ) -> str:
    """The commit that is checked out in the repository of a folder; "" where there is none."""
    with suppress(GitFailed):
        return _git(root, environ).ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode("ascii").strip()
    return ""


def commit_with(root: Path, paths: Collection[str], environ: Mapping[str, str] = os.environ) -> tuple[str, float]:
    """A commit that has some files as the one that is checked out: the last that changed one of them; "" for none.

    And when it was made, in seconds since 1970.

    Args:
        root: a folder of the repository.
        paths: relative to it.
        environ: what git may need of the environment.
    """
    some = paths if len(paths) <= MAX_NAMES else [path for path in paths if path.startswith("../")]
    names = [f":(literal){path}" for path in sorted(some)] + (["."] if len(some) < len(paths) else [])
    with suppress(GitFailed):
        found = _git(root, environ).ask("log", "--max-count=1", "--format=%H %ct", "HEAD", "--", *names)
        commit, _, made_s = found.decode("ascii").strip().partition(" ")
        return commit, float(made_s or 0)
    return "", 0.0


def head_time(root: Path, environ: Mapping[str, str] = os.environ) -> float:
    """When the commit that is checked out was made, in seconds since 1970; infinity where git cannot tell."""
    try:
        return float(_git(root, environ).ask("show", "--no-patch", "--format=%ct", "HEAD").decode("ascii"))
    except (GitFailed, ValueError):
        return math.inf


def missing_commits(root: Path, commits: Collection[str], environ: Mapping[str, str] = os.environ) -> Missing:
    """Those of some commits that HEAD is not made of; none where git cannot tell anything.

    Args:
        root: a folder of the repository.
        commits: full ids in hexadecimal digits.
        environ: what git may need of the environment.
    """
    asked = sorted(commits)
    try:
        git = _git(root, environ)
        (head, is_commit), *found = _kinds(git, ["HEAD", *asked])
        if not is_commit:
            return Missing()
        here = {commit for commit, (_, known) in zip(asked, found, strict=True) if known}
        beyond = _listed(git, head, here - {head})
        missing = frozenset(asked) - here | beyond
        if not missing:
            return Missing()  # As nearly always: there is nothing to get, and no more to ask for.
        if not git.ask("rev-parse", "--is-shallow-repository").startswith(b"true"):
            ahead = _listed(git, head, beyond, "--ancestry-path")
            return Missing(missing, ahead=ahead, ways=_ways(git, missing, beyond))
        certain = frozenset(commit for commit in beyond if _is_ancestor(git, head, commit))
        return Missing(certain, missing - certain, certain)
    except GitFailed:
        return Missing()


def paths_ever_here(root: Path, paths: Collection[str], environ: Mapping[str, str] = os.environ) -> frozenset[str]:
    """Those of some paths below a folder that any commit of this checkout has; all of them where git cannot tell."""
    try:
        git = _git(root, environ)
        if git.ask("rev-parse", "--is-shallow-repository").startswith(b"true"):
            return frozenset(paths)
        names = [f":(literal){path}" for path in sorted(paths)]
        options = ("--full-history", "-m", "--format=", "--name-only", "--no-renames", "--relative", "-z")
        found = git.ask("log", *options, "HEAD", "--", *names)
    except GitFailed:
        return frozenset(paths)
    return frozenset(found.decode("utf-8", "replace").replace("\n", "\0").split("\0")) & frozenset(paths)


def _git(root: Path, environ: Mapping[str, str]) -> Git:
    return Git(root, environ, program="git", slow=lambda text: None, slow_s=SLOW_S)


def _kinds(git: Git, names: list[str]) -> list[tuple[str, bool]]:
    """The id of each name, and whether it is a commit that is here."""
    lines = git.ask("cat-file", "--batch-check", given="".join(f"{name}\n" for name in names).encode()).splitlines()
    words = [line.decode("ascii", "replace").split(" ") for line in lines]
    return [(line[0], line[1] == "commit") for line in words]


def _listed(git: Git, head: str, commits: Collection[str], *options: str) -> frozenset[str]:
    """Those of some commits that are here, and that HEAD is not made of."""
    if not commits:
        return frozenset()
    given = "".join(f"{line}\n" for line in (*sorted(commits), f"^{head}"))
    listed = git.ask("rev-list", *options, "--stdin", given=given.encode())
    return frozenset(listed.decode("ascii").split()) & frozenset(commits)


def _ways(git: Git, missing: frozenset[str], here: frozenset[str]) -> Ways:
    """How to get commits that are missing; `here` are those that this clone has beside its branch.

    Where git cannot tell, a hint is less exact, and what is missing is missing all the same.
    """
    try:
        return _known_ways(git, missing, here)
    except GitFailed:
        return NO_WAYS


def _known_ways(git: Git, missing: frozenset[str], here: frozenset[str]) -> Ways:
    given = "".join(f"{commit}\n" for commit in sorted(here)).encode()
    listed = git.ask("rev-list", "--stdin", "--not", "--branches", "--remotes", given=given) if here else b""
    remotes = git.ask("remote").decode("utf-8", "replace").split()
    remote = remotes[0] if len(remotes) == 1 else "origin" if "origin" in remotes else ""
    prefix = git.ask("rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").removesuffix("\n")
    return Ways(
        frozenset(listed.decode("ascii").split()) & here, missing - here if remote else frozenset(), remote, prefix
    )


def _is_ancestor(git: Git, commit: str, of: str) -> bool:
    with suppress(GitFailed):
        git.ask("merge-base", "--is-ancestor", commit, of)
        return True
    return False
