"""Whether a request is sent again, and after how long.

Only what is safe is repeated: a request that never left, 429, and reads. A write that ended in silence or a 5xx is the
caller's to look up; repeating it here could leave two articles, or hide behind a refusal that the first one succeeded.
"""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from kbsync.errors import Misbehaved, ServiceError, Throttled, Unreachable, Untrusted
from kbsync.service.exchange import Answer, http_date_s
from kbsync.service.pace import Gate

if TYPE_CHECKING:
    import random

CONNECT_TRIES = 4
READ_TRIES = 3
LOST_TRIES = 2
"""How often a read is sent whose answer does not come: each may take four times the timeout."""

THROTTLE_PATIENCE_S = 185
"""Three windows of a minute. Source: docs/service.md, S13: 429 has no Retry-After and ends on the clock minute."""

TELL_FROM_S = 3.0
"""A wait that a person would wonder about."""

GATEWAY = frozenset({502, 503, 504})

UPLOAD = "UPLOAD"
"""What an upload is judged as: a second copy of a file is harmless, and the first one cannot be looked up."""


class Tries(msgspec.Struct):
    """How often one request was sent and went wrong, by the way it did; `again` is why it is sent once more.

    `uploads_alone` is how often an upload was refused and another request was not.
    """

    sent: int = 0
    again: str = ""
    unreachable: int = 0
    lost: int = 0
    failed: int = 0
    throttled: int = 0
    throttled_since_s: float = 0.0
    uploads_alone: int = 0


class Retry(msgspec.Struct, eq=False):
    """Judges what came of a request, for all threads of one transport. See `Transport` for its parts."""

    gate: Gate
    now: Callable[[], float]
    clock: Callable[[], float]
    rng: random.Random | None
    note: Callable[[str], None]
    _noted_until_s: float = -math.inf
    _lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    def _about_one(self) -> float:
        """By how much a wait is longer or shorter: those who wait for the same thing do not all come back at once."""
        return (self.rng or random).uniform(0.75, 1.25)

    def after_error_s(self, exc: ServiceError, method: str, tries: Tries) -> float:
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

    def after_answer_s(self, answer: Answer, method: str, tries: Tries) -> float | None:
        """How long to wait before the request is sent again, seconds; None where the answer is the answer."""
        if answer.status == 429:
            self.gate.throttled()
            return self._throttle_wait_s(answer, tries)
        self.gate.answered()
        tries.failed += 1
        if not self._repeatable(answer, method) or tries.failed >= READ_TRIES:
            return None
        wait_s = self.asked_s(answer) or self._backoff_s(tries.failed)
        self.tell(str(answer.status), wait_s)
        return wait_s

    def _repeatable(self, answer: Answer, method: str) -> bool:
        # A 5xx says nothing about whether the request was carried out, so no write is repeated.
        if answer.status == 503 and self.asked_s(answer) is not None:
            return method in {"GET", "HEAD", UPLOAD}
        return method == "GET" and (answer.status in GATEWAY or answer.status == 500)

    def _backoff_s(self, tries: int) -> float:
        """0.2 s, 0.4 s, 0.8 s … at most 5 s, with jitter so that many clients do not march in step."""
        return float(min(5.0, 0.2 * 2 ** (tries - 1))) * self._about_one()

    def _throttle_wait_s(self, answer: Answer, tries: Tries) -> float:
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
        self.tell("429 (too many requests)", wait_s)
        return wait_s

    def tell(self, status: str, wait_s: float) -> None:
        """Say that a wait begins that a person would wonder about, unless that was said already."""
        if wait_s >= TELL_FROM_S and self._is_news(wait_s):
            self.note(f"The service answers {status}. Trying again in {wait_s:.0f} s.")

    def _is_news(self, wait_s: float) -> bool:
        """Whether this wait was not reported yet: all threads are throttled at once, and wait side by side."""
        with self._lock:
            now_s = self.now()
            if now_s < self._noted_until_s:
                return False
            self._noted_until_s = now_s + wait_s
            return True

    def _next_try_s(self, answer: Answer, tries: Tries) -> float:
        if (asked_s := self.asked_s(answer)) is not None:
            # A service that says 0 and goes on saying 429 is not asked as fast as it answers.
            return max(asked_s, 0.1)
        window_s = 60 - self.clock() % 60 + 0.5
        return min(window_s, 0.5 * float(2 ** min(tries.throttled - 1, 6)) * self._about_one())

    def asked_s(self, answer: Answer) -> float | None:
        """What Retry-After says, in seconds or as a date, but no longer than patience lasts."""
        text = answer.headers.get("retry-after", "").strip()
        if text.isdecimal():
            return min(float(text), THROTTLE_PATIENCE_S)
        if (moment_s := http_date_s(text)) is None:
            return None
        return min(max(0.0, moment_s - self.clock()), THROTTLE_PATIENCE_S)
