"""The lease of a portal's one lock, kept alive while a command is at work.

Also: what asks a run to end: Ctrl-C, a CI job that is cancelled, a terminal that is closed.
"""

from __future__ import annotations

import getpass
import os
import platform
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from types import FrameType

import msgspec

from kbsync.app.workspace import Workspace
from kbsync.errors import ConfigError, LedgerError
from kbsync.jobs import job_of
from kbsync.ledger import Ledger
from kbsync.ledger.values import Owner
from kbsync.model import Target, visible
from kbsync.push.lease import (
    Process,
    World,
    beating,
    is_dead,
    is_silent,
    read_boot,
    read_booted_at,
    read_namespace,
    read_process,
    take_lock,
)

SOFT_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

Handler = Callable[[int, FrameType | None], None]


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


class Stop(msgspec.Struct):
    """Whether somebody asked to stop."""

    asked: bool = False


@contextmanager
def stopping_softly(note: Callable[[str], None]) -> Iterator[Stop]:
    """The first Ctrl-C finishes what is under way; the second one does not wait."""
    stop = Stop()

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        note("\nStopping. kbsync finishes and records the current changes. Press Ctrl-C again to stop at once.")

    with answering(handle):
        yield stop


def interrupt(number: int, frame: FrameType | None) -> None:
    """While nothing is being sent, every such signal is a Ctrl-C."""
    raise KeyboardInterrupt


class Lease(msgspec.Struct):
    """Who we are among those at work on a portal, as others see it in the ledger; with or without its lock."""

    ledger: Ledger
    target: str
    owner: Owner
    world: World

    def beat(self) -> bool:
        """Renew the lease; False where somebody ended it."""
        return self.ledger.beat(self.target, self.owner, now=time.time())

    def is_dead(self, other: Owner) -> bool:
        """Whether another runner is certainly gone."""
        return is_dead(other, self.owner, self.world)

    def is_gone(self, other: Owner) -> bool:
        """Whether to stop waiting for another runner: it is dead, or was silent for so long that it may be.

        Should it wake up, it finds its changes with others and sends nothing more.
        """
        return self.is_dead(other) or is_silent(other, self.world)


def our_lease(ledger: Ledger, target: Target) -> Lease:
    """Who we are."""
    now, ours = time.time(), os.getpid()
    born = (read_process(ours) or Process()).born
    owner = Owner(_user(), platform.node(), ours, now, now, read_boot(), read_namespace(), born)
    world = World(time.time, time.sleep, read_process, read_booted_at(), ledger.stale_s)
    return Lease(ledger, target.key, owner, world)


def who_pushes(owner: Owner, environ: Mapping[str, str] = os.environ) -> str:
    """Who a run is by, for the ledger: the CI job and who started it, else user and machine."""
    job = job_of(environ)
    if job.actor or job.address:
        return visible(" ".join(part for part in (job.actor, job.address) if part))
    return visible(f"{owner.user}@{owner.host}")


@contextmanager
def keeping_alive(lease: Lease, workspace: Workspace) -> Iterator[None]:
    """Renew the lease within the block, by a connection of its own: the ledger's belongs to who is at work."""

    def beat() -> None:
        # A ledger that cannot be used for the moment is for the run to tell of, and the next beat comes.
        with suppress(LedgerError, ConfigError), closing(workspace.open_ledger(beside=True)) as ledger:
            ledger.beat(lease.target, lease.owner, now=time.time())

    with beating(beat):
        yield


@contextmanager
def held_lock(ledger: Ledger, workspace: Workspace, *, wait: bool, break_lock: bool) -> Iterator[Lease]:
    """The portal's one lock, from here to the end of the block. What asks to end ends the block and frees the lock."""
    lease = our_lease(ledger, workspace.target)
    with answering(interrupt):
        try:
            take_lock(
                ledger,
                lease.target,
                lease.owner,
                lease.world,
                wait=wait,
                break_lock=break_lock,
                note=workspace.session.note,
            )
        except BaseException:
            # It may be ours by now: a signal is answered when the ledger has recorded that.
            with suppress(LedgerError):
                ledger.unlock(lease.target, lease.owner)
            raise
        try:
            with keeping_alive(lease, workspace):
                yield lease
        finally:
            ledger.unlock(lease.target, lease.owner)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())  # A container may run as a user without a name.
