"""What every ledger can do. One contract suite (`tests/ledger`) holds each of them to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from kbsync.model import Base, Change, Fields, Pending, RemoteId, Status

HEARTBEAT_S = 10.0
STALE_S = 60.0
"""A lock whose heart has not beaten for this long belongs to a dead run."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a lock: a person, a machine, a process. `beat_at` is in seconds since 1970."""

    user: str
    host: str
    pid: int
    started_at: float
    beat_at: float

    def is_run_of(self, other: Owner) -> bool:
        """Whether both are the same run, whenever its heart beat last."""
        return (self.host, self.pid, self.started_at) == (other.host, other.pid, other.started_at)


@dataclass(frozen=True, slots=True)
class Intent:
    """A request that is about to be sent: the change, and the fields it will set."""

    change: Change
    after: Fields


@dataclass(frozen=True, slots=True)
class Result:
    """How a journalled request ended.

    `base` is what both sides agree on from now; None where nothing was written or the item is gone.
    """

    entry: int
    outcome: str
    base: Base | None = None
    removed: bool = False
    error: str = ""


class Ledger(Protocol):
    """The record of one project. Every method that changes something is one transaction.

    Methods raise `LedgerError` when the record cannot be used.
    """

    def is_empty(self, target: str) -> bool:
        """Whether nothing was ever recorded for this portal."""

    def bases(self, target: str) -> list[Base]:
        """The base of every managed item of a portal."""

    def pending(self, target: str) -> list[Pending]:
        """The journal entries that were begun and never completed, oldest first."""

    def begin_run(self, target: str, *, command: str, now: float) -> int:
        """Note that a run begins; its number."""

    def end_run(self, run: int, *, outcome: str, now: float) -> None:
        """Note how a run ended."""

    def write(
        self, target: str, run: int, *, results: Iterable[Result], intents: Iterable[Intent], now: float
    ) -> list[int]:
        """Complete some journal entries and begin others, in one transaction; the new entries' numbers.

        An entry that is not pending any more was settled by another run, which knows better: its result is dropped.
        """

    def record(self, target: str, bases: Iterable[Base], *, forgotten: Iterable[Base] = ()) -> None:
        """Record bases that needed no request (adoptions, edits that both sides made), and forget others."""

    def settle(self, target: str, settled: Mapping[int, Base | None]) -> None:
        """Close pending entries by what the portal turned out to hold, with the base that follows from it, if any."""

    def lock(self, target: str, owner: Owner, *, now: float, take_over: Owner | None = None) -> Owner | None:
        """Take the portal's one lock. The owner that holds it where another does; None where it is now ours.

        `take_over` is the owner whose lock this may take; where another holds it by now, that one keeps it.
        """

    def beat(self, target: str, owner: Owner, *, now: float) -> bool:
        """Keep the lock alive; False where somebody broke it."""

    def unlock(self, target: str, owner: Owner) -> None:
        """Give the lock back, if it is still ours."""

    def close(self) -> None:
        """Close the record."""


__all__ = ["HEARTBEAT_S", "STALE_S", "Intent", "Ledger", "Owner", "RemoteId", "Result", "Status"]
