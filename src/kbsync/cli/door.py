"""The one door where errors become exit codes: a message, a hint, a number. A traceback means a bug.

Also: the standard streams as kbsync writes to them: any character is taken, and a reader that has gone ends nothing.
"""

from __future__ import annotations

import errno
import io
import os
import select
import stat
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TextIO

import click

from kbsync.errors import ConfigError, ExitCode, KbsyncError

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


NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
"""What the system answers where a file or a folder may not be read or written."""

IN_THE_WAY = frozenset({errno.EEXIST, errno.ENOTDIR})
"""What it answers where a folder is to be, and something else has its name."""

FULL = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})
"""What it answers where the disk has no more room, or the user's part of it."""

OF_THE_SYSTEM = (
    (FULL, "The disk is full.", "Free some space and run the command again."),
    (NOT_ALLOWED, "{name} cannot be used: {why}.", "Check its permissions."),
    (IN_THE_WAY, "{name} cannot be used: {why}.", "Move away what has that name."),
)
"""What is said of such errors."""


def main(arguments: list[str] | None = None) -> None:
    make_lasting()
    code = run(arguments)
    # Everything is written and closed; taking ten thousand values apart one by one would cost as much as deciding them.
    os._exit(code)


def run(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code."""
    from kbsync.cli.commands import cli

    given: dict[str, Any] = {}
    try:
        _check_encoding()
        code = cli.main(args=arguments, prog_name="kbsync", standalone_mode=False, obj=given)
        sys.stdout.flush()
        return int(code or 0)
    except KbsyncError as exc:
        _tell(exc.message, exc.hint, given)
        return int(exc.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt) as exc:
        # click makes one of an EOFError, too, such as that of a damaged module. Ctrl-D at a question has no cause.
        if isinstance(exc.__cause__, EOFError):
            raise exc.__cause__ from None
        _tell("Interrupted.", "")
        return int(ExitCode.INTERRUPTED)
    except click.ClickException as exc:
        _tell_usage(exc)
        return int(ExitCode.USAGE)
    except click.exceptions.Exit as exc:
        return exc.exit_code
    except OSError as exc:
        _tell_of_system(exc)
        return int(ExitCode.USAGE)


def _check_encoding() -> None:
    """Refuse a locale in which Python reads the names of files as anything but UTF-8: slugs are made from them.

    Raises:
        ConfigError: it is such a locale.
    """
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        raise ConfigError(
            f"The locale of this terminal reads file names as {encoding}. kbsync needs UTF-8.",
            hint="Run `export PYTHONUTF8=1`, then the command again.",
        )


def _tell_usage(exc: click.ClickException) -> None:
    """What click says of the arguments: as its own, but it may quote one, and names of files are arguments, too."""
    from kbsync.cli.screen import say
    from kbsync.model import visible

    shown = io.StringIO()
    exc.show(shown)
    say("\n".join(map(visible, shown.getvalue().removesuffix("\n").split("\n"))), err=True)


def _tell_of_system(exc: OSError) -> None:
    """Any of the many files of a project may be another user's. The commands say more where they can.

    Raises:
        OSError: the same, where nothing is known about it.
    """
    found = next((text for numbers, *text in OF_THE_SYSTEM if exc.errno in numbers), None)
    if found is None or not (exc.filename or exc.errno in FULL):
        raise exc
    message, hint = found
    _tell(message.format(name=os.fsdecode(exc.filename or ""), why=exc.strerror), hint)


def _tell(message: str, hint: str, given: Mapping[str, Any] = MappingProxyType({})) -> None:
    # Loaded here: it is needed only where something went wrong.
    from kbsync.cli.screen import Options, say
    from kbsync.model import visible

    # The message may quote a file or the portal, with control codes for the terminal in it.
    pasteable = Options(**given).pasteable
    for line in (f"kbsync: {pasteable(message)}", f"  {pasteable(hint)}" if hint else ""):
        if line:
            say("\n".join(map(visible, line.split("\n"))), err=True)
