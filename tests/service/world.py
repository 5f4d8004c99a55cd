"""A sandbox and a client for it, on a clock that does not wait; and small servers that do what no sandbox would."""

import random
import socket
import threading
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from kbsync.model import Observed
from kbsync.sandbox import V4_2, V4_10, V4_16, Behaviour, PortalSetup, Setup, UserSetup, running
from kbsync.service.client import Service
from kbsync.service.endpoint import Endpoint
from kbsync.service.pace import Bucket, Gate
from kbsync.service.portal_reader import NOTHING_EXPECTED
from kbsync.service.profile import TokenHeader, read_profile
from kbsync.service.snapshot import Snapshot
from kbsync.service.transport import Transport
from patience import GIVE_UP_S

ADMIN, AGENT, OTHER = "admin-token-0001", "agent-token-0002", "other-token-0003"
PORTAL = "handbook"
MINUTE_S = 1_795_233_600.0
"""A time at which a minute begins."""
OLGA = UserSetup(3, "Olga Other", "olga@example.com", "administrator", OTHER)
SETUP = Setup(
    portals=(PortalSetup(PORTAL, "Handbook", ("en", "fr"), "en"), PortalSetup("other", "Other", ("en",), "en")),
    users=(
        UserSetup(1, "Ada Admin", "ada@example.com", "administrator", ADMIN),
        UserSetup(2, "Gus Agent", "gus@example.com", "agent", AGENT),
    ),
    neighbours=(Setup(account_id=2, account_name="Globex", portals=(), users=(OLGA,)),),
)
VERSIONS = {"4.16": V4_16, "4.10": V4_10, "4.2": V4_2}
LOCALES = ("en", "fr")
HERE = Path(__file__).parent


class Sleepless:
    """A clock on which waiting costs nothing, and that keeps what was waited."""

    def __init__(self, start_s: float | None = None) -> None:
        self.start_s = time.time() if start_s is None else start_s
        self.waits_s: list[float] = []
        self.lock = threading.Lock()

    def now(self) -> float:
        return sum(self.waits_s)

    def time(self) -> float:
        return self.start_s + sum(self.waits_s)

    def sleep(self, seconds: float) -> None:
        with self.lock:
            self.waits_s.append(seconds)


class MovedClock:
    """The sandbox's clock: the real one, so many seconds ago."""

    def __init__(self, ago_s: float = 0.0) -> None:
        self.ago_s = ago_s

    def __call__(self) -> float:
        return time.time() - self.ago_s


@contextmanager
def a_sandbox(folder, setup=SETUP, behaviour=None, **options):
    with running(folder / "sandbox.db", setup, behaviour or Behaviour(), **options) as sandbox:
        yield sandbox


@contextmanager
def a_transport(
    base_url, *, token=ADMIN, timeout_s=GIVE_UP_S, clock=None, concurrency=4, now=None, note=lambda text: None
):
    clock = clock or Sleepless()
    bucket = Bucket(1_000_000, 1_000_000.0, clock.now, clock.sleep)
    times = now or clock.now, clock.sleep, clock.time
    header = TokenHeader(read_profile("chatwoot", folder=HERE).token_headers)
    paced = bucket, Gate(concurrency), *times, random.Random(7)
    with closing(Transport(base_url, token, timeout_s, *paced, note=note, token_header=header)) as transport:
        yield transport


@contextmanager
def a_service(base_url, *, profile="chatwoot", account_id=1, portal=PORTAL, **options):
    with a_transport(base_url, **options) as transport:
        yield Service(Endpoint(read_profile(profile, folder=HERE), transport, account_id, portal))


def an_article(**fields):
    return {"title": "Refunds", "slug": "refunds", "content": "", "author": 1} | fields


def create(service, *, content="Text", locale="en", category_id=None, **fields) -> Observed:
    sent = an_article(**fields) | ({} if category_id is None else {"category": "by id"})
    return service.create_article(sent, content=content, locale=locale, category_id=category_id)


def update(service, before, *, content=None, category_id=None, status=None, **fields) -> Observed:
    return service.update_article(
        before.remote_id, fields, before=before, content=content, category_id=category_id, status=status
    )


def create_category(service, slug, *, locale="en", **fields) -> Observed:
    return service.create_category({"name": slug.title(), "slug": slug} | fields, locale=locale)


def fill(sandbox, number, *, portal=PORTAL, prefix="a", **fields):
    """So many articles of the panel."""
    for place in range(number):
        slug = f"{prefix}-{place:03}"
        sandbox.panel.create(portal, slug.title(), f"Text of {slug}", slug=slug, **fields)


def slugs(portal):
    return sorted(article.slug for article in portal.articles)


class Seen(NamedTuple):
    categories: tuple[Observed, ...]
    articles: tuple[Observed, ...]
    complete: bool


def observe(service, known=None, *, full=False, locales=LOCALES, expected=NOTHING_EXPECTED):
    """Everything that a portal shows, by one listing."""
    complete = service.reader.update(locales, Snapshot() if known is None else known, full=full, expected=expected)
    return Seen(tuple(service.reader.categories.values()), service.reader.observed(locales), complete)


def asked(sandbox, method="GET", part=""):
    """The requests that the sandbox got, as `METHOD path`."""
    return [f"{verb} {path}" for verb, path, *_ in sandbox.requests if verb == method and part in path]


@dataclass
class Server:
    """What a small server on loopback was asked, and where it is."""

    base_url: str
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def a_server(*answers):
    """A server that gives the n-th request the n-th answer (the last one for ever), and closes.

    An answer is bytes, or a function of the connection that sends what it likes.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(f"http://127.0.0.1:{listener.getsockname()[1]}")
    stop = threading.Event()

    def serve(connection, answer):
        with connection, suppress(OSError):
            if callable(answer):
                answer(connection, stop)
            else:
                connection.sendall(answer)
                connection.shutdown(socket.SHUT_WR)

    def accept():
        threads = []
        while True:
            with suppress(OSError):
                connection, _ = listener.accept()
                if stop.is_set():
                    connection.close()
                    break
                server.requests.append(read_request(connection))
                answer = answers[min(len(server.requests), len(answers)) - 1]
                threads.append(threading.Thread(target=serve, args=(connection, answer), daemon=True))
                threads[-1].start()
        for thread in threads:
            thread.join(GIVE_UP_S)

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        stop.set()
        with suppress(OSError):
            socket.create_connection(listener.getsockname(), GIVE_UP_S).close()
        thread.join(GIVE_UP_S)
        listener.close()


def read_request(connection):
    connection.settimeout(GIVE_UP_S)
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = connection.recv(65536)
        if not chunk:
            return data
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def reply(body, status="200 OK", kind="application/json", **headers):
    """The bytes of an answer."""
    raw = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(raw)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + raw
