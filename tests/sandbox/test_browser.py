"""What a real browser lets a hostile page do to the sandbox: nothing."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

import pytest

from browsing import local_server, serious
from kbsync.app.embedded import panel_address

from .asking import a_file, category, make, post
from .world import ADMIN

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


class Hostile(BaseHTTPRequestHandler):
    """A page of another origin."""

    def do_GET(self) -> None:
        body = b"<!DOCTYPE html><title>hostile</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def hostile() -> Iterator[str]:
    with local_server(Hostile) as address:
        yield f"{address}/"


@pytest.mark.parametrize(("filename", "kind"), [("a.html", "text/html"), ("a.svg", "image/svg+xml")])
def test_an_uploaded_page_runs_nothing(page: Page, sandbox, filename, kind):
    script = "<script>document.documentElement.id = 'ran'</script>"
    shell = f'<svg xmlns="http://www.w3.org/2000/svg">{script}</svg>' if "svg" in kind else f"<html>{script}</html>"
    _, told = post(sandbox, a_file(filename, shell.encode(), kind))
    answer = page.goto(told["file_url"])
    assert answer is not None and (answer.status, answer.header_value("content-type")) == (200, kind)
    assert page.locator("#ran").count() == 0


def test_a_form_of_another_origin_sets_no_fault(page: Page, sandbox, hostile: str):
    page.goto(hostile)
    form = (
        f'<form method="post" enctype="text/plain" action="{sandbox.base_url}/-/sandbox/faults">'
        """<input name='{"kind": "reset", "junk": "' value='"}'><button>Go</button></form>"""
    )
    page.evaluate("html => { document.body.innerHTML = html }", form)
    with page.expect_navigation() as navigation:
        page.locator("button").click()
    assert navigation.value.status == 403
    assert sandbox.faults.waiting == ()


def test_a_script_of_another_origin_reads_and_changes_nothing(page: Page, sandbox, hostile: str):
    page.goto(hostile)
    script = """async url => {
        const tried = [];
        for (const [method, mode] of [["GET", "cors"], ["POST", "no-cors"], ["DELETE", "cors"]])
            tried.push(await fetch(url, { method, mode }).then(answer => answer.status, () => "refused"));
        return tried;
    }"""
    # An answer that may not be read has the status 0.
    assert page.evaluate(script, f"{sandbox.base_url}/-/sandbox/faults") == ["refused", 0, "refused"]
    assert sandbox.faults.waiting == ()


def assert_accessible(page: Page) -> None:
    """No serious finding of axe in either scheme, and nothing wider than a small phone."""
    size = page.viewport_size
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert serious(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.set_viewport_size(size)


def test_the_practice_panel_opens_by_its_address_and_articles_are_dragged(sandbox, page):
    for slug in ("one", "two"):
        make(sandbox, slug, category_id=1 if slug == "two" else category(sandbox, "guide"), status=1)
    problems = []
    page.on("console", lambda message: problems.append((message.location["url"], message.text)))
    page.goto(panel_address(sandbox.base_url, ADMIN))
    assert_accessible(page)
    assert page.url == f"{sandbox.base_url}/-/panel/portals/handbook/en"
    page.drag_and_drop('li[data-place="1"]', 'li[data-place="0"]', target_position={"x": 20, "y": 3})
    page.wait_for_url("**done=moved**")
    assert page.locator(".practice-what .note").all_inner_texts() == ["two", "one"]
    page.get_by_role("link", name="T one").click()
    assert_accessible(page)
    page.get_by_label("Text (Markdown)").fill("first\n\nsecond")
    page.get_by_role("button", name="Save changes").click()
    page.get_by_role("status").get_by_text("Readers still see the old text").wait_for()
    assert sandbox.panel.article("one").draft_content == "first\n\nsecond"
    assert_accessible(page)
    page.get_by_role("link", name="What readers see").click()
    page.get_by_role("link", name="Edit in the practice panel").click()
    page.get_by_role("button", name="Publish changes").click()
    page.get_by_role("status").get_by_text("Readers see them now").wait_for()
    assert [problem for problem in problems if "/-/panel" in problem[0]] == []
