"""In a ledger that others share, only what is committed is published: a commit tells them which version is newer."""

from __future__ import annotations

import os
from collections.abc import Collection

from kbsync.app.pull_record import load_records
from kbsync.app.workspace import Workspace
from kbsync.errors import LedgerError, PlanRefused
from kbsync.history.repository import changed_files
from kbsync.jobs import is_ci
from kbsync.model import PORTAL_FILE, Plan
from kbsync.words import count

MOST_NAMED = 5
COMMIT_FIRST = "Commit first: other clones share this ledger, and know by its commits which version is newer."


def note_uncommitted(workspace: Workspace, plan: Plan) -> None:
    """Say of a plan that its push would be refused."""
    if said := _said(workspace, plan):
        workspace.session.note(f"{said} {COMMIT_FIRST}")


def check_committed(workspace: Workspace, plan: Plan) -> None:
    """Refuse to publish, or agree on, what no commit has. What a CI job makes of a commit's files is of that commit,
    but for what it pulled: that is a person's.

    Raises:
        PlanRefused: there is such a file.
    """
    if said := _said(workspace, plan):
        raise PlanRefused(f"{said} Nothing was sent.", hint=COMMIT_FIRST)


def check_published(workspace: Workspace, paths: Collection[str]) -> None:
    """Refuse to share rows about files that no commit has: others would take them for those of the last commit.

    Raises:
        LedgerError: there is such a file.
    """
    if workspace.shares_ledger and (said := _uncommitted(workspace, paths, "that you published")):
        raise LedgerError(f"{said} Nothing was copied.", hint=COMMIT_FIRST)


def _said(workspace: Workspace, plan: Plan) -> str:
    if not workspace.shares_ledger:
        return ""
    if is_ci(os.environ):
        pulled = load_records(workspace)
        paths = {base.path for base in plan.settled if (base.kind, base.remote_id) in pulled}
    else:
        paths = {path for change in plan.changes for path in (change.path, change.was)}
        paths |= {base.path for base in plan.settled}
    return _uncommitted(workspace, paths, "of this plan")


def _uncommitted(workspace: Workspace, paths: Collection[str], of: str) -> str:
    changed = changed_files(workspace.content_root) & set(paths) if paths else frozenset[str]()
    if PORTAL_FILE in paths:
        changed |= changed_files(workspace.settings.folder) & {PORTAL_FILE}
    if not changed:
        return ""
    files = sorted(changed)
    more = [f"{len(files) - MOST_NAMED:,} more"] if len(files) > MOST_NAMED else []
    verb = "is" if len(files) == 1 else "are"
    return f"{count(len(files), 'file')} {of} {verb} not committed: {', '.join([*files[:MOST_NAMED], *more])}."
