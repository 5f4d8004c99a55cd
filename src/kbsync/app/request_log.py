"""The log of requests: each one a line, in a private file, on the screen, or both, as soon as it is over."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

from kbsync.errors import UsageError
from kbsync.service.log import Sent

PRIVATE_MODE = 0o600
"""The paths of a portal's articles are its owner's alone."""


class RequestLog:
    """Takes each request, from any thread.

    Args:
        path: the file that lines are put at the end of; None for no file.
        show: is called with each line, too.

    Raises:
        UsageError: the file cannot be written.
    """

    def __init__(self, path: Path | None, show: Callable[[str], None] | None = None) -> None:
        self._show = show
        self._lock = threading.Lock()
        self._file = None if path is None else _open(path)

    def __call__(self, sent: Sent) -> None:
        """Write its line at once: what is in the file has happened, also after a crash."""
        with self._lock:
            if self._show is not None:
                self._show(sent.line)
            if self._file is not None:
                try:
                    os.write(self._file, f"{sent.line}\n".encode())
                except OSError:  # A full disk must not end a push that has begun.
                    self._file = None


def _open(path: Path) -> int:
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_MODE)
        if stat.S_ISREG(os.fstat(file).st_mode) and hasattr(os, "fchmod"):
            os.fchmod(file, PRIVATE_MODE)
    except OSError as exc:
        raise UsageError(
            f"--log-file {path} cannot be written: {exc.strerror}.", hint="Name a file in a folder that exists."
        ) from exc
    return file
