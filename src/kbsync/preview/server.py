"""Runs the preview: an address to listen on, the application behind it, and an end at Ctrl-C.

Also: the local site as an ASGI application: pages, images, the stream of changes. It only answers, and takes nothing.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, unquote

from kbsync.files import read_within
from kbsync.preview.checking import Project
from kbsync.preview.comparer import Ask
from kbsync.preview.debounce import Sleep
from kbsync.preview.debts import FindDebts
from kbsync.preview.file_plan import FindPlans
from kbsync.preview.live import Live
from kbsync.preview.policy import PICTURE, policy_of
from kbsync.preview.search_index import Search
from kbsync.preview.site_addresses import find_image, image_type
from kbsync.preview.subscribers import Tab
from kbsync.preview.urls import ASSETS, EVENTS, FILES, OWN, SEARCH, canonical, home_url, read_file_url
from kbsync.site import server as site
from kbsync.site.assets import asset, packed_asset
from kbsync.site.guard import HEADERS, check_request, read_headers
from kbsync.site.pages import MissingPage, render

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

HTML = "text/html; charset=utf-8"
JSON = "application/json; charset=utf-8"
TEXT = "text/plain; charset=utf-8"

MEDIA_COOKIE = "kbsync_media"
"""Set to 1 by the switch on a page: images and players of other hosts may be loaded."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer."""

    status: int
    body: bytes
    kind: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as far as it matters."""

    method: str
    path: str
    query: str
    headers: dict[str, str]

    @property
    def media(self) -> bool:
        """Whether the person has switched images and players of other hosts on."""
        with suppress(CookieError):
            morsel = SimpleCookie(self.headers.get("cookie", "")).get(MEDIA_COOKIE)
            return morsel is not None and morsel.value == "1"
        return False


@dataclass(slots=True)
class App:
    """The application.

    Args:
        live: what it shows.
        host: the address that it listens on; a page of another host that points its name here gets nothing.
    """

    live: Live
    host: str = "127.0.0.1"
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    search: Search = field(default_factory=Search)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = read_headers(scope["headers"])
        path = scope["raw_path"].decode("latin-1")
        asked = Asked(scope["method"], path, scope["query_string"].decode("latin-1"), headers)
        if refusal := check_request(path, headers, self.host):
            await _send(send, asked, Answer(refusal.status, refusal.words.encode(), TEXT))
        elif asked.method not in {"GET", "HEAD"}:
            await _send(send, asked, Answer(405, b"Only GET and HEAD.\n", TEXT, (("allow", "GET, HEAD"),)))
        elif asked.path == EVENTS and asked.method == "GET":
            await self._stream(asked, receive, send)
        else:
            await _send(send, asked, _with_etag(asked, await self._answer_or_end(asked)))

    async def _answer_or_end(self, asked: Asked) -> Answer:
        """The answer, unless the preview ends first: the tree may still be read for seconds."""
        answering = asyncio.create_task(self._answer(asked))
        ending = asyncio.create_task(self.stopping.wait())
        try:
            await asyncio.wait({answering, ending}, return_when=asyncio.FIRST_COMPLETED)
            return await answering if answering.done() else Answer(503, b"The preview has ended.\n", TEXT)
        finally:
            answering.cancel()
            ending.cancel()

    async def _answer(self, asked: Asked) -> Answer:
        path = asked.path
        if path.startswith(f"{ASSETS}/"):
            return _asset(path.removeprefix(f"{ASSETS}/"), packed="gzip" in asked.headers.get("accept-encoding", ""))
        if path.startswith(FILES):
            return self._image(read_file_url(path))
        if path.startswith(SEARCH) and path.endswith(".json"):
            return await self._search(unquote(path.removeprefix(SEARCH).removesuffix(".json")), asked.query)
        if path in {"/", ""}:
            await self.live.ready.wait()
            return Answer(302, b"", TEXT, (("location", home_url(self.live.live_tree.index.site.default_locale)),))
        if (right := canonical(path)) != path and not path.startswith(OWN):
            return Answer(302, b"", TEXT, (("location", right),))
        url = f"{path}?{asked.query}" if path.startswith(OWN) and asked.query else path
        page = await self.live.page(url, media=asked.media)
        status = 404 if isinstance(page, MissingPage) else 200
        policy = policy_of(media=asked.media)
        return Answer(status, render(page).encode(), HTML, (("content-security-policy", policy), ("vary", "cookie")))

    def _image(self, path: str) -> Answer:
        found = find_image(self.live.project.root, path)
        try:
            data = read_within(found, self.live.project.settings.assets.max_bytes) if found else None
        except OSError as exc:
            if exc.errno == errno.EFBIG:
                return Answer(413, b"This image is larger than [assets] max_kb allows.\n", TEXT)
            data = None
        if data is None:
            return Answer(404, b"There is no such picture.\n", TEXT)
        return Answer(200, data, image_type(path), (("content-security-policy", PICTURE),))

    async def _search(self, locale: str, query: str) -> Answer:
        await self.live.complete.wait()
        since = parse_qs(query).get("since", [""])[0]
        return Answer(200, await self.search.index_of(self.live.live_tree, locale, since), JSON)

    # --- the stream ------------------------------------------------------------------------------------------------

    async def _stream(self, asked: Asked, receive: Receive, send: Send) -> None:
        """Send what changes on one page, until either side ends it."""
        pages = parse_qs(asked.query).get("page", ["/"])
        await self.live.ready.wait()
        url = canonical(pages[0])
        headers = [*_headers(Answer(200, b"", "text/event-stream")), (b"x-accel-buffering", b"no")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        tab = self.live.subscribers.open(url, media=asked.media)
        gone = asyncio.create_task(_wait_for_end(receive, tab))
        try:
            async for message in tab.messages():
                await send({"type": "http.response.body", "body": message, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self.live.subscribers.close(tab)
            gone.cancel()


async def _wait_for_end(receive: Receive, tab: Tab) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    tab.end()


def _asset(name: str, *, packed: bool) -> Answer:
    vary = ("vary", "accept-encoding")
    try:
        body, kind = asset(name)
    except KeyError:
        return Answer(404, b"There is no such file.\n", TEXT)
    if packed:
        return Answer(200, packed_asset(name), kind, (vary, ("content-encoding", "gzip")))
    return Answer(200, body, kind, (vary,))


def _with_etag(asked: Asked, answer: Answer) -> Answer:
    """Nothing is kept without asking, and what did not change is not sent again."""
    if answer.status != 200:
        return answer
    etag = f'"{hashlib.blake2b(answer.body, digest_size=16).hexdigest()}"'
    headers = (*answer.headers, ("etag", etag))
    if asked.headers.get("if-none-match") == etag:
        return Answer(304, b"", "", headers)
    return Answer(200, answer.body, answer.kind, headers)


def _headers(answer: Answer) -> list[tuple[bytes, bytes]]:
    said = [("content-type", answer.kind)] if answer.kind else []
    said += [
        *answer.headers,
        ("cache-control", "no-cache"),
        *HEADERS,
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
    ]
    return [(name.encode("latin-1"), text.encode("latin-1")) for name, text in said]


async def _send(send: Send, asked: Asked, answer: Answer) -> None:
    headers = _headers(answer)
    if answer.status != 304:
        headers.append((b"content-length", str(len(answer.body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if asked.method == "HEAD" else answer.body})


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
