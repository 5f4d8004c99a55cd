"""Runs the preview: the application behind an address, and an end at Ctrl-C.

Also: the local site as an application: pages, images, the stream of changes. It only answers, and takes nothing.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp

from kbsync.content.images import MP4
from kbsync.files import read_within
from kbsync.preview.live import Live
from kbsync.preview.policy import PICTURE, policy_of
from kbsync.preview.search_index import Search
from kbsync.preview.site_addresses import find_image, image_type
from kbsync.preview.urls import ASSETS, EVENTS, FILES, OWN, SEARCH, canonical, home_url, read_file_url
from kbsync.site import server as site
from kbsync.site.guard import Guard
from kbsync.site.pages import MissingPage, render

MEDIA_COOKIE = "kbsync_media"
"""Set to 1 by the switch on a page: images and players of other hosts may be loaded."""

HEADERS = {"cache-control": "no-cache", "referrer-policy": "no-referrer", "cross-origin-resource-policy": "same-origin"}
"""Of every answer: nothing is kept without asking, and no other site learns or embeds anything."""


@dataclass(slots=True)
class App:
    """The application. `live` is what it shows; `stopping` ends it."""

    live: Live
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    search: Search = field(default_factory=Search)

    def behind(self, host: str) -> ASGIApp:
        """It as a server runs it; a page of another host that points its name here gets nothing.

        Args:
            host: the address that the server listens on.
        """
        routes = [
            Route(EVENTS, self._stream),
            Route(f"{ASSETS}/{{name:path}}", site.send_asset),
            self._route(f"{FILES}{{path:path}}", self._image),
            self._route(f"{SEARCH}{{locale}}.json", self._search),
            self._route("/", self._home),
            self._route("/{path:path}", self._page),
        ]
        return Guard(Starlette(routes=routes), host, headers=HEADERS)

    def _route(self, path: str, answer: Callable[[Request], Awaitable[Response]]) -> Route:
        async def endpoint(request: Request) -> Response:
            # The tree may still be read for seconds when the preview ends.
            response = await site.until(self.stopping, answer(request))
            if response is None:
                return PlainTextResponse("The preview has ended.\n", 503)
            has_own = response.status_code != 200 or isinstance(response, FileResponse)
            return response if has_own else site.with_etag(request, response)

        return Route(path, endpoint)

    async def _home(self, _request: Request) -> Response:
        await self.live.ready.wait()
        return RedirectResponse(home_url(self.live.live_tree.index.site.default_locale), 302)

    async def _page(self, request: Request) -> Response:
        path, media = request.scope["path"], has_media(request)
        if (right := canonical(path)) != path and not path.startswith(OWN):
            return RedirectResponse(right, 302)
        query = request.scope["query_string"].decode("latin-1")
        page = await self.live.page(f"{path}?{query}" if path.startswith(OWN) and query else path, media=media)
        headers = {"content-security-policy": policy_of(media=media), "vary": "cookie"}
        return HTMLResponse(render(page), 404 if isinstance(page, MissingPage) else 200, headers)

    async def _image(self, request: Request) -> Response:
        path = read_file_url(request.scope["path"])
        found = find_image(self.live.project.root, path)
        most_bytes = self.live.project.settings.assets.max_bytes
        try:
            if found and image_type(path) == MP4 and found.stat().st_size <= most_bytes:
                return FileResponse(found, media_type=MP4)  # Browsers ask for the part of a video that they play.
            data = read_within(found, most_bytes) if found else None
        except OSError as exc:
            if exc.errno == errno.EFBIG:
                return PlainTextResponse("This image is larger than [assets] max_kb allows.\n", 413)
            data = None
        if data is None:
            return PlainTextResponse("There is no such image.\n", 404)
        return Response(data, headers={"content-security-policy": PICTURE}, media_type=image_type(path))

    async def _search(self, request: Request) -> Response:
        await self.live.ready.wait()
        locale, since = unquote(request.path_params["locale"]), request.query_params.get("since", "")
        index = await self.search.index_of(self.live.live_tree, locale, since)
        return Response(index, media_type="application/json; charset=utf-8")

    async def _stream(self, request: Request) -> Response:
        """Send what changes on one page, until either side ends it."""
        if request.method == "HEAD":
            return Response(status_code=404)
        await self.live.ready.wait()
        events = self._events(canonical(request.query_params.get("page", "/")), media=has_media(request))
        return StreamingResponse(events, headers={"x-accel-buffering": "no"}, media_type="text/event-stream")

    async def _events(self, url: str, *, media: bool) -> AsyncIterator[bytes]:
        tab = self.live.subscribers.open(url, media=media)
        try:
            async for message in tab.messages(self.stopping):
                yield message
        finally:
            self.live.subscribers.close(tab)


def has_media(request: Request) -> bool:
    """Whether the person has switched images and players of other hosts on."""
    return request.cookies.get(MEDIA_COOKIE) == "1"


async def serve(
    listener: socket.socket, host: str, begin: Callable[[], Live], *, ready: Callable[[App], None] = lambda _app: None
) -> None:
    """Serve until a signal comes, or until the application's `stopping` is set.

    Args:
        listener, host: what `site.listen` gave, and the host it was asked for.
        begin: makes what is shown, in the loop that it runs in.
        ready: called with the application before the first request.
    """
    app = App(begin())
    ready(app)
    server = site.local_server(app.behind(host), app.stopping)
    following = asyncio.create_task(app.live.run())
    following.add_done_callback(lambda _task: app.stopping.set())
    try:
        await server.serve(sockets=[listener])
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following
