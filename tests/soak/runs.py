"""Running kbsync's commands: in this process, or in a child of it that can be killed."""

import contextlib
import gc
import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kbsync.sandbox import Fault, Faults
from push.world import TOKEN

from .child import PATIENCE_S, run_whole

HUNG = -signal.SIGALRM
"""How a child ends that did not end by itself."""


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
def token(folder: Path) -> Any:
    """The token in the environment, as users have it there, and nothing else for kbsync.

    What is remembered of it lies beside a project's folder: each portal has the same token, and a port of its own.
    """
    before = dict(os.environ)
    for name in [name for name in before if name.startswith("KBSYNC_")]:
        del os.environ[name]
    os.environ["KBSYNC_TOKEN"] = TOKEN
    os.environ["XDG_DATA_HOME"] = str(folder.parent / "data")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run_here(folder: Path, arguments: tuple[str, ...]) -> Run:
    """A command in this process. A bug of kbsync ends it with a traceback in `err`, as a process would."""
    out, err = io.StringIO(), io.StringIO()
    with token(folder), contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run_whole(list(arguments), err)
    # A push takes what is planned from the collector for good, since its process ends soon.
    gc.unfreeze()
    return _run(arguments, code, out.getvalue(), err.getvalue())


@dataclass(slots=True)
class Nursery:
    """Commands in processes of their own; the one that forks them is started with the first."""

    parent: subprocess.Popen[str] | None = None

    def run(self, folder: Path, arguments: tuple[str, ...], started: Callable[[int], None]) -> Run:
        """A command, to its end; `started` hears its pid."""
        parent = self.parent = self.parent or _parent()
        assert parent.stdin is not None and parent.stdout is not None
        files = (folder / ".git/stdout", folder / ".git/stderr")
        parent.stdin.write(json.dumps([str(folder), arguments, TOKEN, *map(str, files)]) + "\n")
        parent.stdin.flush()
        started(int(parent.stdout.readline()))
        code = int(parent.stdout.readline())
        return _run(arguments, code, *(file.read_text("utf-8") for file in files))

    def close(self) -> None:
        """End it; it has no children then."""
        if self.parent is not None:
            self.parent.communicate()


def _parent() -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KBSYNC_")}
    path = os.pathsep.join(name for name in sys.path if name)
    pipe = subprocess.PIPE
    command = [sys.executable, "-P", "-m", "soak.child"]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=clean | {"PYTHONPATH": path})


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


def disturb(faults: Faults, rng: random.Random, kinds: Sequence[Fault], methods: Sequence[str | None]) -> None:
    """Let one or two requests of some method go wrong, after none to three of it that go by as they should."""
    for _ in range(rng.randint(1, 2)):
        method = rng.choice(methods)
        for _ in range(rng.randrange(4)):
            faults.add(Fault("latency", method=method))
        kind = rng.choice(kinds)
        faults.add(Fault(kind.kind, kind.when, kind.method or method, status=kind.status, junk=kind.junk))


def armed(faults: Faults, rng: random.Random, number: signal.Signals, most: int) -> Trigger:
    """A signal at one of the next requests, which is lost where that kills."""
    trigger, when = Trigger(faults.number + rng.randint(3, most), number), rng.choice(("before", "after"))
    lost = Fault("reset", when=when) if number == signal.SIGKILL else None  # type: ignore[arg-type]
    faults.follow(lambda request: lost if trigger.meets(request) else None)
    return trigger


def summary(run: Run) -> str:
    """What a command said, in a line."""
    done = [
        f"{change['action']} {change['path'] or change['slug']}"
        + (f" #{change['remote_id']}" if change["remote_id"] else "")
        + ("" if change.get("outcome") in {None, "done"} else f" {change['outcome']}: {change['error'][:100]}")
        for change in run.changes
    ]
    held = [f"{held['reason']} {held['path'] or held['slug']} {','.join(held['fields'])}" for held in run.held]
    words = (
        f"exit {run.code}" + (f"; {'; '.join(done)}" if done else "") + (f"; held: {'; '.join(held)}" if held else "")
    )
    return words if run.report else f"{words} {run.err.strip()[-200:]}"
