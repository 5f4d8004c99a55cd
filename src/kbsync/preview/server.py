"""Runs the preview: an address to listen on, the application behind it, and an end at Ctrl-C."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress

from kbsync.preview.app import App
from kbsync.preview.checking import Project
from kbsync.preview.comparer import Ask
from kbsync.preview.debounce import Sleep
from kbsync.preview.debts import FindDebts
from kbsync.preview.file_plan import FindPlans
from kbsync.preview.live import Live
from kbsync.site import server as site

DEFAULT_PORT = 4004


def listen(host: str, port: int, *, or_any: bool) -> tuple[socket.socket, str]:
    """A listening socket and its address as a browser wants it.

    Args:
        host, port: where; port 0 takes any free one.
        or_any: take any free port where this one is taken.

    Raises:
        OSError: the address is taken, or does not belong to this machine.
    """
    try:
        listener = site.listen(host, port)
    except OSError:
        if not (or_any and port):
            raise
        listener = site.listen(host, 0)
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return listener, f"{site.origin_of(listener, shown)}/"


async def serve(
    listener: socket.socket,
    host: str,
    project: Project,
    reload: Callable[[], Project],
    *,
    note: Callable[[str], None] = lambda _text: None,
    poll: bool = False,
    ask: Ask | None = None,
    find_debts: FindDebts | None = None,
    find_plans: FindPlans | None = None,
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
        find_debts: how translations are to their originals; None: nothing is shown of that.
        find_plans: makes the plan that the pages show; None: they show none.
        ready: called with the application before the first request.
        sleep: waits so many seconds.
    """
    live = Live(project, reload, note, poll, ask, sleep, find_debts, find_plans)
    app = App(live, host)
    ready(app)
    server = site.local_server(app, app.stopping)
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
    app.live.subscribers.end()
