"""Sockets on which a whole exchange has a deadline, not only each silence, without a second thread for each request.

httpcore limits each silence: an answer whose headers drip would take for ever. Here every read and write ends at the
deadline of the exchange that this thread is at. What nothing can interrupt (looking up a name, connecting, TLS) is done
in a thread beside this one (`deadline.py`), which can be left behind; a connection is opened once and used for many
requests.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import httpcore
import msgspec

from kbsync.service.deadline import Deadlines

T = TypeVar("T")

WRITTEN_BYTES = 1 << 14
"""How much is written before the clock is looked at."""

SHORTEST_S, LONGEST_S = 0.001, 86_400.0
"""The waits that a socket takes: 0 would mean not to wait at all."""


class Limit(msgspec.Struct):
    """How long one exchange may take. Moments are of `time.monotonic`, in seconds.

    Args:
        until_s: when it is given up.
        slow_from_s: when `note` is called, once.
        note: hears of an exchange that takes long.
    """

    until_s: float = math.inf
    slow_from_s: float = math.inf
    note: Callable[[], None] = lambda: None

    def check(self) -> float:
        """The moment that it is now.

        Raises:
            TimeoutError: the exchange took too long.
        """
        now_s = time.monotonic()
        if now_s >= self.until_s:
            raise TimeoutError
        if now_s >= self.slow_from_s:
            self.slow_from_s = math.inf
            self.note()
        return now_s

    def wait(self, step: Callable[[float], T], timeout_s: float, silence: type[Exception]) -> T:
        """What `step` returns; it gets how long it may wait, and raises `silence` where nothing came by then.

        Raises:
            TimeoutError: the exchange took too long.
        """
        now_s = self.check()
        silent_until_s = now_s + timeout_s
        while True:
            try:
                return step(max(SHORTEST_S, min(silent_until_s, self.until_s, self.slow_from_s) - now_s))
            except silence:
                now_s = self.check()
                if now_s >= silent_until_s:
                    raise


class Limits(msgspec.Struct, eq=False):
    """The limit of the exchange that each thread is at."""

    _of_thread: threading.local = msgspec.field(default_factory=threading.local)

    @property
    def current(self) -> Limit:
        """The one of this thread; outside of an exchange nothing is limited."""
        limit: Limit = getattr(self._of_thread, "limit", None) or Limit()
        return limit

    @contextmanager
    def applied(self, limit: Limit) -> Iterator[None]:
        """What this thread reads and writes within the block is limited so."""
        self._of_thread.limit = limit
        try:
            yield
        finally:
            self._of_thread.limit = None


class Stream(httpcore.NetworkStream):
    """A connection that is open. What is written is sent when an answer is awaited: head and body of a request at once.

    Each trip to the kernel hands the interpreter to another thread, and costs more than the bytes do.
    """

    def __init__(self, inner: httpcore.NetworkStream, opener: Opener) -> None:
        self.inner, self.opener = inner, opener
        self._unsent: list[bytes] = []
        self._is_broken = False

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What came, b"" at the end."""
        try:
            self._flush(timeout)
        except httpcore.WriteError:
            # Of a request that was not taken to its end there may be an answer all the same, which says why.
            self._is_broken = True
        limit = self.opener.limits.current
        return limit.wait(partial(self.inner.read, max_bytes), _bounded(timeout), httpcore.ReadTimeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it, the last part of it later."""
        self._unsent.append(buffer)

    @property
    def is_unsent(self) -> bool:
        """Whether something was written of which nothing has left yet."""
        return bool(self._unsent)

    def _flush(self, timeout: float | None) -> None:
        """Send what was written. A piece of which nothing was taken in time is not sent again."""
        unsent = b"".join(self._unsent)
        self._unsent.clear()
        limit = self.opener.limits.current
        for start in range(0, len(unsent), WRITTEN_BYTES):
            left_s = limit.until_s - limit.check()
            try:
                self.inner.write(unsent[start : start + WRITTEN_BYTES], min(_bounded(timeout), left_s))
            except httpcore.WriteTimeout:
                limit.check()
                raise

    def close(self) -> None:
        """Close the connection."""
        self.inner.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Stream:
        """The same connection, encrypted from now on."""
        self._flush(timeout)
        work = partial(self.inner.start_tls, ssl_context, server_hostname, timeout)
        return Stream(self.opener.beside(work), self.opener)

    def get_extra_info(self, info: str) -> Any:
        """What httpcore asks of a connection. One that can be read although nothing was asked is not used again."""
        if info == "is_readable" and self._is_broken:
            return True
        return self.inner.get_extra_info(info)


class Opener(httpcore.NetworkBackend):
    """Opens connections, in threads that can be left behind."""

    def __init__(self, deadlines: Deadlines, inner: httpcore.NetworkBackend | None = None) -> None:
        self.deadlines, self.inner = deadlines, inner or httpcore.SyncBackend()
        self.limits = Limits()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Stream:
        """A connection to a host."""
        work = partial(self.inner.connect_tcp, host, port, timeout, local_address, socket_options)
        return Stream(self.beside(work), self)

    def beside(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises, or TimeoutError where the exchange took too long."""
        limit = self.limits.current
        now_s = limit.check()
        return self.deadlines.within(
            limit.until_s - now_s, work, after_s=limit.slow_from_s - now_s, then=lambda: _note(limit)
        )


def _note(limit: Limit) -> None:
    limit.slow_from_s = math.inf
    limit.note()


def _bounded(timeout: float | None) -> float:
    return LONGEST_S if timeout is None else timeout
