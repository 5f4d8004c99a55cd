"""One push at a time per portal: take the lock, wait for it, or say who has it. A dead owner's lock is taken over.

Also: what can be read of processes on this machine: whether one lives, and what makes its number unmistakable.

Linux shows all of it below /proc. Elsewhere the number is all there is, and what could not be read is empty.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kbsync.errors import LedgerError
from kbsync.ledger import Ledger
from kbsync.ledger.values import HEARTBEAT_S, STALE_S, Owner
from kbsync.model import visible

PROC = Path("/proc")
STATE, BORN = 0, 19
"""Places in /proc/PID/stat after the program's name, which may hold spaces and brackets. Source: proc(5)."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process number that is in use.

    Args:
        state: the letter of Linux: R runs, S sleeps, T is stopped, Z is a zombie ... "" where it is not known.
        born: when it began, in clock ticks since the boot; 0 where it is not known.
    """

    state: str = ""
    born: int = 0


def read_process(pid: int) -> Process | None:
    """The process with this number in our namespace; None where it does not exist."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except PermissionError:
        pass  # It is somebody else's, and lives.
    return _process_of(_read(PROC / str(pid) / "stat"))


def _process_of(stat: str) -> Process:
    """A line of /proc/PID/stat; a system that hides other users' processes has no such file."""
    fields = stat.rpartition(")")[2].split()
    return Process(fields[STATE], int(fields[BORN])) if len(fields) > BORN else Process()


def read_boot() -> str:
    """The id of this boot of the machine."""
    return _read(PROC / "sys/kernel/random/boot_id").strip()


def read_namespace() -> str:
    """The name of the pid namespace that we are in."""
    try:
        return str((PROC / "self/ns/pid").readlink())
    except OSError:
        return ""


def read_booted_at() -> float:
    """When this boot of the machine began, in seconds since 1970; 0.0 where that is not known."""
    uptime = _read(PROC / "uptime").split()
    return time.time() - float(uptime[0]) if uptime else 0.0


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


MOST_SHOWN = 80
"""Characters of a user's or a machine's name."""

DEAD_STATES = frozenset("ZXx")
"""A zombie has ended and keeps its number until its parent asks; in a container without an init that is never."""


@dataclass(frozen=True, slots=True)
class World:
    """What judging an owner needs to know.

    Args:
        now: seconds since 1970.
        sleep: how to wait.
        process: the process with a number, in our namespace; None where it does not exist.
        booted_at: when this machine came up, in seconds since 1970; 0.0 where that is not known.
        stale_s: after so long without a heartbeat an owner need not be waited for.
    """

    now: Callable[[], float]
    sleep: Callable[[float], None]
    process: Callable[[int], Process | None]
    booted_at: float = 0.0
    stale_s: float = STALE_S


def take_lock(
    ledger: Ledger,
    target: str,
    owner: Owner,
    world: World,
    *,
    wait: bool,
    break_lock: bool,
    note: Callable[[str], None],
) -> None:
    """Hold the portal's lock from here on.

    Args:
        ledger: keeps the lock.
        target: the portal.
        owner: who asks.
        world: clock and processes.
        wait: wait for a living owner instead of giving up.
        break_lock: take it from a living owner.
        note: called once with why this waits, or whose lock was taken over.

    Raises:
        LedgerError: another run that lives holds it.
    """
    noted, reaped, dying = False, "", None
    while (holder := ledger.lock(target, owner, now=world.now(), take_over=dying)) is not None:
        dying = None
        dead = is_dead(holder, owner, world)
        if dead or break_lock:
            dying, reaped = holder, f"{describe(holder, world)}{' (that push has crashed)' if dead else ''}"
            continue
        if not wait:
            raise LedgerError(
                f"Another push is running on this portal: {describe(holder, world)}.",
                hint="Add `--wait` to wait for it. If it has crashed, add `--break-lock`.",
            )
        if not noted:
            note(f"Waiting for {describe(holder, world)}.")
            noted = True
        world.sleep(ledger.look_again_s)
    if dying is not None:
        note(f"Took over the lock of {reaped}.")


def is_dead(holder: Owner, asking: Owner, world: World) -> bool:
    """Whether an owner is certainly gone.

    | the owner is                                                  | it is dead when                                |
    | ------------------------------------------------------------- | ---------------------------------------------- |
    | on this host, in this boot and this pid namespace             | its process is gone, a zombie, or a later one  |
    | there, with our own number (each run of a container may be 1) | it began at another time, or is silent         |
    | on a host of this name, in another boot                       | it fell silent before this boot began          |
    | in another pid namespace, or on another host                  | it is silent                                   |

    An owner that does not say its boot (a kbsync of before, a system without /proc) counts as one of this boot.
    """
    if holder.host == asking.host and (holder.boot, holder.namespace) in {(asking.boot, asking.namespace), ("", "")}:
        if holder.pid == asking.pid:
            return _is_another(holder.born, asking.born) or is_silent(holder, world)
        process = world.process(holder.pid)
        return process is None or process.state in DEAD_STATES or _is_another(holder.born, process.born)
    return is_silent(holder, world) or _ended_with_its_boot(holder, asking, world)


def is_silent(owner: Owner, world: World) -> bool:
    """Whether an owner sent no heartbeat for so long that it need not be waited for, on any machine."""
    return world.now() - owner.beat_at > world.stale_s


def _is_another(born: int, found: int) -> bool:
    """Whether a number was given to another process since; two that are known to have begun at different times."""
    return bool(born and found) and born != found


def _ended_with_its_boot(holder: Owner, asking: Owner, world: World) -> bool:
    """Whether this machine was started again since.

    Two machines may have one name. The other one's heart would beat also after this one came up; what may lie between
    two beats that are seen here is tolerated.
    """
    known = holder.host == asking.host and bool(holder.boot and asking.boot)
    tolerance_s = world.stale_s - STALE_S + HEARTBEAT_S
    return known and holder.boot != asking.boot and holder.beat_at < world.booted_at - tolerance_s


@contextmanager
def beating(beat: Callable[[], object], *, every_s: float = HEARTBEAT_S) -> Iterator[None]:
    """Let the heart beat within the block, whatever else is done there: a plan, images, a question to a person."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(every_s):
            beat()

    heart = threading.Thread(target=work, name="heart", daemon=True)
    heart.start()
    try:
        yield
    finally:
        over.set()
        heart.join()


def describe(holder: Owner, world: World) -> str:
    """`ana@laptop, process 4711, for 12 s`."""
    # The ledger may have come with a clone, and these may be codes for the terminal.
    who = f"{visible(holder.user)[:MOST_SHOWN]}@{visible(holder.host)[:MOST_SHOWN]}"
    return f"{who}, process {holder.pid}, for {max(0.0, world.now() - holder.started_at):.0f} s"
