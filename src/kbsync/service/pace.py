"""How fast: a token bucket under the profile's rate, how many requests at once (fewer after a 429), and the threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


class Bucket(msgspec.Struct, eq=False):
    """A token bucket. A full one lets `burst` requests go at once; after that one each `60 / per_minute` seconds.

    Args:
        per_minute: requests a minute.
        burst: how many may go at once when nothing went for a while.
        now: a monotonic clock, in seconds.
        sleep: waits for some seconds.
    """

    per_minute: float
    burst: float
    now: Callable[[], float]
    sleep: Callable[[float], None]
    _level: float = 0.0
    _at_s: float = 0.0
    _lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._level = self.burst
        self._at_s = self.now()

    def take(self) -> float:
        """Wait for one token and take it; the seconds waited."""
        with self._lock:
            now_s = self.now()
            self._level = min(self.burst, self._level + (now_s - self._at_s) * self.per_minute / 60)
            self._at_s = now_s
            self._level -= 1
            # The level may go below zero: each thread then waits for its own place in the line.
            wait_s = max(0.0, -self._level * 60 / self.per_minute)
        if wait_s:
            self.sleep(wait_s)
        return wait_s

    def seconds_for(self, requests: int) -> float:
        """How long so many requests must take from a full bucket, seconds."""
        return max(0.0, (requests - self.burst) * 60 / self.per_minute)


class Gate:
    """Bounded concurrency that halves on 429 and grows by one after a round of answers without."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.allowed = most
        self._inside = 0
        self._good = 0
        self._condition = threading.Condition()

    def __enter__(self) -> None:
        with self._condition:
            self._condition.wait_for(lambda: self._inside < self.allowed)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._condition:
            self._inside -= 1
            self._condition.notify_all()

    def throttled(self) -> None:
        """A 429 came: go on with half as many."""
        with self._condition:
            self.allowed = max(1, self.allowed // 2)
            self._good = 0

    def answered(self) -> None:
        """An answer that was none: after as many as are allowed, allow one more."""
        with self._condition:
            self._good += 1
            if self.allowed < self.most and self._good >= self.allowed * 4:
                self.allowed += 1
                self._good = 0
                self._condition.notify_all()


@contextmanager
def request_threads(most: int, name: str) -> Iterator[ThreadPoolExecutor]:
    """A pool for the block. Where Ctrl-C ends that, the requests that are under way are not waited for."""
    from concurrent.futures import ThreadPoolExecutor  # Loaded here: a peek needs none.

    pool = ThreadPoolExecutor(most, thread_name_prefix=name)
    patient = True
    try:
        yield pool
    except KeyboardInterrupt:
        patient = False
        raise
    finally:
        pool.shutdown(wait=patient, cancel_futures=not patient)
