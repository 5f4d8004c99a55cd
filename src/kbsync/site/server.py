"""What the local servers (preview and sandbox) share: where they listen, and uvicorn set up for one machine.

Also: the HTTP protocol of the local servers: uvicorn's, which keeps quiet where it has answered by itself; ETags.
"""

import asyncio
import faulthandler
import hashlib
import os
import signal
import socket
import threading
from collections.abc import Awaitable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import uvicorn
from h11 import LocalProtocolError
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from kbsync.site.assets import asset, packed_asset


class LocalProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol, less its tracebacks, and with the connection in `scope["state"]["transport"]`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Remember the transport: uvicorn copies `app_state` into the scope of each request as `state`."""
        self.app_state = {**self.app_state, "transport": transport}
        super().connection_made(transport)

    def send_400_response(self, msg: str) -> None:
        """Refuse a request with a bad body. The application may have its beginning, and must not answer it, too."""
        try:
            super().send_400_response(msg)
        except LocalProtocolError:  # A HEAD has no body in its answer, and an answer that has begun has another.
            self.transport.close()
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()


T = TypeVar("T")

BACKLOG = 512
"""Connections that may wait to be accepted."""

KEEP_ALIVE_S = 60
"""Idle connections stay open this long; the real web server of a portal keeps them too."""

TICK_S = 1.0
"""How often the server renews the Date header. An idle server does nothing else."""

STOP_S = 1
"""Requests that are still running when the server stops have this long."""

END_S = 1.8
"""So long after a signal the process ends, whatever is still running in it."""

CHECK_S = 0.005
"""How often the server checks whether they have ended."""


def listen(host: str, port: int, *, or_any: bool = False) -> tuple[socket.socket, str]:
    """A listening socket, and its origin as a browser wants it: requests may come before the server runs.

    Args:
        host, port: where; port 0 takes any free one.
        or_any: take any free port where this one is taken.

    Raises:
        OSError: the address is taken, or does not belong to this machine.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    # asyncio switches Nagle's algorithm off only on sockets that say they are TCP. Without that, an answer in two
    # pieces waits 40 ms for the client's acknowledgement.
    listener = socket.socket(family, kind, protocol or socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        if or_any and port:
            return listen(host, 0)
        raise
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return listener, f"http://{f'[{shown}]' if ':' in shown else shown}:{listener.getsockname()[1]}"


class LocalServer(uvicorn.Server):
    """uvicorn's server, but it stops at once when asked to, and a signal ends the server and nothing else."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self.stopping = stopping

    async def main_loop(self) -> None:
        """Renew the date of the answers until it is time to stop."""
        # uvicorn does that at every tenth tick of its own, faster clock.
        while not await self.on_tick(0) and not self.stopping.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), TICK_S)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close everything, as uvicorn does it, but without its pauses of a tenth of a second."""
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(CHECK_S)
        for task in self.server_state.tasks:
            task.cancel()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM set `stopping`. Without this, uvicorn raises the signal again at the end."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop, is_ending = asyncio.get_running_loop(), False

        def stop(_number: int, _frame: object) -> None:
            nonlocal is_ending
            if not is_ending:
                _end_in_time()
            is_ending = True
            loop.call_soon_threadsafe(self.stopping.set)

        previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)


def run(serving: Coroutine[object, object, None]) -> None:
    """Serve until a signal comes, as the only work of this process.

    After a signal it ends within two seconds. A page that is being rendered cannot be stopped, nor can a thread that
    checks the tree: the process then ends with exit code 1.
    """
    try:
        asyncio.run(serving)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _end_in_time() -> None:
    # The interpreter's own watchdog needs no turn in Python, which a long search of a text gives to nobody.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    faulthandler.dump_traceback_later(END_S, exit=True, file=nowhere)


def local_server(app: ASGIApp, stopping: asyncio.Event) -> LocalServer:
    """A server for one ASGI application; `serve(sockets=[listener])` runs it until `stopping` is set."""
    config = uvicorn.Config(
        app,
        http=LocalProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_S,
    )
    return LocalServer(config, stopping)


async def until(stopping: asyncio.Event, work: Awaitable[T]) -> T | None:
    """What some work returns; None where the server stops first."""
    working, ending = asyncio.ensure_future(work), asyncio.ensure_future(stopping.wait())
    try:
        await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
        return await working if working.done() else None
    finally:
        working.cancel()
        ending.cancel()


def with_etag(request: Request, response: Response) -> Response:
    """The answer with its ETag, or 304 where the client has it already."""
    etag = f'W/"{hashlib.blake2b(response.body, digest_size=16).hexdigest()}"'
    response.headers["etag"] = etag
    if request.headers.get("if-none-match") != etag:
        return response
    kept = {name: text for name, text in response.headers.items() if name not in {"content-type", "content-length"}}
    return Response(status_code=304, headers=kept)


async def send_asset(request: Request) -> Response:
    """A stylesheet or script of the pages, packed for a browser that unpacks it."""
    name, headers = request.path_params["name"], {"cache-control": "no-cache", "vary": "accept-encoding"}
    try:
        body, kind = asset(name)
    except KeyError:
        return PlainTextResponse("There is no such file.\n", 404)
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["content-encoding"] = packed_asset(name), "gzip"
    return with_etag(request, Response(body, headers=headers, media_type=kind))
