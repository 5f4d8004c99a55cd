"""Where the values come from that a push agrees on: a commit, or files that are not committed as they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path

from kbsync.app.clone_id import clone_id
from kbsync.app.newer_runs import MOST_PUSHES
from kbsync.app.plan import Planned
from kbsync.app.pull_record import load_records
from kbsync.app.workspace import Workspace
from kbsync.content.compile import Compiler
from kbsync.history.missing_commits import commit_with, head_commit
from kbsync.history.uncommitted import not_committed
from kbsync.jobs import is_ci
from kbsync.ledger import Ledger
from kbsync.ledger.values import ALIKE, NOT_COMMITTED, Published
from kbsync.model import PORTAL_FILE, Base, Desired, Plan
from kbsync.plan.known import Node
from kbsync.plan.rebase import renumbered
from kbsync.push.run import Provenance

Items = Mapping[str, Container[str]]
"""By the path of an item, the fields that are concerned."""

MOST_FOLLOWED = 1_000
"""Items whose links are followed one by one. Of more, git is asked about all files of the tree."""

MOST_APART = 20
"""Of so many items git is asked about each one. Of more, once about the files of all."""

CLONE_FROM = len(NOT_COMMITTED + ALIKE)
"""Where the id of the clone begins in a mark."""

OF_OTHER_FILES: Container[str] = frozenset({"content", "category", "author"})
"""The fields that more than the item's own file decides."""


def provenance_of(
    workspace: Workspace,
    compiler: Compiler,
    bases: Sequence[Base],
    plan: Plan,
    late: Mapping[Node, Mapping[str, str]],
) -> Provenance:
    """Where what a plan sends or settles comes from; `late` are the commits of what was agreed on before them."""
    commit, made = head_commit(workspace.content_root), is_ci(os.environ)
    concerned = _pulled(workspace, plan) if made else _concerned(plan)
    uncommitted = _uncommitted(workspace, compiler, concerned) if commit and concerned else frozenset[str]()
    clone = clone_id(workspace.state_folder) if uncommitted else ""
    return Provenance(commit, uncommitted, clone, made, renumbered(bases, plan.settled), late)


def late_commits(workspace: Workspace, ledger: Ledger, planned: Planned) -> dict[Node, dict[str, str]]:
    """By item and field, the commit that has by now what was not committed when it was agreed on."""
    marked = ledger.marked(workspace.target.key)
    if not marked:
        return {}
    compiler = planned.reading.compiler
    nodes = {path: node for path, node in planned.weighed.found.items() if node in marked}
    nodes.update((PORTAL_FILE, node) for node in marked if node[0] == "portal")
    bases = {(base.kind, base.remote_id): base for base in planned.recovery.bases}
    late = {
        item.path: _late(item, bases[node], marked[node])
        for item in planned.reading.desired
        if (node := nodes.get(item.path)) in bases and node is not None
    }
    late = {path: fields for path, fields in late.items() if fields}
    uncommitted = _uncommitted(workspace, compiler, late) if late else frozenset[str]()
    late = {path: fields for path, fields in late.items() if path not in uncommitted}
    if not late:
        return {}
    published_s = _published_s(ledger.pushes(workspace.target.key, most=MOST_PUSHES))
    found: dict[Node, dict[str, str]] = {}
    for path, (commit, made_s) in _commits_with(workspace, compiler, late).items():
        node = nodes[path]
        # What was not committed when it was published may be what an older commit had: a clone that is still there
        # would take it for its own, and the others would put back what it replaced. Commits have whole seconds.
        if commit and made_s >= int(published_s(marked[node].values())):
            found[node] = dict.fromkeys(late[path], commit)
    return found


def _published_s(pushes: Sequence[Published]) -> Callable[[Iterable[str]], float]:
    """When the clones of some marks published last what was not committed; where that is not known, the first push."""
    last = {push.clone: push.began_s for push in reversed(pushes)}
    first_s = pushes[-1].began_s if pushes else 0.0

    def published_s(commits: Iterable[str]) -> float:
        clones = (commit[CLONE_FROM:] for commit in commits if commit.startswith(NOT_COMMITTED))
        return max((last.get(clone, first_s) for clone in clones), default=first_s)

    return published_s


def _commits_with(workspace: Workspace, compiler: Compiler, items: Items) -> dict[str, tuple[str, float]]:
    """By path, a commit that has the files of that item as they are, and when it was made; of many, one for all."""
    parts: list[Items] = [{path: fields} for path, fields in items.items()] if len(items) <= MOST_APART else [items]
    return {path: found for part in parts for found in [_commit_with(workspace, compiler, part)] for path in part}


def _commit_with(workspace: Workspace, compiler: Compiler, items: Items) -> tuple[str, float]:
    """A commit that has the files of all of these as they are, and when it was made; "" for none."""
    root, folder = workspace.content_root, workspace.settings.folder
    files = {file for path, fields in items.items() for file in compiler.made_of(path, fields)} - {PORTAL_FILE}
    files.update(Path(os.path.relpath(folder / name, root)).as_posix() for name in _beside(workspace, compiler, items))
    return commit_with(root, files) if files else ("", 0.0)


def _late(item: Desired, base: Base, commits: Mapping[str, str]) -> set[str]:
    """The fields of an item that are as they were agreed on when that was not committed."""
    ours = {**item.fields, "status": item.status, "locale": item.locale}
    agreed = {**base.fields, "status": base.status, "locale": base.locale}
    same = (name for name in ours.keys() & agreed.keys() if ours[name] == agreed[name])
    return {name for name in same if commits.get(name, commits.get("", "")).startswith(NOT_COMMITTED)}


def _pulled(workspace: Workspace, plan: Plan) -> Items:
    """What a job found alike it has made, as other jobs do, unless it came from the panel."""
    pulled = load_records(workspace)
    return {base.path: () for base in plan.settled if (base.kind, base.remote_id) in pulled}


def _concerned(plan: Plan) -> Items:
    """What is sent or settled."""
    found: dict[str, set[str]] = {}
    for change in plan.sent:
        found.setdefault(change.was, set())
        found.setdefault(change.path, set()).update(change.after)
    found.pop("", None)
    return {**found, **{base.path: OF_OTHER_FILES for base in plan.settled}}


def _uncommitted(workspace: Workspace, compiler: Compiler, items: Items) -> frozenset[str]:
    """The paths of those items that have values from a file which is not committed as it is."""
    tree = compiler.tree
    if len(items) > MOST_FOLLOWED:
        asked = {*items, *tree.sources, *tree.others}
    else:
        asked = {file for path, fields in items.items() for file in compiler.made_of(path, fields)}
    changed = not_committed(workspace.content_root, asked)
    found = {path for path in items if path in changed}
    if changed:
        found |= {path for path, fields in items.items() if not changed.isdisjoint(compiler.made_of(path, fields))}
    for name, paths in _beside(workspace, compiler, items).items():
        found |= paths if not_committed(workspace.settings.folder, {name}) else set()
    return frozenset(found)


def _beside(workspace: Workspace, compiler: Compiler, items: Items) -> dict[str, set[str]]:
    """The files beside the tree that values of some items come from, each with the paths of these."""
    found = {PORTAL_FILE: items.keys() & {PORTAL_FILE}}
    sources = compiler.tree.sources
    named = (path for path, fields in items.items() if "author" in fields and path in sources)
    found[workspace.settings.path.name] = {path for path in named if sources[path].author is not None}
    return {name: paths for name, paths in found.items() if paths}
