"""A small web on loopback: each path behaves in its own way, and what was asked is remembered."""

import ssl
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Web:
    """The server, and what it was asked: `GET /path` to how often, and the headers of the last request."""

    origin: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    headers: dict[str, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str) -> tuple[int, dict[str, str]]:
        """Status and headers: `/status/404`, `/to/ADDRESS`, or 200."""
        if path.startswith("/status/"):
            return int(path.rpartition("/")[2]), {}
        return (302, {"Location": path.removeprefix("/to/")}) if path.startswith("/to/") else (200, {})


class Quiet(BaseHTTPRequestHandler):
    """Answers without a line about it."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext | None = None) -> Iterator[int]:
    """A server on loopback, for as long as it is needed; its port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def running_web() -> Iterator[Web]:
    """The web, for as long as it is needed."""
    web = Web()

    class Handler(Quiet):
        def do_HEAD(self) -> None:
            with web.lock:
                web.asked[f"{self.command} {self.path}"] += 1
                web.headers = dict(self.headers.items())
            status, headers = web.answer(self.path)
            self.send_response(status)
            for name, value in {"Content-Length": "0", **headers}.items():
                self.send_header(name, value)
            self.end_headers()

        do_GET = do_HEAD  # noqa: N815 - the name that the library calls

    with serving(Handler) as port:
        web.origin = f"http://127.0.0.1:{port}"
        yield web
