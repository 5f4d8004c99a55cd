"""The product's own help center, pushed and published in the sandbox: a reader clicks everything that can be clicked."""

import os
import re
import shutil
import subprocess
import sys
from collections import deque
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import urlopen

import pytest

from kbsync.sandbox import Sandbox

from .world import PORTAL, TOKEN, a_sandbox

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


class Page(HTMLParser):
    """What a page points to, and what can be pointed to in it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.images: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids |= {value for name, value in attrs if name == "id" and value}
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        if tag == "img" and found.get("src"):
            self.images.append(str(found["src"]))


def fetch(url: str) -> tuple[int, str, str]:
    try:
        with urlopen(url) as reply:
            return reply.status, reply.headers.get_content_type(), reply.read().decode("utf-8", "replace")
    except HTTPError as exc:
        return exc.code, "", ""


def crawl(sandbox: Sandbox, start: str) -> tuple[dict[str, Page], list[str]]:
    """Every page that can be reached, and what is wrong on the way."""
    pages: dict[str, Page] = {}
    wrong: list[str] = []
    waiting = deque([(start, "the beginning")])
    images: set[str] = set()
    while waiting:
        url, where = waiting.popleft()
        if url in pages:
            continue
        status, kind, text = fetch(url)
        if status != 200:
            wrong.append(f"{where}: {url} is {status}")
            continue
        page = pages[url] = Page()
        if kind != "text/html":
            continue
        page.feed(text)
        for link in page.links:
            target, fragment = urldefrag(urljoin(url, link))
            # The sandbox links to its own pages, of which one asks who is there. No portal has them.
            place = urlsplit(target)
            if place.netloc == urlsplit(start).netloc and not place.path.startswith("/-/"):
                waiting.append((target, url))
        for image in page.images:
            address = urljoin(url, image)
            if address not in images and urlsplit(address).netloc == urlsplit(start).netloc:
                images.add(address)
                status, kind, _ = fetch(address)
                if status != 200 or not kind.startswith("image/"):
                    wrong.append(f"{url}: the image {address} is {status} {kind}")
    for url, page in pages.items():
        for link in page.links:
            target, fragment = urldefrag(urljoin(url, link))
            if fragment and target in pages and unquote(fragment) not in pages[target].ids:
                wrong.append(f"{url}: {link} leads to no place of that page")
    return pages, wrong


def test_every_link_and_image_of_the_published_help_center_works(tmp_path: Path):
    shutil.copytree(ROOT / "content", tmp_path / "content")
    config = (ROOT / "kbsync.toml").read_text("utf-8")
    with a_sandbox(tmp_path / "portal") as sandbox:
        config = re.sub(r'base_url = "[^"]*"', f'base_url = "{sandbox.base_url}"', config)
        config = re.sub(r'portal = "[^"]*"', f'portal = "{PORTAL}"', config)
        (tmp_path / "kbsync.toml").write_text(config, "utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "kbsync", "push", "--publish", "-q"],
            cwd=tmp_path,
            env=os.environ | {"KBSYNC_TOKEN": TOKEN, "KBSYNC_PACE__REQUESTS_PER_MINUTE": "60000"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        pages, wrong = crawl(sandbox, f"{sandbox.base_url}/hc/{PORTAL}/en")
        articles = [url for url in pages if "/articles/" in url]
        published = [article for article in sandbox.panel.articles(PORTAL) if article.status == 1]
        assert len(articles) >= len(published) >= 50
        assert any(page.images for page in pages.values())
        assert not wrong, "\n".join(wrong)
