"""Requests of httpx to one origin, each on a connection that no other thread uses meanwhile.

httpx hands its requests to a transport. Its own one has a pool that asks the kernel about every connection, for every
request. Here a free connection is taken from a list. httpcore, which httpx stands on, opens them, also through a proxy.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import httpcore

from kbsync.service.httpx_alone import httpx
from kbsync.service.network import Stream

FAILURES = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)
"""How an exchange can fail; httpcore has no name for all of them."""


def _as_httpx(exc: Exception) -> httpx.TransportError:
    """What went wrong below, as httpx names it: the names are the same."""
    kind: type[httpx.TransportError] = getattr(httpx, type(exc).__name__)
    return kind(str(exc))


class OriginTransport(httpx.BaseTransport):
    """Sends requests to one origin.

    Args:
        maker: makes connections, through a proxy or without one. Its own pool is not used.
        url: an address of the origin.
        most_idle: connections that are kept open although nobody uses them.
    """

    def __init__(self, maker: httpcore.ConnectionPool, url: httpx.URL, most_idle: int) -> None:
        self._maker, self._most_idle = maker, most_idle
        self._origin = _address(url).origin
        self._idle: deque[httpcore.ConnectionInterface] = deque()
        self._is_closed = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer, of which the body was not read yet. It is to be closed.

        Raises:
            httpx.TransportError: there is none.
        """
        asked = httpcore.Request(
            request.method.encode("ascii"),
            _address(request.url),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            answer, connection = self._ask(asked)
        except FAILURES as exc:
            raise _as_httpx(exc) from exc
        return httpx.Response(answer.status, headers=answer.headers, stream=Body(answer, connection, self))

    def _ask(self, asked: httpcore.Request) -> tuple[httpcore.Response, httpcore.ConnectionInterface]:
        while True:
            connection = self._take()
            try:
                answer = connection.handle_request(asked)
            except BaseException:
                connection.close()
                raise
            stream = answer.extensions["network_stream"]
            if not (isinstance(stream, Stream) and stream.is_unsent):
                return answer, connection
            # What came is an answer too many, to the request before. This one did not leave.
            connection.close()

    def give_back(self, connection: httpcore.ConnectionInterface) -> None:
        """Keep a connection for the next request, if it can take one."""
        if not connection.is_idle() or self._is_closed or len(self._idle) >= self._most_idle:
            connection.close()
            return
        self._idle.append(connection)
        if self._is_closed:
            self.close()

    def _take(self) -> httpcore.ConnectionInterface:
        """The connection that was used last; one that can be read although nothing was asked is used no more."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return self._maker.create_connection(self._origin)
            if not connection.has_expired():
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


class Body(httpx.SyncByteStream):
    """The body of an answer, as it comes."""

    def __init__(
        self, answer: httpcore.Response, connection: httpcore.ConnectionInterface, transport: OriginTransport
    ) -> None:
        self._answer, self._connection, self._transport = answer, connection, transport
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._answer.iter_stream()
        except FAILURES as exc:
            raise _as_httpx(exc) from exc

    def close(self) -> None:
        """Give the connection back."""
        if not self._is_closed:
            self._is_closed = True
            self._answer.close()
            self._transport.give_back(self._connection)


def _address(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
