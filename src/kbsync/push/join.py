"""Take part in a push that another process began: the same journal, the same tree, another address's rate limit."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from kbsync.errors import PlanRefused
from kbsync.ledger.values import Entry, RunInfo
from kbsync.model import Outcome
from kbsync.push.phases import phase_of
from kbsync.push.progress import Progress
from kbsync.push.run import Run
from kbsync.push.runner import IDLE_S, Runner
from kbsync.push.sender import Sender


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
        if run.stopping() or all(
            info.number != run.number or info.ended_at is not None for info in run.ledger.runs(target)
        ):
            return []
        others = [other for other in run.ledger.runners(run.number) if not other.is_run_of(run.owner)]
        gone = [other for other in others if run.is_dead(other)]
        for other in gone:
            run.ledger.reap(target, run.number, other)
        if len(gone) == len(others):
            return []
        run.sleep(IDLE_S)
    return entries
