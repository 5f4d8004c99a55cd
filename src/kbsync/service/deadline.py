"""Work that ends at a deadline, although nothing can interrupt it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")

WAKE_S = 0.5
"""The longest wait in one piece: a signal that comes just before a wait begins does not end it."""

Tasks = SimpleQueue[Callable[[], None] | None]
"""What a thread has to do; None ends it."""


class Deadlines:
    """Threads beside those that ask, so that asking can end at a deadline. Whoever makes one closes it.

    A thread that is done takes the next work: a new one for each request would cost a push a quarter of its speed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Tasks] = []
        self._is_closed = False

    def __enter__(self) -> Deadlines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all threads; one that is at work ends after it."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for tasks in idle:
            tasks.put(None)

    def within(
        self,
        deadline_s: float,
        work: Callable[[], T],
        *,
        after_s: float = math.inf,
        then: Callable[[], None] = lambda: None,
    ) -> T:
        """What `work` returns or raises, or TimeoutError after the deadline; `then` is called once if it takes long.

        httpx limits each silence, not their sum: an answer whose headers drip would take for ever, and so may the
        look-up of a host name. Neither can be interrupted, so it is left behind, in a thread that keeps no process
        alive.
        """
        done: Future[T] = Future()

        def run() -> None:
            try:
                done.set_result(work())
            except BaseException as exc:  # noqa: BLE001 - handed over to the thread that waits for it
                done.set_exception(exc)

        tasks = self._take()
        tasks.put(run)
        try:
            return _result_of(done, deadline_s, after_s, then)
        finally:
            self._give_back(tasks, is_idle=done.done())

    def _take(self) -> Tasks:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        tasks: Tasks = SimpleQueue()
        threading.Thread(target=_work_off, args=(tasks,), name="exchange", daemon=True).start()
        return tasks

    def _give_back(self, tasks: Tasks, *, is_idle: bool) -> None:
        """Keep a thread for the next work; one that was left behind ends as soon as it can."""
        with self._lock:
            if is_idle and not self._is_closed:
                self._idle.append(tasks)
                return
        tasks.put(None)


def _result_of(done: Future[T], deadline_s: float, after_s: float, then: Callable[[], None]) -> T:
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


def _work_off(tasks: Tasks) -> None:
    while (task := tasks.get()) is not None:
        task()
