"""Take part in a push that another runner began.

Also: what that takes: the same journal, the same tree, another address's rate limit.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from contextlib import closing
from functools import partial

from msgspec.structs import replace

from kbsync.app.lease import keeping_alive, our_lease, stopping_softly
from kbsync.app.push_result import Pushed
from kbsync.app.pushing.push import follow, make_sender
from kbsync.app.reading import Reading, keep_slugs, read_sound
from kbsync.app.sides import image_addresses, learn_categories, recorded
from kbsync.app.workspace import Workspace
from kbsync.errors import PlanRefused
from kbsync.ledger import Ledger
from kbsync.ledger.values import LEFT, Entry, RunInfo
from kbsync.markdown.uploaded import host_of
from kbsync.model import Outcome, Plan
from kbsync.plan.saved import tree_digest
from kbsync.push.progress import Progress
from kbsync.push.runner import IDLE_S, Run, Runner, phase_of
from kbsync.push.sender import Sender
from kbsync.push.uploads import ImageAddresses, content_of
from kbsync.service.client import Service


def check_same_tree(run: RunInfo, digest: str) -> None:
    """Refuse to send what the run was not planned for.

    Raises:
        PlanRefused: the content tree or the settings here are others than those of the run.
    """
    if run.digest != digest:
        raise PlanRefused(
            f"The push that is running (run {run.number}) was started with other files or settings.",
            hint="Check out the same commit here, with the same kbsync.toml, and join again.",
        )


def join(
    target: str, sender: Sender, run: Run, entries: Iterable[Entry], *, concurrency: int
) -> Generator[Outcome, None, None]:
    """Take changes out of the journal of `run` until nothing is left; the outcomes of those that were ours."""
    changes = {entry.number: entry.change for entry in entries}
    runner = Runner(target, sender, run, Progress(changes), leads=False)
    yield from runner.work(sorted({phase_of(change) for change in changes.values()}), concurrency)


def offered(target: str, run: Run) -> list[Entry]:
    """The run's journal, once its leader has filled it; empty where it ended or died before, or we are to stop."""
    while not (entries := run.ledger.entries(run.number)):
        if run.stopping() or _is_over(target, run):
            return []
        others = [other for other in run.ledger.runners(run.number) if not other.is_run_of(run.owner)]
        gone = [other for other in others if run.is_dead(other)]
        for other in gone:
            run.ledger.reap(target, run.number, other)
        if len(gone) == len(others):
            return []
        run.sleep(IDLE_S)
    return entries


def _is_over(target: str, run: Run) -> bool:
    return all(info.number != run.number or info.ended_at is not None for info in run.ledger.runs(target))


def join_push(workspace: Workspace) -> Pushed:
    """Take part in the push that is under way on this portal.

    Raises:
        TreeRefused: the content tree has errors.
    """
    reading = read_sound(workspace)
    with closing(workspace.open_ledger()) as ledger, workspace.open_service() as service:
        return _join(workspace, reading, service, ledger)


def _join(workspace: Workspace, reading: Reading, service: Service, ledger: Ledger) -> Pushed:
    """Take part in the push that is under way on this portal; nothing where there is no such push."""
    lease = our_lease(ledger, workspace.target)
    info = ledger.join(lease.target, lease.owner, now=time.time())
    pushed = Pushed(Plan(workspace.target))
    if info is None:
        workspace.session.note(_why_not(workspace, ledger))
        return pushed
    service.endpoint.use_version(service.endpoint.version or info.version)
    pushed.plan = replace(pushed.plan, version=service.endpoint.version)
    before, started = service.transport.requests, time.monotonic()
    with stopping_softly(workspace.session.note) as stop, keeping_alive(lease, workspace):
        run = Run(ledger, info.number, time.time, lambda: stop.asked, lease.beat, lease.owner, lease.is_gone)
        try:
            record = recorded(workspace, ledger)
            bases = record.bases
            check_same_tree(info, tree_digest(workspace.target, reading.desired))
            learn_categories(workspace.profile, service, bases)
            addresses = ImageAddresses.of(record.images, (), host_of(service.transport.base_url))
            # What the push that runs plans with the portal's list is on record by now.
            reading = keep_slugs(
                workspace.settings.content, reading, (base.slug for base in bases if base.kind == "article")
            )
            body_of = partial(content_of, compiler=reading.compiler, addresses=addresses)
            sender = make_sender(service, None, bases, body_of)
            entries = offered(lease.target, run)
            # The push that runs uploads images before it offers anything.
            addresses.known.update(image_addresses(ledger, lease.target))
            outcomes = join(lease.target, sender, run, entries, concurrency=workspace.settings.pace.concurrency)
            follow(outcomes, pushed, workspace.session, 0)
        finally:
            ledger.leave(lease.target, info.number, lease.owner, now=time.time())
        pushed.stopped = stop.asked
    if not pushed.outcomes and _died(ledger, lease.target, info.number):
        workspace.session.note("The push that was running crashed before it sent anything. Run `kbsync push`.")
    pushed.plan = replace(pushed.plan, changes=tuple(outcome.change for outcome in pushed.outcomes))
    pushed.requests = service.transport.requests - before
    pushed.seconds = time.monotonic() - started
    return pushed


def _why_not(workspace: Workspace, ledger: Ledger) -> str:
    if workspace.has_git_ledger and ledger.holder(workspace.target.key) is not None:
        return "The push that is running cannot be joined: the ledger is in git. `--join` needs one in PostgreSQL."
    return "No push is running on this portal, so there is nothing to join."


def _died(ledger: Ledger, target: str, number: int) -> bool:
    """Whether all runners of a run were gone before anything of it was planned."""
    run = next(run for run in ledger.runs(target) if run.number == number)
    return run.outcome == LEFT and not run.states
