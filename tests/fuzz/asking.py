"""Requests to the two local servers as no browser and no program of ours would send them. Each follows from one number.

What is written here about who is served repeats no code: a request is of use to somebody only if it names this machine,
once, and comes from no page of another origin. How a request was made says whether that is so.
"""

import logging
import random
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from patience import GIVE_UP_S
from preview.workshop import running as running_preview
from sandbox.world import ADMIN, HANDBOOK, a_sandbox

Server = Literal["preview", "sandbox"]

OWN_NAMES = ("127.0.0.1", "localhost", "LocalHost", "[::1]", "127.0.0.1.", "localhost.")
STRANGE_HOSTS = (
    "evil.example.com", "127.0.0.1.evil.example.com", "localhost.evil.example.com", "evil.example.com:{port}", "", " ", "0.0.0.0",
    "127.0.0.2", "2130706433", "127.1", "[::ffff:127.0.0.1]", "user@127.0.0.1", "127.0.0.1@evil.example.com", "127.0.0.1/evil",
    "evil.example.com#127.0.0.1", "127.0.0.1:80:evil", "[::1", "::1]", "localhost evil.example.com", "evil.example.com,127.0.0.1",
    "127.0.0.1\\evil", "loc\xe4lhost", "127.0.0.1%00evil", "[[::1]]", ":1", ":", "[]:1", "localhost..", "127.0.0.1:-1", "127.0.0.1:1e3",
    "127.0.0.1:\xb2", "http://127.0.0.1", "xn--localhost", "%6cocalhost", "127.0.0.1\t.evil", "\u0131".encode().decode("latin-1"),
)  # fmt: skip
STRANGE_SERVERS = "http://evil.example.com", "https://evil.example.com:{port}", "http:evil", "evil.example.com:443"
STRANGE_ORIGINS = (
    "null", "", "https://evil.example.com", "http://{host}.evil.example.com", "file://", "http://localhost:1", "chrome-extension://{host}",
    "http://evil@{host}", "http://{host}/", "http://{host}#", "http://{host} http://evil.example.com", "//{host}", "{host}", "http:{host}",
    "http://{host}:0", "javascript://{host}", "https://evil.example.com/http://{host}", "ws://{host}", "about:blank", "http://{host}\x85",
    "http://{host},http://{host}", "http://{host}\\evil", "HTTP//{host}", "http://127.0.0.1:{port}.", "data:,http://{host}",
)  # fmt: skip
OWN_ORIGINS = ("http://{host}", "https://{host}", "HTTP://{host}")
PATHS: dict[Server, tuple[str, ...]] = {
    "preview": (
        "/", "/en/", "/en/articles/refunds", "/fr/categories/billing", "/-/overview", "/-/search/en.json", "/-/assets/style.css",
        "/-/events?page=/en/", "/-/files/en/billing/a.png",
    ),
    "sandbox": (
        f"{HANDBOOK}/articles", f"{HANDBOOK}/categories?locale=en", "/api", "/api/v1/profile", "/hc/handbook/en", "/hc/handbook/sitemap",
        "/-/sandbox", "/-/sandbox/requests", "/-/sandbox/faults", "/-/sandbox/setup", "/api/v1/accounts/1/upload", "/favicon-16x16.png",
    ),
}  # fmt: skip
STRANGE_PATHS = (
    "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/-/files/../../../etc/passwd.png", "/-/files/%2e%2e/%2e%2e/x.png", "//evil.example.com/",
    "/-/files//etc/x.png", "/%00", "/-/files/a%00.png", "/\\evil", "/%ff%fe", "*", "/" + "a/" * 3_000, "/" + "%2f" * 3_000, "/-/assets/../app.py",
    "/-/events?page=%0d%0ax-evil:1", "/en/articles/%0d%0aset-cookie:a=b", "/-/search/%2e%2e.json", "/-/", "/-/files/", "/en/articles/" + "é" * 40,
    "/hc/handbook/articles/%0d%0ax:y", "/rails/active_storage/disk/x/..%2f..%2fetc%2fpasswd", "/-/sandbox/../../etc", "/?" + "a[" * 4_000 + "=1",
    "/api/v1/accounts/999999999999999999999999/portals", "/api/v1/accounts/1/portals?" + "&".join(f"a[b][{n}]=1" for n in range(300)), "/?%ff=%fe",
    "/hc/%00", "/hc/handbook/articles/" + "%25" * 900, f"{HANDBOOK}/articles?page=99999999999999999999", f"{HANDBOOK}/articles/%00",
    f"{HANDBOOK}/articles?page[]=1&status[a]=b&locale[]=", "/-/sandbox/faults?x", "/en\x85", "/en/\x7f", "/-/files/%c0%ae%c0%ae/x.png",
)  # fmt: skip
KNOWN_METHODS = "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND"
METHODS = (*KNOWN_METHODS.split(), "get", "G\x7fT", "X" * 300, "PRI")
TYPES = (
    "application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "multipart/form-data", "",
    "application/json; charset=utf-16", "text/plain; application/json", "application/jsonp", "APPLICATION/JSON", "multipart/form-data; boundary=" + "b" * 900,
)  # fmt: skip
BODIES = (
    b"", b"{}", b"[]", b"null", b'{"kind": "hold"}', b'{"kind":"status","status":500,"times":1}', b"[" * 3_000, b'{"a":' * 3_000, b"\xff\xfe{}", b'"\\ud800"',
    b"--a\r\ncontent-disposition: form-data; name=\"attachment\"; filename=\"../../x.html\"\r\ncontent-type: text/html\r\n\r\n<script>\r\n--a--\r\n",
    b"--a\r\n\r\n--a--", b"a=1&b[c]=2&" * 50, b'{"title":"\\u0000","content":"x"}', b'{"article":{"title":1e999}}', b'{"external_url":"file:///etc/passwd"}',
    b'{"position": 123456789012345678901234567890}', b"x" * 100_000, b'{"seed":1,"rate":-1,"kinds":[]}', b'{"seed":1,"rate":0.0,"kinds":["reset"]}',
)  # fmt: skip
MORE = (
    "Cookie: kbsync_media=1", "Cookie: kbsync_media=\x01; a=\"\\\xff", "Cookie: " + "a=b;" * 2_000, "Cookie: kbsync_media=1, kbsync_media=0", "Referer: https://evil.example.com/",
    "X-Forwarded-Host: 127.0.0.1", "Forwarded: host=127.0.0.1", "X-HTTP-Method-Override: DELETE", "Upgrade: websocket", "Connection: Upgrade", "Expect: 100-continue",
    "Sec-WebSocket-Key: x", "Sec-Fetch-Site: cross-site", "Accept: text/event-stream", "If-None-Match: *", "Range: bytes=0-0", "Access-Control-Request-Method: DELETE",
    "Accept-Encoding: gzip, gzip", "X: " + "y" * 30_000, "X-Empty:", "Authorization: Basic eA==", "Api-Access-Token: x", "Content-Encoding: gzip", "TE: trailers",
    "Access-Control-Request-Private-Network: true", "Transfer-Encoding: identity", "Origin : null", "\xffHost: evil", "Host\x00: evil", " Host: folded", "Last-Event-ID: \xff",
)  # fmt: skip
WHOLE = ("length", "chunked", "none")
"""These requests have an end that everybody agrees on, so that an answer is due. Of the others the connection may end."""
FRAMINGS = (*WHOLE, "short", "long", "both", "two lengths", "odd length", "odd encoding", "bad chunk", "cut")
ODD_LENGTHS = ("-1", "+1", "0x10", "1e3", "", "1, 1", "9" * 400, "\xb2")
ODD_ENCODINGS = ("gzip", "chunked, chunked", "xchunked", "", "CHUNKED\x0b")
BAD_CHUNKS = (b"zz\r\nabc", b"-1\r\n", b"ffffffffffffffffff\r\nx", b"5\r\nab\r\n0\r\n\r\n", b"1" * 9_000)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its bytes, whether it may be served, and whether an answer is due."""

    server: Server
    data: bytes
    may_be_served: bool
    is_whole: bool
    method: str
    path: str
    is_json: bool


def made(number: int) -> Asked:
    """The request of a number. `{port}` in it is the server's, put in when it is sent."""
    draw = random.Random(number)
    server: Server = draw.choice(("preview", "sandbox"))
    own = f"{draw.choice(OWN_NAMES)}:{{port}}"
    count = draw.choice((0, 1, 1, 1, 1, 1, 1, 2))
    hosts = [draw.choice(STRANGE_HOSTS) if draw.random() < 0.3 else own for _ in range(count)]
    served = hosts == [own]
    origins: list[str] = []
    for _ in range(draw.choice((0, 0, 0, 1, 1, 1, 2))):
        is_own = draw.random() < 0.6
        host = hosts[0] if hosts else own
        origins.append(draw.choice(OWN_ORIGINS if is_own else STRANGE_ORIGINS).replace("{host}", host))
        served = served and is_own
    path = draw.choice(STRANGE_PATHS if draw.random() < 0.3 else PATHS[server])
    target = path
    if draw.random() < 0.08:
        target = draw.choice(STRANGE_SERVERS) + path
        served = False
    method = draw.choice(METHODS if draw.random() < 0.3 else ("GET", "GET", "POST", "DELETE"))
    kind, body = draw.choice(TYPES), draw.choice(BODIES)
    headers = [f"Host: {host}" for host in hosts] + [f"Origin: {origin}" for origin in origins]
    headers += [*draw.sample(MORE, draw.choice((0, 0, 0, 1, 2, 4))), f"Content-Type: {kind}"]
    headers += [f"api_access_token: {ADMIN}"] if draw.random() < 0.7 else []
    framing = draw.choice(FRAMINGS if draw.random() < 0.25 else WHOLE)
    if framing == "none":
        body = b""
    length, rest = _framed(framing, body, draw)
    headers += length
    draw.shuffle(headers)
    version = draw.choice(("1.1", "1.1", "1.1", "1.1", "1.0", "0.9", "2.0", "9.9"))
    lines = [f"{method} {target} HTTP/{version}", *headers, "Connection: close", "", ""]
    data = "\r\n".join(lines).encode("latin-1", "replace") + rest
    if framing == "cut":
        data = data[: draw.randrange(len(data))]
    return Asked(server, data, served, framing in WHOLE, method, path, kind.lower().startswith("application/json"))


def _framed(framing: str, body: bytes, draw: random.Random) -> tuple[list[str], bytes]:
    chunks = b"%x\r\n%s\r\n" % (len(body), body) * bool(body) + b"0\r\n\r\n"
    size = f"Content-Length: {len(body)}"
    match framing:
        case "none":
            return [], b""
        case "length" | "cut":
            return [size], body
        case "chunked":
            return ["Transfer-Encoding: chunked"], chunks
        case "short":
            return [f"Content-Length: {len(body) // 2}"], body
        case "long":
            return [f"Content-Length: {len(body) + draw.choice((1, 10, 10**12))}"], body
        case "both":
            return [size, "Transfer-Encoding: chunked"], chunks
        case "two lengths":
            return [size, f"Content-Length: {len(body) + 1}"], body
        case "odd length":
            return [f"Content-Length: {draw.choice(ODD_LENGTHS)}"], body
        case "odd encoding":
            return [f"Transfer-Encoding: {draw.choice(ODD_ENCODINGS)}"], chunks
        case _:
            return ["Transfer-Encoding: chunked"], draw.choice(BAD_CHUNKS)


# --- the servers -----------------------------------------------------------------------------------------------------


class _Heard(logging.Handler):
    """What a server says of an error that it did not expect."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(logging.Formatter().format(record)[-1500:])


@dataclass(frozen=True)
class Servers:
    """Both servers, for as long as the process lives."""

    ports: dict[Server, int]
    heard: _Heard
    ending: ExitStack


@cache
def servers() -> Servers:
    """Started when the first request is sent."""
    ending, heard = ExitStack(), _Heard()
    # At the end of a child of a pool, before its threads are told to end; others call `stop`.
    Finalize(ending, stop, exitpriority=1)
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addHandler(heard)
    folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="kbsync-fuzz-")))
    (folder / "portal").mkdir()
    preview = ending.enter_context(running_preview(folder))
    preview.wait_until_read()
    sandbox = ending.enter_context(a_sandbox(folder / "portal"))
    return Servers({"preview": _port(preview.address), "sandbox": _port(sandbox.base_url)}, heard, ending)


def stop() -> None:
    """End the servers, where they were started."""
    if servers.cache_info().currsize:
        servers().ending.close()
        servers.cache_clear()


def _port(address: str) -> int:
    return urlsplit(address).port or 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The first answer; status 0 where the connection ended without one."""

    status: int
    head: str
    body: bytes


def _send(asked: Asked, port: int) -> Answer:
    with socket.create_connection(("127.0.0.1", port), timeout=GIVE_UP_S) as connection:
        received = b""
        try:
            connection.sendall(asked.data.replace(b"{port}", str(port).encode()))
            if not asked.is_whole:
                # Nothing more comes: a server that waits for the rest learns so.
                connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65_536):
                received += piece
                if b"text/event-stream" in received and b"\r\n\r\n" in received:
                    break
        except TimeoutError:
            raise
        except OSError:
            pass  # It was refused, and the connection closed, before its end was sent.
    while received.startswith(b"HTTP/1.1 100"):
        received = received.partition(b"\r\n\r\n")[2]
    head, _, body = received.partition(b"\r\n\r\n")
    status = int(head.split(b" ")[1]) if head.startswith(b"HTTP/1.1 ") else 0
    return Answer(status, head.decode("latin-1").lower(), body)


def examine(asked: Asked) -> Iterator[str]:
    """Send a request; give what is wrong with the answer, and with the server afterwards."""
    running = servers()
    port = running.ports[asked.server]
    try:
        answer = _send(asked, port)
    except TimeoutError:
        yield "nothing came, and the connection stayed open"
        return
    yield from _wrongs(asked, answer)
    yield from running.heard.said
    running.heard.said.clear()
    if asked.server == "sandbox" and answer.status and asked.path.startswith("/-/"):
        _send(_plain("sandbox", "DELETE", "/-/sandbox/faults"), port)
    alive = _send(_plain(asked.server, "GET", PATHS[asked.server][2]), port)
    if alive.status != 200:
        yield f"the server answers {alive.status} to the next one"


def _plain(server: Server, method: str, path: str) -> Asked:
    data = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{{port}}\r\nConnection: close\r\n\r\n".encode()
    return Asked(server, data, True, True, method, path, False)


def _wrongs(asked: Asked, answer: Answer) -> Iterator[str]:
    if not answer.status:
        if asked.is_whole:
            yield "no answer"
        return
    if answer.status < 400 and not asked.may_be_served:
        yield f"served with {answer.status}: {answer.body[:80]!r}"
    if answer.status >= 500 and (asked.server == "preview" or answer.body == b"Internal Server Error"):
        yield f"an error of the server: {answer.head[:300]}"
    if asked.server == "preview" and answer.status < 400 and asked.method not in {"GET", "HEAD"}:
        yield f"{asked.method} is answered with {answer.status}"
    if asked.path.startswith("/-/") and asked.method == "POST" and answer.status < 400 and not asked.is_json:
        yield "took what a form may send"
    names = [line.partition(":")[0] for line in answer.head.split("\r\n")[1:]]
    if {"x-evil", "set-cookie", "x", "access-control-allow-origin"} & set(names):
        yield f"a header that nobody meant: {answer.head[:300]}"
    if b"root:x:" in answer.body or (ADMIN.encode() in answer.body and asked.path != "/api/v1/profile"):
        yield "it gives away what is not its own"


def shown(asked: Asked) -> Asked:
    """A request, short enough to be read."""
    return replace(asked, data=asked.data[:1_500])
