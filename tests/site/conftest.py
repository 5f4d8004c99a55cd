"""A real browser for the tests that are marked `browser`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from site_sample import missing, search_rows, whole_site
from site_server import Served, served

from browsing import visits

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
    """Opens a page of the site; of the console, what the policy refuses counts."""
    with visits(chromium, site.url, lambda said: "Content Security" in said.text) as opened:
        yield opened
