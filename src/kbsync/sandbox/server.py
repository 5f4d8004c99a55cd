"""Running a sandbox: in a thread for tests and for `base_url = "sandbox"`, in the foreground for `kbsync sandbox`."""

import asyncio
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import uvicorn

from .app import App, LoggedRequest
from .auth import World
from .claim import DataRefused, claim, tell_address
from .faults import Faults
from .panel import Panel
from .protocol import SandboxProtocol
from .schema import connect
from .setup import Behaviour, Setup
from .store import Store, apply_setup

T = TypeVar("T")

KEEP_ALIVE_S = 60
"""Idle connections stay open this long; the real web server keeps them too."""

BACKLOG = 512
"""Connections that may wait to be accepted."""

TICK_S = 0.1
"""uvicorn's own clock, by which it renews the Date header."""

STOP_S = 2
"""Requests that are still running when the sandbox stops have this long."""

LOOK_AGAIN_S = 0.005
"""How often it is looked whether they are over."""


@dataclass(slots=True)
class Sandbox:
    """A running sandbox."""

    base_url: str
    setup: Setup
    app: App
    loop: asyncio.AbstractEventLoop | None = field(default=None, repr=False)

    @property
    def faults(self) -> Faults:
        """What it does wrong on request."""
        return self.app.faults

    @property
    def requests(self) -> list[LoggedRequest]:
        """What was asked of it so far, oldest first; its own addresses are not in it."""
        return list(self.app.log)

    @property
    def held(self) -> int:
        """How many requests wait for `release`."""
        return len(self.app.held.waiting)

    def release(self) -> None:
        """Answer the requests that the fault `hold` stopped, and stop no more."""
        self.faults.clear()
        self.run(lambda _world: self.app.held.release())

    @property
    def panel(self) -> Panel:
        """A person in the panel: the first user of the setup."""
        return Panel(self.run, self.setup.users[0].id)

    def run(self, work: Callable[[World], T]) -> T:
        """Run a function in the server's thread and wait for what it returns."""
        if self.loop is None:
            return work(self.app.world)

        async def in_turn() -> T:
            return work(self.app.world)

        return asyncio.run_coroutine_threadsafe(in_turn(), self.loop).result()


class _Server(uvicorn.Server):
    """uvicorn's server, but it stops at once when asked to, and on a signal without raising it again at the end."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self.stopping = stopping

    async def main_loop(self) -> None:
        """Tick ten times a second, as uvicorn counts it, until it is time to stop."""
        tick = 0
        while not await self.on_tick(tick) and not self.stopping.is_set():
            tick += 1
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
                    await asyncio.sleep(LOOK_AGAIN_S)
        for task in self.server_state.tasks:
            task.cancel()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)


@contextmanager
def _prepared(database: Path, setup: Setup, behaviour: Behaviour, clock: Callable[[], float]) -> Iterator[World]:
    with _refusing(database):
        connection = connect(database)
    with closing(connection):
        store = Store(connection, clock)
        with _refusing(database):
            apply_setup(store, setup)
        yield World(store, behaviour)


@contextmanager
def _refusing(database: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as exc:
        raise DataRefused(f"the sandbox's data in {database.name} cannot be used: {exc}") from exc


def _listen(host: str, port: int) -> tuple[socket.socket, str]:
    """A listening socket, so that the address is known and requests may come before the server runs.

    The protocol is named because asyncio switches Nagle's algorithm off only on sockets that say they are TCP; without
    that, an answer in two pieces waits 40 ms for the client's acknowledgement.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol or socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    listener.listen(BACKLOG)
    name = f"[{host}]" if ":" in host else host
    return listener, f"http://{name}:{listener.getsockname()[1]}"


def _server(app: App) -> _Server:
    config = uvicorn.Config(
        app,
        http=SandboxProtocol,
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
    return _Server(config, app.stopping)


@contextmanager
def running(
    database: Path,
    setup: Setup,
    behaviour: Behaviour | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    clock: Callable[[], float] = time.time,
    names: frozenset[str] = frozenset(),
) -> Iterator[Sandbox]:
    """A sandbox in a thread of its own, which ends with the block.

    Args:
        database: the file; one that exists is continued.
        setup: what is made where it is missing.
        behaviour: which version's manners; by default those of 4.10.
        host: the address to listen on.
        port: 0 takes any free one.
        clock: seconds since the epoch, for time stamps and limits.
        names: other Host names than those of this machine that it answers to, in lower case.

    Raises:
        DataRefused: the database cannot be used; a `DataInUse` where another sandbox has it.
    """
    with claim(database), _prepared(database, setup, behaviour or Behaviour(), clock) as world:
        app = App(world, host, names)
        listener, base_url = _listen(host, port)
        sandbox = Sandbox(base_url, setup, app)
        with _in_a_thread(sandbox, _server(app), listener):
            yield sandbox


@contextmanager
def _in_a_thread(sandbox: Sandbox, server: _Server, listener: socket.socket) -> Iterator[None]:
    started = threading.Event()

    async def main() -> None:
        sandbox.loop = asyncio.get_running_loop()
        started.set()
        await server.serve(sockets=[listener])

    thread = threading.Thread(target=asyncio.run, args=(main(),), name="sandbox", daemon=True)
    thread.start()
    started.wait()
    try:
        yield
    finally:
        if sandbox.loop is not None:
            sandbox.loop.call_soon_threadsafe(server.stopping.set)
        thread.join()
        sandbox.loop = None


def serve(
    database: Path,
    setup: Setup,
    behaviour: Behaviour | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    ready: Callable[[str], None] = lambda base_url: None,
) -> None:
    """A sandbox in the foreground, until SIGINT or SIGTERM.

    Args:
        database: the file; one that exists is continued.
        setup: what is made where it is missing.
        behaviour: which version's manners; by default those of 4.10.
        host: the address to listen on.
        port: 0 takes any free one.
        ready: called with the base URL as soon as requests may come.

    Raises:
        DataRefused: the database cannot be used; a `DataInUse` where another sandbox has it.
        OSError: the address is taken.
    """
    with claim(database) as lock, _prepared(database, setup, behaviour or Behaviour(), time.time) as world:
        app = App(world, host)
        listener, base_url = _listen(host, port)
        tell_address(lock, base_url)
        ready(base_url)
        asyncio.run(_server(app).serve(sockets=[listener]))
