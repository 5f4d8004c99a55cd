"""A process without threads that has loaded kbsync, and forks a child of itself for each command it is given.

A child can be killed as any process, and begins in milliseconds. It reads a line of JSON for each command (folder,
arguments, token, files for stdout and stderr), and answers with two lines: the child's pid, and how it ended.
"""

import json
import os
import signal
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import TextIO

from kbsync.cli.door import run

LOADED = (
    "kbsync.cli.push",
    "kbsync.app.planning.plan",
    "kbsync.service.client",
    "kbsync.history.search",
    "kbsync.ledger.sqlite",
)
PATIENCE_S = 120
"""What runs longer hangs; nothing else is decided by it."""


def run_whole(arguments: list[str], err: TextIO) -> int:
    """The exit code of a command; a bug of kbsync becomes the traceback and the 1 that a process would end with."""
    try:
        return run(arguments)
    except BaseException:  # noqa: BLE001  (whatever comes out of the door is a finding, KeyboardInterrupt too)
        traceback.print_exc(file=err)
        return 1


def serve() -> None:
    """Run one command after the other until nobody asks any more."""
    for name in LOADED:
        import_module(name)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _be_child(*json.loads(line))
        _answer(pid)
        _, status = os.waitpid(pid, 0)
        _answer(os.waitstatus_to_exitcode(status))


def _answer(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def _be_child(folder: str, arguments: list[str], token: str, out: str, err: str) -> None:
    signal.alarm(PATIENCE_S)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for number, file in ((1, out), (2, err)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.chdir(folder)
    os.environ["KBSYNC_TOKEN"] = token
    os.environ["XDG_DATA_HOME"] = str(Path(folder).parent / "data")
    code = run_whole(arguments, sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve()
