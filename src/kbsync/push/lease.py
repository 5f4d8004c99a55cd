"""One push at a time per portal: take the lock, wait for it, or say who has it. A dead owner's lock is taken over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kbsync.errors import LedgerError
from kbsync.ledger.contract import STALE_S, Ledger, Owner

WAIT_STEP_S = 0.5


@dataclass(frozen=True, slots=True)
class World:
    """What taking a lock needs to know: the time, how to wait, and whether a process of this host lives."""

    now: Callable[[], float]
    sleep: Callable[[float], None]
    alive: Callable[[int], bool]


def take_lock(
    ledger: Ledger,
    target: str,
    owner: Owner,
    world: World,
    *,
    wait: bool,
    break_lock: bool,
    tell: Callable[[str], None],
) -> None:
    """Hold the portal's lock from here on.

    Args:
        ledger: keeps the lock.
        target: the portal.
        owner: who asks.
        world: clock and processes.
        wait: wait for a living owner instead of giving up.
        break_lock: take it from a living owner.
        tell: told once why this waits, or whose lock was taken over.

    Raises:
        LedgerError: another run that lives holds it.
    """
    told, buried, dying = False, "", None
    while (holder := ledger.lock(target, owner, now=world.now(), take_over=dying)) is not None:
        dying = None
        dead = is_dead(holder, owner, world)
        if dead or break_lock:
            dying, buried = holder, f"{describe(holder, world)}{', which is dead' if dead else ''}"
            continue
        if not wait:
            raise LedgerError(
                f"another push is at work on this portal: {describe(holder, world)}",
                hint="wait for it with `--wait`; if you know that it is dead, `--break-lock`",
            )
        if not told:
            tell(f"waiting for {describe(holder, world)}")
            told = True
        world.sleep(WAIT_STEP_S)
    if dying is not None:
        tell(f"took over the lock of {buried}")


def is_dead(holder: Owner, asking: Owner, world: World) -> bool:
    """Whether the owner of a lock is surely gone: its process, on this host; its heart, on another."""
    if holder.host == asking.host and holder.pid != asking.pid:
        return not world.alive(holder.pid)
    # Our own number is of a former run where every run gets the same one, as in a container.
    return world.now() - holder.beat_at > STALE_S


def describe(holder: Owner, world: World) -> str:
    """`ana@laptop, process 4711, for 12 s`."""
    return f"{holder.user}@{holder.host}, process {holder.pid}, for {max(0.0, world.now() - holder.started_at):.0f} s"
