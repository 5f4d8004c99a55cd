"""A preview to try things on: its project in a folder, the live_tree alone, or all of it behind an address."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import httpx

from builders import write_files
from kbsync.config import read_settings
from kbsync.memory import Memory
from kbsync.preview.checking import Project, check_all
from kbsync.preview.comparer import Ask, Comparer
from kbsync.preview.debounce import Sleep
from kbsync.preview.debts import FindDebts
from kbsync.preview.live import Live
from kbsync.preview.live_tree import LiveTree, Touched
from kbsync.preview.server import App, serve
from kbsync.preview.tree_reader import read_changes, read_whole
from kbsync.preview.views import View
from kbsync.preview.writer import Writing
from kbsync.service.profile import read_profile
from kbsync.site.pages import Page, render
from kbsync.site.server import listen
from kbsync.site.writer_panel import WriterDiff
from patience import GIVE_UP_S

T = TypeVar("T")

CONFIG = '[content]\nroot = "content"\n\n[lint]\nignore = ["KB214", "KB6"]\n'

TREE: Mapping[str, str | bytes] = {
    "en/billing/_category.md": "---\nname: Billing\nicon: 💳\n---\n",
    "en/billing/charges.md": "---\ntitle: Charges\nstatus: published\n---\nSee [refunds](refunds.md#when).\n",
    "en/billing/invoices.md": "---\ntitle: Invoices\n---\nAn invoice.\n",
    "en/billing/refunds.md": "---\ntitle: Refunds\nstatus: published\n---\nText.\n\n## When\n\nNow.\n",
    "en/teams/_category.md": "---\nname: Teams\n---\n",
    "en/teams/invite.md": "---\ntitle: Invite people\n---\nInvite.\n",
    "fr/billing/_category.md": "---\nname: Facturation\n---\n",
    "fr/billing/refunds.md": "---\ntitle: Remboursements\n---\nTexte.\n",
}
"""Two categories, two locales, one translation, one link."""

CHARGES, INVOICES, REFUNDS = (f"/en/articles/{name}" for name in ("charges", "invoices", "refunds"))
INVITE, BILLING, TEAMS = "/en/articles/invite", "/en/categories/billing", "/en/categories/teams"
HOME, FRENCH_HOME = "/en/", "/fr/"
REMBOURSEMENTS = "/fr/articles/refunds-fr"


def in_a_loop(work: Coroutine[None, None, T]) -> T:
    """Run asynchronous work in a thread: Playwright has a loop of its own in the one of the tests."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def read_project(folder: Path) -> Project:
    settings = read_settings(folder / "kbsync.toml", environ={})
    return Project(settings, read_profile(settings.service.profile, folder=folder))


def a_project(folder: Path, files: Mapping[str, str | bytes] = TREE, config: str = CONFIG) -> Project:
    (folder / "content").mkdir(parents=True, exist_ok=True)
    write_files(folder / "content", files)
    (folder / "kbsync.toml").write_text(config, "utf-8")
    return read_project(folder)


@dataclass(frozen=True)
class Shop:
    """A live_tree and the files that it is of."""

    folder: Path
    live_tree: LiveTree

    def save(self, path: str, text: str | bytes) -> Touched:
        """Write a file, and have it looked at."""
        write_files(self.folder / "content", {path: text})
        return self.look(path)

    def delete(self, path: str) -> Touched:
        """Delete a file, and have it looked at."""
        (self.folder / "content" / path).unlink()
        return self.look(path)

    def look(self, *paths: str) -> Touched:
        return self.live_tree.update(read_changes(self.folder / "content", paths))

    def page(self, url: str) -> Page:
        return View(self.live_tree, Writing(self.live_tree.project)).page_at(url)

    def html(self, url: str) -> str:
        return render(self.page(url))

    def codes(self, path: str) -> list[str]:
        return [finding.code for finding in self.live_tree.findings.get(path, ())]

    def all_codes(self) -> dict[str, list[str]]:
        """Those of the whole tree, found anew."""
        found = check_all(**self.live_tree.as_it_is())
        return {path: [finding.code for finding in findings] for path, findings in found.items()}


def a_shop(folder: Path, files: Mapping[str, str | bytes] = TREE, config: str = CONFIG) -> Shop:
    project = a_project(folder, files, config)
    tree = read_whole(project.root, Memory(folder / ".kbsync"))
    return Shop(folder, LiveTree(project, tree))


def seen(comparer: Comparer, shop: Shop, path: str = "en/billing/refunds.md") -> WriterDiff:
    """What the page of a file shows when all that it asks the portal for has been answered; the thread's work is done here."""
    comparer.diff_of(shop.live_tree, path)
    comparer.close()
    comparer._work()
    return comparer.diff_of(shop.live_tree, path)


@dataclass(frozen=True)
class Running:
    """A preview behind an address."""

    folder: Path
    address: str
    app: App
    notes: list[str]
    client: httpx.Client

    @property
    def content(self) -> Path:
        return self.folder / "content"

    def get(self, url: str, **headers: str) -> httpx.Response:
        return self.client.get(url, headers={name.replace("_", "-"): text for name, text in headers.items()})

    def save(self, path: str, text: str) -> None:
        (self.content / path).write_text(text, "utf-8")

    def wait_until_read(self) -> None:
        """Until all of the tree is known: the search waits for that."""
        assert self.get("/-/search/en.json").status_code == 200

    @contextmanager
    def tab(self, url: str) -> Iterator[Tab]:
        """Open a page and follow it."""
        with self.client.stream("GET", "/-/events", params={"page": url}) as answer:
            yield Tab(answer.iter_lines())

    @contextmanager
    def opened(self, url: str) -> Iterator[Tab]:
        """Open a page and follow it from its first state on."""
        with self.tab(url) as tab:
            tab.page()
            yield tab


class Tab:
    """The stream of one open page."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def next(self, *names: str) -> tuple[str, dict[str, str]]:
        """The next event of one of these names (of any, where none is given)."""
        name, deadline = "", time.monotonic() + GIVE_UP_S
        for line in self._lines:
            assert time.monotonic() < deadline, f"no event of {names} came"
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and (not names or name in names):
                return name, json.loads(line.removeprefix("data: "))
        raise AssertionError("the stream has ended")

    def page(self) -> str:
        """The next state of the page."""
        return self.next("page")[1]["html"]

    def page_with(self, text: str) -> str:
        """The first state of the page that has this in it."""
        return self.pages_to(text)[-1]

    def pages_to(self, text: str) -> list[str]:
        """All states of the page up to the first that has this in it."""
        htmls = [self.page()]
        while text not in htmls[-1]:
            htmls.append(self.page())
        return htmls

    def page_without(self, text: str) -> str:
        """The first state of the page that does not have this in it."""
        while text in (html := self.page()):
            pass
        return html


@contextmanager
def running(
    folder: Path,
    files: Mapping[str, str | bytes] = TREE,
    config: str = CONFIG,
    *,
    host: str = "127.0.0.1",
    poll: bool = False,
    ask: Ask | None = None,
    sleep: Sleep = asyncio.sleep,
    find_debts: FindDebts | None = None,
    meanwhile: Callable[[], object] = lambda: None,
) -> Iterator[Running]:
    """A preview in a thread of its own, which ends with the block; what fails in it fails the test. `meanwhile`: what
    happens after kbsync.toml was read, and before the preview listens.
    """
    project = a_project(folder, files, config)
    meanwhile()
    listener, origin = listen(host, 0)
    started, apps, failures = threading.Event(), [], []
    notes: list[str] = []

    async def main() -> None:
        def ready(app: App) -> None:
            apps.append((app, asyncio.get_running_loop()))
            started.set()

        reload = partial(read_project, folder)
        begin = partial(Live, project, reload, notes.append, poll, ask, sleep, find_debts)
        await serve(listener, host, begin, ready=ready)

    def work() -> None:
        try:
            asyncio.run(main())
        except BaseException as exc:  # noqa: BLE001  (told below, in the test's own thread)
            failures.append(exc)
            started.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    started.wait()
    app, loop = apps[0]
    try:
        with httpx.Client(base_url=f"{origin}/", timeout=GIVE_UP_S, trust_env=False) as client:
            yield Running(folder, f"{origin}/", app, notes, client)
    finally:
        if not failures:
            loop.call_soon_threadsafe(app.stopping.set)
        thread.join(GIVE_UP_S)
    assert not failures, failures
    assert not thread.is_alive(), "the preview does not end"
