"""Runs the preview: an address to listen on, the application behind it, and an end at Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn

from kbsync.preview.app import App
from kbsync.preview.checking import Project
from kbsync.preview.gather import Sleep
from kbsync.preview.live import Live
from kbsync.preview.portal import Ask
from kbsync.site.protocol import LocalProtocol

DEFAULT_PORT = 4004
BACKLOG = 512

TICK_S = 1.0
"""How often the server looks at its clock, to renew the Date header: that is all that an idle preview does."""

STOP_S = 2
"""Requests that are still running at the end have this long."""


def listen(host: str, port: int, *, or_any: bool) -> tuple[socket.socket, str]:
    """A listening socket and its address as a browser wants it.

    Args:
        host, port: where; port 0 takes any free one.
        or_any: take any free port where this one is taken.

    Raises:
        OSError: the address is taken, or does not belong to this machine.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    # Named, because asyncio switches Nagle's algorithm off only on sockets that say they are TCP.
    listener = socket.socket(family, kind, protocol or socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        if not (or_any and port):
            raise
        return listen(host, 0, or_any=False)
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    name = f"[{shown}]" if ":" in shown else shown
    return listener, f"http://{name}:{listener.getsockname()[1]}/"


class _Server(uvicorn.Server):
    """uvicorn's server, but it waits for its end instead of asking ten times a second whether it has come."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self.stopping = stopping

    async def main_loop(self) -> None:
        """Renew the date of the answers until it is time to stop."""
        # uvicorn does that at every tenth tick of its own, faster clock.
        while not await self.on_tick(0) and not self.stopping.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), TICK_S)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A signal ends the server and nothing else."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()

        def stop(_number: int, _frame: object) -> None:
            loop.call_soon_threadsafe(self.stopping.set)

        previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)


async def serve(
    listener: socket.socket,
    host: str,
    project: Project,
    reload: Callable[[], Project],
    *,
    note: Callable[[str], None] = lambda _text: None,
    poll: bool = False,
    ask: Ask | None = None,
    ready: Callable[[App], None] = lambda _app: None,
    sleep: Sleep = asyncio.sleep,
) -> None:
    """Serve until a signal comes, or until the application's `stopping` is set.

    Args:
        listener, host: what `listen` gave, and the host it was asked for.
        project: settings and profile.
        reload: reads them again.
        note: says something to the person at the terminal.
        poll: walk the tree every second instead of listening to the system.
        ask: asks the portal, or looks into the ledger; None where there is neither.
        ready: called with the application before the first request.
        sleep: waits so many seconds.
    """
    live = Live(project, reload, note, poll, ask, sleep)
    app = App(live, host)
    ready(app)
    server = _Server(_config(app), app.stopping)
    following = asyncio.create_task(live.run())
    following.add_done_callback(lambda _task: app.stopping.set())
    ending = asyncio.create_task(_end_streams(app))
    try:
        await server.serve(sockets=[listener])
    finally:
        app.stopping.set()
        await ending
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


async def _end_streams(app: App) -> None:
    """A stream has no end of its own: the server would wait for it."""
    await app.stopping.wait()
    app.live.tabs.end()


def _config(app: App) -> uvicorn.Config:
    return uvicorn.Config(
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
        timeout_graceful_shutdown=STOP_S,
    )
