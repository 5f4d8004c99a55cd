"""What asks a run to end: Ctrl-C, a CI job that is cancelled, a terminal that is closed."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import msgspec

SOFT_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

Handler = Callable[[int, FrameType | None], None]


@contextmanager
def answering(handle: Handler) -> Iterator[None]:
    """Answer the soft signals so, within the block. What we were started to ignore (nohup) stays ignored."""
    ours = [number for number in SOFT_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in ours}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Stop(msgspec.Struct):
    """Whether somebody asked to stop."""

    asked: bool = False


@contextmanager
def stopping_softly(note: Callable[[str], None]) -> Iterator[Stop]:
    """The first Ctrl-C finishes what is under way; the second one does not wait."""
    stop = Stop()

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        note("\nStopping. kbsync finishes and records the current changes. Press Ctrl-C again to stop at once.")

    with answering(handle):
        yield stop


def interrupt(number: int, frame: FrameType | None) -> None:
    """While nothing is being sent, every such signal is a Ctrl-C."""
    raise KeyboardInterrupt
