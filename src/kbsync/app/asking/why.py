"""`why`: everything that is known of one article, to say what makes it change. Changes nothing.

Also: `why --history`: what kbsync did to it, run by run, from the ledger. Asks the service nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import TypeVar

from kbsync.app.options import AS_CONFIGURED
from kbsync.app.planning.comparison import open_comparison
from kbsync.app.planning.offline import open_as_fetched
from kbsync.app.planning.plan import Planned
from kbsync.app.reading import read_content
from kbsync.app.selectors import find_item, not_found, paths_named
from kbsync.app.workspace import Workspace
from kbsync.content.compile import Compiler
from kbsync.errors import LedgerError
from kbsync.history.file_versions import FileHistory, FileVersion, first_with
from kbsync.history.git_process import GitFailed
from kbsync.ledger import Ledger
from kbsync.ledger.git_ledger import GitLedger
from kbsync.ledger.shards import KEPT_RUNS
from kbsync.ledger.values import Entry, RunInfo
from kbsync.model import Action, Base, Change, Desired, Held, ItemRef, Observed, Reason, RemoteId, Value
from kbsync.report.ledger import ItemHistory, Step
from kbsync.report.why import STAGED, Explanation, ValueCommit

T = TypeVar("T", Base, Observed)

OVER = frozenset({"done", "settled"})

OF_THE_FILE = frozenset(
    {"title", "content", "description", "tags", "meta_title", "meta_description", "slug", "category", "author"}
)
"""Fields that a file gives by itself; a position follows from its neighbors as well."""


def why(workspace: Workspace, name: str, *, offline: bool = False) -> Explanation:
    """Explain one article.

    Args:
        workspace: the project.
        name: a path as seen from the current folder, a slug, or `locale/slug`.
        offline: compare with what the last push recorded.

    Raises:
        UsageError: nothing has this name, or several things have.
        TreeRefused: the content tree has errors.
    """
    with open_comparison(workspace, AS_CONFIGURED, offline=offline) as comparison:
        planned = comparison.planned
    found = _find(workspace, planned, name)
    if found.base is not None:
        found = replace(found, run=_last_run(workspace, found.base))
    found = replace(found, is_seen=planned.portal.items is not None)
    return _with_history(planned.reading.compiler, found)


def _find(workspace: Workspace, planned: Planned, name: str) -> Explanation:
    """What has this name: a file first, then what is on record, then what is on the portal."""
    paths, plan = paths_named(workspace, name), planned.plan
    bases, observed = planned.recovery.bases, planned.portal.everything or []
    ids = _ids(planned)
    desired = find_item(planned.desired, name, paths)
    if desired is not None:
        remote_id = ids.get((desired.kind, desired.path))
        base = _with_id(bases, desired, remote_id)
        return Explanation(plan, desired, desired, base, _with_id(observed, desired, remote_id))
    base = find_item(bases, name, paths)
    if base is not None:
        node = base.kind, base.remote_id
        owner = next((item for item in planned.desired if (item.kind, ids.get((item.kind, item.path))) == node), None)
        there = _with_id(observed, base, base.remote_id)
        return Explanation(plan, owner or base, owner, base, there)
    there = find_item(observed, name, paths)
    if there is None:
        known: Sequence[Desired | Base | Observed] = [*planned.desired, *bases, *observed]
        raise not_found(name, known, f"your files or {'on the portal' if plan.as_of is None else 'in the ledger'}")
    return Explanation(plan, there, observed=there)


def _ids(planned: Planned) -> dict[tuple[str, str], RemoteId]:
    """By kind and path, the id that the plan found for a file; else the one on record."""
    plan, found = planned.plan, dict[tuple[str, str], RemoteId]()
    items: list[Base | Held | Change] = [*planned.recovery.bases, *plan.settled, *plan.kept, *plan.held, *plan.changes]
    for item in items:
        if item.path and item.remote_id is not None:
            found[item.kind, item.path] = item.remote_id
    return found


def _with_id(items: Sequence[T], of: Desired | Base, remote_id: RemoteId | None) -> T | None:
    return next((item for item in items if item.kind == of.kind and item.remote_id == remote_id), None)


def _last_run(workspace: Workspace, base: Base) -> RunInfo | None:
    """The last run that changed it."""
    if not workspace.has_ledger():
        return None
    with closing(open_as_fetched(workspace)) as ledger:
        key = workspace.target.key
        entries = ledger.entries_of_item(key, base.kind, base.remote_id, "")
        number = next((run for run, entry in entries if entry.state in OVER), None)
        return next((run for run in ledger.runs(key) if run.number == number), None)


def _with_history(compiler: Compiler, found: Explanation) -> Explanation:
    """With the commits that the changed values came with."""
    desired = found.desired
    sent = [change for change in found.changes if change.action is not Action.ADOPT and not change.is_removal]
    conflicts = [item for item in found.held if item.reason is Reason.CONFLICT]
    if desired is None or desired.kind == "portal" or not (sent or conflicts):
        return found
    ours = {name: desired.fields.get(name) for item in conflicts for name in item.fields if name in OF_THE_FILE}
    try:
        with FileHistory(compiler) as history:
            versions = history.versions(desired.path)
            since, elsewhere = _since(history, versions, sent, compiler, desired.path)
            since |= {
                name: _commit(history, version)
                for name, value in ours.items()
                if (version := first_with(versions, name, value)) is not None
            }
            note = "This clone is shallow, so a change may be older than git says here." if history.is_shallow else ""
    except GitFailed as exc:
        reason = str(exc).partition(". ")[0].rstrip(".")
        return replace(found, git=f"git does not know since which commit. {reason[:1].upper()}{reason[1:]}.")
    return replace(found, since=since, elsewhere=elsewhere, git=note)


def _since(
    history: FileHistory, versions: Sequence[FileVersion], sent: Sequence[Change], compiler: Compiler, path: str
) -> tuple[dict[str, ValueCommit], frozenset[str]]:
    """By field, the commit of its value; and the fields whose value is not this file's own doing."""
    is_committed = bool(versions) and _plain(versions[0].data) == _plain((compiler.tree.root / path).read_bytes())
    since: dict[str, ValueCommit] = {}
    own = OF_THE_FILE | STAGED.keys() | {"status"}
    elsewhere = {name for change in sent for name in change.after if name not in own}
    for name, value in _values_of_file(sent).items():
        version = first_with(versions, name, value)
        if version is None and is_committed:
            elsewhere.add(name)
        else:
            since[name] = _commit(history, version)
    if any(change.action is Action.CREATE for change in sent):
        since[""] = _commit(history, next(reversed(versions), None))
    return since, frozenset(elsewhere)


def _values_of_file(sent: Sequence[Change]) -> dict[str, Value]:
    given = ((STAGED.get(name, name), value) for change in sent for name, value in change.after.items())
    return {name: value for name, value in given if value is not None and name in OF_THE_FILE}


def _plain(data: bytes) -> bytes:
    """Without what a checkout may change."""
    return data.replace(b"\r\n", b"\n")


def _commit(history: FileHistory, version: FileVersion | None) -> ValueCommit:
    if version is None:
        return ValueCommit()
    info = history.describe(version.commit)
    return ValueCommit(info.id, info.author, info.subject, info.time_s)


def history(workspace: Workspace, name: str, *, limit: int) -> ItemHistory:
    """What the runs did to one article.

    Args:
        workspace: the project.
        name: a path as seen from the current folder, a slug, or `locale/slug`.
        limit: of how many steps are given.

    Raises:
        UsageError: nothing of this name was ever published.
        LedgerError: there is no ledger, or it cannot be used.
    """
    if not workspace.has_ledger():
        raise LedgerError("There is no ledger yet.", hint="The first `kbsync push` creates it.")
    with closing(open_as_fetched(workspace)) as ledger:
        key = workspace.target.key
        bases, runs = ledger.bases(key), {run.number: run for run in ledger.runs(key)}
        item, remote_id, entries = _published(workspace, ledger, bases, name)
        note = _older(workspace, ledger, runs)
    steps = [Step(runs[run], entry) for run, entry in entries if run in runs]
    return ItemHistory(workspace.target, item, remote_id, tuple(steps[:limit]), max(0, len(steps) - limit), note)


def _published(
    workspace: Workspace, ledger: Ledger, bases: Sequence[Base], name: str
) -> tuple[ItemRef, RemoteId | None, list[tuple[int, Entry]]]:
    paths, key = paths_named(workspace, name), workspace.target.key
    base = find_item(bases, name, paths)
    if base is not None:
        return base, base.remote_id, _entries_of(ledger, key, base, bases)
    # Nothing on record has this name: a file that was deleted, or that got another path and was not pushed since.
    for path in sorted(paths):
        entries = ledger.entries_of_item(key, "article", None, path)
        if entries:
            change = entries[0][1].change
            return change, change.remote_id, ledger.entries_of_item(key, change.kind, change.remote_id, path)
    desired = read_content(workspace).desired
    ours = find_item(desired, name, paths)
    if ours is None:
        raise not_found(name, [*bases, *desired], "your files or in the ledger")
    same = [base for base in bases if (base.kind, base.locale, base.slug) == (ours.kind, ours.locale, ours.slug)]
    if same:
        return ours, same[0].remote_id, _entries_of(ledger, key, same[0], bases)
    return ours, None, []


def _entries_of(ledger: Ledger, key: str, base: Base, bases: Sequence[Base]) -> list[tuple[int, Entry]]:
    """The entries of an item, without those of another one whose file had this path once."""
    others = {other.remote_id for other in bases if other.kind == base.kind} - {base.remote_id}
    found = ledger.entries_of_item(key, base.kind, base.remote_id, base.path)
    return [(run, entry) for run, entry in found if entry.change.remote_id not in others]


def _older(workspace: Workspace, ledger: Ledger, runs: dict[int, RunInfo]) -> str:
    """Where runs are that the ledger does not have any more."""
    if not workspace.has_git_ledger or not runs or min(runs) == 1:
        return ""
    assert isinstance(ledger, GitLedger)
    older = f"`git log -p {ledger.ref.ref}`"
    return f"The ledger in git keeps about {KEPT_RUNS} runs. Older ones are in its history: {older}."
