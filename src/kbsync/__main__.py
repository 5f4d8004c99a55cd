"""`python -m kbsync`, and the script `kbsync`: Ctrl-C first, everything else after it."""

import _signal  # type: ignore[import-not-found]  # The half of `signal` that Python has loaded already.
import os
import sys

INTERRUPTED = 130
"""As in `errors.ExitCode`."""


def _leave(number: int, frame: object) -> None:
    """End the process at once: nothing has begun that must be put away. `kbsync.cli` has a better answer, later."""
    try:
        os.write(2, b"\nkbsync: Interrupted.\n")
    finally:  # Also where stderr is closed.
        os._exit(INTERRUPTED)


# What we were started to ignore stays ignored. A process of our pools reads this again where the script is read again,
# and leaves Ctrl-C to the pool.
if "multiprocessing" not in sys.modules and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _leave)

from kbsync.children import leave_folder_out  # noqa: E402

# `-m` put the working folder first: what kbsync imports from here on does not come from there. What Python imported
# before it came here (`runpy` imports `contextlib`) may have come from there: only `-P`, or the script, prevents that.
leave_folder_out()

from kbsync.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
