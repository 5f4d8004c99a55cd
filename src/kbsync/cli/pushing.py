"""What push, join and undo share: the lock, the signals, a plan carried out."""

from __future__ import annotations

import gc
import getpass
import os
import platform
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from types import FrameType

import click

from kbsync.cli.formats import tell_push
from kbsync.cli.progress import Progress
from kbsync.cli.workspace import Reading, Workspace
from kbsync.errors import ExitCode, LedgerError, ServiceError
from kbsync.ledger.contract import LEFT, Ledger, Owner
from kbsync.model import Action, Base, Change, Outcome, Plan, RemoteId
from kbsync.plan.saved import tree_digest
from kbsync.push.join import check_same_tree, join
from kbsync.push.lease import World, beating, is_dead, is_silent, take_lock
from kbsync.push.process import Process, read_boot, read_booted_at, read_namespace, read_process
from kbsync.push.runner import Run, push
from kbsync.push.sender import Sender
from kbsync.push.uploads import Uploads, ready, record_known, upload_all
from kbsync.service.client import Service

SOFT_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What asks a push to end: Ctrl-C, a CI job that is cancelled, a terminal that is closed."""

Handler = Callable[[int, FrameType | None], None]


@dataclass(slots=True)
class Pushed:
    """How a push went. `stopped` means that somebody pressed Ctrl-C; `broken` is what ended it before its time.

    `nothing` says why there was nothing to do, where that is not the content tree; `again` is how to do the rest, where
    that is no plain push, and `anew` how to plan the rest anew where that is no new plan.
    """

    plan: Plan
    outcomes: list[Outcome] = field(default_factory=list)
    requests: int = 0
    seconds: float = 0.0
    stopped: bool = False
    broken: LedgerError | None = None
    nothing: str = ""
    again: str = ""
    anew: str = ""


@dataclass(slots=True)
class Part:
    """Our part in what happens on a portal, as others see it in the ledger."""

    ledger: Ledger
    target: str
    owner: Owner
    world: World

    def beat(self) -> bool:
        """Tell the ledger that we live; False where somebody ended our part."""
        return self.ledger.beat(self.target, self.owner, now=time.time())

    def is_dead(self, other: Owner) -> bool:
        """Whether another runner is surely gone."""
        return is_dead(other, self.owner, self.world)

    def is_gone(self, other: Owner) -> bool:
        """Whether another runner is not to be waited for: dead, or stopped for so long that it cannot be told from it.

        Should it wake up, it finds its changes with others and sends nothing more.
        """
        return self.is_dead(other) or is_silent(other, self.world)


def our_part(ledger: Ledger, workspace: Workspace) -> Part:
    """Who we are."""
    now, ours = time.time(), os.getpid()
    born = (read_process(ours) or Process()).born
    owner = Owner(_user(), platform.node(), ours, now, now, read_boot(), read_namespace(), born)
    return Part(ledger, workspace.target.key, owner, World(time.time, time.sleep, read_process, read_booted_at()))


@contextmanager
def _beating(part: Part, workspace: Workspace) -> Iterator[None]:
    """Keep our part alive within the block, by a connection of its own: the ledger's belongs to who is at work."""

    def beat() -> None:
        # A ledger that cannot be used for the moment is for the run to tell of, and the next beat comes.
        with suppress(LedgerError), closing(workspace.open_ledger()) as ledger:
            ledger.beat(part.target, part.owner, now=time.time())

    with beating(beat):
        yield


@contextmanager
def held_lock(ledger: Ledger, workspace: Workspace, *, wait: bool, break_lock: bool) -> Iterator[Part]:
    """The portal's one lock, from here to the end of the block. What asks to end ends the block and frees the lock."""
    part = our_part(ledger, workspace)
    with answering(_end):
        take_lock(
            ledger,
            part.target,
            part.owner,
            part.world,
            wait=wait,
            break_lock=break_lock,
            tell=workspace.options.note,
        )
        try:
            with _beating(part, workspace):
                yield part
        finally:
            ledger.unlock(part.target, part.owner)


def _end(number: int, frame: FrameType | None) -> None:
    """While nothing is being sent, every such signal is a Ctrl-C."""
    raise KeyboardInterrupt


@contextmanager
def answering(handle: Handler) -> Iterator[None]:
    """Answer the soft signals so, within the block. What we were started to ignore (nohup) stays ignored."""
    ours = [number for number in SOFT_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in ours}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())  # A container may run as a user without a name.


def make_sender(
    service: Service, changes: Sequence[Change] | None, bases: Sequence[Base], content_of: Callable[[Change], str]
) -> Sender:
    """What sends the changes; None: they are not known yet."""
    creates = changes is None or any(change.action is Action.CREATE and change.kind == "article" for change in changes)
    # Asked once, before the threads start: the service requires an author (docs/service.md, section 4).
    author: RemoteId | None = service.fetch_owner().id if creates and service.can("profile") else None
    return Sender(service, content_of, {(base.kind, base.remote_id): base for base in bases}, author)


def carry_out(
    workspace: Workspace,
    plan: Plan,
    sender: Sender,
    part: Part,
    *,
    command: str,
    digest: str = "",
    uploads: Uploads | None = None,
    refused: Sequence[Outcome] = (),
) -> Pushed:
    """Carry out a plan; the lock is held.

    Args:
        workspace: the settings.
        plan: what to do.
        sender: sends it.
        part: ours, with the lock.
        command: what the ledger shall call the run.
        digest: names the tree, for those who want to join.
        uploads: sends the pictures that come first.
        refused: what is not in the plan any more, and why.
    """
    pushed = Pushed(plan, list(refused))
    ledger = part.ledger
    # From here on thousands of requests leave cycles behind; what is planned stays, and need not be looked through.
    gc.freeze()
    gc.enable()
    with stopping_softly() as stop:
        number = ledger.begin_run(part.target, command=command, now=time.time(), owner=part.owner, digest=digest)
        run = Run(ledger, number, time.time, lambda: stop.asked, part.beat, part.owner, part.is_gone)
        outcomes = _pictures_first(plan, uploads, sender, run, workspace.settings.pace.concurrency)
        follow(outcomes, pushed, workspace, len(plan.sent))
        pushed.stopped = stop.asked
    if pushed.broken is None:
        ledger.end_run(number, outcome=exit_code(pushed).name.lower(), now=time.time())
    return pushed


def _pictures_first(
    plan: Plan, uploads: Uploads | None, sender: Sender, run: Run, concurrency: int
) -> Iterator[Outcome]:
    if uploads is not None:
        record_known(plan, uploads)
        yield from upload_all(plan, uploads, run.stopping, concurrency=concurrency)
        plan, left = ready(plan, uploads.compiler)
        yield from left
    yield from push(plan, sender, run, concurrency=concurrency)


def join_run(workspace: Workspace, reading: Reading, service: Service, ledger: Ledger) -> Pushed:
    """Take part in the push that is under way on this portal; nothing where none is."""
    part = our_part(ledger, workspace)
    info = ledger.join(part.target, part.owner, now=time.time())
    pushed = Pushed(Plan(workspace.target))
    if info is None:
        workspace.options.note("No push is under way on this portal, so there is nothing to take part in.")
        return pushed
    before, started = service.transport.requests, time.monotonic()
    with stopping_softly() as stop, _beating(part, workspace):
        run = Run(ledger, info.number, time.time, lambda: stop.asked, part.beat, part.owner, part.is_gone)
        try:
            record = workspace.recorded(ledger)
            bases = record.bases
            workspace.settle_pictures(reading, service, record, ())
            check_same_tree(info, tree_digest(workspace.target, reading.tree))
            workspace.learn_categories(service, bases)
            sender = make_sender(service, None, bases, reading.content_of)
            outcomes = join(part.target, sender, run, concurrency=workspace.settings.pace.concurrency)
            follow(outcomes, pushed, workspace, 0)
        finally:
            ledger.leave(part.target, info.number, part.owner, now=time.time())
        pushed.stopped = stop.asked
    if not pushed.outcomes and _died(ledger, part.target, info.number):
        workspace.options.note("The push that was under way has died before it sent anything. Run `kbsync push`.")
    pushed.plan = replace(pushed.plan, changes=tuple(outcome.change for outcome in pushed.outcomes))
    pushed.requests = service.transport.requests - before
    pushed.seconds = time.monotonic() - started
    return pushed


def _died(ledger: Ledger, target: str, number: int) -> bool:
    """Whether nobody was left who could say how a run ended, before anything of it was planned."""
    run = next(run for run in ledger.runs(target) if run.number == number)
    return run.outcome == LEFT and not run.states


def follow(outcomes: Iterator[Outcome], pushed: Pushed, workspace: Workspace, total: int) -> None:
    """Collect the outcomes as they come, and show that it moves. What was done is told also where the ledger broke."""
    with Progress(total, workspace.options) as progress:
        try:
            for outcome in outcomes:
                pushed.outcomes.append(outcome)
                progress.show(outcome)
        except LedgerError as exc:
            pushed.broken = exc


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

    with answering(handle):
        yield stop


def exit_code(pushed: Pushed) -> ExitCode:
    """Interrupted, nothing at all could be done, partly failed, held, or done; the first that is true."""
    if pushed.broken is not None:
        return pushed.broken.exit_code
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


def report_pushed(pushed: Pushed, workspace: Workspace, *, form: str) -> int:
    """Print what happened; the exit code says the same."""
    tell_push(workspace, pushed, form=form)
    if pushed.broken is not None:
        raise pushed.broken
    return exit_code(pushed)
