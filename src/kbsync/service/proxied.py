"""Connections through a proxy, as httpcore makes them: forwarded, in a tunnel, or by SOCKS. Few have one."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore
import httpx

from kbsync.service.address import PORTS, Address
from kbsync.service.failures import Broken, Failure, NotConnected, NotSendable, Silent
from kbsync.service.http1 import KEPT_S, Request, Response, joined
from kbsync.service.network import Opener, Stream

FAILURES: tuple[tuple[type[Exception], type[Failure]], ...] = (
    (httpcore.ConnectError, NotConnected),
    (httpcore.ConnectTimeout, NotConnected),
    (httpcore.PoolTimeout, NotConnected),
    (httpcore.ProxyError, NotConnected),
    (httpcore.TimeoutException, Silent),
    (httpcore.LocalProtocolError, NotSendable),
    (httpcore.NetworkError, Broken),
    (httpcore.ProtocolError, Broken),
    (httpcore.UnsupportedProtocol, Broken),
)
"""How httpcore names what goes wrong, and how kbsync does; the first that fits."""


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except tuple(kind for kind, _ in FAILURES) as exc:
        raise next(ours for kind, ours in FAILURES if isinstance(exc, kind))(str(exc)) from exc


def through(
    proxy: str, address: Address, opener: Opener, trust: ssl.SSLContext, timeout_s: float
) -> Callable[[], Proxied]:
    """Makes connections to an address.

    Args:
        proxy: its address.
        address: one of the origin.
        opener: opens the connections to the proxy.
        trust: the certificates to believe.
        timeout_s: for connecting and for each silence.

    Raises:
        ImportError: the proxy is one for SOCKS, and the package for that is not installed.
        ValueError: the address of the proxy is none.
    """
    try:
        given = httpx.Proxy(proxy)
    except httpx.InvalidURL as exc:
        raise ValueError(str(exc)) from exc
    at = httpcore.URL(
        scheme=given.url.raw_scheme, host=given.url.raw_host, port=given.url.port, target=given.url.raw_path
    )
    kind = httpcore.SOCKSProxy if given.url.scheme.startswith("socks") else httpcore.HTTPProxy
    backend: Any = Opener(opener.deadlines, opener.limits, Backend())
    options: dict[str, Any] = {"ssl_context": trust, "keepalive_expiry": KEPT_S, "network_backend": backend}
    try:
        pool = kind(at, proxy_auth=given.raw_auth, **options)
    except RuntimeError as exc:
        raise ImportError(str(exc)) from exc
    port = None if address.port == PORTS[address.scheme] else address.port
    origin = httpcore.URL(scheme=address.scheme, host=address.host, port=port, target="/").origin
    return lambda: Proxied(lambda: pool.create_connection(origin), timeout_s)


class Proxied:
    """One connection through a proxy. Whoever uses it does so alone, and reads a body to its end."""

    __slots__ = ("_inner", "_make", "_timeouts")

    def __init__(self, make: Callable[[], httpcore.ConnectionInterface], timeout_s: float) -> None:
        self._make, self._inner = make, make()
        self._timeouts = dict.fromkeys(("connect", "read", "write", "pool"), timeout_s)

    def ask(self, request: Request) -> Response:
        """The answer, of which the body was not read yet.

        Raises:
            Failure: there is none.
        """
        at = request.address
        port = None if at.port == PORTS[at.scheme] else at.port
        asked = httpcore.Request(
            request.method,
            httpcore.URL(scheme=at.scheme, host=at.host, port=port, target=request.target),
            headers=list(request.headers),
            content=request.content,
            extensions={"timeout": self._timeouts},
        )
        with _named():
            while True:
                answer = self._inner.handle_request(asked)
                stream = answer.extensions["network_stream"]
                if not (isinstance(stream, Stream) and stream.is_unsent):
                    break
                # What came is an answer too many, to the request before. This one did not leave.
                self._inner.close()
                self._inner = self._make()
        fields = ((name.decode("ascii").lower(), value.decode("latin-1")) for name, value in answer.headers)
        return Response(answer.status, *joined(fields), _chunks(answer))

    @property
    def is_idle(self) -> bool:
        """Whether it can take the next request."""
        return self._inner.is_idle()

    @property
    def is_over(self) -> bool:
        """Whether an idle one can be used no more."""
        return self._inner.has_expired()

    def close(self) -> None:
        """Close the connection."""
        self._inner.close()


def _chunks(answer: httpcore.Response) -> Iterator[bytes]:
    with _named():
        try:
            yield from answer.iter_stream()
        finally:
            answer.close()


class Backend:
    """Opens connections as httpcore does, which also has TLS within TLS; they fail by our names."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Named:
        """A connection to a host."""
        with _named():
            return Named(httpcore.SyncBackend().connect_tcp(host, port, timeout, local_address, socket_options))


class Named:
    """A connection of httpcore that fails by our names."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self.inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What came, b"" at the end."""
        with _named():
            return self.inner.read(max_bytes, timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        with _named():
            self.inner.write(buffer, timeout)

    def close(self) -> None:
        """Close the connection."""
        self.inner.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Named:
        """The same connection, encrypted from now on."""
        with _named():
            return Named(self.inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """What httpcore asks of a connection."""
        return self.inner.get_extra_info(info)
