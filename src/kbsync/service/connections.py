"""Requests to one address, on connections that are kept open, through the proxy that the environment names.

httpx builds the requests and has the answers. They go through a transport of ours (`origin_transport.py`), because
httpx cannot limit what an exchange takes as a whole. docs/architecture.md says why no `httpx.Client` is above it.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, TypeVar

import httpcore

from kbsync.hosts import LOOPBACK
from kbsync.service.deadline import Deadlines
from kbsync.service.httpx_alone import httpx
from kbsync.service.network import Limit, Opener
from kbsync.service.origin_transport import OriginTransport
from kbsync.service.proxies import proxy_of

T = TypeVar("T")

KEPT_S = 5.0
"""How long a connection that nobody uses stays open; the default of httpx."""

_address = lru_cache(maxsize=256)(httpx.URL)
"""An address taken apart. All creates go to the same one."""


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
        ValueError, httpx.InvalidURL: the environment names a proxy that is none.
    """

    def __init__(self, base_url: str, headers: Mapping[str, str], timeout_s: float, most_idle: int) -> None:
        self._base_url, self._headers = base_url, headers
        self._deadlines = Deadlines()
        self._opener = Opener(self._deadlines)
        url = httpx.URL(base_url)
        self._transport = OriginTransport(_maker(url, self._opener), url, most_idle)
        self._cookies = httpx.Cookies()
        self._timeout = httpx.Timeout(timeout_s).as_dict()
        self._first = httpx.Headers([(b"Host", url.netloc), *httpx.Headers(headers).raw])

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
        content: bytes | None = None,
        **parts: Any,
    ) -> httpx.Request:
        """A request; `parts` are those that `httpx.Request` is made of.

        Raises:
            httpx.InvalidURL, ValueError: it would not be one.
        """
        address = _address(self._base_url.rstrip("/") + path)
        if content and not any(parts.values()):
            return self._with_body(method, address, headers or {}, content)
        return httpx.Request(
            method,
            address,
            headers={**self._headers, **(headers or {})},
            content=content,
            cookies=self._cookies or None,
            extensions={"timeout": self._timeout},
            **parts,
        )

    def _with_body(self, method: str, address: httpx.URL, headers: Mapping[str, str], body: bytes) -> httpx.Request:
        """The same request, of a body that is ready. To find out its length httpx makes all headers three times."""
        known = httpx.Headers(self._first)
        for name, value in headers.items():
            known[name] = value
        request = httpx.Request(
            method,
            address,
            headers=known,
            stream=httpx.ByteStream(body),
            cookies=self._cookies or None,
            extensions={"timeout": self._timeout},
        )
        request.headers["Content-Length"] = str(len(body))
        return request

    def send(self, request: httpx.Request, limit: Limit, read: Callable[[httpx.Response], T]) -> T:
        """What `read` makes of the answer, of which the body was not read yet.

        Raises:
            TimeoutError: it took longer than the limit says.
            httpx.TransportError: there is no answer, or only a part of it.
        """
        if threading.current_thread() is threading.main_thread():
            # Ctrl-C comes to this thread, and on some systems it does not end a wait for a socket.
            now_s = limit.check()
            work = partial(self._send, request, limit, read)
            return self._deadlines.within(limit.until_s - now_s, work)
        return self._send(request, limit, read)

    def _send(self, request: httpx.Request, limit: Limit, read: Callable[[httpx.Response], T]) -> T:
        with self._opener.limits.applied(limit):
            answer = self._transport.handle_request(request)
            try:
                if "set-cookie" in answer.headers:
                    answer.request = request
                    self._cookies.extract_cookies(answer)
                return read(answer)
            finally:
                answer.close()


def _maker(url: httpx.URL, opener: Opener) -> httpcore.ConnectionPool:
    """Makes connections to an address, through a proxy or without. A proxy for the world is not for this machine."""
    trust_env = url.host not in LOOPBACK
    # Plain http needs no certificates, and loading them takes as long as a plan. Not one is trusted then.
    plain = url.scheme == "http"
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else httpx.create_ssl_context(trust_env=trust_env)
    options: dict[str, Any] = {"ssl_context": trust, "keepalive_expiry": KEPT_S, "network_backend": opener}
    address = proxy_of(url, url.host) if trust_env else ""
    if not address:
        return httpcore.ConnectionPool(**options)
    proxy = httpx.Proxy(address)
    at = httpcore.URL(
        scheme=proxy.url.raw_scheme, host=proxy.url.raw_host, port=proxy.url.port, target=proxy.url.raw_path
    )
    kind = httpcore.SOCKSProxy if proxy.url.scheme.startswith("socks") else httpcore.HTTPProxy
    try:
        return kind(at, proxy_auth=proxy.raw_auth, **options)
    except RuntimeError as exc:
        raise ImportError(str(exc)) from exc
