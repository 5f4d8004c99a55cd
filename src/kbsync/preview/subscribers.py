"""The open pages of all browsers: each gets its new state, when that has changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

import msgspec

from kbsync.preview.live_tree import Touched
from kbsync.site.pages import MissingPage, Page, render_live
from kbsync.site.server import until

HEARTBEAT_S = 15.0
"""After this long without news a comment keeps the connection, and shows whether there still is one."""

HEARTBEAT = b": still here\n\n"


STATES = ("page", "gone")
"""Of these only the last one is true."""


def event(name: str, value: object) -> bytes:
    """One server-sent event; JSON has no line ends that could part it."""
    return b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(value) + b"\n\n"


@dataclass(slots=True, eq=False)
class Tab:
    """One open page.

    Args:
        url: what it shows.
        media: whether its browser loads what lies on other hosts.
    """

    url: str
    media: bool
    there: bool = False
    _sent: bytes = b""
    _waiting: dict[str, bytes] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def show(self, page: Page, html: str) -> None:
        """Send the page's current state, unless it has it already."""
        if isinstance(page, MissingPage) and self.there:
            self.there = False
            self._sent = b""
            self.send("gone", {})
            return
        self.there = not isinstance(page, MissingPage)
        digest = blake2b(html.encode(), digest_size=16).digest()
        if digest != self._sent:
            self._sent = digest
            self.send("page", {"html": html, "title": page.frame.title})

    def send(self, name: str, value: object) -> None:
        """Send an event. A browser that sleeps gets the last of each kind when it wakes, and not a day's saves."""
        if name in STATES:
            for state in STATES:
                self._waiting.pop(state, None)
        self._waiting[name] = event(name, value)
        self._news.set()

    async def messages(self, stopping: asyncio.Event) -> AsyncIterator[bytes]:
        """What is sent, until the preview stops; a comment where nothing is."""
        while not stopping.is_set():
            try:
                await asyncio.wait_for(until(stopping, self._news.wait()), HEARTBEAT_S)
            except TimeoutError:
                yield HEARTBEAT
            self._news.clear()
            while self._waiting:
                yield self._waiting.pop(next(iter(self._waiting)))


@dataclass(slots=True)
class Subscribers:
    """All open pages. `page_at` gives the page at an address, with media of other hosts or without."""

    page_at: Callable[..., Page]
    _open: set[Tab] = field(default_factory=set)

    def open(self, url: str, *, media: bool) -> Tab:
        """A page was opened: it gets its state once, because it may have missed something since it was loaded."""
        tab = Tab(url, media)
        page = self.page_at(url, media=media)
        tab.show(page, render_live(page))
        self._open.add(tab)
        return tab

    def close(self, tab: Tab) -> None:
        """A page was closed."""
        self._open.discard(tab)

    def urls(self) -> set[str]:
        """The addresses of the open pages."""
        return {tab.url for tab in self._open}

    def move(self, moved: Mapping[str, str]) -> None:
        """The open pages at these addresses have others now; what they show comes with `publish`."""
        for tab in self._open:
            if (url := moved.get(tab.url)) is not None:
                tab.url = url
                tab.send("moved", {"url": url})

    def publish(self, touched: Touched) -> None:
        """Show the pages that may be different now; what more than one tab shows is rendered once."""
        by_page: dict[tuple[str, bool], list[Tab]] = {}
        for tab in self._open:
            # The lists of all files have their limits behind a `?`.
            if tab.url.partition("?")[0] in touched:
                by_page.setdefault((tab.url, tab.media), []).append(tab)
        for (url, media), tabs in by_page.items():
            page = self.page_at(url, media=media)
            html = render_live(page)
            for tab in tabs:
                tab.show(page, html)

    def send(self, name: str, value: object) -> None:
        """Send an event to all of them."""
        for tab in self._open:
            tab.send(name, value)
