"""One exchange over the wire: a request out, the whole answer in, within a deadline and a size."""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

import httpx
import msgspec

from kbsync.errors import AnswerLost, ServiceError, Unreachable, Untrusted
from kbsync.hosts import LOOPBACK
from kbsync.model import visible
from kbsync.service.deadline import Deadlines
from kbsync.service.proxies import proxy_of
from kbsync.service.unpack import unpack

MAX_BODY_BYTES = 64 * 1024 * 1024
"""A page of 25 articles of 20,000 characters is 2 MB at the most; this is an answer gone wild."""

MAX_ETAG_CHARS = 200

DEADLINE_FACTOR = 4
"""A whole answer may take this many times the longest silence."""


class Answer(msgspec.Struct, frozen=True):
    """What came back. `asked` is the request as a message shows it: method and path, never the token."""

    asked: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    secret: str = ""

    def __repr__(self) -> str:
        return f"Answer({self.asked!r}, {self.status})"  # Without the token.

    @property
    def content_type(self) -> str:
        """The media type, lower case, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def server_time_s(self) -> int | None:
        """The service's own clock when it answered, seconds since 1970; None where it does not say."""
        moment_s = http_date_s(self.headers.get("date", ""))
        return None if moment_s is None else int(moment_s)

    @property
    def etag(self) -> str:
        """Its ETag, "" without one, or with one that could not be sent back."""
        found = self.headers.get("etag", "")
        return found if len(found) <= MAX_ETAG_CHARS and found.isascii() and found.isprintable() else ""

    @property
    def text(self) -> str:
        """The body as a message may show it: without control characters, and without the token.

        Source: docs/service.md, section 1: the answer to `profile` has the token in it.
        """
        return self.shown(self.body.decode("utf-8", "replace"))

    def shown(self, said: str) -> str:
        """A text of the service as a message may show it."""
        return visible(said.replace(self.secret, "[token]") if self.secret else said)


def http_date_s(text: str) -> float | None:
    """A date of a header in seconds since 1970; None for anything else."""
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


class Slow(msgspec.Struct, frozen=True):
    """Who hears of a wait, and when: `note` gets what is waited for, and when that is given up, seconds."""

    after_s: float
    note: Callable[[str, float], None]


class Connections:
    """Sends requests to one host, on connections that are kept open, through the proxy that the environment names.

    Args:
        base_url: scheme, host and port; it may have a path, which goes before all paths.
        headers: of each request.
        timeout_s: for connecting, and for each silence; a whole answer may take four times that.
        most_idle: connections that are kept open although nobody uses them.

    Raises:
        ImportError: the proxy is one for SOCKS, and the package for that is not installed.
        OSError: the certificates to trust cannot be loaded.
        ValueError, httpx.InvalidURL: the environment names a proxy that is none.
    """

    def __init__(self, base_url: str, headers: Mapping[str, str], timeout_s: float, most_idle: int) -> None:
        url = httpx.URL(base_url)
        # A proxy for the world is not for this machine.
        trust_env = url.host not in LOOPBACK
        # Plain http needs no certificates, and loading them takes as long as a plan. Not one is trusted then.
        plain = url.scheme == "http"
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else httpx.create_ssl_context(trust_env=trust_env)
        self._timeout_s = timeout_s
        self._deadlines = Deadlines()
        self._client = httpx.Client(
            base_url=base_url,
            headers=headers,
            timeout=timeout_s,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=most_idle),
            verify=trust,
            proxy=(proxy_of(url, url.host) or None) if trust_env else None,
            trust_env=False,
            # The token is in a header: nothing in the address is sent as a password.
            auth=lambda request: request,
        )

    def close(self) -> None:
        """Close all connections, and end the threads beside those that ask."""
        self._deadlines.close()
        self._client.close()

    def request(self, method: str, path: str, **parts: Any) -> httpx.Request:
        """A request; `parts` are those that `httpx.Request` is made of.

        Raises:
            httpx.InvalidURL, ValueError: it would not be one.
        """
        return self._client.build_request(method, path, **parts)

    def exchange(self, request: httpx.Request, *, secret: str, slow: Slow) -> Answer:
        """Send and read all of the answer; `slow` hears of an answer that keeps people waiting.

        It is sent in a thread beside, for nothing can interrupt looking up a name, or headers that drip.

        Raises:
            Untrusted: the certificate is not valid; nothing left.
            Unreachable: it never left.
            AnswerLost: it left, and no whole answer came.
            Misbehaved: the answer is too large, or packed wrongly.
            ServiceError: it cannot be sent at all.
        """
        asked = f"{request.method} {request.url.raw_path.partition(b'?')[0].decode('ascii')}"
        deadline_s = DEADLINE_FACTOR * self._timeout_s
        note = partial(slow.note, f"{_origin(request)}: {asked}", deadline_s)
        work = partial(self._read_all, request, asked, secret, time.monotonic() + deadline_s)
        try:
            return self._deadlines.within(deadline_s, work, after_s=slow.after_s, then=note)
        except TimeoutError as exc:
            raise AnswerLost(
                f"{asked}: The answer was not complete after {deadline_s:g} s.",
                hint="The service is slow or stuck. Try again later, or raise [service] timeout_s.",
            ) from exc
        except httpx.TransportError as exc:
            raise _translated(exc, request, asked, self._timeout_s) from exc

    def _read_all(self, request: httpx.Request, asked: str, secret: str, until_s: float) -> Answer:
        with closing(self._client.send(request, stream=True)) as answer:
            encoding, chunks = answer.headers.get("content-encoding", ""), _until(until_s, answer.iter_raw())
            body = unpack(chunks, encoding, asked=asked, most_bytes=MAX_BODY_BYTES)
            return Answer(asked, answer.status_code, answer.headers, body, secret)


def _until(until_s: float, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks of a body, up to a moment: one that drips keeps neither its connection nor the service beyond that."""
    for chunk in chunks:
        if time.monotonic() > until_s:
            raise TimeoutError
        yield chunk


def _translated(exc: Exception, request: httpx.Request, asked: str, timeout_s: float) -> ServiceError:
    if (refused := _certificate_error(exc)) is not None:
        return Untrusted(
            f"{asked}: The certificate of {_origin(request)} is not valid: {visible(refused)}. Nothing was sent.",
            hint="Check [service] base_url. If your company signs its own certificates, "
            "set SSL_CERT_FILE to the file with its root certificate.",
        )
    if isinstance(exc, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout | httpx.ProxyError):
        return Unreachable(
            f"{asked}: {_origin(request)} cannot be reached: {_without_number(exc) or 'no connection'}.",
            hint="Check [service] base_url and your network, and that the service is running.",
        )
    if isinstance(exc, httpx.TimeoutException):
        return AnswerLost(
            f"{asked}: No answer within {timeout_s:g} s.",
            hint="The service is slow or stuck. Try again later, or raise [service] timeout_s.",
        )
    if isinstance(exc, httpx.LocalProtocolError):
        # What is wrong is not shown: it may be the header with the token in it.
        return ServiceError(
            f"{asked}: The request cannot be sent, because it is not valid.", hint="Check base_url and the token."
        )
    return AnswerLost(
        f"{asked}: The connection broke before the answer was complete: {visible(str(exc)) or type(exc).__name__}.",
        hint="Run the command again. It first checks what was stored.",
    )


def _without_number(exc: Exception) -> str:
    """`Connection refused` for `[Errno 111] Connection refused`."""
    return re.sub(r"^\[Errno -?\d+\] ", "", visible(str(exc)))


def _certificate_error(exc: BaseException | None) -> str | None:
    """What is wrong with a certificate, where that is why there is no connection."""
    while exc is not None:
        if isinstance(exc, ssl.SSLCertVerificationError):
            return exc.verify_message.rstrip(".")
        exc = exc.__cause__ or exc.__context__
    return None


def _origin(request: httpx.Request) -> str:
    url = request.url
    return f"{url.scheme}://{url.netloc.decode('ascii')}"
