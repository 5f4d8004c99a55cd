"""Connections of the kernel, plain or with TLS, on which each wait has an end."""

from __future__ import annotations

import math
import select
import socket
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kbsync.service.failures import Broken, NotConnected, Silent

if TYPE_CHECKING:
    import ssl

TICK_S = 1.0
"""The longest wait in one piece. To change how long a socket waits is a trip to the kernel, for each request."""

SHORTEST_S = 0.001
"""0 would mean not to wait at all."""


class Socket:
    """An open connection. A wait may end before its time, with `Silent`."""

    __slots__ = ("_socket", "_wait_s")

    def __init__(self, opened: socket.socket) -> None:
        self._socket = opened
        self._wait_s = -1.0

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What came, b"" at the end."""
        self._wait(timeout)
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError as exc:
            raise Silent(str(exc)) from exc
        except OSError as exc:
            raise Broken(str(exc)) from exc

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        until_s = math.inf if timeout is None else time.monotonic() + timeout
        try:
            while buffer:
                self._wait(None if timeout is None else max(SHORTEST_S, until_s - time.monotonic()))
                try:
                    buffer = buffer[self._socket.send(buffer) :]
                except TimeoutError as exc:
                    # Nothing of this piece was taken.
                    if time.monotonic() >= until_s:
                        raise Silent(str(exc)) from exc
        except OSError as exc:
            raise Broken(str(exc)) from exc

    def _wait(self, timeout: float | None) -> None:
        wait_s = TICK_S if timeout is None else min(timeout, TICK_S)
        if wait_s != self._wait_s:
            self._socket.settimeout(wait_s)
            self._wait_s = wait_s

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> Socket:
        """The same connection, encrypted from now on."""
        try:
            self._socket.settimeout(timeout)
            return Socket(ssl_context.wrap_socket(self._socket, server_hostname=server_hostname))
        except OSError as exc:
            self.close()
            raise NotConnected(str(exc)) from exc

    def get_extra_info(self, info: str) -> Any:
        """Whether it can be read although nothing was asked: then it is over."""
        return _is_readable(self._socket) if info == "is_readable" else None


class Sockets:
    """Opens connections."""

    __slots__ = ()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Socket:
        """A connection to a host; there are neither local addresses nor options here."""
        try:
            # As bytes: Python loads the tables for names of other alphabets for every name that is a text.
            opened = socket.create_connection((host.encode("ascii"), port), timeout)  # type: ignore[arg-type]
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as exc:
            raise NotConnected(str(exc)) from exc
        return Socket(opened)


def _is_readable(opened: socket.socket) -> bool:
    number = opened.fileno()
    if number < 0:
        return True
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([number], [], [], 0)[0])
    poll = select.poll()
    poll.register(number, select.POLLIN)
    return bool(poll.poll(0))
