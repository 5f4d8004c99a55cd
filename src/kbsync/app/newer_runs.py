"""Runs of commits that are not part of this checkout, out of the ledger and git: what they did is newer than the files.

Asked only where a plan has something to send.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from kbsync.app.workspace import Workspace
from kbsync.ledger import Ledger
from kbsync.ledger.values import RunInfo
from kbsync.model import Plan
from kbsync.plan.known import NOTHING_NEWER, NewerRuns
from kbsync.plan.newer import PublishedRun, is_older, newer_runs

MOST_RUNS = 500
"""Runs that are looked at, the newest."""

CARRIED_OUT = frozenset({"done", "settled"})


@dataclass(frozen=True, slots=True)
class Newer:
    """What is newer than this checkout; `maybe`: where the clone is shallow, what may be.

    `last` is the commit of the last push, where that is not part of this checkout; "" where it is.
    """

    surely: NewerRuns = NOTHING_NEWER
    maybe: NewerRuns = NOTHING_NEWER
    last: str = ""


def read_newer(workspace: Workspace) -> Newer:
    """What the ledger has of runs whose commits are not part of this checkout."""
    if not workspace.has_ledger():
        return Newer()
    with closing(workspace.open_ledger(looking=True)) as ledger:
        runs = ledger.runs(workspace.target.key)[:MOST_RUNS]
        commits = {run.source_commit for run in runs if run.source_commit}
        if not commits:
            return Newer()
        from kbsync.history.missing_commits import missing_commits

        missing = missing_commits(workspace.content_root, commits)
        if not missing.surely and not missing.maybe:
            return Newer()
        last = next(run.source_commit for run in runs if run.source_commit)
        return Newer(
            _newer(ledger, runs, missing.surely),
            _newer(ledger, runs, missing.maybe),
            last if last in missing.surely else "",
        )


def _newer(ledger: Ledger, runs: list[RunInfo], missing: frozenset[str]) -> NewerRuns:
    """What the runs of some commits did; those without a commit (an undo) are of no branch."""
    oldest = min((run.number for run in runs if run.source_commit in missing), default=0)
    if not oldest:
        return NOTHING_NEWER
    asked = [run for run in runs if run.source_commit and run.number >= oldest]
    pushes = [run for run in runs if run.command == "push"]
    is_cut = pushes[-1].number > 1 and all(run.source_commit in missing for run in pushes)
    return newer_runs((_carried_out(ledger, run, missing) for run in asked), is_cut=is_cut)


def _carried_out(ledger: Ledger, run: RunInfo, missing: frozenset[str]) -> PublishedRun:
    changes = [entry.change for entry in ledger.entries(run.number) if entry.state in CARRIED_OUT]
    return PublishedRun(run.source_commit if run.source_commit in missing else "", changes)


def note_maybe(workspace: Workspace, plan: Plan, newer: Newer) -> None:
    """Say that a shallow clone cannot tell whether it is older than what this plan would put back."""
    if not newer.maybe:
        return
    sent = [(change, change.remote_id) for change in plan.sent if change.remote_id is not None]
    number = sum(any(is_older(newer.maybe, (c.kind, node), one) for one in c.fields) for c, node in sent)
    if number:
        from kbsync.history.base import SHALLOW

        what = "1 change goes" if number == 1 else f"{number:,} changes go"
        workspace.session.note(
            f"{what} back to what a later push replaced, and kbsync cannot tell whether your files are older than the "
            f"portal. {SHALLOW}"
        )
