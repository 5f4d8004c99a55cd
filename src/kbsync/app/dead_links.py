"""Asks git, once for all dead links, what became of their targets; where no link is dead, git is not asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kbsync.app.reading import Reading
from kbsync.history.fates import fates_of
from kbsync.history.unseen_moves import unseen_moves
from kbsync.lint.links import NO_FILE
from kbsync.lint.moved_targets import dead_links, explained, file_of
from kbsync.model import Finding

if TYPE_CHECKING:
    from kbsync.content.fate import Fate
    from kbsync.content.tree import Tree


@dataclass(frozen=True, slots=True)
class Explained:
    """The findings of a tree, and what git said of each file that it was asked about; None where it knows nothing."""

    findings: Sequence[Finding] = ()
    fates: Mapping[str, Fate | None] = field(default_factory=dict)

    @property
    def moved(self) -> dict[str, str]:
        """Where files certainly are now, by their former names."""
        return {name: fate.path for name, fate in self.fates.items() if fate and fate.path and fate.is_sure}


NOTHING = Explained()


def explain_dead_links(reading: Reading, before: Explained = NOTHING) -> Explained:
    """The findings of a reading; those about dead links say what git knows of the target.

    Args:
        reading: the tree.
        before: what git said already.
    """
    if not any(found.code == NO_FILE.code for found in reading.findings):
        return Explained(reading.findings, before.fates)
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

    return Explained(tuple(map(with_fate, reading.findings)), fates)


def renamed_files(tree: Tree, gone: Collection[str]) -> dict[str, str]:
    """Where git says that files of the tree which are gone were renamed to, each by its old name; or where their bytes
    are, in a file that git does not track yet.
    """
    fates = fates_of(tree.root, gone, tree.paths)
    moved = {name: path for name, path in unseen_moves(tree.root, gone).items() if path in tree.paths}
    return moved | {name: fate.path for name, fate in fates.items() if fate.path}
