"""The pages as files: a static site with relative links, for a pull request's artefact or a folder to open.

A file that has the bytes already is left alone.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from kbsync.content.tree import read_tree, store_tree
from kbsync.files import read_within
from kbsync.history.commits import last_changes
from kbsync.lint import inspect
from kbsync.memory import Memory
from kbsync.preview.checking import Project
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.search_index import encode_index, of_locale
from kbsync.preview.site_addresses import SiteAddresses, addresses_of, find_image
from kbsync.preview.site_folder import SiteFolder
from kbsync.preview.urls import ASSETS, FILES, SEARCH, home_url, search_url
from kbsync.preview.views import Deadline, View
from kbsync.site.assets import asset
from kbsync.site.pages import render

HEAD, TAIL = b"kbsyncPage.takeIndex(", b");\n"
"""Around a search index, which is a script: a page that was opened as a file may load one, and may not read files."""


def build_site(project: Project, folder: Path) -> int:
    """Write the pages; the number of them.

    Args:
        project: the tree.
        folder: where the site goes.

    Raises:
        UsageError: the folder has something in it that was not made here.
        ContentError: there is no content tree.
    """
    site = SiteFolder.open(folder)
    memory = Memory(project.settings.state_folder)
    tree = read_tree(project.root, memory=memory, inspect=inspect)
    store_tree(tree, memory)
    build = Build(LiveTree(project, tree, dates=last_changes(project.root, tree.sources)), site)
    build.write()
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
        # Nobody waits for another page meanwhile: an article may take its time.
        self.view = View(self.live_tree, live=False, dated=False, deadline=Deadline(lambda: 0.0))
        self.addresses = addresses_of(self.live_tree.index, self._images())

    def write(self) -> None:
        """Write the pages, and delete what is gone."""
        files = {url: name for url, name in self.addresses.files.items() if url != ASSETS}
        self.folder.begin(files.values())
        for url, name in files.items():
            data = self._file(url, name)
            if data is not None:
                self.folder.write(name, data)
                self.written.add(name)
        for name in set(files.values()) - self.written:
            self.folder.remove(name)
        self.folder.finish(self.written)

    def _images(self) -> Iterator[str]:
        """The images that articles show or link to."""
        others = self.live_tree.tree.others
        for path in self.live_tree.index.site.articles:
            for link in self.live_tree.sources[path].links:
                if link.is_image and link.target in others:
                    yield link.target

    def _file(self, url: str, name: str) -> bytes | None:
        """The bytes of a file; None for an image that is not written."""
        if url.startswith(f"{ASSETS}/"):
            return asset(url.removeprefix(f"{ASSETS}/"))[0]
        if url.startswith(FILES):
            return self._image(unquote(url.removeprefix(FILES)))
        if url.startswith(SEARCH):
            return self._search(url)
        page = self.view.page_at(home_url(self.live_tree.index.site.default_locale) if url == "/" else url)
        return self.addresses.relative(render(page), name).encode()

    def _search(self, url: str) -> bytes:
        """The search index of a locale, with addresses as seen from the folder's top, where the file lies."""
        locale = next(locale for locale in self.live_tree.index.locales if search_url(locale) == url)
        articles = of_locale(self.live_tree, locale).items()
        seen = {quote(self.addresses.files[url]): article for url, article in articles}
        return HEAD + encode_index(self.live_tree.project.root, seen, {}) + TAIL

    def _image(self, path: str) -> bytes | None:
        """An image; None for one that is away, or larger than kbsync.toml allows, which lint reports."""
        project = self.live_tree.project
        place = find_image(project.root, path)
        try:
            return read_within(place, project.settings.assets.max_bytes) if place else None
        except OSError as exc:
            if exc.errno != errno.EFBIG:
                raise
            return None
