"""`kbsync lint --service 4.16 --against 4.10`: which pages change with an upgrade of the service."""

from __future__ import annotations

from dataclasses import replace

from kbsync.app.linting.lint import Selection
from kbsync.app.workspace import Workspace
from kbsync.lint import in_order
from kbsync.lint.ignore import Severities
from kbsync.lint.upgrade import Versions, find_changed


def check_upgrade(workspace: Workspace, selection: Selection, versions: Versions) -> Selection:
    """The selection with one finding more for each of its pages whose HTML differs between the versions."""
    tree = selection.reading.compiler.tree
    found = find_changed(tree, (path for path in tree.sources if path in selection.paths), versions)
    judged = Severities(workspace.settings.lint).judge(found, tree.sources)
    return replace(selection, findings=tuple(in_order([*selection.findings, *judged])))
