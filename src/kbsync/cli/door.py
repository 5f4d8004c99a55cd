"""The one door where errors become exit codes: a message, a hint, a number. A traceback means a bug."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import click

from kbsync.errors import ConfigError, ExitCode, KbsyncError
from kbsync.streams import make_lasting

NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
"""What the system answers where a file or a folder may not be read or written."""

IN_THE_WAY = frozenset({errno.EEXIST, errno.ENOTDIR})
"""What it answers where a folder is to be, and something else has its name."""

FULL = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})
"""What it answers where the disk has no more room, or the user's part of it."""


def main(arguments: list[str] | None = None) -> None:
    """Run kbsync and exit the process."""
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
    except click.exceptions.Abort as exc:
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
    except KeyboardInterrupt:
        _tell("Interrupted.", "")
        return int(ExitCode.INTERRUPTED)
    except OSError as exc:
        if exc.errno in FULL:
            _tell("The disk is full.", "Free some space and run the command again.")
        elif exc.errno in NOT_ALLOWED and exc.filename:
            # Any of the many files of a project may be another user's. The commands say more where they can.
            _tell(f"{os.fsdecode(exc.filename)} cannot be used: {exc.strerror}.", "Check its permissions.")
        elif exc.errno in IN_THE_WAY and exc.filename:
            _tell(f"{os.fsdecode(exc.filename)} cannot be used: {exc.strerror}.", "Move away what has that name.")
        else:
            raise
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


def _tell(message: str, hint: str, given: Mapping[str, Any] = MappingProxyType({})) -> None:
    # Loaded here: it is needed only where something went wrong.
    from kbsync.cli.screen import Options, say
    from kbsync.model import visible

    # The message may quote a file or the portal, with control codes for the terminal in it.
    pasteable = Options(**given).pasteable
    for line in (f"kbsync: {pasteable(message)}", f"  {pasteable(hint)}" if hint else ""):
        if line:
            say("\n".join(map(visible, line.split("\n"))), err=True)
