"""Whole processes and what they cost, as the kernel counts it."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024
TICKS = os.sysconf("SC_CLK_TCK")
LOOK_EVERY_S = 0.1


@dataclass(frozen=True)
class Run:
    """One process: wall and CPU in seconds (user + system, its children's included), memory in MiB.

    `mib` is the largest resident set of the one process that had the largest, be it a child; `tree_mib` the largest
    sum over the process and its children (0 where nobody looked), and `clock` what each look saw: the moment and the
    CPU that the process itself had used by then. The kernel hands this runner's own resident set on to
    what it starts, as the least that is ever counted: the runner stays small, and imports late what is large.
    """

    wall_s: float
    cpu_s: float
    mib: float
    out: str = ""
    tree_mib: float = 0.0
    clock: tuple[tuple[float, float], ...] = ()

    def cpu_between(self, begin_s: float, end_s: float) -> float:
        """The CPU that it used between two moments of `time.monotonic`, to the nearest look; of a watched process."""
        at_begin, at_end = (min(self.clock, key=lambda look: abs(look[0] - at_s)) for at_s in (begin_s, end_s))
        return at_end[1] - at_begin[1]


def measure(
    command: list[str],
    *,
    cwd: Path,
    ok: Iterable[int] = (0,),
    whole_tree: bool = False,
    environ: Mapping[str, str] | None = None,
) -> Run:
    """Run a process to its end and read what it cost off the kernel.

    Args:
        command: what to run; what it prints on stdout is the run's `out`.
        cwd: where.
        ok: exit codes that mean that all is well.
        whole_tree: look at the children too, ten times a second; costs a little CPU beside the process.
        environ: put on top of the environment.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        started = time.perf_counter()
        child = subprocess.Popen(command, cwd=cwd, env={**os.environ, **(environ or {})}, stdout=out, stderr=errors)
        watcher = _Watcher(child.pid) if whole_tree else None
        _, status, usage = os.wait4(child.pid, 0)
        wall_s = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        tree_mib = watcher.stop() if watcher else 0.0
        clock = tuple(watcher.clock) if watcher else ()
        out.seek(0)
        text = out.read()
        if child.returncode not in ok:
            errors.seek(0)
            raise SystemExit(f"{' '.join(command)} ended with {child.returncode}:\n{text[-2000:]}{errors.read()}")
    return Run(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text, tree_mib, clock)


def use_bytecode() -> None:
    """Let Python keep its bytecode, as every user's does.

    Where PYTHONDONTWRITEBYTECODE is set (containers often do) and kbsync is installed from its folder, each process
    would compile all of kbsync first: 50 ms that nobody pays twice.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def median(runs: Iterable[Run]) -> Run:
    """The median of each figure over some runs, with the words of the last."""
    runs = list(runs)
    return Run(
        statistics.median(run.wall_s for run in runs),
        statistics.median(run.cpu_s for run in runs),
        statistics.median(run.mib for run in runs),
        runs[-1].out,
        statistics.median(run.tree_mib for run in runs),
    )


def least_and_median(runs: Iterable[Run], figure: Callable[[Run], float]) -> str:
    """Both of a figure in seconds, as a cell of a table."""
    found = [figure(run) for run in runs]
    return f"{min(found):.2f} / {statistics.median(found):.2f} s"


def ratio(pairs: Iterable[tuple[Run, Run]], figure: Callable[[Run], float]) -> float:
    """The median of first to second, of pairs that ran one right after the other: a busy moment hits both."""
    return statistics.median(figure(first) / figure(second) for first, second in pairs)


class _Watcher:
    """Sums the resident sets of a process and its children, again and again. Shared pages count in each."""

    def __init__(self, pid: int) -> None:
        self.pid, self.most_kib, self.over = pid, 0, threading.Event()
        self.clock: list[tuple[float, float]] = []
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()

    def stop(self) -> float:
        """The largest sum, MiB."""
        self.over.set()
        self.thread.join()
        return self.most_kib / 1024

    def _watch(self) -> None:
        while not self.over.wait(LOOK_EVERY_S):
            self.most_kib = max(self.most_kib, sum(map(_resident_kib, _family(self.pid))))
            if (cpu_s := _cpu_s(self.pid)) > 0:
                self.clock.append((time.monotonic(), cpu_s))


def _family(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            tasks = list(Path(f"/proc/{parent}/task").iterdir())
            found += [int(child) for task in tasks for child in (task / "children").read_text().split()]
        except OSError:
            continue  # It ended while we looked.
    return found


def _resident_kib(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_KIB
    except (OSError, IndexError):
        return 0


def _cpu_s(pid: int) -> float:
    """User and system time of a process so far; its children's are not in it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0  # It ended while we looked.
    return (int(fields[11]) + int(fields[12])) / TICKS
