"""Running a sandbox: in a thread for tests and for `base_url = "sandbox"`, in the foreground for `kbsync sandbox`."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Coroutine, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from kbsync.site.guard import Guard
from kbsync.site.server import listen, local_server, run

from .app import App, LoggedRequest
from .auth import World
from .claim import DataRefused, claim, write_address
from .faults import Faults
from .panel import Panel
from .schema import connect
from .setup import Behaviour, Setup
from .store import Store, apply_setup

T = TypeVar("T")


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
def _store(database: Path, setup: Setup, clock: Callable[[], float]) -> Iterator[Store]:
    with _refusing(database):
        connection = connect(database)
    with closing(connection):
        store = Store(connection, clock)
        with _refusing(database):
            apply_setup(store, setup)
        yield store


@contextmanager
def _refusing(database: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as exc:
        raise DataRefused(f"the sandbox's data in {database.name} cannot be used: {exc}") from exc


Serve: TypeAlias = Callable[[], Coroutine[object, object, None]]


def _listening(
    world: World, setup: Setup, host: str, port: int, *, names: Collection[str] = (), next_step: str = ""
) -> tuple[Sandbox, Serve]:
    app, (listener, base_url) = App(world, next_step), listen(host, port)
    server = local_server(Guard(app, host, names), app.stopping)
    return Sandbox(base_url, setup, app), partial(server.serve, sockets=[listener])


@contextmanager
def running(
    database: Path,
    setup: Setup,
    behaviour: Behaviour | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    clock: Callable[[], float] = time.time,
    names: Collection[str] = (),
    next_step: str = "",
) -> Iterator[Sandbox]:
    """A sandbox in a thread of its own, which ends with the block.

    Args:
        database: the file; one that exists is continued.
        setup: what is made where it is missing.
        behaviour: which version's manners; by default those of 4.16.
        host: the address to listen on.
        port: 0 takes any free one.
        clock: seconds since the epoch, for time stamps and limits.
        names: other Host names than those of this machine that it answers to, in lower case.
        next_step: what the practice panel says about what to do after an edit; "" for a plan in the project.

    Raises:
        DataRefused: the database cannot be used; a `DataInUse` where another sandbox has it.
        OSError: the address is taken.
    """
    with claim(database), _store(database, setup, clock) as store:
        world = World(store, behaviour or Behaviour())
        sandbox, serving = _listening(world, setup, host, port, names=names, next_step=next_step)
        with _in_a_thread(sandbox, serving):
            yield sandbox


@contextmanager
def _in_a_thread(sandbox: Sandbox, serving: Serve) -> Iterator[None]:
    started = threading.Event()

    async def main() -> None:
        sandbox.loop = asyncio.get_running_loop()
        started.set()
        await serving()

    thread = threading.Thread(target=asyncio.run, args=(main(),), name="sandbox", daemon=True)
    thread.start()
    started.wait()
    try:
        yield
    finally:
        if sandbox.loop is not None:
            sandbox.loop.call_soon_threadsafe(sandbox.app.stopping.set)
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
    """A sandbox in the foreground, until SIGINT or SIGTERM; otherwise like `running`.

    `ready` is called with the base URL as soon as requests may come.
    """
    with claim(database) as lock, _store(database, setup, time.time) as store:
        sandbox, serving = _listening(World(store, behaviour or Behaviour()), setup, host, port)
        write_address(lock, sandbox.base_url)
        ready(sandbox.base_url)
        run(serving())
