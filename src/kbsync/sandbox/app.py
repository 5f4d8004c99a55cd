"""The sandbox as an ASGI application: it reads a request, finds the answer and sends it, or another on request."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from .articles import touch_oldest
from .auth import World
from .control import PREFIX, control_routes
from .faults import Faults
from .http import Halt, refusal
from .misbehave import Held, Throttle, Wire, misbehave
from .params import read_pairs
from .refusals import bare, error_page, malformed, throttled
from .routes import service_routes

LOG_ROWS = 200_000
"""Older requests are forgotten."""

OVERRIDES = frozenset({"PATCH", "PUT", "DELETE"})
"""What a POST may turn into by X-HTTP-Method-Override. Source: tests/fixtures/observed, `method override header`."""

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})
"""What the service takes for a method at all."""


class LoggedRequest(NamedTuple):
    """One line of the log. `status` is 0 where nothing was answered; `at` is a monotonic time in seconds."""

    method: str
    path: str
    status: int
    at: float


@dataclass(slots=True)
class App:
    """The application. All of it runs in the server's event loop, so one request is carried out after the other.

    `next_step` is what the practice panel says about what to do after an edit, where that is not what `practice_panel`
    knows.
    """

    world: World
    next_step: str = ""
    faults: Faults = field(default_factory=Faults)
    log: deque[LoggedRequest] = field(default_factory=lambda: deque(maxlen=LOG_ROWS))
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    held: Held = field(default_factory=Held)
    throttle: Throttle = field(init=False)
    service: Starlette = field(init=False)

    def __post_init__(self) -> None:
        self.throttle = Throttle(self.world.behaviour)
        self.service = Starlette(
            routes=[*control_routes(self), *service_routes(self.world)],
            exception_handlers={Halt: _halted, 404: _no_route, 405: _no_route},
        )
        self.service.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, rightly or wrongly."""
        try:
            body = await Request(scope, receive).body()
        except ClientDisconnect:
            return

        async def receive_again() -> Message:
            return {"type": "http.request", "body": body}

        method, target = scope["method"], scope["path"]
        if target.startswith(PREFIX):
            await self.service(routed(scope), receive_again, send)
            return
        work = partial(self._work, scope, receive_again)
        if scope["query_string"]:
            target += f"?{scope['query_string'].decode('latin-1')}"
        fault = self.faults.pick(method, target)
        wire = Wire(scope, receive, send, self.stopping, self.held, partial(self._note, method, target))
        if self.world.behaviour.latency_s:
            await wire.wait(self.world.behaviour.latency_s)
        if fault is None:
            await work(wire.send)
        else:
            await misbehave(fault, wire, partial(self._shift, work) if fault.kind == "shift" else work)

    def _note(self, method: str, target: str, status: int) -> None:
        self.log.append(LoggedRequest(method, target, status, time.monotonic()))

    async def _work(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Do what a request to the service asks for."""
        try:
            scope = routed(scope)
        except Halt as halt:
            await halt.response(scope, receive, send)
            return
        is_refused = self.throttle.refuses(scope, self.world.store.clock())
        await (throttled() if is_refused else self.service)(scope, receive, send)

    async def _shift(self, work: Callable[[Send], Awaitable[None]], send: Send) -> None:
        """Edit an article between the work and its answer."""

        async def send_after_it(message: Message) -> None:
            if message["type"] == "http.response.start":
                touch_oldest(self.world.store)
            await send(message)

        await work(send_after_it)


async def _halted(_request: Request, halt: Any) -> Response:
    response: Response = halt.response
    return response


async def _no_route(request: Request, _exc: Exception) -> Response:
    path = request.scope["path"]
    if path.startswith(PREFIX):
        return refusal(404, {"error": "The sandbox has no such address."})
    if path.startswith("/api/v1/accounts/") and request.method not in METHODS:
        return bare(405).response
    return error_page(request, 404).response


def routed(scope: Scope) -> Scope:
    """A request as the routes take it: its path has no empty parts. The service knows more of it: `query` in its state
    has nested parameters, `suffix` is what follows the last dot of the path, where the API takes it for a format.

    Raises:
        Halt: 400 for a path or query string of the service that is not UTF-8.
    """
    request, suffix, method = Request(scope), "", scope["method"]
    parts = [part for part in scope["path"].split("/") if part]
    if scope["path"].startswith(PREFIX):
        return {**scope, "path": "/" + "/".join(parts)}
    try:
        unquote("/".join(parts), errors="strict")
    except UnicodeDecodeError as exc:
        raise malformed(request) from exc
    if parts[:1] == ["api"] and "." in parts[-1]:
        parts[-1], _, suffix = parts[-1].rpartition(".")
    override = request.headers.get("x-http-method-override", "").upper()
    if method == "POST" and override in OVERRIDES:
        method = override
    state = {**scope["state"], "query": read_pairs(request, scope["query_string"]), "suffix": suffix}
    return {**scope, "method": method, "path": "/" + "/".join(parts), "state": state}
