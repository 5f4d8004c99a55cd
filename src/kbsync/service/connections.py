"""Requests to one address, on connections that are kept open, through the proxy that the environment names.

Directly it is HTTP/1.1 of our own (`http1.py`), through a proxy that of httpcore. docs/architecture.md says why no
`httpx.Client` is here.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from kbsync.hosts import LOOPBACK
from kbsync.service.address import Address, address_of, query_of
from kbsync.service.deadline import Deadlines
from kbsync.service.http1 import Http1, Request, Response
from kbsync.service.network import Limit, Opener
from kbsync.service.origin_transport import Connection, OriginTransport
from kbsync.service.proxies import proxy_of

if TYPE_CHECKING:
    import ssl
    from http.cookiejar import CookieJar

T = TypeVar("T")

BODIES = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose requests say how long their body is, even where they have none."""


@dataclass(slots=True, eq=False, repr=False)
class Connections:
    """Sends requests to one host.

    Args:
        base_url: scheme, host and port; it may have a path, which goes before all paths.
        headers: of each request.
        timeout_s: for connecting, and for each silence.
        most_idle: connections that are kept open although nobody uses them.

    Raises:
        ImportError: the proxy is one for SOCKS, and the package for that is not installed.
        OSError: the certificates to trust cannot be loaded.
        ValueError: the environment names a proxy that is none.
    """

    base_url: str
    headers: Mapping[str, str] = field(repr=False)
    timeout_s: float
    most_idle: int
    _deadlines: Deadlines = field(init=False, repr=False, default_factory=Deadlines)
    _opener: Opener = field(init=False, repr=False)
    _transport: OriginTransport = field(init=False, repr=False)
    _cookies: CookieJar | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        self._opener = Opener(self._deadlines)
        connect = _connecting(address_of(self.base_url), self._opener, self.timeout_s)
        self._transport = OriginTransport(connect, self.most_idle)

    def close(self) -> None:
        """Close all connections, and end the threads beside those that ask."""
        self._deadlines.close()
        self._transport.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        content: bytes | None = None,
    ) -> Request:
        """A request.

        Raises:
            ValueError: the address would not be one.
        """
        address = address_of(self.base_url.rstrip("/") + path)
        given = {"Host": address.netloc, **self.headers, **(headers or {})}
        if self._cookies is not None and (cookie := _cookie_of(self._cookies, address)):
            given["Cookie"] = cookie
        if content is not None or method in BODIES:
            given["Content-Length"] = str(len(content or b""))
        target = address.asking(query_of(query)) if query else address.target
        return Request(method, address, target, tuple(given.items()), content or b"")

    def send(self, request: Request, limit: Limit, read: Callable[[Response], T]) -> T:
        """What `read` makes of the answer, of which the body was not read yet.

        Raises:
            TimeoutError: it took longer than the limit says.
            Failure: there is no answer, or only a part of it.
        """
        if threading.current_thread() is threading.main_thread():
            # Ctrl-C comes to this thread, and on some systems it does not end a wait for a socket.
            now_s = limit.check()
            work = partial(self._send, request, limit, read)
            return self._deadlines.within(limit.until_s - now_s, work)
        return self._send(request, limit, read)

    def _send(self, request: Request, limit: Limit, read: Callable[[Response], T]) -> T:
        with self._opener.limits.applied(limit):
            answer, done = self._transport.handle_request(request)
            try:
                if answer.cookies:
                    self._keep(request.address, answer.cookies)
                return read(answer)
            finally:
                done()

    def _keep(self, address: Address, cookies: tuple[str, ...]) -> None:
        """Keep the cookies of an answer for the requests after it."""
        # Loaded here: most services set none.
        from email.message import Message
        from http.cookiejar import CookieJar
        from urllib.request import Request as Asked

        class Answered:
            """An answer as the jar wants it."""

            def info(self) -> Message:
                found = Message()
                for cookie in cookies:
                    found["Set-Cookie"] = cookie
                return found

        if self._cookies is None:
            self._cookies = CookieJar()
        self._cookies.extract_cookies(Answered(), Asked(address.origin + address.target))  # type: ignore[arg-type]


def _cookie_of(jar: CookieJar, address: Address) -> str:
    """What is sent of the cookies, "" for nothing."""
    from urllib.request import Request as Asked

    asked = Asked(address.origin + address.target)
    jar.add_cookie_header(asked)
    return asked.get_header("Cookie", "") or ""


def _connecting(address: Address, opener: Opener, timeout_s: float) -> Callable[[], Connection]:
    """Makes connections to an address, through a proxy or without. A proxy for the world is not for this machine."""
    trust_env = address.host not in LOOPBACK
    # Plain http needs no certificates, and loading them takes as long as a plan.
    trust = _trusted(trust_env=trust_env) if address.scheme == "https" else None
    proxy = proxy_of(address.scheme, address.host) if trust_env else ""
    if not proxy:
        return lambda: _connected(address, opener, trust, timeout_s)
    import ssl

    from kbsync.service.proxied import through

    # Not one certificate is trusted where none is needed.
    return through(proxy, address, opener, trust or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), timeout_s)


def _connected(address: Address, opener: Opener, trust: ssl.SSLContext | None, timeout_s: float) -> Http1:
    stream = opener.connect_tcp(address.host, address.port, timeout_s)
    if trust is not None:
        stream = stream.start_tls(trust, address.host, timeout_s)
    return Http1(stream, timeout_s)


def _trusted(*, trust_env: bool) -> ssl.SSLContext:
    """The certificates to believe: those that the environment names, or else those of Mozilla."""
    import ssl

    import certifi

    file = os.environ.get("SSL_CERT_FILE") if trust_env else None
    folder = os.environ.get("SSL_CERT_DIR") if trust_env and not file else None
    own = None if file or folder else certifi.where()
    trust = ssl.create_default_context(cafile=file or own, capath=folder or None)
    trust.set_alpn_protocols(["http/1.1"])
    return trust
