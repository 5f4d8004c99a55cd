"""The pages as files: a static site with relative links, for a pull request's artefact or a folder to open.

What is written is the same, to the byte, by one process or by many; a file that has these bytes is left alone.

Also: rendering many articles, with all cores where that pays: each process renders pages and writes them itself.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from multiprocessing import connection, parent_process
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from kbsync.children import importing_nothing_from_here
from kbsync.content.tree import read_tree, store_tree
from kbsync.files import read_within
from kbsync.history.commits import last_changes
from kbsync.lint import inspect
from kbsync.memory import Memory
from kbsync.preview.article_job import DECODER, ENCODER, ArticleJob, EncodedJob, Workplace, local_links, render_job
from kbsync.preview.checking import Project
from kbsync.preview.index import BESIDE, CategoryKey, CategoryList, Part
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.search_index import encode_index, of_locale
from kbsync.preview.site_addresses import SiteAddresses, addresses_of, find_image
from kbsync.preview.site_folder import SiteFolder
from kbsync.preview.urls import ASSETS, FILES, SEARCH, home_url, search_url
from kbsync.preview.views import View
from kbsync.site.assets import asset
from kbsync.site.pages import Page, render

PARALLEL_FROM = 200
"""Pages to render from which a second process pays for its start. Measured: bench/RESULTS.md."""

BATCH = 20
"""Pages that a process renders at once; after Ctrl-C no more of them are begun."""


class Rendered(NamedTuple):
    """A page, and whether it was written: not where the file of the article is not the one that was read."""

    name: str
    is_written: bool


@dataclass(frozen=True, slots=True)
class Renderer:
    """What it takes to render a page and to write it."""

    place: Workplace
    folder: SiteFolder

    def render(self, encoded: EncodedJob) -> Rendered:
        """Render one page and write it."""
        job = DECODER.decode(encoded.data)
        data = render_job(job, encoded.beside, self.place)
        if data is not None:
            self.folder.write(job.name, data)
        return Rendered(job.name, data is not None)


def render_all(jobs: Iterable[EncodedJob], renderer: Renderer, workers: int | None) -> Iterator[Rendered]:
    """Render and write the pages of these jobs, in any order.

    Args:
        jobs: of the pages.
        renderer: what renders one.
        workers: how many processes; None for as many as there are cores, if there are enough pages for them. A program
            with threads says 1: a fork of it may wait for ever for what another thread held.
    """
    rest = iter(jobs)
    first = list(islice(rest, PARALLEL_FROM))
    count = workers or (1 if len(first) < PARALLEL_FROM else os.cpu_count() or 1)
    if count == 1:
        yield from map(renderer.render, chain(first, rest))
    else:
        yield from _in_processes(chain(first, rest), renderer, count)


def _in_processes(jobs: Iterator[EncodedJob], renderer: Renderer, count: int) -> Iterator[Rendered]:
    # Here, before there are children: a fork has the parser and the compiled templates already.
    yield from map(renderer.render, islice(jobs, 1))
    waiting: dict[Future[list[Rendered]], list[EncodedJob]] = {}
    batch: list[EncodedJob] = []
    with importing_nothing_from_here():
        pool = ProcessPoolExecutor(count, initializer=_begin, initargs=(renderer,))
        try:
            while True:
                # No more than that at once: the jobs of a large site need not all be in memory.
                while len(waiting) < 3 * count and (batch := list(islice(jobs, BATCH))):
                    waiting[pool.submit(_render_batch, batch)] = batch
                    batch = []
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield from future.result()
                    del waiting[future]
        except BrokenProcessPool:
            # The system killed one, of many for want of memory: one process needs less.
            # It may be the pool that refused the last batch: nothing waits for that one.
            yield from map(renderer.render, chain(chain.from_iterable(waiting.values()), batch, jobs))
        finally:
            pool.shutdown(cancel_futures=True)


_renderers: list[Renderer] = []
"""In a process of the pool: what it renders with. It is large, so it comes once and not with each batch."""


def _begin(renderer: Renderer) -> None:
    """Get a process of the pool ready. Ctrl-C is for the process that began the build: it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _renderers[:] = [renderer]


def _end_with_parent() -> None:
    """Where the first process is killed, nobody tells the others."""
    if (parent := parent_process()) is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _render_batch(jobs: list[EncodedJob]) -> list[Rendered]:
    return [_renderers[0].render(job) for job in jobs]


HEAD, TAIL = b"kbsyncPage.takeIndex(", b");\n"
"""Around a search index, which is a script: a page that was opened as a file may load one, and may not read files."""


def build_site(project: Project, folder: Path, *, workers: int | None = None) -> int:
    """Write the pages; the number of them.

    Args:
        project: the tree.
        folder: where the site goes.
        workers: how many processes may render; None for as many as are worth it.

    Raises:
        UsageError: the folder has something in it that was not made here.
        ContentError: there is no content tree.
    """
    site = SiteFolder.open(folder)
    memory = Memory(project.settings.state_folder)
    tree = read_tree(project.root, memory=memory, inspect=inspect, workers=workers)
    store_tree(tree, memory)
    live_tree = LiveTree(project, tree, complete=True, dates=last_changes(project.root, tree.sources))
    build = Build(live_tree, site)
    build.write(workers)
    return sum(name.endswith(".html") for name in build.written)


@dataclass(slots=True)
class Build:
    """One build."""

    live_tree: LiveTree
    folder: SiteFolder
    view: View = field(init=False)
    addresses: SiteAddresses = field(init=False)
    written: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.view = View(self.live_tree, live=False, dated=False)
        self.addresses = addresses_of(self.live_tree.index, self._images())

    def write(self, workers: int | None) -> None:
        """Write the pages, and delete what is gone."""
        files = {url: name for url, name in self.addresses.files.items() if url != ASSETS}
        self.folder.begin(files.values())
        # Articles first: the processes that render them are started while there are no threads.
        articles = {files[url]: url for url, path in self.live_tree.index.path_at.items() if self._is_article(path)}
        self._articles(articles, workers)
        for url, name in files.items():
            if name not in articles:
                self._other(url, name)
        for name in set(files.values()) - self.written:
            self.folder.remove(name)
        self.folder.finish(self.written)

    def _is_article(self, path: str) -> bool:
        return path in self.live_tree.index.site.articles

    def _images(self) -> Iterator[str]:
        """The images that articles show or link to."""
        others = self.live_tree.tree.others
        for path in self.live_tree.index.site.articles:
            for link in self.live_tree.sources[path].links:
                if link.is_image and link.target in others:
                    yield link.target

    # --- articles --------------------------------------------------------------------------------------------------

    def _articles(self, urls: dict[str, str], workers: int | None) -> None:
        """The pages of articles, by the name of their file."""
        project = self.live_tree.project
        lists = self._lists(urls)
        place = Workplace(project.root, self.addresses, project.version, project.portal_look, lists)
        for page in render_all(self._jobs(urls, lists), Renderer(place, self.folder), workers):
            if page.is_written:
                self.written.add(page.name)
            else:
                # Saved or deleted since the tree was read: as it is now.
                self._render_page(self.view.page_at(urls[page.name]), page.name)

    def _lists(self, urls: dict[str, str]) -> dict[CategoryKey, CategoryList]:
        """The categories, with addresses as seen from the page of an article: those of a locale are in one folder."""
        index = self.live_tree.index
        names = {index.shelf_of(index.path_at[url]): name for name, url in urls.items()}
        lists: dict[CategoryKey, CategoryList] = {}
        for category_key, name in names.items():
            if category_key[1]:
                heading, *links = (
                    replace(link, url=self.addresses.seen_from(name, link.url))
                    for link in self.view.articles_of(category_key)
                )
                lists[category_key] = CategoryList(heading, tuple(links))
        return lists

    def _jobs(self, urls: dict[str, str], lists: Mapping[CategoryKey, CategoryList]) -> Iterator[EncodedJob]:
        index = self.live_tree.index
        for name, url in urls.items():
            path = index.path_at[url]
            source = self.live_tree.sources[path]
            job = ArticleJob.of(name, self.view.without_body(path), source, local_links(self.live_tree, source))
            category_key = index.shelf_of(path)
            part = Part(category_key, *index.part_beside(path, BESIDE)) if category_key in lists else None
            yield EncodedJob(ENCODER.encode(job), part)

    # --- everything else -------------------------------------------------------------------------------------------

    def _other(self, url: str, name: str) -> None:
        if url.startswith(f"{ASSETS}/"):
            self._write(name, asset(url.removeprefix(f"{ASSETS}/"))[0])
        elif url.startswith(FILES):
            project = self.live_tree.project
            place = find_image(project.root, unquote(url.removeprefix(FILES)))
            if place and (data := _image(place, project.settings.assets.max_bytes)) is not None:
                self._write(name, data)
        elif url.startswith(SEARCH):
            self._search(url, name)
        else:
            self._list(url, name)

    def _list(self, url: str, name: str) -> None:
        """A page without an article: the home of a locale, a category, the list of all."""
        page = self.view.page_at(home_url(self.live_tree.index.site.default_locale) if url == "/" else url)
        self._render_page(page, name)

    def _render_page(self, page: Page, name: str) -> None:
        self._write(name, self.addresses.relative(render(page), name).encode())

    def _search(self, url: str, name: str) -> None:
        """The search index of a locale, with addresses as seen from the folder's top, where the file lies."""
        locale = next(locale for locale in self.live_tree.index.locales if search_url(locale) == url)
        articles = of_locale(self.live_tree, locale).items()
        seen = {quote(self.addresses.files[url]): article for url, article in articles}
        self._write(name, HEAD + encode_index(self.live_tree.project.root, seen, {}) + TAIL)

    def _write(self, name: str, data: bytes) -> None:
        self.folder.write(name, data)
        self.written.add(name)


def _image(place: Path, most_bytes: int) -> bytes | None:
    """The bytes of an image; None for one that is larger than kbsync.toml allows, which lint reports."""
    try:
        return read_within(place, most_bytes)
    except OSError as exc:
        if exc.errno != errno.EFBIG:
            raise
        return None
