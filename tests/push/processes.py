"""`kbsync push` as a process of its own: started, heard, held up on its way, killed at a moment that is no chance."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

from kbsync.errors import ExitCode
from kbsync.sandbox import Fault, Sandbox
from patience import GIVE_UP_S, eventually

from .world import TOKEN

Process = Popen[str]

AT_ONCE = 4
"""Requests that one runner has under way: the default of [pace] concurrency."""

HOLD_ARTICLES = Fault("hold", method="POST", path=r"/articles$", times=None)
"""Every article that is made waits, so that a push stands still until the test lets it go."""


def kbsync(folder: Path, *arguments: str, nohup: bool = False) -> Process:
    """Start it in a folder."""
    environ = {name: text for name, text in os.environ.items() if not name.startswith("KBSYNC")}
    # Where the tests run in the background of a shell or under nohup, they ignore what kbsync shall not ignore.
    with inheriting({signal.SIGINT: signal.SIG_DFL, signal.SIGHUP: signal.SIG_IGN if nohup else signal.SIG_DFL}):
        command, pipes = [sys.executable, "-m", "kbsync", *arguments], {"stdout": PIPE, "stderr": PIPE, "text": True}
        return Popen(command, cwd=folder, env=environ | {"KBSYNC_TOKEN": TOKEN, "COLUMNS": "100"}, **pipes)


@contextmanager
def inheriting(handlers: Mapping[signal.Signals, signal.Handlers]) -> Iterator[None]:
    """What is started within the block begins with these answers to signals."""
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def start(folder: Path, *options: str, nohup: bool = False) -> Process:
    """Start a push."""
    return kbsync(folder, "push", *options, nohup=nohup)


def ended(process: Process) -> tuple[int, str]:
    """Wait for its end: the exit code, and all that it printed and that nobody has heard yet."""
    told = "".join(process.communicate(timeout=GIVE_UP_S))
    assert "Traceback" not in told, told
    return process.returncode, told


def done(process: Process) -> str:
    """Wait for its end, which must be a good one; what it told."""
    code, told = ended(process)
    assert code == ExitCode.DONE, told
    return told


def all_ended(processes: list[Process]) -> list[tuple[int, str]]:
    """The same for several, which end in any order."""
    return [ended(process) for process in processes]


def heard(process: Process, words: str) -> str:
    """Wait for a line on its standard error that has these words in it."""
    assert process.stderr is not None
    lines: list[str] = []
    while not lines or words not in lines[-1]:
        lines.append(process.stderr.readline())
        assert lines[-1], f"it ended without saying {words!r}: {''.join(lines)}"
    return lines[-1]


def are_held(sandbox: Sandbox, number: int, *processes: Process) -> None:
    """Wait until so many requests are held; the processes whose they are must still be at work then."""

    def held() -> bool:
        over = [process for process in processes if process.poll() is not None]
        assert not over, all_ended(over)
        return sandbox.held == number

    eventually(held, f"{number} requests are held")


def killed(sandbox: Sandbox, begin: Callable[[], Process], moment: Callable[[], bool], fault: Fault | None) -> Process:
    """Begin, and kill the process when a request comes in at which the moment is there; what it is then answered."""
    process: list[Process] = []
    begun, over = threading.Event(), threading.Event()

    def kill(_number: int) -> Fault | None:
        begun.wait(GIVE_UP_S)
        if over.is_set() or not moment():
            return None
        over.set()
        process[0].kill()
        return fault

    sandbox.faults.follow(kill)
    process.append(begin())
    begun.set()
    process[0].communicate(timeout=GIVE_UP_S)
    sandbox.faults.clear()
    return process[0]
