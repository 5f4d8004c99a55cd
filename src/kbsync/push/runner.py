"""Carry out a plan: all of it into the journal, out of it change by change; look, record, send, record.

One coordinator (the caller's thread) owns the ledger. A small pool of threads looks and sends (`under_way.py`). Each
turn writes what came in, marks what goes out next, and takes more changes, in one transaction: a crash at any moment
leaves every request that may have been sent in the journal. Where the ledger can be shared, other runners take changes
of the same run (`app/pushing/join.py`); what one that died had taken goes to those that live.

The phases of a push: what must be over before the next changes begin. Pure.

What a push needs of the world.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from threading import Lock

from kbsync.errors import AnswerLost, ContentError, LedgerError, NotFound, Rejected, ServiceError
from kbsync.ledger import Ledger
from kbsync.ledger.values import HEARTBEAT_S, NO_SOURCE, Ended, Owner, Source, Turn
from kbsync.model import Action, Change, Outcome, Plan, RemoteId, Status
from kbsync.plan.assembled import TOGETHER
from kbsync.plan.result import Current, Result, failed
from kbsync.plan.translation_links import is_link
from kbsync.push.progress import Progress, outcome_of
from kbsync.push.sender import Sender
from kbsync.push.under_way import UnderWay, recorded
from kbsync.service.pace import request_threads

NOBODY = Owner("", "", 0, 0.0, 0.0)


@dataclass(slots=True)
class Run:
    """What a push needs of the world.

    Args:
        ledger: the record; `number` is this run's in it, `owner` who we are in it.
        clock: seconds since 1970.
        stopping: whether somebody asked to stop; what is under way is still finished and recorded.
        beat: keeps the lock alive; False when it was broken.
        is_dead: whether another runner is not to be waited for any more.
        source: the commit whose files it publishes.
    """

    ledger: Ledger
    number: int
    clock: Callable[[], float]
    stopping: Callable[[], bool]
    beat: Callable[[], bool]
    owner: Owner = NOBODY
    is_dead: Callable[[Owner], bool] = lambda owner: False
    sleep: Callable[[float], None] = time.sleep
    source: Source = NO_SOURCE


BATCHES = 6
"""The phase of statuses that change together."""

TURNS = 1000
"""Turns that one phase may have: changes of the same phase that depend on each other, one after the other."""


def phase_of(change: Change) -> int:
    """What must be over before the next begins; within a phase, turns.

    Categories, articles, links between translations, staged edits, statuses, those that change together, the portal
    itself, removals of articles, of categories.
    """
    return _phase(change) * TURNS + change.turn


def is_batched(phase: int) -> bool:
    """Whether the changes of a phase go out together."""
    return phase // TURNS == BATCHES


def _phase(change: Change) -> int:
    if change.is_removal:
        return 8 if change.kind == "article" else 9
    if change.kind == "portal":
        return 7
    if change.action in {Action.CREATE, Action.UPDATE}:
        if change.stages or change.discards_staged:
            return 4  # Another update of the same article is in phase 2, and each result builds on the last one's base.
        return 1 if change.kind == "category" else 3 if is_link(change) else 2
    return BATCHES if change.together else 5


READY_FACTOR = 2
"""Requests in the pool for each thread: one under way, one ready, so that no thread waits for the coordinator."""

SPARE = 4
"""For so many threads one request stays ready while results are gathered and written down."""

IDLE_S = 0.1
"""How often a runner that has nothing to do looks whether others have left it something."""

STOPPED = "Stopped before it was sent."


def push(plan: Plan, sender: Sender, run: Run, *, concurrency: int) -> Iterator[Outcome]:
    """Carry out every change of a plan, in its phases; one outcome for each, as it comes.

    Args:
        plan: what to do.
        sender: sends.
        run: the ledger and the world.
        concurrency: requests at once.

    Raises:
        LedgerError: nothing can be recorded any more, so nothing more is sent.
    """
    # One by one: those of a hundred thousand adoptions are made while they are recorded.
    run.ledger.record(plan.target.key, plan.settled, forgotten=plan.forgotten, source=run.source)
    yield from (Outcome(change, "done", change.remote_id) for change in plan.changes if change.action is Action.ADOPT)
    rest = sorted(((phase_of(change), change) for change in plan.sent), key=lambda pair: pair[0])
    entries = run.ledger.offer(plan.target.key, run.number, rest)
    changes = {entry: change for entry, (_, change) in zip(entries, rest, strict=True)}
    phases = {entry: phase for entry, (phase, _) in zip(entries, rest, strict=True)}
    runner = Runner(plan.target.key, sender, run, Progress(changes, phases), leads=True)
    yield from runner.work(sorted(set(phases.values())), concurrency)


@dataclass(slots=True)
class Runner:
    """One process at work on a run: takes changes out of the journal until nothing is left.

    Args:
        target: the portal.
        sender: sends.
        run: the ledger and the world.
        progress: the changes, and how they went.
        leads: whether this run is ours: we end with all of its outcomes, those of other runners too.
    """

    target: str
    sender: Sender
    run: Run
    progress: Progress
    leads: bool
    looked: dict[int, Current] = field(default_factory=dict)
    under_way: UnderWay[Result | Current] = field(default_factory=UnderWay)
    beat_at: float = 0.0
    batched: set[int] = field(default_factory=set)

    def work(self, phases: list[int], concurrency: int) -> Iterator[Outcome]:
        """Do all phases; one outcome for each change."""
        self.beat_at = self.run.clock()
        # Also where the run ends before its time: what is known is recorded, and what waits is not sent.
        with request_threads(concurrency, "push") as pool, recorded(self.sender.service, self._give_up):
            for phase in phases:
                yield from self._work_phase(phase, pool, concurrency * READY_FACTOR)
        if self.leads:
            yield from self._outcomes_of_others()

    def _work_phase(self, phase: int, pool: ThreadPoolExecutor, window: int) -> Iterator[Outcome]:
        self._learn_of_others(phase)
        drained = False
        while True:
            if self._ends() and not drained:
                yield from self._skip_rest()
                drained = True
            most = 0 if drained else self._room(phase, window)
            if most > 0 or self.progress.has_results or (self.looked and not self._gathers(phase)):
                taken, outcomes = self._turn(phase, most, pool)
                drained = drained or (most > 0 and not taken)
                yield from outcomes
            if self.under_way:
                yield from self._wait(window // READY_FACTOR)
            elif drained and not self.progress.has_results and not self.looked:
                if self._is_over(phase):
                    return
                drained = self._ends()
                self.run.sleep(IDLE_S)
            self._keep_lock()

    def _room(self, phase: int, window: int) -> int:
        """How many changes to take now. What goes out together is taken together."""
        busy = len(self.under_way) + len(self.looked)
        if is_batched(phase):
            return 0 if busy else TOGETHER
        return window - busy

    def _gathers(self, phase: int) -> bool:
        """Whether what was looked at waits for the others that go out with it."""
        return is_batched(phase) and bool(self.under_way)

    def _turn(self, phase: int, most: int, pool: ThreadPoolExecutor) -> tuple[int, list[Outcome]]:
        """Write what came in, mark what goes out, take more: one transaction, and what follows from it."""
        looked: dict[int, Current] = {}
        if not self._gathers(phase):
            looked, self.looked = self.looked, {}
        sending = {entry: found.bodies for entry, found in looked.items()}
        turn = Turn(self.progress.take_results(), sending, phase, most)
        granted = self.run.ledger.turn(self.target, self.run.number, self.run.owner, turn, now=self.run.clock())
        if granted.refused:
            raise _broken()
        send = self._sending(phase, looked)
        for entry, found in looked.items():
            self.under_way.submit(pool, entry, partial(send, self.progress.changes[entry], found))
        outcomes = []
        for entry in granted.taken:
            change = self._change(entry)
            if reason := self.progress.reason_to_skip(change):
                outcomes.append(self.progress.skip(entry, reason))
            elif change.action is Action.CREATE:
                self.under_way.submit(pool, entry, partial(self.sender.create, change, again=entry in granted.again))
            else:
                self.under_way.submit(pool, entry, partial(self.sender.look, change))
        return len(granted.taken), outcomes

    def _sending(self, phase: int, looked: Iterable[int]) -> Callable[[Change, Current], Result]:
        if not is_batched(phase):
            return self.sender.send
        self.batched.update(looked)
        return Batch(self.sender, [self.progress.changes[entry] for entry in looked]).send

    def _change(self, entry: int) -> Change:
        """What an entry is about; it may be one that another runner offered."""
        if entry not in self.progress.changes:
            entries = self.run.ledger.entries(self.run.number)
            self.progress.changes |= {found.number: found.change for found in entries}
        return self.progress.resolved(entry)

    def _wait(self, concurrency: int) -> Iterator[Outcome]:
        for entry, found in self.under_way.results(HEARTBEAT_S, concurrency + concurrency // SPARE):
            if isinstance(found, Current):
                self.looked[entry] = found
            else:
                yield self._take(entry, found)

    def _take(self, entry: int, result: Result) -> Outcome:
        if result.base is not None:
            self.sender.bases[result.base.kind, result.base.remote_id] = result.base
        return self.progress.take(entry, result)

    # --- ending ----------------------------------------------------------------------------------------------------

    def _ends(self) -> bool:
        return bool(self.progress.hopeless) or self.run.stopping()

    def _skip_rest(self) -> Iterator[Outcome]:
        """Give up what was not taken yet, unless other runners may still do it."""
        hopeless = self.progress.hopeless
        if not self._is_alone() and (hopeless or not self.leads):
            return
        reason = f"Not tried, because an earlier change failed. {hopeless}" if hopeless else STOPPED
        left = self.run.ledger.skip_rest(self.run.number, reason, now=self.run.clock())
        yield from self.progress.left(left, reason)

    def _give_up(self, *, waits: bool) -> None:
        """Take what is under way, record it, and leave what was not sent.

        Where this does not wait for answers, the journal has what was sent without one, and the next run looks.
        """
        for entry in self.under_way.cancel():
            # What goes out together may have gone out with another one: then the next run looks.
            state: Ended = "unknown" if entry in self.batched else "skipped"
            self.progress.cancel(entry, state, STOPPED)
        for entry, found in self.under_way.rest(waits=waits):
            if not isinstance(found, Current):
                self._take(entry, found)
        now = self.run.clock()
        if results := self.progress.take_results():
            self.run.ledger.turn(self.target, self.run.number, self.run.owner, Turn(results), now=now)
        self.run.ledger.leave(self.target, self.run.number, self.run.owner, now=now)

    def _keep_lock(self) -> None:
        now = self.run.clock()
        if now - self.beat_at >= HEARTBEAT_S:
            self.beat_at = now
            if not self.run.beat():
                raise _broken()

    # --- others ----------------------------------------------------------------------------------------------------

    def _is_alone(self) -> bool:
        return all(other.is_run_of(self.run.owner) for other in self.run.ledger.runners(self.run.number))

    def _is_over(self, phase: int) -> bool:
        """Whether everything up to this phase is over; what dead runners had taken is taken from them."""
        if not self.run.beat():
            raise _broken()
        if self._ends() or not self.run.ledger.open_entries(self.run.number, phase=phase):
            return True
        for other in self.run.ledger.runners(self.run.number):
            if not other.is_run_of(self.run.owner) and self.run.is_dead(other):
                self.run.ledger.reap(self.target, self.run.number, other)
        return False

    def _learn_of_others(self, phase: int) -> None:
        """What other runners made and failed at decides about what comes next."""
        if self.leads and self.progress.is_over_before(phase):
            return
        for entry in self.run.ledger.entries(self.run.number):
            self.progress.learn(entry)
        bases = self.run.ledger.bases(self.target)
        self.sender.bases.update({(base.kind, base.remote_id): base for base in bases})

    def _outcomes_of_others(self) -> Iterator[Outcome]:
        if len(self.progress.reported) == len(self.progress.changes):
            return
        for entry in self.run.ledger.entries(self.run.number):
            if entry.number not in self.progress.reported:
                yield outcome_of(entry)


def _broken() -> LedgerError:
    return LedgerError("This push lost its lock. Nothing more was sent.", hint="Run `kbsync plan` to see what is left.")


@dataclass(slots=True)
class Batch:
    """Changes of status that go out together. Every thread asks for one of them; the first one sends them all.

    Args:
        sender: sends what goes out alone, and reads answers.
        changes: each with its id, and looked at just now.
    """

    sender: Sender
    changes: Sequence[Change]
    _lock: Lock = field(init=False, repr=False, default_factory=Lock)
    _sent: dict[Status, ServiceError | None] = field(init=False, default_factory=dict)

    def send(self, change: Change, looked: Current) -> Result:
        """Send one of the changes, with all others if that was not done yet."""
        status = change.status
        if status is None or change.staged or len(ids := self._ids(status)) < 2:
            return self.sender.send(change, looked)
        with self._lock:
            if status not in self._sent:
                self._sent[status] = self._send_all(ids, status)
        error = self._sent[status]
        try:
            return self._result(change, looked, error)
        except (ServiceError, ContentError) as exc:
            # Where it went out and nothing could be seen afterwards, the next run looks.
            return failed(exc, change.remote_id, lost=error is None)

    def _ids(self, status: Status) -> list[RemoteId]:
        """Whose status changes to this one in one request; a pending edit is discarded in a request of its own."""
        if not self.sender.service.profile.can("bulk_status"):
            return []
        alike = (change for change in self.changes if change.status is status and not change.staged)
        return [change.remote_id for change in alike if change.remote_id is not None]

    def _send_all(self, ids: Sequence[RemoteId], status: Status) -> ServiceError | None:
        try:
            self.sender.service.update_statuses(ids, status)
        except ServiceError as exc:
            return exc
        return None

    def _result(self, change: Change, looked: Current, error: ServiceError | None) -> Result:
        if error is None:
            return self.sender.look_after(change, looked)
        if isinstance(error, AnswerLost):
            return self.sender.update_again(change, looked, error)
        if isinstance(error, (NotFound, Rejected)):
            return self.sender.send(change, looked)
        raise error
