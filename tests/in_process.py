"""Sandboxes that run in a test's own process, asked without a connection.

Parsing a request and its answer twice each, and the sockets between, are a third of what a push costs here. What is
about connections has one all the same: whatever a fault waits for, what another process asks, and all of
`tests/service`.
"""

import asyncio
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp, Message, Scope

from kbsync.sandbox import server
from kbsync.sandbox.server import Sandbox

RUNNING: dict[bytes, tuple[Sandbox, ASGIApp]] = {}
"""By host and port. One that has ended has no loop."""

listening = server._listening


def remembering(world: Any, setup: Any, host: str, port: int, **options: Any) -> tuple[Sandbox, server.Serve]:
    """A sandbox that is found by its address."""
    sandbox, serve = listening(world, setup, host, port, **options)
    RUNNING[httpx.URL(sandbox.base_url).netloc] = sandbox, server.Guard(sandbox.app, host)
    return sandbox, serve


class InProcess(httpx.HTTPTransport):
    """As uvicorn and its connections would do it."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        sandbox, app = RUNNING.get(request.url.netloc, (None, None))
        if sandbox is None or sandbox.loop is None or sandbox.faults.waiting or sandbox.faults.schedule:
            return super().handle_request(request)
        answering = answer_of(app, scope_of(request), request.read())
        start, *parts = asyncio.run_coroutine_threadsafe(answering, sandbox.loop).result()
        date = b"date", formatdate(usegmt=True).encode()
        body = httpx.ByteStream(b"".join(part.get("body", b"") for part in parts))
        return httpx.Response(start["status"], headers=[date, *start["headers"]], stream=body)


def scope_of(request: httpx.Request) -> Scope:
    path, _, query = request.url.raw_path.partition(b"?")
    return {
        "type": "http",
        "method": request.method,
        "path": path.decode("ascii"),
        "raw_path": path,
        "query_string": query,
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 1),
        "state": {},
    }


async def answer_of(app: ASGIApp, scope: Scope, body: bytes) -> list[Message]:
    """What the application sends for one request: the start, and the parts of the body."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


@pytest.fixture(scope="module", autouse=True)
def in_process() -> Iterator[None]:
    """For the folder whose conftest imports it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "_listening", remembering)
        patch.setattr("httpx._client.HTTPTransport", InProcess)
        yield
