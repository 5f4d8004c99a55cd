"""Carry out a plan: all of it into the journal, out of it change by change; look, record, send, record.

One coordinator (the caller's thread) owns the ledger. A small pool of threads looks and sends. Each turn writes what
came in, marks what goes out next, and takes more changes, in one transaction: a crash at any moment leaves every
request that may have been sent in the journal. Where the ledger can be shared, other runners take changes of the same
run (`push/join.py`); what one that died had taken goes to those that live.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Literal

import msgspec
from msgspec.structs import replace

from kbsync.errors import LedgerError
from kbsync.ledger import Ledger
from kbsync.ledger.values import ALIKE, HEARTBEAT_S, NOT_COMMITTED, SENT, Ended, Entry, EntryResult, Owner, Turn
from kbsync.model import Action, Change, Kind, Outcome, Plan, RemoteId
from kbsync.plan.cost import TOGETHER
from kbsync.plan.portal_settings import is_waiting, with_made
from kbsync.plan.result import Current, Result
from kbsync.plan.translation_links import is_link, is_unresolved, resolve
from kbsync.push.sender import Sender
from kbsync.push.together import Batch
from kbsync.service.threads import request_threads

READY_FACTOR = 2
"""Requests in the pool for each thread: one under way, one ready, so that no thread waits for the coordinator."""

SPARE = 4
"""For so many threads one request stays ready while results are gathered and written down."""

GATHER_S = 0.05
"""The longest pause between two results that are recorded together."""

IDLE_S = 0.1
"""How often a runner that has nothing to do looks whether others have left it something."""

BATCHES = 6
"""The phase of statuses that change together."""

NOBODY = Owner("", "", 0, 0.0, 0.0)
STOPPED = "Stopped before it was sent."
TURNS = 1000
"""Turns that one phase may have: changes of the same phase that depend on each other, one after the other."""

NONE_LATE: Mapping[tuple[Kind, RemoteId], Mapping[str, str]] = {}


class Provenance(msgspec.Struct, frozen=True):
    """Where what a push agrees on comes from.

    Args:
        commit: the one that is checked out; "" where the files of none are published.
        uncommitted: the paths of the files that differ from it.
        clone: the id of this one; "" where nothing differs.
        made: whether a CI job made these files, of what is checked out: another one of that commit makes the same.
        renumbered: what gets another number in its order, and no other place.
        late: by item and field, the commit that has by now what was agreed on before it was committed.
    """

    commit: str = ""
    uncommitted: frozenset[str] = frozenset()
    clone: str = ""
    made: bool = False
    renumbered: frozenset[tuple[Kind, RemoteId]] = frozenset()
    late: Mapping[tuple[Kind, RemoteId], Mapping[str, str]] = NONE_LATE

    @property
    def sender(self) -> str:
        """The id of the clone where some of what is sent was not committed; "" where other clones have it, too."""
        return "" if self.made else self.clone

    def marked(self, change: Change) -> Change:
        """A change as it goes into the journal: with a mark where its file is not committed as it is."""
        if not self.sender or self.uncommitted.isdisjoint((change.path, change.was)):
            return change
        return replace(change, source_commit=NOT_COMMITTED + SENT + self.sender)


NOT_OF_FILES = Provenance()


@dataclass(slots=True)
class Run:
    """What a push needs of the world.

    Args:
        ledger: the record; `number` is this run's in it, `owner` who we are in it.
        clock: seconds since 1970.
        stopping: whether somebody asked to stop; what is under way is still finished and recorded.
        beat: keeps the lock alive; False when it was broken.
        is_dead: whether another runner is not to be waited for any more.
        provenance: where what is agreed on comes from.
    """

    ledger: Ledger
    number: int
    clock: Callable[[], float]
    stopping: Callable[[], bool]
    beat: Callable[[], bool]
    owner: Owner = NOBODY
    is_dead: Callable[[Owner], bool] = lambda owner: False
    sleep: Callable[[float], None] = time.sleep
    provenance: Provenance = NOT_OF_FILES


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
    _record_settled(plan, run)
    yield from (Outcome(change, "done", change.remote_id) for change in plan.changes if change.action is Action.ADOPT)
    rest = sorted(((phase_of(change), run.provenance.marked(change)) for change in plan.sent), key=lambda pair: pair[0])
    entries = run.ledger.offer(plan.target.key, run.number, rest)
    changes = {entry: change for entry, (_, change) in zip(entries, rest, strict=True)}
    phases = sorted({phase for phase, _ in rest})
    runner = Runner(plan.target.key, sender, run, changes, leads=True)
    yield from runner.work(phases, concurrency)


def _record_settled(plan: Plan, run: Run) -> None:
    """Record what needs no request, with where the files have it from: another clone may not have that."""
    key, came = plan.target.key, run.provenance
    # One by one: those of a hundred thousand adoptions are made while they are recorded.
    committed = (base for base in plan.settled if base.path not in came.uncommitted)
    record = partial(run.ledger.record, key, renumbered=came.renumbered)
    record(committed, forgotten=plan.forgotten, source_commit=came.commit)
    uncommitted = [base for base in plan.settled if base.path in came.uncommitted] if came.uncommitted else []
    if uncommitted:
        record(uncommitted, source_commit=NOT_COMMITTED + ALIKE + came.clone)
    if came.late:
        run.ledger.note_commits(key, came.late)


def phase_of(change: Change) -> int:
    """What must be over before the next begins; within a phase, turns.

    Categories, articles, links between translations, staged edits, statuses, those that change together, the portal
    itself, removals of articles, of categories.
    """
    return _phase(change) * TURNS + change.turn


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


@dataclass(slots=True)
class Runner:
    """One process at work on a run: takes changes out of the journal until nothing is left.

    Args:
        target: the portal.
        sender: sends.
        run: the ledger and the world.
        changes: what is behind the journal's entries; of what another runner offered, filled when it is taken.
        leads: whether this run is ours: we end with all of its outcomes, those of other runners too.
    """

    target: str
    sender: Sender
    run: Run
    changes: dict[int, Change]
    leads: bool
    failed: set[tuple[str, str, str]] = field(default_factory=set)
    made: dict[tuple[Kind, str], RemoteId] = field(default_factory=dict)
    results: list[EntryResult] = field(default_factory=list)
    looked: dict[int, Current] = field(default_factory=dict)
    running: dict[Future[Result | Current], int] = field(default_factory=dict)
    done: SimpleQueue[Future[Result | Current]] = field(default_factory=SimpleQueue)
    reported: set[int] = field(default_factory=set)
    trouble: bool = False
    hopeless: str = ""
    beat_at: float = 0.0
    batched: set[int] = field(default_factory=set)

    def work(self, phases: list[int], concurrency: int) -> Iterator[Outcome]:
        """Do all phases; one outcome for each change."""
        self.beat_at = self.run.clock()
        with request_threads(concurrency, "push") as pool:
            waits = True
            try:
                for phase in phases:
                    yield from self._work_phase(phase, pool, concurrency * READY_FACTOR)
            except KeyboardInterrupt:
                waits = False
                # Soon another push may have the lock: no thread sends anything from here on.
                self.sender.service.close()
                raise
            finally:
                # Also where the run ends before its time: what is known is recorded, and what waits is not sent.
                self._give_up(waits=waits)
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
            if most > 0 or self.results or (self.looked and not self._gathers(phase)):
                taken, outcomes = self._turn(phase, most, pool)
                drained = drained or (most > 0 and not taken)
                yield from outcomes
            if self.running:
                yield from self._wait(window // READY_FACTOR)
            elif drained and not self.results and not self.looked:
                if self._is_over(phase):
                    return
                drained = self._ends()
                self.run.sleep(IDLE_S)
            self._keep_lock()

    def _room(self, phase: int, window: int) -> int:
        """How many changes to take now. What goes out together is taken together."""
        busy = len(self.running) + len(self.looked)
        if phase // TURNS == BATCHES:
            return 0 if busy else TOGETHER
        return window - busy

    def _gathers(self, phase: int) -> bool:
        """Whether what was looked at waits for the others that go out with it."""
        return phase // TURNS == BATCHES and bool(self.running)

    def _turn(self, phase: int, most: int, pool: ThreadPoolExecutor) -> tuple[int, list[Outcome]]:
        """Write what came in, mark what goes out, take more: one transaction, and what follows from it."""
        looked: dict[int, Current] = {}
        if not self._gathers(phase):
            looked, self.looked = self.looked, {}
        results, self.results = self.results, []
        sending = {entry: found.bodies for entry, found in looked.items()}
        turn = Turn(results, sending, phase, most)
        granted = self.run.ledger.turn(self.target, self.run.number, self.run.owner, turn, now=self.run.clock())
        if granted.refused:
            raise _broken()
        send = self._sending(phase, looked)
        for entry, found in looked.items():
            self._submit(pool, entry, partial(send, self.changes[entry], found))
        outcomes = []
        for entry in granted.taken:
            change = self._change(entry)
            if reason := self._reason_to_skip(change):
                outcomes.append(self._skip(entry, reason))
            elif change.action is Action.CREATE:
                self._submit(pool, entry, partial(self.sender.create, change, again=entry in granted.again))
            else:
                self._submit(pool, entry, partial(self.sender.look, change))
        return len(granted.taken), outcomes

    def _sending(self, phase: int, looked: Iterable[int]) -> Callable[[Change, Current], Result]:
        if phase // TURNS != BATCHES:
            return self.sender.send
        self.batched.update(looked)
        return Batch(self.sender, [self.changes[entry] for entry in looked]).send

    def _change(self, entry: int) -> Change:
        """What an entry is about. A change of what this run made has its id by now."""
        if entry not in self.changes:
            self.changes |= {found.number: found.change for found in self.run.ledger.entries(self.run.number)}
        change = self.changes[entry]
        made = self.made.get((change.kind, change.path))
        if change.remote_id is None and made is not None:
            change = replace(change, remote_id=made)
        change = self.changes[entry] = with_made(resolve(change, self.made), self.made)
        return change

    def _skip(self, entry: int, reason: str) -> Outcome:
        change = self.changes[entry]
        self.failed.add((change.kind, change.locale, change.slug))
        self.results.append(EntryResult(entry, "skipped", error=reason))
        self.reported.add(entry)
        return Outcome(change, "skipped", change.remote_id, reason)

    def _reason_to_skip(self, change: Change) -> str:
        if change.is_removal and self.trouble:
            return "Nothing is removed when another change failed."
        category = change.after.get("category")
        if category is not None and ("category", change.locale, str(category)) in self.failed:
            return f"Its category `{category}` could not be created."
        if (change.kind, change.locale, change.slug) in self.failed:
            return f"An earlier change of this {change.kind} failed."
        if is_unresolved(change):
            return f"The {change.kind} that it translates was not created."
        if is_waiting(change):
            return "Something that it shows as popular was not created."
        return ""

    def _wait(self, concurrency: int) -> Iterator[Outcome]:
        for future in self._gathered(concurrency):
            entry = self.running.pop(future)
            found = future.result()
            if isinstance(found, Current):
                self.looked[entry] = found
            else:
                yield self._take(entry, found)

    def _gathered(self, concurrency: int) -> Iterator[Future[Result | Current]]:
        """What is done, and what is done soon, as long as enough is ready for the threads.

        A transaction for two results costs hardly more than for one, and each takes the interpreter from the threads.
        """
        timeout_s, enough = HEARTBEAT_S, concurrency + concurrency // SPARE
        with suppress(Empty):
            while True:
                yield self.done.get(timeout=timeout_s)
                timeout_s = GATHER_S if len(self.running) > enough else 0

    def _submit(self, pool: ThreadPoolExecutor, entry: int, work: Callable[[], Result | Current]) -> None:
        future = pool.submit(work)
        self.running[future] = entry
        future.add_done_callback(self.done.put)

    def _take(self, entry: int, result: Result) -> Outcome:
        change = self.changes[entry]
        state: Ended = "unknown" if result.journal == "pending" else result.outcome
        self.results.append(
            EntryResult(
                entry,
                state,
                result.base,
                result.removed,
                result.remote_id,
                result.error,
                result.hint,
                change.source_commit,
            )
        )
        if result.base is not None:
            self.sender.bases[result.base.kind, result.base.remote_id] = result.base
        if result.outcome != "done":
            self.trouble = True
            self.hopeless = self.hopeless or (result.error if result.hopeless else "")
            self.failed.add((change.kind, change.locale, change.slug))
        if result.remote_id is not None:
            self.made[change.kind, change.path] = result.remote_id
        self.reported.add(entry)
        return Outcome(change, result.outcome, result.remote_id, result.error, result.hint, result.hopeless)

    # --- ending ----------------------------------------------------------------------------------------------------

    def _ends(self) -> bool:
        return bool(self.hopeless) or self.run.stopping()

    def _skip_rest(self) -> Iterator[Outcome]:
        """Give up what was not taken yet, unless other runners may still do it."""
        if not self._is_alone() and (self.hopeless or not self.leads):
            return
        reason = f"Not tried, because an earlier change failed. {self.hopeless}" if self.hopeless else STOPPED
        for entry in self.run.ledger.skip_rest(self.run.number, reason, now=self.run.clock()):
            if entry in self.changes:
                self.reported.add(entry)
                yield Outcome(self.changes[entry], "skipped", self.changes[entry].remote_id, reason)

    def _give_up(self, *, waits: bool) -> None:
        """Take what is under way, record it, and leave what was not sent.

        Where this does not wait for answers, the journal has what was sent without one, and the next run looks.
        """
        for future in [future for future in self.running if future.cancel()]:
            entry = self.running.pop(future)
            # What goes out together may have gone out with another one: then the next run looks.
            state: Ended = "unknown" if entry in self.batched else "skipped"
            self.results.append(EntryResult(entry, state, error=STOPPED))
        for future, entry in list(self.running.items()):
            if not (waits or future.done()) or future.exception() is not None:
                continue
            if not isinstance(found := future.result(), Current):
                self._take(entry, found)
        self.running.clear()
        results, self.results = self.results, []
        now = self.run.clock()
        if results:
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
        earlier = (entry for entry, change in self.changes.items() if phase_of(change) < phase)
        if self.leads and self.reported.issuperset(earlier):
            return
        for entry in self.run.ledger.entries(self.run.number):
            self._learn(entry)
        bases = self.run.ledger.bases(self.target)
        self.sender.bases.update({(base.kind, base.remote_id): base for base in bases})

    def _learn(self, entry: Entry) -> None:
        change = entry.change
        if entry.state in {"failed", "skipped", "unknown"}:
            self.trouble = True
            self.failed.add((change.kind, change.locale, change.slug))
        elif entry.state == "done" and change.remote_id is not None:
            self.made[change.kind, change.path] = change.remote_id

    def _outcomes_of_others(self) -> Iterator[Outcome]:
        if len(self.reported) == len(self.changes):
            return
        for entry in self.run.ledger.entries(self.run.number):
            if entry.number not in self.reported:
                yield outcome_of(entry)


def outcome_of(entry: Entry) -> Outcome:
    """How a change went that another runner took."""
    change = entry.change
    if entry.state in {"done", "settled"}:
        return Outcome(change, "done", change.remote_id)
    if entry.state in {"waiting", "taken", "pending"}:
        return Outcome(change, "skipped", change.remote_id, "Left to the other runners.")
    word: Literal["skipped", "failed"] = "skipped" if entry.state == "skipped" else "failed"
    return Outcome(change, word, change.remote_id, entry.error, entry.hint)


def _broken() -> LedgerError:
    return LedgerError("This push lost its lock. Nothing more was sent.", hint="Run `kbsync plan` to see what is left.")
