"""The values that go into a ledger and come out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from kbsync.model import Base, Change, RemoteId

HEARTBEAT_S = 10.0
STALE_S = 60.0
"""A run whose heart has not beaten for this long is dead."""

LEFT = "left"
"""The outcome of a run whose leader died, when the last who took part has gone."""

State = Literal["waiting", "taken", "pending", "unknown", "done", "failed", "skipped", "settled"]
"""Where a journal entry is: planned; somebody looks at it; about to be sent; sent and nobody knows; over."""


Ended = Literal["done", "failed", "skipped", "unknown"]
"""How an entry's own runner leaves it."""


class Source(msgspec.Struct, frozen=True):
    """The commit whose files a run published, and when it was made, in seconds since 1970; "" and 0 for none."""

    commit: str = ""
    made_s: int = 0


NO_SOURCE = Source()


class Owner(msgspec.Struct, frozen=True):
    """Who is at work: a person, a machine, a process. `started_at` and `beat_at` are in seconds since 1970.

    A process number alone names nobody: it means something within one start of a machine and one namespace, and is
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


class EntryResult(msgspec.Struct, frozen=True):
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


class Uploaded(msgspec.Struct, frozen=True):
    """Where an image is, and since when, in seconds since 1970."""

    url: str
    at: float


class Turn(msgspec.Struct, frozen=True):
    """What a runner writes and asks for in one transaction.

    Args:
        results: how entries of its own ended.
        sending: entries that it is about to send, with the bodies that the item has until then, where these change.
        phase: of this phase it takes more entries; `most` so many.
    """

    results: Sequence[EntryResult] = ()
    sending: Mapping[int, Sequence[str]] = msgspec.field(default_factory=dict)
    phase: int = 0
    most: int = 0


class Granted(msgspec.Struct, frozen=True):
    """What a turn brought: entries taken, those of them that a dead runner may have sent, and what must not be sent.

    A runner that was taken for dead finds its entries with others: `refused`.
    """

    taken: tuple[int, ...] = ()
    again: frozenset[int] = frozenset()
    refused: frozenset[int] = frozenset()


class Entry(msgspec.Struct, frozen=True):
    """One line of the journal: a change, how it stands, what the portal's item is."""

    number: int
    change: Change
    state: State
    error: str = ""
    hint: str = ""


class RunInfo(msgspec.Struct, frozen=True):
    """One run. Times are seconds since 1970; `outcome` is "" while it lasts. `digest` names what it was to make.

    `version` is that of the service, `who` began it (`ana@laptop`, or who started the CI job, and its page); "" where
    that is not known. `source_commit` is the one whose files a push published, "" for none.
    """

    number: int
    command: str
    started_at: float
    ended_at: float | None
    outcome: str
    digest: str
    states: Mapping[str, int]
    version: str = ""
    who: str = ""
    source_commit: str = ""

    @property
    def undoes(self) -> int:
        """The number of the run that this one put back; 0 for a push."""
        number = self.command.removeprefix("undo ")
        return int(number) if number.isdecimal() else 0
