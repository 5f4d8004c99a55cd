"""Running kbsync's commands: in this process, or in a child of it that can be killed."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kbsync.cli.door import run

from push.world import TOKEN

PATIENCE_S = 120
"""A command that does not end in this time hangs; nothing is decided by it otherwise."""

HUNG = 1000
"""Instead of an exit code."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a command ended, and what its JSON said, where it printed any."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def held(self) -> list[dict[str, Any]]:
        return list(self.report.get("held", []))

    @property
    def changes(self) -> list[dict[str, Any]]:
        return list(self.report.get("changes", []))

    @property
    def told(self) -> str:
        """Everything a person could have read."""
        return f"exit {self.code}\n{self.out}\n{self.err}"


def _run(arguments: tuple[str, ...], code: int, out: str, err: str) -> Run:
    try:
        report = json.loads(out) if out.startswith("{") else {}
    except ValueError:
        report = {}
    return Run(arguments, code, out, err, report)


@contextlib.contextmanager
def token() -> Any:
    """The token in the environment, as users have it there, and nothing else for kbsync."""
    before = dict(os.environ)
    for name in [name for name in before if name.startswith("KBSYNC_")]:
        del os.environ[name]
    os.environ["KBSYNC_TOKEN"] = TOKEN
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run_here(folder: Path, arguments: tuple[str, ...]) -> Run:
    """A command in this process. A bug of kbsync ends it with a traceback in `err`, as a process would."""
    out, err = io.StringIO(), io.StringIO()
    with token(), contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _code(arguments, err)
    # A push takes what is planned from the collector for good, since its process ends soon.
    gc.unfreeze()
    return _run(arguments, code, out.getvalue(), err.getvalue())


def _code(arguments: tuple[str, ...], err: Any) -> int:
    import traceback

    try:
        return run(list(arguments))
    except BaseException:  # whatever comes out of the door is a finding, KeyboardInterrupt too
        traceback.print_exc(file=err)
        return 1


def run_apart(folder: Path, arguments: tuple[str, ...], started: Callable[[int], None]) -> Run:
    """A command in a process of its own; `started` hears its pid.

    It is forked from a server that has loaded kbsync already and has no threads, which takes some milliseconds.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["soak.runs", "kbsync.cli.push", "kbsync.service.client", "kbsync.history.base"])
    files = (folder / ".git/stdout", folder / ".git/stderr")
    child = context.Process(target=_in_child, args=(folder, arguments, *files))
    child.start()
    started(child.pid or 0)
    child.join(PATIENCE_S)
    code = HUNG if child.exitcode is None else child.exitcode
    if child.exitcode is None:
        child.kill()
        child.join()
    out, err = (file.read_text("utf-8") if file.exists() else "" for file in files)
    return _run(arguments, code, out, err)


def _in_child(folder: Path, arguments: tuple[str, ...], out: Path, err: Path) -> None:
    sys.stdout, sys.stderr = out.open("w", encoding="utf-8"), err.open("w", encoding="utf-8")
    os.environ["KBSYNC_TOKEN"] = TOKEN
    os.chdir(folder)
    code = _code(arguments, sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


@dataclass(slots=True)
class Trigger:
    """Sends a signal to a child when the portal has got so many of its requests."""

    at: int
    number: signal.Signals
    pid: int = 0
    sent: bool = False
    known: threading.Event = field(default_factory=threading.Event)

    def started(self, pid: int) -> None:
        self.pid = pid
        self.known.set()

    def meets(self, request: int) -> bool:
        """Whether this request is the one; the signal is sent then. Called by the server's thread."""
        if request != self.at or self.sent:
            return False
        self.known.wait(PATIENCE_S)
        self.sent = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, self.number)
        return True
