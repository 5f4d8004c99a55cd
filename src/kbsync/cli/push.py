"""`kbsync push`: carry out the plan, record it, and tell the whole truth about it."""

from __future__ import annotations

import gc
import getpass
import os
import platform
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

import click

from kbsync.cli.commands import common_options
from kbsync.cli.formats import format_option, tell_push
from kbsync.cli.lint import tell_errors
from kbsync.cli.planning import Planned, Wishes, check_first_push, make_plan
from kbsync.cli.progress import Progress
from kbsync.cli.screen import Options
from kbsync.cli.workspace import Reading, Workspace
from kbsync.errors import ExitCode, ServiceError
from kbsync.ledger.contract import Ledger, Owner
from kbsync.model import Action, Outcome, Plan, RemoteId
from kbsync.service.client import Service
from kbsync.sync.lock import World, take_lock
from kbsync.sync.perform import Performer
from kbsync.sync.push import Run, push


@click.command("push")
@click.argument("selectors", nargs=-1)
@click.option(
    "--overwrite", multiple=True, metavar="SELECTOR", help="Send ours where the panel was edited too (drift, conflict)."
)
@click.option("--recreate", is_flag=True, help="Make again what somebody deleted on the portal.")
@click.option("--publish", is_flag=True, help="Apply the status of the front matter, as [push] publish = true does.")
@click.option("--first-push", is_flag=True, help="Nothing of ours is on the portal yet (profiles that cannot list).")
@click.option("--wait", is_flag=True, help="Wait for another push to end instead of giving up.")
@click.option("--break-lock", is_flag=True, help="Take the lock from another push that is surely dead.")
@click.option("--full", is_flag=True, help="List the whole portal instead of what moved since the last time.")
@format_option
@common_options
@click.pass_context
def command(
    ctx: click.Context, /, *, first_push: bool, wait: bool, break_lock: bool, form: str, **wished: object
) -> int:
    """Create and update categories and articles on the portal; articles begin as drafts.

    SELECTORS limit it: paths, locale:fr, category:billing, status:published.
    """
    options = Options.of(ctx)
    workspace = Workspace(options.read_settings(), options)
    reading = workspace.read_content()
    if reading.errors:
        return tell_errors(workspace, reading, form=form, schema="kbsync.push/1")
    ledger = workspace.open_ledger()
    try:
        with workspace.open_service() as service:
            check_first_push(workspace, ledger, allowed=first_push)
            with held_lock(ledger, workspace, wait=wait, break_lock=break_lock) as beat:
                wishes = Wishes(**wished)  # type: ignore[arg-type]
                pushed = run_push(workspace, reading, service, ledger, wishes, beat)
    finally:
        ledger.close()
    return report_push(pushed, workspace, form=form)


@dataclass(slots=True)
class Pushed:
    """How a push went. `stopped` means that somebody pressed Ctrl-C."""

    plan: Plan
    outcomes: list[Outcome] = field(default_factory=list)
    requests: int = 0
    seconds: float = 0.0
    stopped: bool = False


@dataclass(slots=True)
class Beat:
    """The lock, held: `keep` tells the ledger that its owner lives."""

    ledger: Ledger
    target: str
    owner: Owner

    def keep(self) -> bool:
        """False where somebody broke the lock."""
        return self.ledger.beat(self.target, self.owner, now=time.time())


@contextmanager
def held_lock(ledger: Ledger, workspace: Workspace, *, wait: bool, break_lock: bool) -> Iterator[Beat]:
    """The portal's one lock, from here to the end of the block."""
    now = time.time()
    owner = Owner(_user(), platform.node(), os.getpid(), now, now)
    target = workspace.target.key
    world = World(time.time, time.sleep, _is_alive)
    take_lock(ledger, target, owner, world, wait=wait, break_lock=break_lock, tell=workspace.options.note)
    try:
        yield Beat(ledger, target, owner)
    finally:
        ledger.unlock(target, owner)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())  # A container may run as a user without a name.


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def run_push(
    workspace: Workspace, reading: Reading, service: Service, ledger: Ledger, wishes: Wishes, beat: Beat
) -> Pushed:
    """Plan, and carry the plan out; the lock is held."""
    target = workspace.target.key
    before, started = service.transport.requests, time.monotonic()
    record = (ledger.bases(target), ledger.pending(target))
    planned = make_plan(workspace, reading, service, record, wishes)
    ledger.settle(target, planned.recovery.settled)
    pushed = Pushed(planned.plan)
    # From here on thousands of requests leave cycles behind; what is planned stays, and need not be looked through.
    gc.freeze()
    gc.enable()
    number = ledger.begin_run(target, command="push", now=time.time())
    with stopping_softly() as stop:
        run = Run(ledger, number, time.time, lambda: stop.asked, beat.keep)
        performer = _performer(reading, service, planned)
        concurrency = workspace.settings.pace.concurrency
        with Progress(len(planned.plan.sent), workspace.options) as progress:
            for outcome in push(planned.plan, performer, run, concurrency=concurrency):
                pushed.outcomes.append(outcome)
                progress.show(outcome)
        pushed.stopped = stop.asked
    pushed.requests = service.transport.requests - before
    pushed.seconds = time.monotonic() - started
    ledger.end_run(number, outcome=exit_code(pushed).name.lower(), now=time.time())
    return pushed


def _performer(reading: Reading, service: Service, planned: Planned) -> Performer:
    bases = {(base.kind, base.remote_id): base for base in (*planned.recovery.bases, *planned.plan.settled)}
    creates = any(change.action is Action.CREATE and change.kind == "article" for change in planned.plan.changes)
    # Asked once, before the threads start: the service requires an author (observed.md, section 4).
    author: RemoteId | None = service.fetch_owner().id if creates and service.can("profile") else None
    return Performer(service, reading.compiler.content_of, bases, author)


@dataclass(slots=True)
class Stop:
    """Whether somebody asked to stop."""

    asked: bool = False


@contextmanager
def stopping_softly() -> Iterator[Stop]:
    """The first Ctrl-C finishes what is under way; the second one does not wait."""
    stop = Stop()

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        click.echo("\nStopping: what is under way is finished and recorded. Ctrl-C again to leave at once.", err=True)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def report_push(pushed: Pushed, workspace: Workspace, *, form: str) -> int:
    """Print what happened; the exit code says the same."""
    tell_push(workspace, pushed, form=form)
    return exit_code(pushed)


def exit_code(pushed: Pushed) -> ExitCode:
    """Interrupted, nothing at all could be done, partly failed, held, or done; the first that is true."""
    if pushed.stopped and _any(pushed.outcomes, "skipped"):
        return ExitCode.INTERRUPTED
    if _any(pushed.outcomes, "failed"):
        hopeless = any(outcome.hopeless for outcome in pushed.outcomes)
        done = any(o.outcome == "done" and o.change.action is not Action.ADOPT for o in pushed.outcomes)
        return ServiceError.exit_code if hopeless and not done else ExitCode.PARTLY_FAILED
    if pushed.plan.held or _any(pushed.outcomes, "skipped"):
        return ExitCode.HELD
    return ExitCode.DONE


def _any(outcomes: Sequence[Outcome], word: str) -> bool:
    return any(outcome.outcome == word for outcome in outcomes)
