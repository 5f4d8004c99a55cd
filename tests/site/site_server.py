"""A small server for pages in tests: one thread, a free port of the loopback, a stream that the test feeds."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from typing import Any
from urllib.parse import urlsplit

from kbsync.site.assets import ASSETS, asset
from kbsync.site.pages import Page, render, render_live

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
HTML = "text/html; charset=utf-8"
JSON = "application/json"


@dataclass
class Served:
    """Pages by address, and the streams of the browsers that look at them.

    Args:
        pages: what there is; a test may change it at any time.
        indexes: search indexes by address.
        missing: the page for any other address.
    """

    pages: dict[str, Page]
    missing: Callable[[str], Page]
    indexes: dict[str, list[list[Any]]] = field(default_factory=dict)
    url: str = ""
    streams: list[tuple[str, Queue[bytes | None]]] = field(default_factory=list)
    taking: bool = True

    def show(self, url: str, page: Page) -> None:
        """Put a page at an address, and tell those who look at it."""
        self.pages[url] = page
        for at, queue in list(self.streams):
            if at == url:
                queue.put(event("page", {"html": render_live(page), "title": page.frame.title}))

    def tell(self, name: str) -> None:
        """Send an event without content to everybody."""
        for _, queue in list(self.streams):
            queue.put(event(name, {}))

    def hang_up(self, *, taking: bool) -> None:
        """End all streams; with `taking` false, take no new ones."""
        self.taking = taking
        for _, queue in list(self.streams):
            queue.put(None)


def with_sections(rows: list[list[Any]]) -> list[list[Any]]:
    """A text that has no headings is written as it is."""
    return [[*row[:4], [["", "", row[4]]] if isinstance(row[4], str) else row[4]] for row in rows]


def event(name: str, data: object) -> bytes:
    """One server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


@contextmanager
def served(site: Served) -> Iterator[Served]:
    """The site on a free port, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            name = path.removeprefix("/-/assets/")
            if path == "/-/events":
                self._stream(urlsplit(self.path).query)
            elif name in ASSETS and name != path:
                self._answer(200, *asset(name))
            elif path in site.indexes:
                self._answer(200, json.dumps({"articles": with_sections(site.indexes[path])}).encode(), JSON)
            elif path.endswith(".png"):
                self._answer(200, PIXEL, "image/png")
            else:
                page = site.pages.get(path)
                self._answer(200 if page else 404, render(page or site.missing(path)).encode(), HTML)

        def _answer(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.send_header("content-security-policy", POLICY)
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, query: str) -> None:
            from urllib.parse import parse_qs

            if not site.taking:
                self._answer(503, b"", "text/plain")
                return
            url = parse_qs(query)["page"][0]
            queue: Queue[bytes | None] = Queue()
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            page = site.pages.get(url)
            if page:
                queue.put(event("page", {"html": render_live(page), "title": page.frame.title}))
            site.streams.append((url, queue))
            try:
                self._pump(queue)
            except OSError:
                pass  # the page was left
            finally:
                site.streams.remove((url, queue))

        def _pump(self, queue: Queue[bytes | None]) -> None:
            while not ending.is_set():
                try:
                    message = queue.get(timeout=0.2)
                except Empty:
                    message = b": still here\n\n"
                if message is None:
                    return
                self.wfile.write(message)
                self.wfile.flush()

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    ending = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield site
    finally:
        ending.set()
        server.shutdown()
        server.server_close()
        thread.join()


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
