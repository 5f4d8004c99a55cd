"""The shared tree; and a preview of it in a real browser, for the tests that are marked `browser`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from patience import GIVE_UP_S
from preview.workshop import Running, Shop, a_shop, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """The shared tree, without an address."""
    return a_shop(tmp_path)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Running]:
    """A preview of the shared tree, read to its end."""
    with running(tmp_path) as preview:
        preview.wait_until_read()
        yield preview


@pytest.fixture
def visit(chromium: Browser, desk: Running) -> Iterator[Callable[..., Page]]:
    """Opens a page in a browser of its own; at the end no script has failed and no other host was asked for anything."""
    contexts, errors, asked = [], [], []

    def opened(url: str, **options: object) -> Page:
        context = chromium.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
        context.set_default_timeout(GIVE_UP_S * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        context.on("request", lambda request: asked.append(request.url))
        page.goto(desk.address.rstrip("/") + url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [error for error in errors if "404" not in error] == []
    assert [url for url in asked if not url.startswith((desk.address, "data:"))] == []
