"""The commands. `commands.py` has the table of them; each is a file, imported only when it is called."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:  # Without `typing`: nothing that takes time is imported here, Ctrl-C is not in good hands until then.
    from types import FrameType

INTERRUPTED = 130
"""As in `errors.ExitCode`."""

IMPORTING = "<frozen importlib._bootstrap>"
"""What the frames of an import name as their file."""


def main(arguments: list[str] | None = None) -> None:
    """Run kbsync and exit the process. Ctrl-C ends it quietly from here on, also while modules are imported."""
    try:
        import signal

        # What we were started to ignore stays ignored.
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, _interrupt)
        from kbsync.children import leave_folder_out

        leave_folder_out()
        from kbsync.cli.door import main as door

        door(arguments)
    except KeyboardInterrupt:
        _leave()


def _interrupt(number: int, frame: FrameType | None) -> None:
    """As Python does it, but never into an import.

    There C code makes another error of it, and callbacks print it and go on. Nothing is in hand then that must be put
    away: while a push holds the lock, another handler answers.
    """
    while frame is not None:
        if frame.f_code.co_filename == IMPORTING:
            _leave()
        frame = frame.f_back
    raise KeyboardInterrupt


def _leave() -> None:
    """End the process at once, in the words of the door."""
    try:
        os.write(2, b"\nkbsync: Interrupted.\n")
    finally:  # Also where stderr is closed.
        os._exit(INTERRUPTED)
