"""Running a sandbox: in a thread for tests and for `base_url = "sandbox"`, in the foreground for `kbsync sandbox`.

Also: the HTTP protocol of the sandbox: uvicorn's, which also lets the application at the connection.

ASGI has no words for aborting a connection or for promising more bytes than come, and those are what the faults are
for. uvicorn copies `app_state` into the scope of each request as `state`, so that is where the transport goes.
"""

import asyncio
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from kbsync.site.guard import Guard
from kbsync.site.server import LocalProtocol, LocalServer, listen, local_server, origin_of, run

from .app import App, LoggedRequest
from .auth import World
from .claim import DataRefused, claim, write_address
from .faults import Faults
from .panel import Panel
from .schema import connect
from .setup import Behaviour, Setup
from .store import Store, apply_setup


class SandboxProtocol(LocalProtocol):
    """The HTTP/1.1 protocol of the local servers with the transport in `scope["state"]["transport"]`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Remember the transport for the requests of this connection."""
        self.app_state = {**self.app_state, "transport": transport}
        super().connection_made(transport)


T = TypeVar("T")

KEEP_ALIVE_S = 60
"""Idle connections stay open this long; the real web server keeps them too."""


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


def _server(app: App, host: str, names: frozenset[str] = frozenset()) -> LocalServer:
    return local_server(Guard(app, host, names), app.stopping, protocol=SandboxProtocol, keep_alive_s=KEEP_ALIVE_S)


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
    next_step: str = "",
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
        next_step: what the practice panel says about what to do after an edit; "" for a plan in the project.

    Raises:
        DataRefused: the database cannot be used; a `DataInUse` where another sandbox has it.
    """
    with claim(database), _prepared(database, setup, behaviour or Behaviour(), clock) as world:
        app = App(world, next_step)
        listener = listen(host, port)
        base_url = origin_of(listener, host)
        sandbox = Sandbox(base_url, setup, app)
        with _in_a_thread(sandbox, _server(app, host, names), listener):
            yield sandbox


@contextmanager
def _in_a_thread(sandbox: Sandbox, server: LocalServer, listener: socket.socket) -> Iterator[None]:
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
        app = App(world)
        listener = listen(host, port)
        base_url = origin_of(listener, host)
        write_address(lock, base_url)
        ready(base_url)
        run(_server(app, host).serve(sockets=[listener]))
