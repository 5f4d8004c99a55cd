"""Carrying a fault out on the wire.

Also: the limits on requests: fixed windows that end with the clock's minute or hour. See docs/service.md, section 7.
"""

import asyncio
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kbsync.site.guard import HEADERS

from .faults import Fault
from .http import JSON_TYPE, Request, Response
from .refusals import REASONS, RESCUED_HTML, throttled
from .setup import Behaviour

MINUTE_S = 60
HOUR_S = 3600


@dataclass(slots=True)
class Throttle:
    """Counts requests. Everything but `/health` counts, refused requests and public pages too."""

    behaviour: Behaviour
    minute: int = 0
    hour: int = 0
    by_client: Counter[str] = field(default_factory=Counter)
    by_account: Counter[str] = field(default_factory=Counter)

    def refuses(self, request: Request, now_s: float) -> bool:
        """Count a request and tell whether it is one too many."""
        if request.segments == ("health",):
            return False
        self._turn(now_s)
        limits = self.behaviour
        self.by_client[request.client] += 1
        if limits.requests_per_minute is not None and self.by_client[request.client] > limits.requests_per_minute:
            return True
        if limits.uploads_per_hour is None or not self._is_upload(request):
            return False
        account = request.segments[3]
        self.by_account[account] += 1
        return self.by_account[account] > limits.uploads_per_hour

    def _is_upload(self, request: Request) -> bool:
        # From 4.16 on, reading the path counts too (docs/service.md, S142).
        methods = {"POST", "GET"} if self.behaviour.is_4_16 else {"POST"}
        path = request.segments
        return (
            request.method in methods
            and len(path) == 5
            and path[:3] == ("api", "v1", "accounts")
            and path[4] == "upload"
        )

    def _turn(self, now_s: float) -> None:
        if self.minute != now_s // MINUTE_S:
            self.minute = int(now_s // MINUTE_S)
            self.by_client.clear()
        if self.hour != now_s // HOUR_S:
            self.hour = int(now_s // HOUR_S)
            self.by_account.clear()


Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Work = Callable[[], Awaitable[Response]]

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
        waits = [asyncio.ensure_future(event.wait()) for event in (released, stopping)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    def release(self) -> None:
        """Let all go that wait now."""
        for released in self.waiting:
            released.set()
        self.waiting.clear()


@dataclass(frozen=True, slots=True)
class Wire:
    """The connection of one request: the ASGI way to answer, and the transport below it for what ASGI cannot do.

    `held` are all requests that wait to be released. `note` gets the status, 0 for no answer, just before the client
    can see it: who has an answer finds it logged.
    """

    send: Send
    receive: Receive
    transport: asyncio.Transport
    stopping: asyncio.Event
    held: Held
    note: Callable[[int], None]

    async def answer(self, response: Response, *, cut: bool = False) -> None:
        """Send an answer; a cut one promises its whole length, sends half and closes."""
        self.note(response.status)
        headers = [(name.encode(), text.encode("latin-1", "replace")) for name, text in (*HEADERS, *response.headers)]
        if response.status != 304:
            headers.append((b"content-type", response.content_type.encode()))
            headers.append((b"content-length", str(len(response.body)).encode()))
        await self.send({"type": "http.response.start", "status": response.status, "headers": headers})
        if not cut:
            await self.send({"type": "http.response.body", "body": response.body})
            return
        half = response.body[: len(response.body) // 2]
        await self.send({"type": "http.response.body", "body": half, "more_body": True})
        self.transport.close()
        await self._gone()

    async def close(self) -> None:
        """Close the connection without an answer."""
        self.note(0)
        self.transport.close()
        await self._gone()

    async def _gone(self) -> None:
        # To return before that without a whole answer is an error to uvicorn.
        while (await self.receive())["type"] != "http.disconnect":
            continue

    async def reset(self) -> None:
        """Abort the connection, so that the client reads a reset."""
        self.note(0)
        peer = self.transport.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.transport.abort()
        await self._gone()

    async def wait(self, seconds: float) -> None:
        """Let time pass, but not longer than the server lives."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)


async def misbehave(fault: Fault, wire: Wire, work: Work) -> None:
    """Answer a request wrongly. A shift answers rightly; the edit that comes with it is part of `work`."""
    match fault.kind:
        case "latency" | "shift":
            await wire.wait(fault.seconds)
            await wire.answer(await work())
        case "hold":
            await wire.held.wait(wire.stopping)
            await wire.answer(await work())
        case "refuse":
            await wire.close()
        case "redirect":
            await wire.answer(Response(302, b"", RESCUED_HTML, (("location", fault.location),)))
        case "cut" | "junk" | "empty":
            await _spoil(fault, wire, await work())
        case "hang" | "reset" | "status":
            if fault.when == "after":
                await work()
            await _fail(fault, wire)


async def _spoil(fault: Fault, wire: Wire, response: Response) -> None:
    if fault.kind == "cut":
        await wire.answer(response, cut=True)
    elif fault.kind == "empty":
        await wire.answer(Response(200, b"", "application/json"))
    else:
        kind = RESCUED_HTML if fault.junk.startswith("<") else JSON_TYPE
        await wire.answer(Response(200, fault.junk.encode(), kind))


async def _fail(fault: Fault, wire: Wire) -> None:
    if fault.kind == "status":
        await wire.answer(_failure(fault))
    elif fault.kind == "reset":
        await wire.reset()
    else:
        await wire.wait(fault.seconds)
        await wire.close()


def _failure(fault: Fault) -> Response:
    retry = () if fault.retry_after_s is None else (("retry-after", str(fault.retry_after_s)),)
    if fault.status == 429:
        found = throttled()
        return Response(429, found.body, found.content_type, (*found.headers, *retry))
    reason = REASONS.get(fault.status, "Error")
    if fault.status == 500:
        body = f'{{"status":500,"error":"{reason}"}}'
        return Response(500, body.encode(), "application/json; charset=UTF-8", retry)
    page = f"<html><head><title>{fault.status}</title></head><body><h1>{fault.status} {reason}</h1></body></html>"
    return Response(fault.status, page.encode(), "text/html", retry)
