"""The sandbox as an ASGI application: it reads a request, finds the answer and sends it, or another on request."""

import asyncio
import hashlib
import time
from collections import deque
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import unquote

from kbsync.site.guard import check_request, read_headers

from . import api_upload
from .articles import touch_oldest
from .auth import World
from .control import Control, is_control, respond_to_control
from .faults import Faults
from .http import REVALIDATE, Halt, Part, Request, Response
from .misbehave import Held, Receive, Send, Throttle, Wire, Work, misbehave
from .params import read_query
from .refusals import error_page, malformed, throttled
from .routes import is_account_path, open_handler, read_call

Scope = dict[str, Any]

LOG_ROWS = 200_000
"""Older requests are forgotten."""

OVERRIDES = frozenset({"PATCH", "PUT", "DELETE"})
"""What a POST may turn into by X-HTTP-Method-Override. Source: tests/fixtures/observed, `method override header`."""


class LoggedRequest(NamedTuple):
    """One line of the log. `status` is 0 where nothing was answered; `at` is a monotonic time in seconds."""

    method: str
    path: str
    status: int
    at: float


@dataclass(slots=True)
class App:
    """The application. All of it runs in the server's event loop, so one request is carried out after the other.

    `host` is the address that it listens on, `names` are its other names. `next_step` is what the practice panel says
    about what to do after an edit, where that is not what `practice_panel` knows.
    """

    world: World
    host: str = "127.0.0.1"
    names: frozenset[str] = frozenset()
    next_step: str = ""
    faults: Faults = field(default_factory=Faults)
    log: deque[LoggedRequest] = field(default_factory=lambda: deque(maxlen=LOG_ROWS))
    throttle: Throttle = field(init=False)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    held: Held = field(default_factory=Held)

    def __post_init__(self) -> None:
        self.throttle = Throttle(self.world.behaviour)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        method, path, query = scope["method"], scope["raw_path"].decode("latin-1"), scope["query_string"]
        target = f"{path}?{query.decode('latin-1')}" if query else path
        own = is_control(path)
        headers = read_headers(scope["headers"])
        refusal = check_request(path, headers, self.host, self.names)
        note = _forget if own or refusal else partial(self._note, method, target)
        wire = Wire(send, receive, scope["state"]["transport"], self.stopping, self.held, note)
        body = await _read_body(receive)
        if body is None:
            return
        if refusal:
            await wire.answer(Response(refusal.status, refusal.words.encode(), "text/plain; charset=utf-8"))
            return
        if own:
            call = Control(method, path, headers, body, query.decode("latin-1"))
            await wire.answer(respond_to_control(self, call))
            return
        fault = self.faults.pick(method, target)
        if self.world.behaviour.latency_s:
            await wire.wait(self.world.behaviour.latency_s)
        work = partial(self._work, scope, target, body)
        if fault is None:
            await wire.answer(await work())
        else:
            await misbehave(fault, wire, partial(self._shift, work) if fault.kind == "shift" else work)

    def _note(self, method: str, target: str, status: int) -> None:
        self.log.append(LoggedRequest(method, target, status, time.monotonic()))

    async def _shift(self, work: Work) -> Response:
        response = await work()
        touch_oldest(self.world.store)
        return response

    async def _work(self, scope: Scope, target: str, body: bytes) -> Response:
        try:
            request = read_request(scope, target, body)
            if self.throttle.refuses(request, self.world.store.clock()):
                return throttled()
            return with_etag(request, await self._respond(request))
        except Halt as halt:
            return halt.response

    async def _fetch(self, url: str) -> Part:
        return await asyncio.to_thread(api_upload.fetch, url, is_4_16=self.world.behaviour.is_4_16)

    async def _respond(self, request: Request) -> Response:
        if is_account_path(request.segments):
            handler, call = read_call(self.world, request)
            url = api_upload.external_url(call) if handler is api_upload.upload else None
            if url is not None:
                return api_upload.keep(call, await self._fetch(url))
            return handler(call)
        handler_without_account = open_handler(request)
        if handler_without_account is not None:
            return handler_without_account(self.world, request)
        if request.method in {"GET", "HEAD"} and request.segments[:1] == ("hc",):
            from .public import show_public

            return show_public(self.world, request)
        raise error_page(request, 404)


def _forget(_status: int) -> None:
    """The sandbox's own addresses are not logged."""


async def _read_body(receive: Receive) -> bytes | None:
    """The whole body, or None where the client went away before its end."""
    pieces, more = [], True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(pieces)


def read_request(scope: Scope, target: str, body: bytes) -> Request:
    """The request as a value.

    Raises:
        Halt: 400 for a path or query string that is not UTF-8.
    """
    headers, server = read_headers(scope["headers"]), scope["server"]
    client = scope["client"][0] if scope["client"] else ""
    method = scope["method"]
    override = headers.get("x-http-method-override", "").upper()
    if method == "POST" and override in OVERRIDES:
        method = override
    request = Request(method, target, (), "", {}, headers, body, client, server)
    try:
        segments = tuple(unquote(part, errors="strict") for part in target.partition("?")[0].split("/") if part)
    except UnicodeDecodeError as exc:
        raise malformed(request) from exc
    suffix = ""
    if segments[:1] == ("api",):
        segments, suffix = _split_suffix(segments)
    elif target.partition("?")[0].endswith(".json"):
        suffix = "json"
    bare = replace(request, segments=segments, suffix=suffix)
    query = read_query(bare, scope["query_string"])
    return replace(bare, query=query) if query else bare


def _split_suffix(segments: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    stem, dot, suffix = segments[-1].rpartition(".")
    return ((*segments[:-1], stem), suffix) if dot else (segments, "")


def with_etag(request: Request, response: Response) -> Response:
    """The answer with its ETag, or 304 where the client has it already."""
    if request.method not in {"GET", "HEAD"} or response.status != 200 or REVALIDATE not in response.headers:
        return response
    etag = f'W/"{hashlib.md5(response.body, usedforsecurity=False).hexdigest()}"'
    headers = (*response.headers, ("etag", etag))
    if request.headers.get("if-none-match") == etag:
        return Response(304, b"", "", headers)
    return Response(response.status, response.body, response.content_type, headers)
