"""Reverse a push: plan it, ask, and carry it out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import closing

from msgspec.structs import replace

from kbsync.app.lease import Lease, held_lock
from kbsync.app.push_result import Pushed
from kbsync.app.pushing.delete import bring_back
from kbsync.app.pushing.push import carry_out, make_sender
from kbsync.app.sides import learn_version, observe
from kbsync.app.workspace import Workspace
from kbsync.command import command_line
from kbsync.errors import PlanRefused, UsageError
from kbsync.ledger import Ledger
from kbsync.ledger.values import Entry, RunInfo
from kbsync.model import DRAFTS, Action, Change, Held, Kind, Observed, Plan, RemoteId, visible
from kbsync.plan.undo import MadeSince, build_undo
from kbsync.plan.undo_order import by_later_runs
from kbsync.service.client import Service
from kbsync.service.profile import Profile

Agree = Callable[[Plan], None]
"""Is shown what would be reversed, and raises if the answer is no."""


def undo(workspace: Workspace, run: int, *, agree: Agree, wait: bool = False) -> Pushed:
    """Reverse a run, except where it was edited later.

    Args:
        workspace: the project.
        run: the number of the run.
        agree: is asked before anything is sent.
        wait: wait for another push to end instead of giving up.

    Raises:
        UsageError: there is no such run.
        PlanRefused: nothing can be looked at, or a request of it is still open.
    """
    with closing(workspace.open_ledger()) as ledger:
        key = workspace.target.key
        _check_run(ledger, key, workspace.profile, run)
        with workspace.open_service() as service, held_lock(ledger, workspace, wait=wait, break_lock=False) as lease:
            # Read under the lock: the push that this waited for may be the one to undo.
            return _carry_out(workspace, service, lease, run, _entries(ledger, key, run), agree)


def last_push(workspace: Workspace) -> RunInfo | None:
    """The latest push that sent something and was not undone since; None where there was none."""
    if not workspace.has_ledger():
        return None
    with closing(workspace.open_ledger(looking=True)) as ledger:
        runs = ledger.runs(workspace.target.key)
    undone: set[int] = set()
    for run in runs:
        if not run.states.get("done") or run.number in undone:
            continue  # An undo that was undone itself took nothing back.
        if not run.undoes:
            return run
        undone.add(run.undoes)
    return None


def _check_run(ledger: Ledger, key: str, profile: Profile, run: int) -> None:
    """Refuse what cannot be undone, before anything is asked.

    Raises:
        UsageError: there is no such run.
        PlanRefused: nothing can be looked at.
    """
    numbers = [info.number for info in ledger.runs(key)]
    if run not in numbers:
        latest = f"The latest is {numbers[0]}." if numbers else "It has no runs yet."
        raise UsageError(f"This portal has no run {run}. {latest}", hint="Run `kbsync ledger show` to see the runs.")
    if not profile.can_list:
        raise PlanRefused(
            f"The profile `{profile.name}` can neither list the portal nor change articles.",
            hint=f"Undo it in the panel. `{command_line('ledger show', run)}` lists what the run did.",
        )


def _entries(ledger: Ledger, key: str, run: int) -> list[Entry]:
    """The journal of a run of this portal.

    Raises:
        PlanRefused: a request of it, or of another one, is still open.
    """
    if ledger.pending(key):
        raise PlanRefused(
            "An earlier push ended without a result for some requests.",
            hint="Run `kbsync push` once, which checks them. Then undo.",
        )
    return [_arrived(ledger, key, run, entry) for entry in ledger.entries(run)]


def _arrived(ledger: Ledger, target: str, run: int, entry: Entry) -> Entry:
    """An entry; of one that was never answered, without the fields that a later run found as they were before it."""
    change = entry.change
    if entry.state != "settled" or change.remote_id is None or change.action is Action.CREATE:
        return entry
    later = ledger.entries_of_item(target, change.kind, change.remote_id, change.path)
    found = {(field.name, field.before) for number, other in later if number > run for field in other.change.fields}
    fields = tuple(field for field in change.fields if (field.name, field.before) not in found)
    return replace(entry, change=replace(change, fields=fields), state=entry.state if fields else "skipped")


def _carry_out(
    workspace: Workspace, service: Service, lease: Lease, run: int, entries: list[Entry], agree: Agree
) -> Pushed:
    """Plan, ask, and carry it out; the lock is held."""
    before, started = service.transport.requests, time.monotonic()
    learn_version(workspace, service)
    bodies = bodies_before(lease.ledger, entries)
    bases = lease.ledger.bases(lease.target)
    portal = observe(workspace, service, [], bases, full=False)
    since = made_since(lease.ledger, lease.target, run, entries)
    there, effects = portal.everything or [], service.profile.side_effects
    plan = build_undo(workspace.target, entries, there, bodies, bases, effects=effects, made_since=since)
    plan = replace(plan, version=service.endpoint.version, held=_by_later_runs(lease, run, plan, there))
    if plan.changes:
        agree(plan)

    def content_of(change: Change, name: str) -> str:
        return bodies[str(change.after[name])]

    sender = make_sender(service, plan.changes, bases, content_of)
    reading = service.transport.requests - before
    pushed = carry_out(workspace, plan, sender, lease, command=f"undo {run}")
    made = [outcome.change for outcome in pushed.outcomes if outcome.outcome == "done"]
    for path in bring_back(workspace, [change.path for change in made if change.action is Action.CREATE]):
        workspace.session.note(f"{visible(path)} is back.")
    pushed.reading = reading
    pushed.requests = service.transport.requests - before
    pushed.seconds = time.monotonic() - started
    pushed.nothing = f"Run {run} has nothing left to undo."
    pushed.again = command_line("undo", run, options=workspace.session.options)
    return pushed


def _by_later_runs(lease: Lease, run: int, plan: Plan, there: Iterable[Observed]) -> tuple[Held, ...]:
    """What is held, with the later run that changed it, where one did."""
    seen = {(item.kind, item.remote_id): item for item in there}
    found: list[Held] = []
    for item in plan.held:
        now = seen.get((item.kind, item.remote_id)) if item.remote_id is not None else None
        if now is None or not item.fields:
            found.append(item)
            continue
        entries = lease.ledger.entries_of_item(lease.target, item.kind, item.remote_id, item.path)
        found += by_later_runs(item, now, [(number, entry) for number, entry in entries if number > run])
    return tuple(found)


def made_since(ledger: Ledger, target: str, run: int, entries: list[Entry]) -> MadeSince:
    """What later runs made of the files whose articles and categories a run deleted."""
    gone = [entry.change for entry in entries if entry.change.action is Action.DELETE]
    found: dict[tuple[Kind, RemoteId | None], set[RemoteId]] = {}
    for change in gone:
        for later, entry in ledger.entries_of_item(target, change.kind, change.remote_id, change.path):
            made = entry.change
            if later > run and made.action is Action.CREATE and made.remote_id is not None:
                found.setdefault((change.kind, change.remote_id), set()).add(made.remote_id)
    return found


def bodies_before(ledger: Ledger, entries: list[Entry]) -> dict[str, str]:
    """The texts that the run's articles had before it, by their digests."""
    fields = ("content", DRAFTS["content"])
    names = {entry.change.before.get(name) for entry in entries for name in fields}
    found = {str(name): ledger.text(str(name)) for name in names if name}
    return {name: text for name, text in found.items() if text is not None}
