"""Carry out a plan: journal before, send, record after; what depends on a failure is skipped; nothing is told twice.

One coordinator (the caller's thread) owns the ledger. A small pool of threads sends. Each turn writes the results
that came in and the intents that go out next in one transaction, so that a crash at any moment leaves every request
that may have been sent in the journal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from itertools import groupby

from kbsync.errors import LedgerError
from kbsync.ledger.contract import HEARTBEAT_S, Intent, Ledger, Result
from kbsync.model import Action, Change, Outcome, Plan, RemoteId
from kbsync.sync.perform import Performer
from kbsync.sync.step import Step

READY_FACTOR = 2
"""Requests in the pool for each thread: one under way, one ready, so that no thread waits for the coordinator."""


@dataclass(slots=True)
class Run:
    """What a push needs of the world.

    Args:
        ledger: the record; `number` is this run's in it.
        clock: seconds since 1970.
        stopping: whether somebody asked to stop; what is under way is still finished and recorded.
        beat: keeps the lock alive; False when it was broken.
    """

    ledger: Ledger
    number: int
    clock: Callable[[], float]
    stopping: Callable[[], bool]
    beat: Callable[[], bool]


@dataclass(slots=True)
class _State:
    failed: set[tuple[str, str, str]] = field(default_factory=set)
    made: dict[tuple[str, str], RemoteId] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    running: dict[Future[Step], tuple[Change, int]] = field(default_factory=dict)
    trouble: bool = False
    hopeless: str = ""
    beat_at: float = 0.0


def push(plan: Plan, performer: Performer, run: Run, *, concurrency: int) -> Iterator[Outcome]:
    """Carry out every change of a plan, in its phases; one outcome for each, as it comes.

    Args:
        plan: what to do.
        performer: sends.
        run: the ledger and the world.
        concurrency: requests at once.

    Raises:
        LedgerError: nothing can be recorded any more, so nothing more is sent.
    """
    state = _State(beat_at=run.clock())
    run.ledger.record(plan.target.key, plan.settled, forgotten=plan.forgotten)
    yield from (Outcome(change, "done", change.remote_id) for change in plan.changes if change.action is Action.ADOPT)
    rest = [change for change in plan.changes if change.action is not Action.ADOPT]
    with ThreadPoolExecutor(concurrency, thread_name_prefix="push") as pool:
        try:
            for _, changes in groupby(rest, key=phase_of):
                yield from _push_phase(plan, list(changes), performer, run, state, pool, concurrency * READY_FACTOR)
        finally:
            # Also where the run ends before its time: what is known is recorded, and what waits is not sent.
            _give_up(performer, state)
            _write(plan, [], run, state)


def phase_of(change: Change) -> int:
    """What must be over before the next begins: categories, articles, statuses, removals of articles, of categories."""
    if change.is_removal:
        return 3 if change.kind == "article" else 4
    if change.action in {Action.CREATE, Action.UPDATE}:
        return 0 if change.kind == "category" else 1
    return 2


def _push_phase(
    plan: Plan,
    changes: list[Change],
    performer: Performer,
    run: Run,
    state: _State,
    pool: ThreadPoolExecutor,
    window: int,
) -> Iterator[Outcome]:
    queue = deque(changes)
    while queue or state.running:
        batch: list[Change] = []
        while queue and len(state.running) + len(batch) < window:
            change = queue.popleft()
            if reason := _reason_to_skip(change, run, state):
                state.failed.add((change.kind, change.locale, change.slug))
                yield Outcome(change, "skipped", change.remote_id, reason)
            else:
                batch.append(_with_id(change, state))
        entries = _write(plan, batch, run, state)
        for change, entry in zip(batch, entries, strict=True):
            state.running[pool.submit(performer.perform, change, change.remote_id)] = (change, entry)
        if state.running:
            done, _ = wait(state.running, timeout=HEARTBEAT_S, return_when=FIRST_COMPLETED)
            for future in done:
                yield _take(future, performer, state)
        _keep_lock(run, state)


def _with_id(change: Change, state: _State) -> Change:
    """A change of what this run made has its id by now; the journal shall know it, too."""
    made = state.made.get((change.kind, change.path))
    return replace(change, remote_id=made) if change.remote_id is None and made is not None else change


def _give_up(performer: Performer, state: _State) -> None:
    """Take what is under way, and let nothing else begin."""
    waiting = [future for future in state.running if future.cancel()]
    for future in waiting:
        _, entry = state.running.pop(future)
        state.results.append(Result(entry, "failed", error="stopped before it was sent"))
    for future in list(state.running):
        if future.exception() is None:
            _take(future, performer, state)


def _reason_to_skip(change: Change, run: Run, state: _State) -> str:
    if run.stopping():
        return "stopped before it was sent"
    if state.hopeless:
        return f"not tried any more: {state.hopeless}"
    if change.is_removal and state.trouble:
        return "nothing is removed when anything else failed"
    category = change.after.get("category")
    if category is not None and ("category", change.locale, str(category)) in state.failed:
        return f"its category `{category}` could not be made"
    if phase_of(change) == 2 and ("article", change.locale, change.slug) in state.failed:
        return "the change of the article before it failed"
    return ""


def _write(plan: Plan, batch: list[Change], run: Run, state: _State) -> list[int]:
    """Record what came in and journal what goes out, in one transaction."""
    if not batch and not state.results:
        return []
    intents = [Intent(change, change.after) for change in batch]
    results, state.results = state.results, []
    return run.ledger.write(plan.target.key, run.number, results=results, intents=intents, now=run.clock())


def _take(future: Future[Step], performer: Performer, state: _State) -> Outcome:
    change, entry = state.running.pop(future)
    step = future.result()
    if step.journal != "pending":
        state.results.append(Result(entry, step.journal, step.base, step.removed, step.error))
    if step.base is not None:
        performer.bases[step.base.kind, step.base.remote_id] = step.base
    if step.outcome != "done":
        state.trouble = True
        state.hopeless = state.hopeless or (step.error if step.hopeless else "")
        state.failed.add((change.kind, change.locale, change.slug))
    if step.remote_id is not None:
        state.made[change.kind, change.path] = step.remote_id
    return Outcome(change, step.outcome, step.remote_id, step.error, step.hint, step.hopeless)


def _keep_lock(run: Run, state: _State) -> None:
    now = run.clock()
    if now - state.beat_at >= HEARTBEAT_S:
        state.beat_at = now
        if not run.beat():
            raise LedgerError(
                "somebody broke this run's lock; nothing more was sent", hint="run `kbsync plan` to see what is left"
            )
