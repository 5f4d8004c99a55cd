"""Asks git, once for all dead links, what became of their targets; where no link is dead, git is not asked.

Also: where files are that were moved without git: a plain `mv`, and nothing added or committed since.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kbsync.app.reading import Reading
from kbsync.history.fates import LIMIT_S, fates_of
from kbsync.history.git_process import Git, GitFailed
from kbsync.history.repository import Repository
from kbsync.lint.links import NO_FILE, dead_links, explained, file_of
from kbsync.model import Finding

if TYPE_CHECKING:
    from kbsync.content.fate import Fate
    from kbsync.content.tree import Tree


def unseen_moves(root: Path, gone: Collection[str], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The new name of each file that is gone, where one file that git does not track has the bytes that git knows.

    Args:
        root: the content root.
        gone: names of files that are not there, relative to it.
        environ: what git may need of the environment.
    """
    try:
        repository = Repository(root, environ)
        git = repository.git
        git.limit_s = LIMIT_S
        known = _staged(git)
        wanted = {name: known[name] for name in gone if name in known}
        others = _untracked(git)
        if not wanted or not others:
            return {}
        # These paths begin at the top of the repository. A filter would be a program that the repository names.
        paths = b"".join(repository.prefix + name.encode("utf-8", "surrogateescape") + b"\n" for name in others)
        ids = git.ask("hash-object", "--no-filters", "--stdin-paths", given=paths).decode("ascii").split()
    except GitFailed:
        return {}
    numbers, by_id = Counter([*ids, *wanted.values()]), dict(zip(ids, others, strict=True))
    # Of several files with these bytes it is not clear which one went where.
    return {name: by_id[oid] for name, oid in wanted.items() if oid in by_id and numbers[oid] == 2}


def _staged(git: Git) -> dict[str, str]:
    """The ids of the bytes that git knows, by name."""
    lines = (line.partition("\t") for line in _names(git.ask("ls-files", "--stage", "-z")))
    return {name: about.split(" ")[1] for about, _, name in lines}


def _untracked(git: Git) -> list[str]:
    names = _names(git.ask("ls-files", "--others", "--exclude-standard", "-z"))
    # A request is a line.
    return [name for name in names if name.endswith(".md") and "\n" not in name]


def _names(listed: bytes) -> list[str]:
    return [name for name in listed.decode("utf-8", "surrogateescape").split("\0") if name]


@dataclass(frozen=True, slots=True)
class FindingsWithHistory:
    """The findings of a tree, and what git said of each file that it was asked about; None where it knows nothing."""

    findings: Sequence[Finding] = ()
    fates: Mapping[str, Fate | None] = field(default_factory=dict)

    @property
    def moved(self) -> dict[str, str]:
        """Where files certainly are now, by their former names."""
        return {name: fate.path for name, fate in self.fates.items() if fate and fate.path and fate.is_sure}


NOTHING = FindingsWithHistory()


def explain_dead_links(reading: Reading, before: FindingsWithHistory = NOTHING) -> FindingsWithHistory:
    """The findings of a reading; those about dead links say what git knows of the target.

    Args:
        reading: the tree.
        before: what git said already.
    """
    if not any(found.code == NO_FILE.code for found in reading.findings):
        return FindingsWithHistory(reading.findings, before.fates)
    tree = reading.compiler.tree
    dead = dict(dead_links(tree, reading.findings))
    new = {file_of(link) for link in dead.values()} - before.fates.keys()
    fates = {**before.fates}
    if new:
        fates |= dict.fromkeys(new) | fates_of(tree.root, new, tree.paths)

    def with_fate(found: Finding) -> Finding:
        link = dead.get(found) if found.code == NO_FILE.code else None
        fate = fates.get(file_of(link)) if link else None
        return explained(found, link, fate) if link and fate else found

    return FindingsWithHistory(tuple(map(with_fate, reading.findings)), fates)


def renamed_files(tree: Tree, gone: Collection[str]) -> dict[str, str]:
    """Where git says that files of the tree which are gone were renamed to, each by its old name; or where their bytes
    are, in a file that git does not track yet.
    """
    fates = fates_of(tree.root, gone, tree.paths)
    moved = {name: path for name, path in unseen_moves(tree.root, gone).items() if path in tree.paths}
    return moved | {name: fate.path for name, fate in fates.items() if fate.path}
