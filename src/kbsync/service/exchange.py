"""One exchange over the wire: a request out, the whole answer in, within a deadline and a size.

Also: the body of an answer, unpacked no further than its limit: a few kilobytes can hold gigabytes of nothing.

The proxy that the environment, or the system's settings, name for an address.
"""

from __future__ import annotations

import math
import re
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import chain
from urllib.request import getproxies, proxy_bypass

import httpx
import msgspec

from kbsync import __version__
from kbsync.errors import AnswerLost, ConfigError, Misbehaved, ServiceError, Unreachable, Untrusted
from kbsync.hosts import LOOPBACK
from kbsync.model import visible
from kbsync.service.deadline import within


def proxy_of(url: httpx.URL, host: str) -> str:
    """The proxy that the environment names for an address, "" for none: one for the world is not for this machine."""
    found = getproxies()
    proxy = found.get(url.scheme) or found.get("all", "")
    if not proxy or host in LOOPBACK or proxy_bypass(host):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


ACCEPTED = "gzip"
"""What kbsync asks for. Other encodings, or several of them, are not unpacked at all."""

STEP_BYTES = 1 << 16
"""How much is unpacked before anybody looks at the size."""

_GZIP = zlib.MAX_WBITS | 16


def unpack(chunks: Iterable[bytes], encoding: str, *, asked: str, most_bytes: int) -> bytes:
    """The whole body.

    Args:
        chunks: the body as it came over the wire.
        encoding: what the header `Content-Encoding` says, or "".
        asked: the request, for messages.
        most_bytes: the limit, counted both before and after unpacking.

    Raises:
        Misbehaved: it is larger than that, compressed in an unexpected way, or damaged.
    """
    name = encoding.strip().lower()
    if name not in {"", "identity", "gzip", "x-gzip"}:
        raise Misbehaved(
            f"{asked}: The answer is compressed as `{name}`, but kbsync asked for {ACCEPTED}.",
            hint="Check [service] base_url, and any proxy between you and the service.",
        )
    pieces = chunks if name in {"", "identity"} else _gunzipped(_bounded(chunks, asked, most_bytes), asked)
    body = bytearray()
    for piece in _bounded(pieces, asked, most_bytes):
        body += piece
    return bytes(body)


def _bounded(chunks: Iterable[bytes], asked: str, most_bytes: int) -> Iterable[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > most_bytes:
            raise Misbehaved(
                f"{asked}: The answer is larger than {most_bytes // 2**20} MiB.",
                hint="Check [service] base_url: the service does not send such large answers.",
            )
        yield chunk


def _gunzipped(chunks: Iterable[bytes], asked: str) -> Iterable[bytes]:
    unpacker = zlib.decompressobj(_GZIP)
    begun = False
    for chunk in chunks:
        begun = begun or bool(chunk)
        rest = chunk
        while rest and not unpacker.eof:
            try:
                yield unpacker.decompress(rest, STEP_BYTES)
            except zlib.error as exc:
                raise _damaged(asked, str(exc)) from exc
            rest = unpacker.unconsumed_tail
    # A body that is empty, whatever its header says, is empty (docs/service.md, S17).
    if begun and not unpacker.eof:
        raise _damaged(asked, "it ends too early")


def _damaged(asked: str, reason: str) -> Misbehaved:
    return Misbehaved(
        f"{asked}: The answer cannot be decompressed: {reason}.",
        hint="Run the command again. If it stays, check for a proxy between you and the service.",
    )


MAX_BODY_BYTES = 64 * 1024 * 1024
"""A page of 25 articles of 20,000 characters is 2 MB at the most; this is an answer gone wild."""

MAX_ETAG_CHARS = 200

DEADLINE_FACTOR = 4
"""A whole answer may take this many times the longest silence."""

IDLE_S = 5.0
"""How long a connection that nobody uses is kept: what servers and proxies close first costs a lost answer."""


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


class Connections:
    """Sends requests to one host, on connections that are kept open.

    Args:
        base_url: scheme, host and port; it may have a path, which goes before all paths.
        headers: of each request, beside those that all have.
        timeout_s: for connecting, and for each silence; a whole answer may take four times that.
        most_idle: connections that are kept open although nobody uses them.

    Raises:
        ConfigError: the proxy or the certificates that the environment names cannot be used.
    """

    def __init__(self, base_url: str, headers: Mapping[str, str], timeout_s: float, most_idle: int) -> None:
        self._client = _client(base_url, headers, timeout_s, most_idle)
        self._timeout_s = timeout_s
        self.request = self._client.build_request

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def exchange(
        self,
        request: httpx.Request,
        *,
        secret: str,
        after_s: float = math.inf,
        note: Callable[[str, float], None] = lambda asked, deadline_s: None,
    ) -> Answer:
        """Send and read all of the answer.

        It is sent in a thread beside, for nothing can interrupt looking up a name, or headers that drip.

        Args:
            request: made by `request`.
            secret: is not shown in messages.
            after_s: how long an answer takes before `note` is called with what is waited for, and for how long at most.

        Raises:
            Untrusted: the certificate is not valid; nothing left.
            Unreachable: it never left.
            AnswerLost: it left, and no whole answer came.
            Misbehaved: the answer is too large, or packed wrongly.
            ServiceError: it cannot be sent at all.
        """
        asked = f"{request.method} {request.url.raw_path.partition(b'?')[0].decode('ascii')}"
        deadline_s = DEADLINE_FACTOR * self._timeout_s
        work = partial(self._read_all, request, asked, secret, time.monotonic() + deadline_s)
        then = partial(note, f"{_origin(request)}: {asked}", deadline_s)
        try:
            return within(deadline_s, work, after_s=after_s, then=then)
        except TimeoutError as exc:
            raise AnswerLost(
                f"{asked}: The answer was not complete after {deadline_s:g} s.",
                hint="The service is slow or stuck. Try again later, or raise [service] timeout_s.",
            ) from exc
        except httpx.TransportError as exc:
            raise _translated(exc, request, asked, self._timeout_s) from exc

    def _read_all(self, request: httpx.Request, asked: str, secret: str, until_s: float) -> Answer:
        request.extensions["trace"] = partial(_not_after, until_s)
        with closing(self._client.send(request, stream=True)) as answer:
            encoding, chunks = answer.headers.get("content-encoding", ""), _until(until_s, answer.iter_raw())
            body = unpack(chunks, encoding, asked=asked, most_bytes=MAX_BODY_BYTES)
            return Answer(asked, answer.status_code, answer.headers, body, secret)


def _not_after(until_s: float, event: str, info: Mapping[str, object]) -> None:
    """Keep back a request whose host was found, or whose connection stood, only after its deadline: its answer was
    given up, and is looked up by now.
    """
    if event.endswith("send_request_headers.started") and time.monotonic() >= until_s:
        raise httpx.ConnectTimeout("The deadline passed before anything was sent.")


def _client(base_url: str, headers: Mapping[str, str], timeout_s: float, most_idle: int) -> httpx.Client:
    url = httpx.URL(base_url)
    try:
        # Plain http needs no certificates, and loading them takes as long as a plan. Not one is trusted then.
        plain = url.scheme == "http"
        return httpx.Client(
            base_url=url,
            headers={"Accept-Encoding": ACCEPTED, "User-Agent": f"kbsync/{__version__}", **headers},
            timeout=timeout_s,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=most_idle, keepalive_expiry=IDLE_S),
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else httpx.create_ssl_context(),
            proxy=proxy_of(url, url.host) or None,
            follow_redirects=False,
            trust_env=False,
            # The token is in a header: nothing in the address is sent as a password.
            auth=lambda request: request,
        )
    except ImportError as exc:
        raise ConfigError(
            "The environment names a SOCKS proxy, and kbsync cannot use one.",
            hint="Set HTTPS_PROXY to an HTTP proxy, or unset ALL_PROXY, HTTPS_PROXY and HTTP_PROXY.",
        ) from exc
    except OSError as exc:
        raise ConfigError(
            f"The certificates to trust cannot be loaded: {exc.strerror or exc}.",
            hint="Check the paths in SSL_CERT_FILE and SSL_CERT_DIR.",
        ) from exc
    except (httpx.InvalidURL, ValueError) as exc:
        raise ConfigError(
            f"The environment names a proxy that kbsync cannot use: {visible(str(exc))}.",
            hint="Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY.",
        ) from exc


def _until(until_s: float, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks of a body, up to a moment. What ends after that, nobody waits for: its connection is closed."""
    for chunk in chain([b""], chunks):
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
