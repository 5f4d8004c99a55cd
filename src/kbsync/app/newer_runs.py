"""Runs of commits that are not part of this checkout, out of the ledger and git: what they did is newer than the files.

Asked only where a plan has something to send.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kbsync.app.workspace import Workspace
from kbsync.ledger import Ledger
from kbsync.ledger.values import NOT_COMMITTED, Published
from kbsync.model import FieldChange, Plan
from kbsync.plan.known import NOTHING_NEWER, NewerRuns, Node
from kbsync.plan.newer import PublishedRun, is_older, newer_runs

if TYPE_CHECKING:
    from kbsync.history.missing_commits import Missing
    from kbsync.plan.pull import Last

MOST_PUSHES = 500
"""So many are looked at, the newest."""

CARRIED_OUT = frozenset({"done", "settled"})


@dataclass(frozen=True, slots=True)
class Newer:
    """What is newer than this checkout; `possible`: where the clone is shallow, what may be.

    `last` is the commit of the last push, where that is not part of this checkout; "" where it is.
    """

    certain: NewerRuns = NOTHING_NEWER
    possible: NewerRuns = NOTHING_NEWER
    last: str = ""


def read_newer(workspace: Workspace, plan: Plan) -> Newer:
    """What the ledger has of runs whose commits are not part of this checkout.

    Args:
        workspace: the project.
        plan: made without it. What it removes is looked for in git.
    """
    if not workspace.has_ledger():
        return Newer()
    root = workspace.content_root
    with closing(workspace.open_ledger(looking=True)) as ledger:
        pushes = ledger.pushes(workspace.target.key, most=MOST_PUSHES)
        sources = _sources(workspace, ledger, plan)
        commits = {commit for known in sources.values() for commit in known.values() if commit}
        commits |= {push.commit for push in pushes if push.commit}
        if not commits:
            return Newer()
        from kbsync.history.missing_commits import missing_commits

        missing = missing_commits(root, commits)
        if not missing.certain and not missing.possible:
            return Newer()
        last = next((push.commit for push in pushes if push.commit), "")
        certain = _newer(ledger, pushes, missing.certain, missing.ahead)
        certain = _with_sources(root, plan, certain, sources, missing)
        if missing.certain:
            certain = replace(_with_deletions(root, _with_unseen(root, plan, certain)), ways=missing.ways)
        possible = replace(_newer(ledger, pushes, missing.possible), sources=sources, unknown=missing.possible)
        return Newer(certain, possible, last if last in missing.certain else "")


def _sources(workspace: Workspace, ledger: Ledger, plan: Plan) -> dict[Node, dict[str, str]]:
    """By item and field, the commit whose files had what is agreed on. What this clone pulled, it has, unless its file
    is as it was before that: the pull was stashed or thrown away.
    """
    there: dict[Node, list[FieldChange]] = {}
    for change in plan.sent:
        if change.remote_id is not None:
            there.setdefault((change.kind, change.remote_id), []).extend(change.fields)
    # What is held now may be sent once git was asked.
    for held in plan.held:
        if held.remote_id is not None:
            there.setdefault((held.kind, held.remote_id), []).extend(held.values)
    found = {node: dict(known) for node, known in ledger.commits(workspace.target.key, [*there]).items()}
    if any(NOT_COMMITTED in known.values() for known in found.values()):
        from kbsync.app.pull_record import load_records, record_path

        records = load_records(record_path(workspace.state_folder, workspace.target.key))
        for node, known in found.items():
            pulled = records.get(node, {})
            is_here = (one.name for one in there[node] if _has_pulled(one, pulled.get(one.name)))
            known |= {name: "" for name in is_here if known.get(name, known.get("")) == NOT_COMMITTED}
    return found


def _has_pulled(field: FieldChange, last: Last | None) -> bool:
    """Whether a file has what this clone pulled of a field, or something that was made of it."""
    return last is not None and last.theirs == field.before and field.after not in last.before


def _with_sources(
    root: Path, plan: Plan, newer: NewerRuns, sources: Mapping[Node, Mapping[str, str]], missing: Missing
) -> NewerRuns:
    """With the commits whose files had what is agreed on, and the files that such a commit had of what is removed."""
    commits = {commit for known in sources.values() for commit in known.values()}
    unknown = commits & missing.possible
    away = {node: commit for node, known in sources.items() for commit in known.values() if commit in missing.certain}
    removed = {(c.kind, c.remote_id): c.was for c in plan.sent if c.is_removal and c.remote_id is not None}
    paths = {node: path for node, path in removed.items() if node in away}
    if unknown:
        from kbsync.history.missing_commits import head_time

        newer = replace(newer, unknown=unknown, head_s=head_time(root))
    return replace(
        newer,
        sources=sources,
        missing=commits & missing.certain,
        beyond=commits & missing.ahead,
        paths={**paths, **newer.paths},
        commits={**away, **newer.commits},
    )


def _newer(
    ledger: Ledger, pushes: list[Published], missing: frozenset[str], ahead: frozenset[str] = frozenset()
) -> NewerRuns:
    """What the pushes of some commits did, and what others did since; an undo is of no branch."""
    oldest = min((push.run for push in pushes if push.commit in missing), default=0)
    if not oldest:
        return NOTHING_NEWER
    asked = [push for push in pushes if push.commit and push.run >= oldest]
    is_cut = pushes[-1].run > 1 and all(push.commit in missing for push in pushes)
    return newer_runs((_carried_out(ledger, push, missing, ahead) for push in asked), is_cut=is_cut)


def _with_unseen(root: Path, plan: Plan, newer: NewerRuns) -> NewerRuns:
    """With the files that this branch never had, of articles that are to be removed.

    A file that was pulled from the panel is on record without a change of any run: the push found it equal. The commit
    of that was not always noted, and is not where the file was not added to git yet.
    """
    removed = {change.was: change for change in plan.sent if change.is_removal and change.was}
    if not removed:
        return newer
    from kbsync.history.missing_commits import paths_ever_here

    known = paths_ever_here(root, removed)
    unseen = {(c.kind, c.remote_id): path for path, c in removed.items() if path not in known and c.remote_id}
    commits = {**dict.fromkeys(unseen, ""), **newer.commits}
    return replace(newer, paths={**newer.paths, **unseen}, commits=commits)


def _with_deletions(root: Path, newer: NewerRuns) -> NewerRuns:
    """With the files that this branch deleted itself, and when."""
    gone = {path for path in newer.paths.values() if path and not os.path.lexists(root / path)}
    if not gone:
        return newer
    from kbsync.history.last_changes import last_changes

    return replace(newer, deleted_s=last_changes(root, gone))


def _carried_out(ledger: Ledger, push: Published, missing: frozenset[str], ahead: frozenset[str]) -> PublishedRun:
    changes = [entry.change for entry in ledger.entries(push.run) if entry.state in CARRIED_OUT]
    return PublishedRun(push.commit if push.commit in missing else "", changes, is_ahead=push.commit in ahead)


def note_possible(workspace: Workspace, plan: Plan, newer: Newer) -> None:
    """Say that a shallow clone cannot tell whether it is older than what this plan would put back."""
    if not newer.possible:
        return
    sent = [(change, change.remote_id) for change in plan.sent if change.remote_id is not None]
    number = sum(any(is_older(newer.possible, (c.kind, node), one) for one in c.fields) for c, node in sent)
    if number:
        from kbsync.history.base import SHALLOW

        what = "1 change goes" if number == 1 else f"{number:,} changes go"
        workspace.session.note(
            f"{what} back to what a later push replaced, and kbsync cannot tell whether your files are older than the "
            f"portal. {SHALLOW}"
        )
