"""What became of files that are gone: where git renamed them to, or which commit deleted them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import closing, suppress
from pathlib import Path

from kbsync.content.fate import Fate
from kbsync.history.git_process import Git, GitFailed
from kbsync.history.raw_log import Entry
from kbsync.history.repository import SURE_PERCENT, Repository

LIMIT_S = 10
"""Seconds that git may take; what is known by then counts. A hint is worth no longer wait."""


def fates_of(
    root: Path, gone: Collection[str], today: Collection[str], environ: Mapping[str, str] = os.environ
) -> dict[str, Fate]:
    """The fate of each file that git knows.

    Args:
        root: the content root.
        gone: names of files that are not there, relative to it.
        today: the files that are there.
        environ: what git may need of the environment.
    """
    fates: dict[str, Fate] = {}
    wanted = {*gone} - {*today}
    if not wanted:
        return {}
    with suppress(GitFailed):
        repository = Repository(root, environ)
        repository.git.limit_s = LIMIT_S
        with suppress(GitFailed):  # Nothing is committed yet.
            _learn(fates, repository.staged_renames(), "", today)
        with closing(repository.log()) as commits:
            for commit in commits:
                # A merge shows once more what the commits of its branch did.
                if len(commit.parents) < 2:
                    _learn(fates, commit.entries, commit.id, today)
                if wanted <= fates.keys():
                    break
    return {name: fates[name] for name in gone if name in fates}


def seen_by_git(root: Path, environ: Mapping[str, str] = os.environ) -> str | None:
    """Name what `fates_of` looks at: the commit that is checked out, what is staged, and where a shallow clone ends.

    None where there is no sure name, and the same one for all that git can tell nothing of.
    """
    with suppress(GitFailed):
        git = Git(root, environ)
        answer = git.ask("rev-parse", "HEAD", "--git-path", "index", "--git-path", "shallow")
        commit, *files = os.fsdecode(answer).removesuffix("\n").split("\n")
        return f"{commit} {' '.join(_stamp(root / file) for file in files)}" if len(files) == 2 else None
    return "-"


def _stamp(file: Path) -> str:
    try:
        found = file.stat()
    except OSError:
        return "-"
    return f"{found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def _learn(fates: dict[str, Fate], entries: Collection[Entry], commit: str, today: Collection[str]) -> None:
    """Take note of what one commit did; commits come newest first, and the newest decides."""
    found: dict[str, Fate] = {}
    for entry in entries:
        if entry.old_name in fates or entry.old_name in today:
            continue
        if entry.is_rename:
            is_sure = entry.percent >= SURE_PERCENT
            later = Fate(entry.name, commit, is_sure) if entry.name in today else fates.get(entry.name)
            if later is not None:
                is_sure = is_sure and later.is_sure
                found[entry.old_name] = Fate(later.path, commit if later.path else later.commit, is_sure)
        elif not entry.oid:
            found[entry.old_name] = Fate("", commit)
    fates |= found
