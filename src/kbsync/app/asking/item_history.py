"""`why --history`: what kbsync did to one article, run by run, from the ledger. Asks the service nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from kbsync.app.planning.offline import open_as_fetched
from kbsync.app.reading import read_content
from kbsync.app.selectors import find_item, not_found, paths_named
from kbsync.app.workspace import Workspace
from kbsync.errors import LedgerError
from kbsync.ledger import Ledger
from kbsync.ledger.git_ledger import GitLedger
from kbsync.ledger.shards import KEPT_RUNS
from kbsync.ledger.values import Entry, RunInfo
from kbsync.model import Base, ItemRef, RemoteId
from kbsync.report.ledger import ItemHistory, Step


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
        item, remote_id, entries = _find(workspace, ledger, bases, name)
        note = _older(workspace, ledger, runs)
    steps = [Step(runs[run], entry) for run, entry in entries if run in runs]
    return ItemHistory(workspace.target, item, remote_id, tuple(steps[:limit]), max(0, len(steps) - limit), note)


def _find(
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
