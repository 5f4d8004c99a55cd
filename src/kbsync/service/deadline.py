"""Work that ends at a deadline, although nothing can interrupt it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")

WAKE_S = 0.5
"""The longest wait in one piece: a signal that comes just before a wait begins does not end it."""


def within(
    deadline_s: float,
    work: Callable[[], T],
    *,
    after_s: float = math.inf,
    then: Callable[[], None] = lambda: None,
) -> T:
    """What `work` returns or raises, or TimeoutError after the deadline; `then` is called once if it takes long.

    httpx limits each silence, not their sum: an answer whose headers drip would take for ever, and so may the look-up
    of a host name. Neither can be interrupted, so it is left behind in its thread. A new one for each request costs
    0.04 ms more than one that is kept would.
    """
    return result_of(begin(work, "exchange"), deadline_s, after_s=after_s, then=then)


def begin(work: Callable[[], T], name: str) -> Future[T]:
    """Begin with some work beside, in a thread of this name that keeps no process alive."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as exc:  # noqa: BLE001 - handed over to the thread that waits for it
            done.set_exception(exc)

    threading.Thread(target=run, name=name, daemon=True).start()
    return done


def result_of(
    done: Future[T],
    deadline_s: float = math.inf,
    *,
    after_s: float = math.inf,
    then: Callable[[], None] = lambda: None,
) -> T:
    """What work that was begun returns or raises, as `within` says. Ctrl-C ends the wait on every system."""
    begun_s = time.monotonic()
    until_s, slow_from_s = begun_s + deadline_s, begun_s + after_s
    while True:
        try:
            return done.result(min(WAKE_S, max(0.0, min(until_s, slow_from_s) - time.monotonic())))
        except TimeoutError:
            if done.done():
                return done.result()
            if time.monotonic() >= until_s:
                raise
            if time.monotonic() >= slow_from_s:
                slow_from_s = math.inf
                then()
