"""Carrying a fault out on the wire.

Also: the limits on requests: fixed windows that end with the clock's minute or hour. See docs/service.md, section 7.
"""

import asyncio
import re
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from kbsync.site.server import until

from .faults import Fault
from .http import JSON_TYPE, respond
from .refusals import REASONS, RESCUED_HTML, crashed, throttled
from .setup import Behaviour

MINUTE_S = 60
HOUR_S = 3600
UPLOAD = re.compile("/api/v1/accounts/[^/]+/upload")


@dataclass(slots=True)
class Throttle:
    """Counts requests. Everything but `/health` counts, refused requests and public pages too."""

    behaviour: Behaviour
    counted: Counter[tuple[str, float]] = field(default_factory=Counter)

    def refuses(self, scope: Scope, now_s: float) -> bool:
        """Count a request and tell whether it is one too many."""
        limits, client = self.behaviour, scope["client"][0] if scope["client"] else ""
        if scope["path"] == "/health":
            return False
        if self._is_beyond(limits.requests_per_minute, client, now_s // MINUTE_S):
            return True
        # From 4.16 on, reading the path counts too (docs/service.md, S142).
        methods = {"POST", "GET"} if limits.is_4_16 else {"POST"}
        is_upload = scope["method"] in methods and UPLOAD.fullmatch(scope["path"]) is not None
        return is_upload and self._is_beyond(limits.uploads_per_hour, scope["path"], now_s // HOUR_S)

    def _is_beyond(self, limit: int | None, whose: str, window: float) -> bool:
        self.counted[whose, window] += 1
        return limit is not None and self.counted[whose, window] > limit


NO_LINGER = struct.pack("ii", 1, 0)
"""Makes closing a socket a reset instead of an orderly end."""


@dataclass(slots=True)
class Held:
    """The requests that wait until somebody lets them go. Only the server's loop touches it."""

    waiting: set[asyncio.Event] = field(default_factory=set)

    async def wait(self, stopping: asyncio.Event) -> None:
        """Until the next release, but not longer than the server lives."""
        released = asyncio.Event()
        self.waiting.add(released)
        await until(stopping, released.wait())

    def release(self) -> None:
        """Let all go that wait now."""
        for released in self.waiting:
            released.set()
        self.waiting.clear()


@dataclass(frozen=True, slots=True)
class Wire:
    """The connection of one request: the ASGI way to answer, and the transport below it for what ASGI cannot do.

    ASGI, and so starlette, has no words for aborting a connection or for promising more bytes than come.

    `held` are all requests that wait to be released. `note` gets the status, 0 for no answer, just before the client
    can see it: who has an answer finds it logged.
    """

    scope: Scope
    receive: Receive
    to_client: Send
    stopping: asyncio.Event
    held: Held
    note: Callable[[int], None]

    @property
    def transport(self) -> asyncio.Transport:
        """The connection itself, as `LocalProtocol` hands it over."""
        transport: asyncio.Transport = self.scope["state"]["transport"]
        return transport

    async def send(self, message: Message) -> None:
        """Pass a part of an answer on."""
        if message["type"] == "http.response.start":
            self.note(message["status"])
        await self.to_client(message)

    async def send_half(self, message: Message) -> None:
        """Pass on an answer that promises its whole length, and close after half of its body."""
        if message["type"] == "http.response.start":
            await self.send(message)
            return
        body = message["body"]
        await self.send({**message, "body": body[: len(body) // 2], "more_body": True})
        await self._end(self.transport.close)

    async def answer(self, response: Response) -> None:
        """Send another answer than the right one."""
        await response(self.scope, self.receive, self.send)

    async def close(self) -> None:
        """Close the connection without an answer."""
        self.note(0)
        await self._end(self.transport.close)

    async def _end(self, end: Callable[[], None]) -> None:
        end()
        # To return before that without a whole answer is an error to uvicorn.
        while (await self.receive())["type"] != "http.disconnect":
            continue

    async def reset(self) -> None:
        """Abort the connection, so that the client reads a reset."""
        peer = self.transport.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.note(0)
        await self._end(self.transport.abort)

    async def wait(self, seconds: float) -> None:
        """Let time pass, but not longer than the server lives."""
        await until(self.stopping, asyncio.sleep(seconds))


async def unseen(_message: Message) -> None:
    """Where an answer goes that the client does not get."""


async def misbehave(fault: Fault, wire: Wire, work: Callable[[Send], Awaitable[None]]) -> None:
    """Answer a request wrongly. `work` does what was asked, and sends its answer where it is told to."""
    match fault.kind:
        case "latency" | "shift":  # The edit that comes with a shift is part of the work.
            await wire.wait(fault.seconds)
            await work(wire.send)
        case "hold":
            await wire.held.wait(wire.stopping)
            await work(wire.send)
        case "refuse":
            await wire.close()
        case "redirect":
            await wire.answer(respond(302, b"", RESCUED_HTML, {"location": fault.location}))
        case "cut":
            await work(wire.send_half)
        case "junk" | "empty":
            await work(unseen)
            await wire.answer(_nonsense(fault))
        case "hang" | "reset" | "status":
            if fault.when == "after":
                await work(unseen)
            await _fail(fault, wire)


def _nonsense(fault: Fault) -> Response:
    if fault.kind == "empty":
        return respond(200, kind="application/json")
    return respond(200, fault.junk, RESCUED_HTML if fault.junk.startswith("<") else JSON_TYPE)


async def _fail(fault: Fault, wire: Wire) -> None:
    if fault.kind == "status":
        await wire.answer(_failure(fault))
    elif fault.kind == "reset":
        await wire.reset()
    else:
        await wire.wait(fault.seconds)
        await wire.close()


def _failure(fault: Fault) -> Response:
    if fault.status == 429:
        response = throttled()
    elif fault.status == 500:
        response = crashed().response
    else:
        title = f"{fault.status} {REASONS.get(fault.status, 'Error')}"
        page = f"<html><head><title>{fault.status}</title></head><body><h1>{title}</h1></body></html>"
        response = respond(fault.status, page, "text/html")
    if fault.retry_after_s is not None:
        response.headers["retry-after"] = str(fault.retry_after_s)
    return response
