"""The recorded exchanges of the real service, made fit for being sent again and compared."""

import ast
import gzip
import http.client
import json
import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

from patience import GIVE_UP_S

FIXTURE = Path(__file__).parents[1] / "fixtures" / "observed" / "observed.jsonl.gz"
FIXTURE_4_16 = FIXTURE.with_name("observed-4.16.jsonl.gz")
RECORDED_HOST = "http://127.0.0.1:3900"

CUT = re.compile(r"\.\.\. \[cut: (\d+) characters in all\]\Z")
PAGE = re.compile(r"\(HTML page, cut here: page chrome left out; title: (.*)\)\Z", re.DOTALL)

INSTALLATION_PAGES = {"Page not found": "(404)", "Something went wrong": "(500)"}
"""Titles of the installation's own pages, which each version words in another way, and what the sandbox's say."""

VOLATILE = (
    (re.compile(r'("updated_at":)\d+'), r"\g<1>0"),
    (re.compile(r'("(?:last_updated_at|created_at|timestamp|pubsub_token|blob_key)":)"[^"]*"'), r'\g<1>""'),
    (re.compile(r'("slug":")\d{10}-'), r"\g<1>0-"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), RECORDED_HOST),
    (re.compile(r"[A-Za-z0-9_=/+-]{20,}--[0-9a-f]{40}"), "signed"),
    (re.compile(r"<lastmod>[0-9-]*</lastmod>"), "<lastmod></lastmod>"),
    (re.compile(r"; blob=\d+"), ""),
)
"""What is another at each time: times, generated slugs, the port, signatures."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, as recorded or as the sandbox gave it."""

    status: int
    content_type: str | None
    cache_control: str | None
    location: str | None
    body: str
    etag: str | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One recorded request and its answer. `number` is its line, counted from 0."""

    number: int
    name: str
    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None
    reply: Reply


def load(fixture: Path) -> list[Exchange]:
    """All recorded exchanges of a file, in their order."""
    with gzip.open(fixture, "rt", encoding="utf-8") as lines:
        return [_exchange(number, json.loads(line)) for number, line in enumerate(lines)]


def _exchange(number: int, row: dict) -> Exchange:
    request, response = row["request"], row["response"]
    headers = response["headers"]
    reply = Reply(
        response["status"],
        headers.get("content-type"),
        headers.get("cache-control"),
        headers.get("location"),
        response["body"] or "",
    )
    body = _whole(request["body"])
    return Exchange(number, row["name"], request["method"], request["path"], request["headers"], body, reply)


def _whole(body: str | None) -> bytes | None:
    """The body as it was sent; where the recording is cut, the run of one character goes on up to its end."""
    if body is None:
        return None
    if body.startswith("(bytes) "):
        return ast.literal_eval(body.removeprefix("(bytes) "))
    cut = CUT.search(body)
    if cut is None:
        return body.encode()
    head = body[: cut.start()]
    tail = _tail(head)
    return (head + head[-1] * (int(cut[1]) - len(head) - len(tail)) + tail).encode()


def _tail(head: str) -> str:
    if head.startswith("--BB"):
        return "\r\n--BB--\r\n"
    if '"meta"' in head:
        return '"}}'
    if '"draft_content"' in head:
        return '"}'
    return '"}' if head.startswith(('{"content"', '{"name"')) else '", "author_id": 1}'


def send(base_url: str, exchange: Exchange, source: str = "127.0.0.1") -> Reply:
    """Send a recorded request as it is: path, headers and body untouched, but for the address of the service."""
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=GIVE_UP_S, source_address=(source, 0))
    body = exchange.body.replace(RECORDED_HOST.encode(), base_url.encode()) if exchange.body else exchange.body
    try:
        connection.request(exchange.method, exchange.path, body, exchange.headers)
        response = connection.getresponse()
        raw = response.read()
        told = {name: response.getheader(name) for name in ("content-type", "cache-control", "location", "etag")}
    finally:
        connection.close()
    kind = told["content-type"]
    text = f"(bytes) {raw!r}" if kind == "image/png" and raw else raw.decode("utf-8")
    return Reply(response.status, kind, told["cache-control"], told["location"], text, told["etag"])


def steady(text: str) -> str:
    """A body without what is another at each time."""
    for pattern, replacement in VOLATILE:
        text = pattern.sub(replacement, text)
    return text


def differences(recorded: Reply, given: Reply) -> list[str]:
    """In what an answer of the sandbox is another than the recorded one."""
    found = []
    for name in ("status", "content_type", "cache_control"):
        if getattr(recorded, name) != getattr(given, name):
            found.append(f"{name}: recorded {getattr(recorded, name)!r}, given {getattr(given, name)!r}")
    if steady(_without_ticket(recorded.location)) != steady(_without_ticket(given.location)):
        found.append(f"location: recorded {recorded.location!r}, given {given.location!r}")
    if not _same_body(recorded.body, given.body):
        found.append(f"body: recorded {steady(recorded.body)[:600]!r}\n          given {steady(given.body)[:600]!r}")
    return found


def _without_ticket(location: str | None) -> str:
    return re.sub(r"/disk/[^/]+/", "/disk/", location or "")


def _same_body(recorded: str, given: str) -> bool:
    page = PAGE.match(recorded)
    if page and page[1] in INSTALLATION_PAGES:
        return INSTALLATION_PAGES[page[1]] in given
    if page:
        return f"<title>{unescape(page[1])}</title>" in given.replace("&#39;", "'")
    if recorded == "(short HTML redirect page)":
        return "redirected" in given
    if recorded.startswith("(bytes) b'\\x89PNG"):
        return given.startswith("(bytes) b'\\x89PNG")
    cut = CUT.search(recorded)
    if cut is None:
        return steady(recorded) == steady(given)
    head = steady(recorded[: cut.start()])
    # A number at the very end of what was kept may be cut itself.
    return steady(given).startswith(head.rstrip("0123456789"))
