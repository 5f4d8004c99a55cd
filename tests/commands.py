"""kbsync's commands, run in this process as `kbsync` itself runs them in one of its own.

A process takes a quarter of a second before it does anything. What is about processes (signals, streams that are closed,
terminals, what is imported, how one ends) is tested with one: `Project.run_alone` in `tests/cli/conftest.py`. What the
process keeps from one command to the next comes from the package alone (`tests/test_layers.py`).
"""

import gc
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kbsync.cli.door import run


def one_line(text: str) -> str:
    """A text without the line breaks of a screen."""
    return " ".join(text.split())


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """What it printed, without the line breaks of a screen."""
        return one_line(self.out)

    def says(
        self, code: int, *out: str, err: str | tuple[str, ...] = (), words: str = "", without: str | None = None
    ) -> bool:
        """Whether it ended with this code and printed all of these texts: `words` wherever lines were broken.

        `without` is neither in what it printed nor on stderr.
        """
        warned = [err] if isinstance(err, str) else err
        is_there = all(text in self.out for text in out) and all(text in self.err for text in warned)
        is_absent = without is None or without not in self.out + self.err
        return self.code == code and is_there and is_absent and words in self.words

    def ended(self, code: int, out: str, *err: str) -> bool:
        """Whether it ended with this code, printed exactly this, and said all of these texts on stderr."""
        return (self.code, self.out) == (code, out) and all(text in self.err for text in err)


def run_here(arguments: Sequence[str], *, folder: Path, environ: Mapping[str, str]) -> Done:
    """Run one command without a terminal, with nothing on stdin; an error that kbsync does not expect is raised here.

    Args:
        arguments: as typed behind `kbsync`.
        folder: the working folder.
        environ: the whole environment.
    """
    with ExitStack() as stack:
        out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        stack.enter_context(_in(folder, environ))
        stack.enter_context(_streams(out, err))
        code = run(list(arguments))
        sys.stdout.flush()
        sys.stderr.flush()
        return Done(code, *(_text(stream) for stream in (out, err)))


@contextmanager
def _in(folder: Path, environ: Mapping[str, str]) -> Iterator[None]:
    """A working folder and an environment, for a block."""
    before, place = dict(os.environ), os.open(".", os.O_RDONLY)
    collects = gc.isenabled()
    os.chdir(folder)
    _set_environment(environ)
    try:
        yield
    finally:
        os.fchdir(place)
        os.close(place)
        _set_environment(before)
        (gc.enable if collects else gc.disable)()


def _set_environment(environ: Mapping[str, str]) -> None:
    zone = os.environ.get("TZ")
    for name in os.environ.keys() - environ.keys():
        del os.environ[name]
    os.environ.update(environ)
    if os.environ.get("TZ") != zone:
        time.tzset()


@contextmanager
def _streams(out: IO[bytes], err: IO[bytes]) -> Iterator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        sys.stdin = nothing
        sys.stdout, sys.stderr = (
            os.fdopen(os.dup(stream.fileno()), "w", encoding="utf-8", errors="replace", newline="\n")
            for stream in (out, err)
        )
        try:
            yield
        finally:
            sys.stdout.close()
            sys.stderr.close()
            sys.stdin, sys.stdout, sys.stderr = before


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8")
