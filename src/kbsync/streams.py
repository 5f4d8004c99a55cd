"""The standard streams as kbsync writes to them: any character is taken, and a reader that has gone ends nothing."""

from __future__ import annotations

import errno
import io
import os
import select
import stat
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Lasting(io.FileIO):
    """A stream whose reader may go away (`| head`, a closed terminal): the rest goes nowhere, and the work goes on.

    A push must not stop in the middle because its output is no longer read. The exit code stays the command's own:
    it would otherwise depend on whether the reader or the writer was faster.
    """

    def write(self, data: ReadableBuffer, /) -> int | None:  # type: ignore[override]
        """Write, or act as if."""
        try:
            return super().write(data)
        except OSError as exc:
            if not self._is_gone(exc):
                raise
        # Also for those who write to the number itself: programs that we call, and a write that is under way elsewhere.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)
        return memoryview(data).nbytes

    def _is_gone(self, exc: OSError) -> bool:
        """Whether the output is no longer read. A closed terminal answers EIO; on a disk that would be damage."""
        if exc.errno == errno.EIO:
            return stat.S_ISCHR(os.fstat(self.fileno()).st_mode)
        return exc.errno == errno.EPIPE


class Notes(Lasting):
    """What stderr is without a buffer before it: each text is written at once, and whole.

    The answer to Ctrl-C is a note, too. In the middle of another one, a buffer would refuse it (RuntimeError).
    """

    def write(self, data: ReadableBuffer, /) -> int:
        """Write all of it."""
        left = memoryview(data)
        while left:
            written = super().write(left)
            if written is None:  # It was opened so that nothing waits, and its reader is slow.
                select.select((), (self,), ())
            left = left[written or 0 :]
        return memoryview(data).nbytes

    def _is_gone(self, exc: OSError) -> bool:
        """A note that cannot be written, as on a full disk, ends nothing either: the exit code says what happened."""
        return True


def make_lasting() -> None:
    """Replace stdout and stderr for the rest of the process. A stdin that was closed before we began is empty."""
    # In the order of their numbers, so that each takes its own: a database with the number of stdout would be damaged
    # by the first program that we call.
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: PTH123, SIM115
    sys.stdout, sys.stderr = _lasting(sys.stdout), _lasting(sys.stderr, notes=True)


def _lasting(stream: TextIO | None, *, notes: bool = False) -> TextIO:
    if stream is None:
        # It was closed before we began: output is dropped.
        return open(os.devnull, "w")  # noqa: PTH123
    number = stream.fileno()
    # Text of the portal and of files may hold any character; a narrow terminal encoding must not end the run.
    return io.TextIOWrapper(
        Notes(number, "wb", closefd=False) if notes else io.BufferedWriter(Lasting(number, "wb", closefd=False)),
        encoding=stream.encoding,
        errors="replace",
        line_buffering=bool(stream.line_buffering),
        write_through=notes or (isinstance(stream, io.TextIOWrapper) and stream.write_through),
    )
