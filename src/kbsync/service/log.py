"""What a log says of a request: what was asked, what came back, how long that took, and why it was asked again.

Never the token, no body, and of the query only what is known to be harmless. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import quote

import msgspec

SHOWN_KEYS = frozenset({b"page", b"locale", b"status", b"category_slug"})
"""Parameters that kbsync sends itself. The value of any other could be a secret or somebody's address."""


class Sent(msgspec.Struct, frozen=True):
    """One request, sent once.

    Args:
        at_s: when it left, seconds since 1970.
        method: the HTTP method.
        target: path and query as `shown_target` gives them.
        status: of the answer; None where there was none.
        took_s: until the whole answer was there, without the waiting for its turn.
        attempt: 1 for the first of a request.
        again: why it was sent again, "" for a first attempt.
        error: what happened instead of an answer.
    """

    at_s: float
    method: str
    target: str
    status: int | None
    took_s: float
    attempt: int = 1
    again: str = ""
    error: str = ""

    @property
    def line(self) -> str:
        """`2026-11-22T09:30:00.123Z GET /api/v1/profile 200 12 ms attempt 2 (after 429)`."""
        moment = datetime.fromtimestamp(self.at_s, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return " ".join((moment, self.method, self.target, *self._ending()))

    def _ending(self) -> Iterator[str]:
        yield str(self.status) if self.status is not None else "-"
        yield f"{self.took_s * 1000:.0f} ms"
        if self.attempt > 1:
            yield f"attempt {self.attempt} (after {self.again})"
        if self.error:
            yield self.error


def shown_target(raw: bytes, secret: str) -> str:
    """Path and query of a request as a log may show them.

    Args:
        raw: as they are sent.
        secret: the token, which is in neither; here it would be taken out.
    """
    path, mark, query = raw.partition(b"?")
    pairs = [pair.partition(b"=") for pair in query.split(b"&") if pair]
    shown = b"&".join(key + b"=" + (value if key in SHOWN_KEYS else b"[hidden]") for key, _, value in pairs)
    text = (path + mark + shown).decode("ascii", "replace")
    return text.replace(quote(secret, safe=""), "[token]") if secret else text
