"""Lint of a part of the tree, and of the same with another version of the service."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from msgspec.structs import replace

from kbsync.app.glossary import check_glossary, has_glossary
from kbsync.app.linting.dead_anchors import explain_dead_anchors
from kbsync.app.linting.dead_links import NOTHING, FindingsWithHistory, explain_dead_links
from kbsync.app.linting.lint_cache import Linted
from kbsync.app.reading import Reading, check_portal_file, has_portal_file, read_content
from kbsync.app.selectors import select_paths
from kbsync.app.workspace import Workspace
from kbsync.files import real_path, working_folder
from kbsync.lint import in_order
from kbsync.lint.ignore import Severities
from kbsync.lint.upgrade import Versions, find_changed
from kbsync.model import PORTAL_FILE, Finding


@dataclass(frozen=True, slots=True)
class Selection:
    """A tree that was read, the paths of it that were asked for, and what was found in these.

    `dead` has what git knows of the targets of dead links.
    """

    reading: Reading
    paths: frozenset[str]
    findings: tuple[Finding, ...]
    dead: FindingsWithHistory = NOTHING

    @property
    def linted(self) -> Linted:
        """What was found, as lint of a whole tree says it."""
        return Linted([path for path in self.reading.compiler.tree.sources if path in self.paths], self.findings)


def lint_selected(workspace: Workspace, selectors: tuple[str, ...] = ()) -> Selection:
    """Read and check the tree; links are always checked against all of it.

    Raises:
        UsageError: a selector that means nothing.
    """
    reading = read_content(workspace, compiled=False)
    check_portal_file(workspace, reading)
    dead = explain_dead_links(reading)
    reading = replace(reading, findings=explain_dead_anchors(reading, dead.findings))
    tree, site = reading.compiler.tree, reading.compiler.site
    found = check_glossary(workspace, reading) if has_glossary(workspace) else reading.findings
    if not selectors:
        return Selection(reading, frozenset(tree.sources), tuple(found), dead)
    sources, root = tree.sources.values(), real_path(workspace.content_root)
    others = {*tree.others, *(finding.path for finding in reading.findings if finding.path not in tree.sources)}
    others |= {PORTAL_FILE} if has_portal_file(workspace.settings.folder) else set()
    paths = select_paths(site, sources, others, selectors, root=root, here=working_folder())
    return Selection(reading, frozenset(paths), tuple(f for f in found if f.path in paths), dead)


def check_upgrade(workspace: Workspace, selection: Selection, versions: Versions) -> Selection:
    """The selection with one finding more for each of its pages whose HTML differs between versions of the service."""
    tree = selection.reading.compiler.tree
    found = find_changed(tree, (path for path in tree.sources if path in selection.paths), versions)
    judged = Severities(workspace.settings.lint).judge(found, tree.sources)
    return dataclasses.replace(selection, findings=tuple(in_order([*selection.findings, *judged])))
