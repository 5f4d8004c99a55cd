"""Asks git, once for all dead links, what became of their targets; where no link is dead, git is not asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kbsync.app.reading import Reading
from kbsync.lint.links import NO_FILE
from kbsync.model import Finding


@dataclass(frozen=True, slots=True)
class Explained:
    """The findings of a tree, and where targets of dead links certainly are now, by their former names."""

    findings: tuple[Finding, ...]
    moved: Mapping[str, str] = field(default_factory=dict)


def explain_dead_links(reading: Reading) -> Explained:
    """The findings of a reading; those about dead links say what git knows of the target."""
    if not any(found.code == NO_FILE.code for found in reading.findings):
        return Explained(reading.findings)
    from kbsync.lint.moved_targets import dead_links, explained, file_of, sure_targets

    tree = reading.compiler.tree
    dead = {id(found): (found, link) for found, link in dead_links(tree, reading.findings)}
    if not dead:
        return Explained(reading.findings)
    from kbsync.history.fates import fates_of

    fates = fates_of(tree.root, {file_of(link) for _, link in dead.values()}, tree.paths)

    def with_fate(found: Finding) -> Finding:
        link = dead[id(found)][1] if id(found) in dead else None
        fate = fates.get(file_of(link)) if link else None
        return explained(found, link, fate) if link and fate else found

    return Explained(tuple(map(with_fate, reading.findings)), sure_targets(fates))
