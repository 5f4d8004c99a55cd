"""A real browser for the tests that are marked `browser`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from site_sample import missing, search_rows, whole_site
from site_server import Served, served

from patience import GIVE_UP_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def site() -> Iterator[Served]:
    """kbsync's own help center on a free port."""
    pages = whole_site()
    indexes = {f"/-/search/{locale}.json": search_rows(pages, locale) for locale in ("en", "fr")}
    with served(Served(pages, missing, indexes)) as running:
        yield running


@pytest.fixture
def open_page(chromium: Browser, site: Served) -> Iterator[Callable[..., Page]]:
    """Opens a page in a browser of its own; at the end no script has failed and no other host was asked for anything."""
    contexts, errors, asked = [], [], []

    def opened(url: str, *, script: str = "", **options: object) -> Page:
        settings = {"viewport": {"width": 1280, "height": 800}} | options
        context = chromium.new_context(**settings)
        context.set_default_timeout(GIVE_UP_S * 1000)
        contexts.append(context)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if "Content Security" in message.text else None)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(site.url + url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for url in asked if not url.startswith((f"{site.url}/", "data:"))] == []
