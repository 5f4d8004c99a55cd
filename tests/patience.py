"""Waiting for what will happen, without saying how fast: a busy machine is no failure."""

import time
from collections.abc import Callable

GIVE_UP_S = 180.0
"""What has not happened after this long does not happen. No test may depend on anything shorter."""

LOOK_AGAIN_S = 0.002


def eventually(condition: Callable[[], bool], what: str) -> None:
    """Wait until something is so; `what` is that, for the message if it never is."""
    until = time.monotonic() + GIVE_UP_S
    while not condition():
        assert time.monotonic() < until, f"waited {GIVE_UP_S:.0f} s in vain for this: {what}"
        time.sleep(LOOK_AGAIN_S)
