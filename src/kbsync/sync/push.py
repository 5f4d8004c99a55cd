"""Carry out a plan: journal before, send, record after; what depends on a failure is skipped; nothing is told twice.

One coordinator (the caller's thread) owns the ledger. A small pool of threads sends. Each turn writes the results
that came in and the intents that go out next in one transaction, so that a crash at any moment leaves every request
that may have been sent in the journal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import groupby

from kbsync.errors import LedgerError
from kbsync.ledger.contract import HEARTBEAT_S, Intent, Ledger, Result
from kbsync.model import Action, Change, Outcome, Plan, RemoteId
from kbsync.sync.perform import Performer, Step

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
        for _, changes in groupby(rest, key=phase_of):
            yield from _push_phase(plan, list(changes), performer, run, state, pool, concurrency * READY_FACTOR)
    if state.results:
        run.ledger.write(plan.target.key, run.number, results=state.results, intents=(), now=run.clock())


def phase_of(change: Change) -> int:
    """What must be over before the next begins: categories, articles, statuses, removals of articles, of categories."""
    if is_removal(change):
        return 3 if change.kind == "article" else 4
    if change.action in {Action.CREATE, Action.UPDATE}:
        return 0 if change.kind == "category" else 1
    return 2


def is_removal(change: Change) -> bool:
    """Whether this takes something away because its source is gone."""
    return change.action is Action.DELETE or (change.action is Action.ARCHIVE and not change.path)


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
    running: dict[Future[Step], tuple[Change, int]] = {}
    while queue or running:
        batch: list[Change] = []
        while queue and len(running) + len(batch) < window:
            change = queue.popleft()
            if reason := _reason_to_skip(change, run, state):
                yield Outcome(change, "skipped", change.remote_id, reason)
            else:
                batch.append(change)
        entries = _write(plan, batch, run, state)
        for change, entry in zip(batch, entries, strict=True):
            remote_id = change.remote_id or state.made.get((change.kind, change.path))
            running[pool.submit(performer.perform, change, remote_id)] = (change, entry)
        if running:
            done, _ = wait(running, timeout=HEARTBEAT_S, return_when=FIRST_COMPLETED)
            for future in done:
                change, entry = running.pop(future)
                yield _take(change, entry, future.result(), state)
        _keep_lock(run, state)


def _reason_to_skip(change: Change, run: Run, state: _State) -> str:
    if run.stopping():
        return "stopped before it was sent"
    if state.hopeless:
        return f"not tried any more: {state.hopeless}"
    if is_removal(change) and state.trouble:
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


def _take(change: Change, entry: int, step: Step, state: _State) -> Outcome:
    if step.journal != "pending":
        state.results.append(Result(entry, step.journal, step.base, step.removed, step.error))
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
