"""What can be read of processes on this machine: whether one lives, and what makes its number unmistakable.

Linux shows all of it below /proc. Elsewhere the number is all there is, and what could not be read is empty.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

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
