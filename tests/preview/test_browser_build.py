"""The pages as files, in a real browser: without a server, and from one that sends no headers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browsing import local_server
from kbsync.preview.static_site import build_site
from preview.workshop import TREE, a_project

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ARTICLE = "en/articles/refunds.html"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
FILES = {
    **TREE,
    "en/billing/images/a.png": PNG,
    "en/billing/refunds.md": "---\ntitle: Refunds\n---\n![A button](images/a.png)\n\n## When\n\nNow.\n",
}


class Quiet(SimpleHTTPRequestHandler):
    """The files of a folder."""

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build_site(a_project(tmp_path / "project", FILES), tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture(params=["files", "server"])
def address(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    if request.param == "files":
        yield folder.as_uri()
        return
    with local_server(partial(Quiet, directory=str(folder))) as found:
        yield found


def test_a_built_page_has_its_style_scripts_and_images_under_its_policy(page: Page, address: str):
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{address}/{ARTICLE}")
    assert page.evaluate("getComputedStyle(document.querySelector('.skip')).position") != "static"
    assert page.evaluate("document.querySelector('article img').naturalWidth") == 1
    before = page.evaluate("document.documentElement.dataset.shown")
    page.locator("#kb-scheme").click()
    assert page.evaluate("document.documentElement.dataset.shown") != before
    assert errors == []


def test_a_built_page_can_be_searched_and_a_result_opens_at_its_heading(page: Page, address: str):
    page.goto(f"{address}/en/index.html")
    page.fill("#kb-query", "refnds when")
    expect(page.locator("#kb-found a")).to_have_attribute("href", f"{address}/{ARTICLE}#when")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/{ARTICLE}#when")
    page.wait_for_function("() => CSS.highlights.has('kb-found')")


def test_nothing_that_comes_into_a_built_page_runs_or_asks_another_host(page: Page, folder: Path, address: str):
    place = folder / ARTICLE
    bad = "<script>window.ran = 1</script><img src='https://evil.example.com/p.png' onerror='window.ran = 1'><base href='/x/'>"
    place.write_text(place.read_text("utf-8").replace("<article", bad + "<article", 1), "utf-8")
    refused: list[str | None] = []
    page.on("requestfailed", lambda request: refused.append(request.failure) if "evil" in request.url else None)
    page.goto(f"{address}/{ARTICLE}")
    assert page.evaluate("window.ran") is None
    assert refused == ["csp"]
    assert page.evaluate("document.baseURI").endswith(ARTICLE)
