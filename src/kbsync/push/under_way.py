"""Work in threads, and its results in the one thread that records them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import msgspec

if TYPE_CHECKING:
    from kbsync.service.client import Service


T = TypeVar("T")

GATHER_S = 0.05
"""No longer than a person would notice, and longer than most answers are apart."""


class UnderWay(msgspec.Struct, Generic[T], eq=False):
    """What is done in a pool of threads, by the numbers of its journal entries.

    Args:
        gather_s: how long one more result is waited for, as long as some come that are recorded together.
    """

    gather_s: float = GATHER_S
    _entries: dict[Future[T], int] = msgspec.field(default_factory=dict)
    _done: deque[Future[T]] = msgspec.field(default_factory=deque)
    _arrived: Condition = msgspec.field(default_factory=Condition)
    _wanted: int = 1

    def __len__(self) -> int:
        """How much was begun, or is ready to begin, without its result taken."""
        return len(self._entries)

    def submit(self, pool: ThreadPoolExecutor, entry: int, work: Callable[[], T]) -> None:
        """Have a thread do some work."""
        future = pool.submit(work)
        self._entries[future] = entry
        future.add_done_callback(self._arrive)

    def _arrive(self, future: Future[T]) -> None:
        """Keep a result, in the thread that has it. Who waits is woken once there are as many as are waited for.

        Each wake-up takes the interpreter from the threads, and costs a create more than its row in the journal does.
        """
        with self._arrived:
            self._done.append(future)
            if len(self._done) >= self._wanted:
                self._arrived.notify()

    def _wait(self, wanted: int, timeout_s: float) -> None:
        """Wait until so many results are there, or for so long."""
        with self._arrived:
            self._wanted = wanted
            self._arrived.wait_for(lambda: len(self._done) >= wanted, timeout_s)

    def results(self, timeout_s: float, enough: int) -> Iterator[tuple[int, T]]:
        """What is done, and what is done soon, as long as more than `enough` is left for the threads.

        A transaction for two results costs hardly more than for one.
        """
        self._wait(1, timeout_s)
        known, wanted = 0, len(self._entries) - enough
        while known < len(self._done) < wanted:
            known = len(self._done)
            self._wait(wanted, self.gather_s)
        while self._done:
            future = self._done.popleft()
            yield self._entries.pop(future), future.result()

    def cancel(self) -> list[int]:
        """Take back what no thread has begun; its entries."""
        return [self._entries.pop(future) for future in list(self._entries) if future.cancel()]

    def rest(self, *, waits: bool) -> Iterator[tuple[int, T]]:
        """What is done of what was begun; `waits`: also what will be."""
        entries, self._entries = self._entries, {}
        for future, result in finished(entries, waits=waits):
            yield entries[future], result


def finished(futures: Iterable[Future[T]], *, waits: bool) -> Iterator[tuple[Future[T], T]]:
    """The results of work that was begun, without what raised; `waits`: also of what is not done yet."""
    for future in futures:
        if (waits or future.done()) and future.exception() is None:
            yield future, future.result()


class Record(Protocol):
    """Records what is known of what was begun; `waits`: also what will be."""

    def __call__(self, *, waits: bool) -> None:
        """Record it."""


@contextmanager
def recorded(service: Service, record: Record) -> Iterator[None]:
    """Where the block ends before its time, what is known is recorded all the same.

    Args:
        service: sends nothing any more after Ctrl-C: soon another push may have the lock.
        record: records what is known, at the end of the block in any case.
    """
    waits = True
    try:
        yield
    except KeyboardInterrupt:
        waits = False
        service.transport.close()
        raise
    finally:
        record(waits=waits)
