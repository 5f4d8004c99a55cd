"""The shared tree; and a preview of it in a real browser, for the tests that are marked `browser`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browsing import visits
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
    """Opens a page of the preview. What is not there is no error of the page."""
    address = desk.address.rstrip("/")
    with visits(chromium, address, lambda said: said.type == "error" and "404" not in said.text) as opened:
        yield opened
