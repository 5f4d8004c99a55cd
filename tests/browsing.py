"""A real browser, for the tests that are marked `browser`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from patience import GIVE_UP_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page


@contextmanager
def visits(browser: Browser, address: str, is_error: Callable[[ConsoleMessage], bool]) -> Iterator[Callable[..., Page]]:
    """Opens pages of an address, each in a browser of its own.

    At the end no script has failed, the console has no error, and no other host was asked for anything.
    """
    contexts, errors, asked = [], [], []

    def opened(url: str, *, script: str = "", **options: object) -> Page:
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
        context.set_default_timeout(GIVE_UP_S * 1000)
        contexts.append(context)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if is_error(message) else None)
        context.on("request", lambda request: asked.append(request.url))
        page.goto(address + url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for url in asked if not url.startswith((f"{address}/", "data:"))] == []


def serious(page: Page) -> list[str]:
    """What axe finds on a page that keeps somebody from using it."""
    from axe_playwright_python.sync_playwright import Axe

    return [
        f"{found['id']}: {node['html'][:120]} {node['any'][:1]}"
        for found in Axe().run(page).response["violations"]
        if found["impact"] in {"serious", "critical"}
        for node in found["nodes"]
    ]


@contextmanager
def local_server(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    """A server on a free port of the loopback, until the block ends; its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
