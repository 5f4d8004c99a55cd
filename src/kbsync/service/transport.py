"""One request and its answer: connection, deadline, size, repeating what is safe, errors that say what was asked.

Only what is safe is repeated: a request that never left, 429, 503 with Retry-After, and reads. A write that ended in
silence is the caller's to look up; repeating it here could leave two articles.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec

from kbsync import __version__
from kbsync.errors import AnswerLost, Misbehaved, ServiceError, Throttled, Unreachable
from kbsync.service.pace import Bucket, Gate

MAX_BODY_BYTES = 64 * 1024 * 1024
"""A page of 25 articles of 20,000 characters is 2 MB at the most; this is an answer gone wild."""

CONNECT_TRIES = 4
READ_TRIES = 3
THROTTLE_PATIENCE_S = 185
"""Three windows of a minute. Source: observed.md, surprise 13: 429 has no Retry-After and ends on the clock minute."""

GATEWAY = frozenset({502, 503, 504})
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `asked` is the request as a message shows it: method and path, never the token."""

    asked: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        """The media type, lower case, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def server_time_s(self) -> int | None:
        """The service's own clock when it answered, seconds since 1970; None where it does not say."""
        from email.utils import parsedate_to_datetime

        try:
            return int(parsedate_to_datetime(self.headers["date"]).timestamp())
        except (KeyError, ValueError):
            return None


@dataclass(slots=True)
class Transport:
    """Sends requests to one service.

    Args:
        base_url: scheme, host and port; paths are put behind it.
        token: goes into the header `api_access_token` of every request that is not public, and nowhere else.
        timeout_s: for connecting, for each silence, and (four times that) for a whole answer.
        bucket: the pace; `gate`: how many at once.
        now, sleep, clock, rng: the world, handed in. `clock` gives seconds since 1970.
    """

    base_url: str
    token: str
    timeout_s: float
    bucket: Bucket
    gate: Gate
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time
    rng: random.Random = field(default_factory=random.Random)
    requests: int = 0
    _client: httpx.Client = field(init=False)
    _count_lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        host = urlsplit(self.base_url).hostname or ""
        self._client = httpx.Client(
            base_url=self.base_url,
            timeout=httpx.Timeout(self.timeout_s),
            limits=httpx.Limits(max_connections=self.gate.most + 1, max_keepalive_connections=self.gate.most + 1),
            headers={"Accept": "application/json", "User-Agent": f"kbsync/{__version__}"},
            follow_redirects=False,
            # A proxy for the world is not for this machine.
            trust_env=host not in LOOPBACK,
        )

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        public: bool = False,
    ) -> Answer:
        """Ask, and repeat what is safe to repeat.

        Args:
            method: the HTTP method; GET is taken as safe to repeat.
            path: from `/`, already encoded.
            body: sent as JSON.
            query: parameters behind the path.
            public: leave the token out.

        Raises:
            Unreachable: it never left, also not after some tries.
            AnswerLost: it left and no whole answer came.
            Throttled: 429 for longer than three of the service's windows.
        """
        asked = f"{method} {path}"
        tries, throttled_since = 0, None
        while True:
            tries += 1
            try:
                answer = self._send_once(asked, method, path, body=body, query=query, public=public)
            except Unreachable:
                if tries >= CONNECT_TRIES:
                    raise
                self.sleep(self._backoff_s(tries))
                continue
            except AnswerLost:
                if method != "GET" or tries >= READ_TRIES - 1:
                    raise
                self.sleep(self._backoff_s(tries))
                continue
            if answer.status == 429:
                throttled_since = self.now() if throttled_since is None else throttled_since
                self.gate.throttled()
                if self.now() - throttled_since > THROTTLE_PATIENCE_S:
                    raise Throttled(
                        f"{asked}: still 429 (too many requests) after {THROTTLE_PATIENCE_S} s",
                        hint="lower [pace] requests_per_minute, or wait until others are done",
                        status=429,
                    )
                self.sleep(self._throttle_wait_s(answer, tries))
                continue
            self.gate.answered()
            if not self._repeatable(answer, method) or tries >= READ_TRIES:
                return answer
            self.sleep(self._retry_after_s(answer) or self._backoff_s(tries))

    def _send_once(
        self,
        asked: str,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None,
        query: Mapping[str, Any] | None,
        public: bool,
    ) -> Answer:
        headers = {} if public else {"api_access_token": self.token}
        content = None
        if body is not None:
            content = msgspec.json.encode(body)
            headers["Content-Type"] = "application/json"
        self.bucket.take()
        with self.gate:
            with self._count_lock:
                self.requests += 1
            try:
                return self._exchange(
                    asked,
                    self._client.build_request(method, path, content=content, params=query or None, headers=headers),
                )
            except (httpx.ConnectError, httpx.ConnectTimeout) as exc:
                raise Unreachable(
                    f"{asked}: {self.base_url} cannot be reached: {exc or 'no connection'}",
                    hint="check [service] base_url, the network, and that the service is up",
                ) from exc
            except httpx.TimeoutException as exc:
                raise AnswerLost(
                    f"{asked}: no answer within {self.timeout_s:g} s",
                    hint="the service is slow or stuck; try again later, or raise [service] timeout_s",
                ) from exc
            except httpx.DecodingError as exc:
                raise Misbehaved(f"{asked}: the answer cannot be decoded: {exc}") from exc
            except httpx.TransportError as exc:
                raise AnswerLost(
                    f"{asked}: the connection broke before the whole answer was here: {exc}",
                    hint="run the command again: what was done is looked up first",
                ) from exc
            except (httpx.InvalidURL, ValueError) as exc:
                raise ServiceError(f"{asked}: cannot be sent: {exc}", hint="check [service] base_url") from exc

    def _exchange(self, asked: str, request: httpx.Request) -> Answer:
        """Send and read all of the answer, within a deadline: a body that drips for ever is no answer either."""
        deadline_s = self.now() + 4 * self.timeout_s
        response = self._client.send(request, stream=True)
        try:
            chunks, size = [], 0
            for chunk in response.iter_bytes():
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_BODY_BYTES:
                    raise Misbehaved(f"{asked}: the answer is larger than {MAX_BODY_BYTES // 2**20} MiB")
                if self.now() > deadline_s:
                    raise AnswerLost(f"{asked}: the answer was not complete after {4 * self.timeout_s:g} s")
        finally:
            response.close()
        return Answer(asked, response.status_code, response.headers, b"".join(chunks))

    def _repeatable(self, answer: Answer, method: str) -> bool:
        if answer.status == 503 and self._retry_after_s(answer) is not None:
            return True
        # A gateway error says nothing about whether the request was carried out, so only reads are repeated.
        return method == "GET" and (answer.status in GATEWAY or answer.status == 500)

    def _backoff_s(self, tries: int) -> float:
        """0.2 s, 0.4 s, 0.8 s … at most 5 s, with jitter so that many clients do not march in step."""
        return float(min(5.0, 0.2 * 2 ** (tries - 1))) * self.rng.uniform(0.75, 1.25)

    def _throttle_wait_s(self, answer: Answer, tries: int) -> float:
        """What Retry-After says; else short waits first, growing, never beyond the end of the clock minute."""
        if (told_s := self._retry_after_s(answer)) is not None:
            return told_s
        window_s = 60 - self.clock() % 60 + 0.5
        return min(window_s, 0.5 * float(2 ** min(tries - 1, 6)) * self.rng.uniform(0.75, 1.25))

    def _retry_after_s(self, answer: Answer) -> float | None:
        text = answer.headers.get("retry-after", "").strip()
        return min(float(text), THROTTLE_PATIENCE_S) if text.isdecimal() else None
