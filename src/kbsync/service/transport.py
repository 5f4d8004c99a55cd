"""Requests and their pace: one at a time is built, sent and counted, and sent again as `retry.py` says."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import msgspec

from kbsync.errors import AnswerLost, ConfigError, ServiceError, Throttled, Unreachable
from kbsync.service.exchange import Answer, Connections
from kbsync.service.log import Sent, shown_target
from kbsync.service.pace import Bucket, Gate
from kbsync.service.profile import TokenHeader, header_of
from kbsync.service.retry import THROTTLE_PATIENCE_S, UPLOAD, Retry, Tries

if TYPE_CHECKING:
    import random

__all__ = ["Answer", "Transport"]

SLOW_S = 5.0
SLOW_AGAIN_S = 30.0
"""After a note about slow answers, how long no other one follows: several threads wait side by side."""


ONCE = "POST"
"""The method whose requests are not repeated because of what was answered."""

UPLOADS_LATER = "What was uploaded is recorded. Push again later to upload the rest."


class File(msgspec.Struct, frozen=True):
    """A file to upload: the name of its field in the form, its own name, its media type, the bytes.

    `beside` are the other fields of the form.
    """

    part: str
    name: str
    kind: str
    data: bytes
    beside: Mapping[str, str] = msgspec.field(default_factory=dict)

    def __repr__(self) -> str:
        return f"File({self.name!r}, {len(self.data)} bytes)"


class Transport(msgspec.Struct, eq=False, dict=True):
    """Sends requests to one service.

    Args:
        base_url: scheme, host and port; paths are put behind it.
        token: goes into one header of every request that is not public, and nowhere else.
        timeout_s: for connecting, for each silence, and (four times that) for a whole answer.
        bucket: the pace; `gate`: how many at once.
        note: called about waits that people should know of.
        log: called with each request that was sent, by the thread that sent it.
        slow_s: after so many seconds without a whole answer.
        token_header: which header the token goes into.
        now, sleep, clock, rng: the world, handed in. `clock` gives seconds since 1970.

    Raises:
        ConfigError: `base_url` is not an address, the token cannot be sent in a header, or the proxy or certificates
            that the environment names cannot be used.
    """

    base_url: str
    token: str
    timeout_s: float
    bucket: Bucket
    gate: Gate
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time
    rng: random.Random | None = None
    requests: int = 0
    busy_s: float = 0.0
    note: Callable[[str], None] = lambda text: None
    log: Callable[[Sent], None] = lambda sent: None
    slow_s: float = SLOW_S
    token_header: TokenHeader = msgspec.field(default_factory=TokenHeader)
    _slow_noted_s: float = -math.inf
    _is_closed: bool = False
    _count_lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._retry = Retry(self.gate, self.now, self.clock, self.rng, self.note)
        _check_base_url(self.base_url)
        if not self.token.isascii() or not self.token.isprintable():
            raise ConfigError("The token has characters that cannot be sent.", hint="Copy the token again.")
        headers = {"Accept": "application/json"}
        self._connections = Connections(self.base_url, headers, self.timeout_s, self.gate.most + 1)

    def __repr__(self) -> str:
        return f"Transport({self.base_url!r})"  # Without the token.

    @property
    def latency_s(self) -> float:
        """How long a request took so far, on average; 0 before the first."""
        return self.busy_s / self.requests if self.requests else 0.0

    def close(self) -> None:
        """Close all connections, and send nothing any more."""
        self._is_closed = True
        self._connections.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        public: bool = False,
        file: File | None = None,
        repeat: bool = True,
        etag: str = "",
    ) -> Answer:
        """Ask, and repeat what is safe to repeat.

        Args:
            method: the HTTP method; GET is taken as safe to repeat, and an upload after a 503 with Retry-After.
            path: from `/`, already encoded.
            body: sent as JSON.
            query: parameters behind the path.
            public: leave the token out.
            file: sent as a form instead of a body. The limit of uploads by the hour is not waited for.
            repeat: False where a 5xx or silence is worth no second try: only what never left and 429 are sent again.
            etag: of an earlier answer; where that is still the answer it comes as 304, without a body.

        Raises:
            Unreachable: it never left, also not after some tries.
            AnswerLost: it left and no whole answer came.
            Throttled: 429 for longer than three of the service's windows.
            ServiceError: it cannot be sent, or this was closed.
        """
        tries = Tries()
        judged_as = ONCE if not repeat else UPLOAD if file else method
        while True:
            form = "" if public else self.token_header.form
            try:
                answer = self._send_once(method, path, tries, body=body, query=query, form=form, file=file, etag=etag)
            except (Unreachable, AnswerLost) as exc:
                before_next_s = self._retry.after_error_s(exc, judged_as, tries)
                tries.again = "no connection" if isinstance(exc, Unreachable) else "no answer"
                self.sleep(before_next_s)
                continue
            if form and self.token_header.is_another(form, answer.status, answer.headers.get("www-authenticate", "")):
                tries.again = str(answer.status)
                continue
            if answer.status == 429 and file is not None and self._is_of_uploads(answer, tries):
                raise Throttled(
                    f"{answer.asked}: The service answered 429 (too many uploads).", hint=UPLOADS_LATER, status=429
                )
            if (wait_s := self._retry.after_answer_s(answer, judged_as, tries)) is None:
                return answer
            tries.again = str(answer.status)
            self.sleep(wait_s)

    def wait_as_asked(self, answer: Answer) -> None:
        """Wait as long as a 503 to a write asks for, so that what became of the write can be looked up then."""
        if answer.status == 503 and (wait_s := self._retry.asked_s(answer)):
            self._retry.tell("503", wait_s)
            self.sleep(wait_s)

    def _is_of_uploads(self, answer: Answer, tries: Tries) -> bool:
        """Whether the 429 of an upload is the hour's, which has the same words as the minute's (docs/service.md, S13).

        The limit of the minute is one of all requests: another one right behind it is refused, too. Only what is seen
        twice counts, because a minute may end between the two.
        """
        if (asked_s := self._retry.asked_s(answer)) is not None:
            return asked_s >= THROTTLE_PATIENCE_S
        other = self._send_once("GET", "/api", Tries(), body=None, query=None, form="", file=None, etag="")
        tries.uploads_alone += other.status != 429
        return tries.uploads_alone == 2

    def _send_once(
        self,
        method: str,
        path: str,
        tries: Tries,
        *,
        body: Mapping[str, Any] | None,
        query: Mapping[str, Any] | None,
        form: str,
        file: File | None,
        etag: str,
    ) -> Answer:
        headers = header_of(form, self.token) if form else {}
        if etag:
            headers["If-None-Match"] = etag
        content = None
        if body is not None:
            content = msgspec.json.encode(body)
            headers["Content-Type"] = "application/json"
        try:
            files = {file.part: (file.name, file.data, file.kind)} if file else None
            request = self._connections.request(
                method,
                path,
                content=content,
                params=query or None,
                headers=headers,
                data=file.beside if file else None,
                files=files,
            )
        except (httpx.InvalidURL, ValueError) as exc:
            raise ServiceError(
                f"{method} {path}: The request cannot be sent: {exc}.", hint="Check [service] base_url."
            ) from exc
        self.bucket.take()
        with self.gate:
            if self._is_closed:
                raise ServiceError(f"{method} {path}: Not sent, because kbsync was stopped.")
            return self._exchange(request, tries)

    def _exchange(self, request: httpx.Request, tries: Tries) -> Answer:
        """Send it, count it and log it, whatever becomes of it."""
        tries.sent += 1
        at_s, started_s = self.clock(), self.now()
        status, error = None, ""
        try:
            answer = self._connections.exchange(request, secret=self.token, after_s=self.slow_s, note=self._note_slow)
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

    def _note_slow(self, asked: str, deadline_s: float) -> None:
        with self._count_lock:
            now_s = self.now()
            if now_s - self._slow_noted_s < SLOW_AGAIN_S:
                return
            self._slow_noted_s = now_s
        self.note(f"Still waiting for {asked}. kbsync waits up to {deadline_s:g} s for an answer.")


def _check_base_url(base_url: str) -> None:
    """Refuse what is not an address.

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
