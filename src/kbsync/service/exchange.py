"""One exchange over the wire: a request out, the whole answer in, within a deadline and a size."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from queue import SimpleQueue
from typing import TypeVar

import httpx

from kbsync.errors import AnswerLost, ServiceError, Unreachable
from kbsync.model import visible
from kbsync.service.unpack import unpack

T = TypeVar("T")

MAX_BODY_BYTES = 64 * 1024 * 1024
"""A page of 25 articles of 20,000 characters is 2 MB at the most; this is an answer gone wild."""

DEADLINE_FACTOR = 4
"""A whole answer may take this many times the longest silence."""

WAKE_S = 0.5
"""No wait is longer without a check: a signal that comes just before a wait begins does not end it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `asked` is the request as a message shows it: method and path, never the token."""

    asked: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    secret: str = field(default="", repr=False)

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


def exchange(client: httpx.Client, request: httpx.Request, *, timeout_s: float, secret: str) -> Answer:
    """Send and read all of the answer.

    Raises:
        Unreachable: it never left.
        AnswerLost: it left, and no whole answer came.
        Misbehaved: the answer is too large, or packed wrongly.
        ServiceError: it cannot be sent at all.
    """
    asked = f"{request.method} {request.url.raw_path.partition(b'?')[0].decode('ascii')}"
    late = threading.Event()
    try:
        return within(DEADLINE_FACTOR * timeout_s, lambda: _read_all(client, request, asked, late, secret))
    except TimeoutError as exc:
        late.set()
        raise AnswerLost(
            f"{asked}: The answer was not complete after {DEADLINE_FACTOR * timeout_s:g} s.",
            hint="The service is slow or stuck. Try again later, or raise [service] timeout_s.",
        ) from exc
    except httpx.HTTPError as exc:
        raise _translated(exc, asked, timeout_s) from exc


def _read_all(client: httpx.Client, request: httpx.Request, asked: str, late: threading.Event, secret: str) -> Answer:
    response = client.send(request, stream=True)
    try:
        chunks = _until_late(response.iter_raw(), late)
        encoding = response.headers.get("content-encoding", "")
        body = unpack(chunks, encoding, asked=asked, most_bytes=MAX_BODY_BYTES)
    finally:
        response.close()
    return Answer(asked, response.status_code, response.headers, body, secret)


def _until_late(chunks: Iterable[bytes], late: threading.Event) -> Iterator[bytes]:
    """Chunks, for as long as anybody waits for them."""
    for chunk in chunks:
        if late.is_set():
            return
        yield chunk


class _Companion:
    """A thread beside the one that asks, so that asking can end at a deadline; made once, used for every exchange.

    A new thread for each exchange would cost a push a quarter of its speed.
    """

    def __init__(self) -> None:
        self.tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # The thread knows the queue and not its owner, so that the owner can go.
        threading.Thread(target=_work_off, args=(self.tasks,), name="exchange", daemon=True).start()

    def __del__(self) -> None:
        # The thread that asked is over, or has left this one behind: it ends when its exchange does.
        self.tasks.put(None)


def _work_off(tasks: SimpleQueue[Callable[[], None] | None]) -> None:
    while (task := tasks.get()) is not None:
        task()


_BESIDE = threading.local()


def within(deadline_s: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises, or TimeoutError after the deadline.

    httpx limits each silence, not their sum: an answer whose headers drip would take for ever, and so may a name that
    is never resolved. Neither can be interrupted, so it is left behind, in a thread that keeps no process alive.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as exc:  # noqa: BLE001 - handed over to the thread that waits for it
            done.set_exception(exc)

    companion: _Companion | None = getattr(_BESIDE, "companion", None)
    if companion is None:
        companion = _BESIDE.companion = _Companion()
    companion.tasks.put(run)
    until_s = time.monotonic() + deadline_s
    while True:
        try:
            return done.result(min(WAKE_S, max(0.0, until_s - time.monotonic())))
        except TimeoutError:
            if done.done():
                return done.result()
            if time.monotonic() >= until_s:
                del _BESIDE.companion
                raise


def _translated(exc: httpx.HTTPError, asked: str, timeout_s: float) -> ServiceError:
    if isinstance(exc, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout | httpx.ProxyError):
        return Unreachable(
            f"{asked}: {_origin(exc.request)} cannot be reached: {visible(str(exc)) or 'no connection'}.",
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


def _origin(request: httpx.Request) -> str:
    url = request.url
    return f"{url.scheme}://{url.netloc.decode('ascii')}"
