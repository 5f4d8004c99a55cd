"""Work in threads, and its results in the one thread that records them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from kbsync.service.contract import Service

T = TypeVar("T")

GATHER_S = 0.05
"""The longest pause between two results that are recorded together."""


@dataclass(slots=True)
class UnderWay(Generic[T]):
    """What is done in a pool of threads, by the numbers of its journal entries."""

    _entries: dict[Future[T], int] = field(default_factory=dict)
    _done: SimpleQueue[Future[T]] = field(default_factory=SimpleQueue)

    def __len__(self) -> int:
        """How much was begun, or is ready to begin, without its result taken."""
        return len(self._entries)

    def submit(self, pool: ThreadPoolExecutor, entry: int, work: Callable[[], T]) -> None:
        """Have a thread do some work."""
        future = pool.submit(work)
        self._entries[future] = entry
        future.add_done_callback(self._done.put)

    def results(self, timeout_s: float, enough: int) -> Iterator[tuple[int, T]]:
        """What is done, and what is done soon, as long as more than `enough` is ready for the threads.

        A transaction for two results costs hardly more than for one, and each takes the interpreter from the threads.
        """
        with suppress(Empty):
            while True:
                future = self._done.get(timeout=timeout_s)
                timeout_s = GATHER_S if len(self._entries) - 1 > enough else 0
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


@contextmanager
def recorded(service: Service, record: Callable[[bool], None]) -> Iterator[None]:
    """Where the block ends before its time, what is known is recorded all the same.

    Args:
        service: sends nothing any more after Ctrl-C: soon another push may have the lock.
        record: records what is known; called with whether it waits for what is under way.
    """
    waits = True
    try:
        yield
    except KeyboardInterrupt:
        waits = False
        service.close()
        raise
    finally:
        record(waits)
