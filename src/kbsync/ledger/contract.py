"""What every ledger can do. One contract suite (`tests/ledger`) holds each of them to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from kbsync.model import Base, Change, Kind, Pending, RemoteId

HEARTBEAT_S = 10.0
STALE_S = 60.0
"""A run whose heart has not beaten for this long is dead."""

LEFT = "left"
"""The outcome of a run whose leader died, when the last who took part has gone."""

State = Literal["waiting", "taken", "pending", "unknown", "done", "failed", "skipped", "settled"]
"""Where a journal entry is: planned; a runner looks at it; about to be sent; sent with an unknown result; over."""


Ended = Literal["done", "failed", "skipped", "unknown"]
"""How an entry's own runner leaves it."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who is at work: a person, a machine, a process. `started_at` and `beat_at` are in seconds since 1970.

    A process number alone is not enough: it is valid within one start of a machine and one namespace, and is
    given away again later. What could not be read is empty.

    Args:
        boot: the boot of the machine, which gets a new id each time.
        namespace: the pid namespace; each container has its own.
        born: when the process began, in clock ticks since the boot.
    """

    user: str
    host: str
    pid: int
    started_at: float
    beat_at: float
    boot: str = ""
    namespace: str = ""
    born: int = 0

    @property
    def key(self) -> str:
        """The name of this process among all that ever worked on a portal."""
        return f"{self.host}:{self.pid}:{self.started_at!r}"

    def is_run_of(self, other: Owner) -> bool:
        """Whether both are the same run, whenever its heart beat last."""
        return self.key == other.key


@dataclass(frozen=True, slots=True)
class Result:
    """How a journalled change ended.

    `base` is what both sides agree on from now; None where nothing was written or the item is gone.
    """

    entry: int
    outcome: Ended
    base: Base | None = None
    removed: bool = False
    remote_id: RemoteId | None = None
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Uploaded:
    """Where a picture is, and since when, in seconds since 1970."""

    url: str
    at: float


@dataclass(frozen=True, slots=True)
class Turn:
    """What a runner writes and asks for in one transaction.

    Args:
        results: how entries of its own ended.
        sending: entries that it is about to send, with the body that the item has until then, where that changes.
        phase: of this phase it takes more entries; `most` so many.
    """

    results: Sequence[Result] = ()
    sending: Mapping[int, str | None] = field(default_factory=dict)
    phase: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class Granted:
    """What a turn brought: entries taken, those of them that a dead runner may have sent, and what must not be sent.

    A runner that was taken for dead finds its entries with others: `refused`.
    """

    taken: tuple[int, ...] = ()
    again: frozenset[int] = frozenset()
    refused: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal: a change, its state, the portal's item."""

    number: int
    change: Change
    state: State
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run. Times are seconds since 1970; `outcome` is "" while it lasts. `digest` names what it was to make."""

    number: int
    command: str
    started_at: float
    ended_at: float | None
    outcome: str
    digest: str
    states: Mapping[str, int]


class Ledger(Protocol):
    """The record of one project. Every method that changes something is one transaction.

    Methods raise `LedgerError` when the record cannot be used.
    """

    # --- items -----------------------------------------------------------------------------------------------------

    def is_empty(self, target: str) -> bool:
        """Whether nothing was ever recorded for this portal."""

    def bases(self, target: str) -> list[Base]:
        """The base of every managed item of a portal."""

    def bases_of_slugs(self, target: str, kind: Kind, slugs: Iterable[str]) -> list[Base]:
        """The bases of some slugs; category slugs are not unique, and neither is one that is just given up."""

    def record(self, target: str, bases: Iterable[Base], *, forgotten: Iterable[Base] = ()) -> None:
        """Record bases that needed no request (adoptions, edits that both sides made), and forget others."""

    def pictures(self, target: str) -> dict[str, Uploaded]:
        """Every picture that was uploaded to a portal, by key."""

    def keep_picture(self, target: str, key: str, uploaded: Uploaded) -> None:
        """Record where a picture was uploaded to."""

    def text(self, digest: str) -> str | None:
        """A body that the portal held before a push changed it; None where none such was kept."""

    # --- runs and their journal ------------------------------------------------------------------------------------

    def begin_run(self, target: str, *, command: str, now: float, owner: Owner | None = None, digest: str = "") -> int:
        """Note that a run begins; its number. `digest` names the tree, for those who want to join."""

    def end_run(self, run: int, *, outcome: str, now: float) -> None:
        """Note how a run ended."""

    def runs(self, target: str) -> list[RunInfo]:
        """All runs of a portal, newest first."""

    def offer(self, target: str, run: int, changes: Sequence[tuple[int, Change]]) -> list[int]:
        """Put changes, each with its phase, into the journal, to be taken out in this order; the entries' numbers."""

    def turn(self, target: str, run: int, owner: Owner, turn: Turn, *, now: float) -> Granted:
        """Complete entries, mark others as about to be sent, take more; in one transaction.

        An entry that was settled by another run meanwhile is better known there: its result is dropped.
        """

    def entries(self, run: int) -> list[Entry]:
        """Everything in the journal of a run, in the order of the plan."""

    def open_entries(self, run: int, *, phase: int) -> int:
        """How many entries up to this phase are not over."""

    def skip_rest(self, run: int, reason: str, *, now: float) -> list[int]:
        """Give up what was not taken yet; the entries' numbers."""

    def pending(self, target: str) -> list[Pending]:
        """The entries of former runs that may have been sent and were never completed, oldest first."""

    def settle(self, target: str, settled: Mapping[int, Base | None]) -> None:
        """Close pending entries by what the portal turned out to hold, with the base that follows from it, if any.

        The entry of something that was made gets its id from that base.
        """

    # --- who is at work --------------------------------------------------------------------------------------------

    def lock(self, target: str, owner: Owner, *, now: float, take_over: Owner | None = None) -> Owner | None:
        """Take the portal's one lock. Somebody who is at work there, where anybody is; None where it is now ours.

        `take_over` is somebody whose part in it this may end; where others are at work by now, they keep it.
        """

    def beat(self, target: str, owner: Owner, *, now: float) -> bool:
        """Keep the lock or the part in a run alive; False where somebody ended it."""

    def unlock(self, target: str, owner: Owner) -> None:
        """Give the lock back, if it is still ours."""

    def holder(self, target: str) -> Owner | None:
        """Who holds the lock."""

    def join(self, target: str, owner: Owner, *, now: float) -> RunInfo | None:
        """Take part in the run that is under way; None where none is."""

    def runners(self, run: int) -> list[Owner]:
        """Everybody who takes part in a run."""

    def bury(self, target: str, run: int, dead: Owner) -> None:
        """Give what a dead runner had taken to the others, and free the lock if it was the dead one's."""

    def leave(self, target: str, run: int, owner: Owner, *, now: float) -> None:
        """End one's part in a run; what was taken and not sent goes back. The last one closes the run."""

    # --- as a whole ------------------------------------------------------------------------------------------------

    def dump(self) -> dict[str, list[list[Any]]]:
        """Every table but the locks, row by row, to be put into another ledger."""

    def restore(self, tables: Mapping[str, Sequence[Sequence[Any]]]) -> None:
        """Fill an empty ledger.

        Raises:
            LedgerError: it is not empty.
        """

    def close(self) -> None:
        """Close the record."""
