"""Requests and their pace: repeating what is safe, waiting when asked to, errors that say what was asked.

Only what is safe is repeated: a request that never left, 429, 503 with Retry-After, and reads. A write that ended in
silence is the caller's to look up; repeating it here could leave two articles.
"""

from __future__ import annotations

import math
import random
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec

from kbsync import __version__
from kbsync.errors import AnswerLost, ConfigError, Misbehaved, ServiceError, Throttled, Unreachable, Untrusted
from kbsync.hosts import LOOPBACK
from kbsync.model import visible
from kbsync.service.deadline import Deadlines
from kbsync.service.exchange import Answer, Slow, exchange, http_date_s
from kbsync.service.log import Sent, shown_target
from kbsync.service.pace import Bucket, Gate
from kbsync.service.unpack import ACCEPTED

__all__ = ["Answer", "Transport"]

CONNECT_TRIES = 4
READ_TRIES = 3
LOST_TRIES = 2
"""How often a read is sent whose answer does not come: each may take four times the timeout."""

THROTTLE_PATIENCE_S = 185
"""Three windows of a minute. Source: docs/service.md, S13: 429 has no Retry-After and ends on the clock minute."""

SLOW_S = 5.0
SLOW_AGAIN_S = 30.0
"""How long nothing more is said of slow answers: several threads wait side by side."""

TELL_FROM_S = 3.0
"""A wait that a person would wonder about."""

GATEWAY = frozenset({502, 503, 504})


UPLOADS_LATER = "What was uploaded is recorded. Push again later to upload the rest."


@dataclass(frozen=True, slots=True)
class File:
    """A file to upload: the name of its field in the form, its own name, its media type, the bytes.

    `beside` are the other fields of the form.
    """

    part: str
    name: str
    kind: str
    data: bytes = field(repr=False)
    beside: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Tries:
    """How often one request was sent and went wrong, by the way it did; `again` is why it is sent once more."""

    sent: int = 0
    again: str = ""
    unreachable: int = 0
    lost: int = 0
    failed: int = 0
    throttled: int = 0
    throttled_since_s: float = 0.0


@dataclass(slots=True)
class Transport:
    """Sends requests to one service.

    Args:
        base_url: scheme, host and port; paths are put behind it.
        token: goes into the header `api_access_token` of every request that is not public, and nowhere else.
        timeout_s: for connecting, for each silence, and (four times that) for a whole answer.
        bucket: the pace; `gate`: how many at once.
        note: called about waits that people should know of.
        log: called with each request that was sent, by the thread that sent it.
        slow_s: after so many seconds without a whole answer.
        now, sleep, clock, rng: the world, handed in. `clock` gives seconds since 1970.

    Raises:
        ConfigError: `base_url` is not an address, or the token cannot be sent in a header.
    """

    base_url: str
    token: str = field(repr=False)
    timeout_s: float
    bucket: Bucket
    gate: Gate
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time
    rng: random.Random = field(default_factory=random.Random)
    requests: int = 0
    busy_s: float = 0.0
    note: Callable[[str], None] = lambda text: None
    log: Callable[[Sent], None] = lambda sent: None
    slow_s: float = SLOW_S
    _client: httpx.Client = field(init=False, repr=False)
    _deadlines: Deadlines = field(init=False, repr=False, default_factory=Deadlines)
    _noted_until_s: float = field(init=False, default=-math.inf)
    _slow_noted_s: float = field(init=False, default=-math.inf)
    _count_lock: threading.Lock = field(init=False, repr=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        host = _check_base_url(self.base_url)
        if not self.token.isascii() or not self.token.isprintable():
            raise ConfigError("The token has characters that cannot be sent.", hint="Copy the token again.")
        try:
            self._client = self._open_client(trust_env=host not in LOOPBACK)
        except ImportError as exc:  # httpx says so where the package for SOCKS is not installed.
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

    def _open_client(self, *, trust_env: bool) -> httpx.Client:
        return httpx.Client(
            base_url=self.base_url,
            timeout=httpx.Timeout(self.timeout_s),
            # The gate bounds them; an exchange that was left behind must not take another one's place.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=self.gate.most + 1),
            headers={
                "Accept": "application/json",
                "Accept-Encoding": ACCEPTED,
                "User-Agent": f"kbsync/{__version__}",
            },
            follow_redirects=False,
            # Plain http needs no certificates, and loading them takes as long as a plan. Not one is trusted then.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if self.base_url.startswith("http:") else True,
            # A proxy for the world is not for this machine.
            trust_env=trust_env,
        )

    @property
    def latency_s(self) -> float:
        """How long a request took so far, on average; 0 before the first."""
        return self.busy_s / self.requests if self.requests else 0.0

    def close(self) -> None:
        """Close all connections, and end the threads that wait for answers."""
        self._deadlines.close()
        self._client.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        public: bool = False,
        file: File | None = None,
    ) -> Answer:
        """Ask, and repeat what is safe to repeat.

        Args:
            method: the HTTP method; GET is taken as safe to repeat.
            path: from `/`, already encoded.
            body: sent as JSON.
            query: parameters behind the path.
            public: leave the token out.
            file: sent as a form instead of a body. A limit of uploads lasts for an hour, so its end is not waited for.

        Raises:
            Unreachable: it never left, also not after some tries.
            AnswerLost: it left and no whole answer came.
            Throttled: 429 for longer than three of the service's windows.
        """
        tries = _Tries()
        while True:
            try:
                answer = self._send_once(method, path, tries, body=body, query=query, public=public, file=file)
            except (Unreachable, AnswerLost) as exc:
                before_next_s = self._wait_after_error_s(exc, method, tries)
                tries.again = "no connection" if isinstance(exc, Unreachable) else "no answer"
                self.sleep(before_next_s)
                continue
            if answer.status == 429 and file is not None and self._retry_after_s(answer) is None:
                raise Throttled(
                    f"{answer.asked}: The service answered 429 (too many uploads).", hint=UPLOADS_LATER, status=429
                )
            if (wait_s := self._wait_after_answer_s(answer, method, tries)) is None:
                return answer
            tries.again = str(answer.status)
            self.sleep(wait_s)

    def _send_once(
        self,
        method: str,
        path: str,
        tries: _Tries,
        *,
        body: Mapping[str, Any] | None,
        query: Mapping[str, Any] | None,
        public: bool,
        file: File | None,
    ) -> Answer:
        headers = {} if public else {"api_access_token": self.token}
        content = None
        if body is not None:
            content = msgspec.json.encode(body)
            headers["Content-Type"] = "application/json"
        try:
            form = {file.part: (file.name, file.data, file.kind)} if file else None
            request = self._client.build_request(
                method,
                path,
                content=content,
                params=query or None,
                headers=headers,
                data=file.beside if file else None,
                files=form,
            )
        except (httpx.InvalidURL, ValueError) as exc:
            raise ServiceError(
                f"{method} {path}: The request cannot be sent: {exc}.", hint="Check [service] base_url."
            ) from exc
        self.bucket.take()
        with self.gate:
            return self._exchange(request, tries)

    def _exchange(self, request: httpx.Request, tries: _Tries) -> Answer:
        """Send it, count it and log it, whatever becomes of it."""
        tries.sent += 1
        at_s, started_s = self.clock(), self.now()
        status, error = None, ""
        slow = Slow(self.slow_s, self._note_slow)
        try:
            answer = exchange(
                self._client, request, self._deadlines, timeout_s=self.timeout_s, secret=self.token, slow=slow
            )
            status = answer.status
            return answer
        except ServiceError as exc:
            # Its message begins with what was asked.
            error = exc.message.partition(": ")[2]
            raise
        finally:
            took_s = self.now() - started_s
            with self._count_lock:
                self.requests += 1
                self.busy_s += took_s
            target = shown_target(request.url.raw_path, self.token)
            self.log(Sent(at_s, request.method, target, status, took_s, tries.sent, tries.again, error))

    def _wait_after_error_s(self, exc: ServiceError, method: str, tries: _Tries) -> float:
        """How long to wait before the request is sent again, seconds; raises what it was given where it must not be."""
        if isinstance(exc, Untrusted):
            raise exc
        if isinstance(exc, Unreachable):
            tries.unreachable += 1
            if tries.unreachable < CONNECT_TRIES:
                return self._backoff_s(tries.unreachable)
        elif method == "GET" and not isinstance(exc, Misbehaved):
            tries.lost += 1
            if tries.lost < LOST_TRIES:
                return self._backoff_s(tries.lost)
        raise exc

    def _wait_after_answer_s(self, answer: Answer, method: str, tries: _Tries) -> float | None:
        """How long to wait before the request is sent again, seconds; None where the answer is the answer."""
        if answer.status == 429:
            self.gate.throttled()
            return self._throttle_wait_s(answer, tries)
        self.gate.answered()
        tries.failed += 1
        if not self._repeatable(answer, method) or tries.failed >= READ_TRIES:
            return None
        return self._retry_after_s(answer) or self._backoff_s(tries.failed)

    def _repeatable(self, answer: Answer, method: str) -> bool:
        if answer.status == 503 and self._retry_after_s(answer) is not None:
            return True
        # A gateway error says nothing about whether the request was carried out, so only reads are repeated.
        return method == "GET" and (answer.status in GATEWAY or answer.status == 500)

    def _backoff_s(self, tries: int) -> float:
        """0.2 s, 0.4 s, 0.8 s … at most 5 s, with jitter so that many clients do not march in step."""
        return float(min(5.0, 0.2 * 2 ** (tries - 1))) * self.rng.uniform(0.75, 1.25)

    def _throttle_wait_s(self, answer: Answer, tries: _Tries) -> float:
        """What Retry-After says; else short waits first, growing, never beyond the end of the clock minute."""
        tries.throttled += 1
        if tries.throttled == 1:
            tries.throttled_since_s = self.now()
        elif self.now() - tries.throttled_since_s > THROTTLE_PATIENCE_S:
            raise Throttled(
                f"{answer.asked}: The service still answers 429 (too many requests) after {THROTTLE_PATIENCE_S} s.",
                hint="Lower [pace] requests_per_minute, or wait until others are done.",
                status=429,
            )
        wait_s = self._next_try_s(answer, tries)
        if wait_s >= TELL_FROM_S and self._is_news(wait_s):
            self.note(f"The service answers 429 (too many requests). Trying again in {wait_s:.0f} s.")
        return wait_s

    def _note_slow(self, asked: str, deadline_s: float) -> None:
        with self._count_lock:
            now_s = self.now()
            if now_s - self._slow_noted_s < SLOW_AGAIN_S:
                return
            self._slow_noted_s = now_s
        self.note(f"Still waiting for {asked}. kbsync waits up to {deadline_s:g} s for an answer.")

    def _is_news(self, wait_s: float) -> bool:
        """Whether this wait was not reported yet: all threads are throttled at once, and wait side by side."""
        with self._count_lock:
            now_s = self.now()
            if now_s < self._noted_until_s:
                return False
            self._noted_until_s = now_s + wait_s
            return True

    def _next_try_s(self, answer: Answer, tries: _Tries) -> float:
        if (asked_s := self._retry_after_s(answer)) is not None:
            # A service that says 0 and goes on saying 429 is not asked as fast as it answers.
            return max(asked_s, 0.1)
        window_s = 60 - self.clock() % 60 + 0.5
        return min(window_s, 0.5 * float(2 ** min(tries.throttled - 1, 6)) * self.rng.uniform(0.75, 1.25))

    def _retry_after_s(self, answer: Answer) -> float | None:
        """What Retry-After says, in seconds or as a date, but no longer than patience lasts."""
        text = answer.headers.get("retry-after", "").strip()
        if text.isdecimal():
            return min(float(text), THROTTLE_PATIENCE_S)
        if (moment_s := http_date_s(text)) is None:
            return None
        return min(max(0.0, moment_s - self.clock()), THROTTLE_PATIENCE_S)


def _check_base_url(base_url: str) -> str:
    """The host of an address.

    Raises:
        ConfigError: it is not an address.
    """
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
        httpx.URL(base_url)
    except (ValueError, httpx.InvalidURL):
        host, port = None, None
    if not host or port == 0 or parts.scheme not in {"http", "https"}:
        raise ConfigError(
            f"[service] base_url: expected an address such as https://support.example.com, found {base_url!r}.",
            hint="Fix [service] base_url.",
        )
    return host
