"""What the last lint found, kept so that the next one need not decode a tree that did not change, nor its findings.

Findings are a function of the files of the tree and of the settings that rules look at. They are kept under the name
of these settings and the mark of the tree (`Walk.mark`), as a plan that had nothing to do is (`plan_cache.py`).
Where a link is dead, they also say what git knows of its target, so they count while git sees the same.

lint    the files ---+--- nothing moved ----------------------------> the last findings
                     +--- else: all are read and checked
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import msgspec
from msgspec.structs import asdict, replace

from kbsync.app.glossary import check_glossary, has_glossary
from kbsync.app.linting.dead_anchors import explained
from kbsync.app.reading import Reading, check_portal_file, has_portal_file, read_content
from kbsync.app.workspace import Workspace
from kbsync.content.walk import Walk, walk_tree
from kbsync.history.fates import seen_by_git
from kbsync.lint.finds import once_per_key
from kbsync.lint.links import NO_FILE
from kbsync.memory import Kind
from kbsync.model import Finding
from kbsync.report.findings import Extract, extract_of

DIGEST_BYTES = 16


class RememberedLint(msgspec.Struct, frozen=True, array_like=True):
    """The findings of a tree, and what a text shows of them.

    `name` is of the settings. `git` names what git looked at to say where the targets of dead links went; "" where no
    link was dead.
    """

    name: bytes
    tree: bytes
    extract: Extract
    findings: tuple[Finding, ...]
    git: str = ""


LINTED: Kind[RememberedLint] = Kind("lint", RememberedLint)


@dataclass(frozen=True)
class Linted:
    """The sources that were looked at, in path order, and what was found in each, one by one."""

    sources: list[str]
    of_files: Sequence[Finding]
    known: Extract | None = None

    @cached_property
    def findings(self) -> Sequence[Finding]:
        """What was found, with what many files have in common once."""
        return once_per_key(self.of_files)

    @cached_property
    def extract(self) -> Extract:
        """What a text needs of the findings."""
        return self.known or extract_of(self.findings)


def lint(workspace: Workspace) -> Linted:
    """The findings of the whole tree."""
    walk = walk_tree(workspace.content_root)
    # The file of the portal names articles and categories, which only the tree itself knows.
    has_portal = has_portal_file(workspace.settings.folder)
    # Terms are looked for in every text, and the glossary is no file of the tree.
    with_terms = has_glossary(workspace)

    known = None if has_portal or with_terms else _linted_before(workspace, walk)
    if known is not None:
        return known
    reading = read_content(workspace, walk, compiled=False)
    if has_portal:
        check_portal_file(workspace, reading)
    linted = _keep(workspace, walk, reading)
    if not with_terms:
        return linted
    return dataclasses.replace(linted, of_files=check_glossary(workspace, replace(reading, findings=linted.of_files)))


def _linted_before(workspace: Workspace, walk: Walk) -> Linted | None:
    """The findings of a tree that is as it was the last time; None where it must be read."""
    known = workspace.memory.get(LINTED)
    if walk.findings or known is None or known.name != _settings_name(workspace):
        return None
    if known.tree != walk.mark() or (known.git and known.git != _seen_by_git(workspace)):
        return None
    return Linted(list(walk.sources), known.findings, known.extract)


def _keep(workspace: Workspace, walk: Walk, reading: Reading) -> Linted:
    """Keep what was found, with what git says of dead links.

    It is not kept where a file may change again unseen, or could not be looked at.
    """
    # Named before git is asked: what changes meanwhile has another name the next time.
    git = _seen_by_git(workspace) if _has_dead_link(reading) else ""
    linted = Linted(list(reading.compiler.tree.sources), explained(reading))
    if walk.findings or reading.compiler.tree.is_racy or git is None:
        return linted
    record = RememberedLint(_settings_name(workspace), walk.mark(), linted.extract, tuple(linted.of_files), git)
    workspace.memory.put(LINTED, {"": record})
    return linted


def _has_dead_link(reading: Reading) -> bool:
    return any(found.code == NO_FILE.code for found in reading.findings)


def _seen_by_git(workspace: Workspace) -> str | None:
    return seen_by_git(workspace.content_root)


def _settings_name(workspace: Workspace) -> bytes:
    """Everything but the tree that rules look at."""
    settings, profile = workspace.settings, workspace.profile
    tables = (settings.content, settings.authors, settings.lint, settings.assets, settings.service.portal)
    empty_drafts = (settings.service.version, profile.surely("empty_drafts"))
    able = (asdict(profile.limits), profile.can("upload"), empty_drafts)
    parts = (str(settings.content_root), *tables, *able)
    encoded = msgspec.msgpack.encode([msgspec.msgpack.encode(part, order="deterministic") for part in parts])
    return blake2b(encoded, digest_size=DIGEST_BYTES).digest()
