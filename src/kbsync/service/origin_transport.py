"""Requests to one origin, each on a connection that no other thread uses meanwhile.

A free connection is taken from a list, the last used first. The pools of httpx and httpcore ask the kernel about every
connection, for every request.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from kbsync.service.http1 import Request, Response


class Connection(Protocol):
    """A connection: `http1.Http1`, or one through a proxy."""

    def ask(self, request: Request) -> Response: ...
    def close(self) -> None: ...
    @property
    def is_idle(self) -> bool: ...
    @property
    def is_over(self) -> bool: ...


@dataclass(slots=True, eq=False, repr=False)
class OriginTransport:
    """Sends requests to one origin.

    Args:
        connect: makes a connection, through a proxy or without one.
        most_idle: connections that are kept open although nobody uses them.
    """

    connect: Callable[[], Connection]
    most_idle: int
    _idle: deque[Connection] = field(init=False, default_factory=deque)
    _is_closed: bool = field(init=False, default=False)

    def handle_request(self, request: Request) -> tuple[Response, Callable[[], None]]:
        """The answer, of which the body was not read yet, and what is to be called when it was, or nobody wants it.

        Raises:
            Failure: there is none.
        """
        connection = self._take()
        try:
            answer = connection.ask(request)
        except BaseException:
            connection.close()
            raise
        return answer, lambda: self._give_back(connection)

    def _give_back(self, connection: Connection) -> None:
        """Keep a connection for the next request, if it can take one."""
        if not connection.is_idle or self._is_closed or len(self._idle) >= self.most_idle:
            connection.close()
            return
        self._idle.append(connection)
        if self._is_closed:
            self.close()

    def _take(self) -> Connection:
        """The connection that was used last; one that can be read although nothing was asked is used no more."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return self.connect()
            if not connection.is_over:
                return connection
            connection.close()

    def close(self) -> None:
        """Close what is not in use; the rest follows as soon as it is given back."""
        self._is_closed = True
        while True:
            try:
                self._idle.pop().close()
            except IndexError:
                return
