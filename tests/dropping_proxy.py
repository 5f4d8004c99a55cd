"""A proxy in front of a service, as nginx is by default: it drops the headers whose names have underscores."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from patience import GIVE_UP_S


@dataclass
class Proxy:
    """Where it is, and of each request what was asked, the names of its headers in small letters, and the status."""

    base_url: str = ""
    requests: list[tuple[str, frozenset[str], int]] = field(default_factory=list)

    def with_header(self, name: str) -> list[tuple[str, int]]:
        """The requests that came with a header, and how they were answered."""
        return [(asked, status) for asked, names, status in self.requests if name in names]


@contextmanager
def a_dropping_proxy(base_url: str, *, dropped: str = "_") -> Iterator[Proxy]:
    """A proxy that passes everything on but headers with this in their names."""
    found, behind = Proxy(), urlsplit(base_url).netloc

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            kept = {name: value for name, value in self.headers.items() if dropped not in name}
            service = http.client.HTTPConnection(behind, timeout=GIVE_UP_S)
            service.request(self.command, self.path, body, kept | {"Connection": "close"})
            answer = service.getresponse()
            told = answer.read()
            service.close()
            names = frozenset(name.lower() for name in self.headers)
            found.requests.append((f"{self.command} {self.path.partition('?')[0]}", names, answer.status))
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in {"connection", "transfer-encoding", "content-length"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        do_GET = do_POST = do_PATCH = do_DELETE = pass_on  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    found.base_url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join(GIVE_UP_S)
