"""Runs of commits that are not part of this checkout, out of the ledger and git: what they did is newer than the files.

Asked only where a plan has something to send.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Set
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from kbsync.app.clone_id import known_clone_id
from kbsync.app.workspace import Workspace
from kbsync.ledger import Ledger
from kbsync.ledger.values import ALIKE, FORMER, NOT_COMMITTED, SENT, Published
from kbsync.model import Base, FieldChange, Plan
from kbsync.plan.known import NOTHING_NEWER, NewerRuns, Node
from kbsync.plan.newer import PublishedRun, is_older, newer_runs
from kbsync.plan.rules import FILE_GONE

if TYPE_CHECKING:
    from kbsync.content.tree import Tree
    from kbsync.history.missing_commits import Missing
    from kbsync.plan.pull import Last

MOST_PUSHES = 500
"""So many are looked at, the newest."""

NONE_LOST: Mapping[Node, str] = {}

CARRIED_OUT = frozenset({"done", "settled"})


class Newer(msgspec.Struct, frozen=True):
    """What is newer than this checkout; `possible`: where the clone is shallow, what may be.

    `last` is the commit of the last push, where that is not part of this checkout; "" where it is.
    """

    certain: NewerRuns = NOTHING_NEWER
    possible: NewerRuns = NOTHING_NEWER
    last: str = ""


def lost_files(plan: Plan, bases: Iterable[Base]) -> dict[Node, str]:
    """The paths of what stays on the portal without a file, as far as the plan warns of it."""
    paths = {finding.path for finding in plan.warnings if finding.code == FILE_GONE.code}
    return {(base.kind, base.remote_id): base.path for base in bases if base.path in paths} if paths else {}


def read_newer(
    workspace: Workspace,
    tree: Tree,
    plan: Plan,
    lost: Mapping[Node, str] = NONE_LOST,
    *,
    arrived: Set[int] = frozenset(),
) -> Newer:
    """What the ledger has of runs whose commits are not part of this checkout.

    Args:
        workspace, tree: the project, and its files.
        plan: made without it. What it removes is looked for in git.
        lost: the paths of what has no file here, and stays on the portal; looked for in the same way.
        arrived: entries of the journal that are not settled yet, and that the portal turned out to have.
    """
    if not workspace.has_ledger():
        return Newer()
    root = workspace.content_root
    away = {**lost, **_removed(plan)}
    with closing(workspace.open_ledger(looking=True)) as ledger:
        pushes = ledger.pushes(workspace.target.key, most=MOST_PUSHES)
        clone = known_clone_id(workspace.state_folder)
        pushes = [replace(push, clone="") if push.clone == clone else push for push in pushes]
        crashed = _commits_of(ledger, pushes, arrived)
        sources = _sources(workspace, ledger, plan, away, clone, crashed)
        commits = {commit for known in sources.values() for commit in known.values() if commit}
        commits |= {commit for push in pushes for commit in (push.commit, push.mark) if commit}
        if not commits:
            return Newer()
        from kbsync.history.missing_commits import missing_commits

        missing = missing_commits(root, commits)
        if not missing.certain and not missing.possible:
            return Newer()
        last = next((push.commit for push in pushes if push.commit), "")
        certain = _newer(ledger, pushes, missing.certain, missing.ahead, arrived=arrived)
        certain = _with_sources(root, away, certain, sources, missing)
        if missing.certain:
            unseen = _with_deletions(root, _with_unseen(root, away, certain))
            certain = structs.replace(unseen, ways=missing.ways, clone=clone, links=_links_away(tree, plan, unseen))
        unsure = _newer(ledger, pushes, missing.possible, arrived=arrived)
        possible = structs.replace(unsure, sources=sources, unknown=missing.possible)
        return Newer(certain, possible, last if last in missing.certain else "")


def _removed(plan: Plan) -> dict[Node, str]:
    """The paths that the files of what is removed had."""
    return {(c.kind, c.remote_id): c.was for c in plan.sent if c.is_removal and c.remote_id is not None}


def _commits_of(ledger: Ledger, pushes: Iterable[Published], arrived: Set[int]) -> dict[Node, dict[str, str]]:
    """By item and field, the commit of what a push sent that crashed before it recorded that."""
    found: dict[Node, dict[str, str]] = {}
    left = set(arrived)
    for push in pushes:
        if not left:
            break
        for entry in ledger.entries(push.run):
            change = entry.change
            if entry.number in left and change.remote_id is not None:
                of = dict.fromkeys((field.name for field in change.fields), change.source_commit or push.commit)
                node: Node = (change.kind, change.remote_id)
                found[node] = of | found.get(node, {})
            left.discard(entry.number)
    return found


def _sources(
    workspace: Workspace,
    ledger: Ledger,
    plan: Plan,
    away: Iterable[Node],
    clone: str,
    crashed: Mapping[Node, Mapping[str, str]],
) -> dict[Node, dict[str, str]]:
    """By item and field, the commit whose files had what is agreed on; "" where this clone had it, not committed."""
    there: dict[Node, list[FieldChange]] = {node: [] for node in away}
    for change in plan.sent:
        if change.remote_id is not None:
            there.setdefault((change.kind, change.remote_id), []).extend(change.fields)
    # What is held now may be sent once git was asked.
    for held in plan.held:
        if held.remote_id is not None:
            there.setdefault((held.kind, held.remote_id), []).extend(held.values)
    found = {node: dict(known) for node, known in ledger.commits(workspace.target.key, [*there]).items()}
    for node, known in crashed.items():
        if node in found:
            found[node] |= known
    own = {NOT_COMMITTED + how + clone for how in (ALIKE, SENT)}
    if not any(commit in own for known in found.values() for commit in known.values()):
        return found
    from kbsync.app.pull_record import load_records

    pulled = load_records(workspace)
    return {node: _without_own(known, own, there[node], pulled.get(node, {})) for node, known in found.items()}


def _without_own(
    known: Mapping[str, str], own: Set[str], fields: Iterable[FieldChange], pulled: Mapping[str, Last]
) -> dict[str, str]:
    """What this clone had without a commit, it has, unless its file is as it was before a pull: that was stashed."""
    found = {name: "" if commit in own else commit for name, commit in known.items()}
    for field in fields:
        came = known.get(field.name, known.get("", "")), known.get(field.name + FORMER, "")
        mark = next((commit for commit in came if commit in own and commit.startswith(NOT_COMMITTED + ALIKE)), "")
        last = pulled.get(field.name)
        if mark and last is not None and field.after in last.before:
            found[field.name] = mark
    return found


def _with_sources(
    root: Path, lost: Mapping[Node, str], newer: NewerRuns, sources: Mapping[Node, Mapping[str, str]], missing: Missing
) -> NewerRuns:
    """With the commits whose files had what is agreed on, and the files that such a commit had of what is removed."""
    commits = {commit for known in sources.values() for commit in known.values()}
    unknown = commits & missing.possible
    away = {node: commit for node, known in sources.items() for commit in known.values() if commit in missing.certain}
    paths = {node: path for node, path in lost.items() if node in away}
    if unknown:
        from kbsync.history.missing_commits import head_time

        newer = structs.replace(newer, unknown=unknown, head_s=head_time(root))
    return structs.replace(
        newer,
        sources=sources,
        missing=commits & missing.certain,
        beyond=commits & missing.ahead,
        paths={**paths, **newer.paths},
        commits={**away, **newer.commits},
    )


def _newer(
    ledger: Ledger,
    pushes: list[Published],
    missing: frozenset[str],
    ahead: frozenset[str] = frozenset(),
    *,
    arrived: Set[int],
) -> NewerRuns:
    """What the pushes of some commits did, and what others did since; an undo is of no branch."""
    oldest = min((push.run for push in pushes if not missing.isdisjoint((push.commit, push.mark))), default=0)
    if not oldest:
        return NOTHING_NEWER
    asked = [push for push in pushes if push.commit and push.run >= oldest]
    is_cut = pushes[-1].run > 1 and all(push.commit in missing for push in pushes)
    return newer_runs((_carried_out(ledger, push, missing, ahead, arrived) for push in asked), is_cut=is_cut)


def _with_unseen(root: Path, lost: Mapping[Node, str], newer: NewerRuns) -> NewerRuns:
    """With the files that this branch never had, of articles that have no file.

    A file that was pulled from the panel is on record without a change of any run: the push found it equal. The commit
    of that was not always noted, and is not where the file was not added to git yet.
    """
    paths = {path for path in lost.values() if path}
    if not paths:
        return newer
    from kbsync.history.missing_commits import paths_ever_here

    known = paths_ever_here(root, paths)
    unseen = {node: path for node, path in lost.items() if path and path not in known}
    commits = {**dict.fromkeys(unseen, ""), **newer.commits}
    return structs.replace(newer, paths={**newer.paths, **unseen}, commits=commits)


def _with_deletions(root: Path, newer: NewerRuns) -> NewerRuns:
    """With the files that this branch deleted itself, and when."""
    gone = {path for path in newer.paths.values() if path and not os.path.lexists(root / path)}
    if not gone:
        return newer
    from kbsync.history.last_changes import last_changes

    return structs.replace(newer, deleted_s=last_changes(root, gone))


def _links_away(tree: Tree, plan: Plan, newer: NewerRuns) -> dict[str, str]:
    """By path of a file with a body that is sent, a file that it links to, and that only newer commits have."""
    away = {path for path in newer.paths.values() if path and path not in tree.sources}
    if not away:
        return {}
    sent = (change.path for change in plan.sent if "content" in change.after and change.path in tree.sources)
    return {path: link.target for path in sent for link in tree.sources[path].links if link.target in away}


def _carried_out(
    ledger: Ledger, push: Published, missing: frozenset[str], ahead: frozenset[str], arrived: Set[int]
) -> PublishedRun:
    entries = ledger.entries(push.run)
    changes = [entry.change for entry in entries if entry.state in CARRIED_OUT or entry.number in arrived]
    if push.mark not in missing:
        # This clone knows what it did, and a shallow one looks at that of others on its own.
        changes = [structs.replace(change, source_commit="") if change.source_commit else change for change in changes]
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
