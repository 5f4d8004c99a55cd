"""The pages as files: a static site with relative links, for a pull request's artefact or a folder to open."""

from __future__ import annotations

import errno
import posixpath
import re
from dataclasses import dataclass
from hashlib import blake2b
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote, unquote

from kbsync.content.tree import read_tree
from kbsync.errors import UsageError
from kbsync.files import read_within, write_whole
from kbsync.history.last_changes import last_changes
from kbsync.preview.checking import Project
from kbsync.preview.image_files import find_image, is_image
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.search_index import encode_index, of_locale
from kbsync.preview.urls import ASSETS, FILES, OVERVIEW, SEARCH, home_url, read_url, search_url
from kbsync.preview.views import View
from kbsync.site.assets import ASSETS as ASSET_NAMES
from kbsync.site.assets import asset
from kbsync.site.pages import render

MARKER = ".kbsync-preview"
"""A file in the folder that says: made by `kbsync preview --build`; its lines are the files that were written."""

ADDRESS = re.compile(r'(?<=[ \n])((?:href|src|data-[a-z-]+)=")(/[^"]*)(?=")')
PLAIN_NAME = re.compile(r"[\w~-][\w.~-]{0,120}")


@dataclass(frozen=True, slots=True)
class Site:
    """Every address of the site and its file, relative to the folder."""

    files: dict[str, str]

    def relative(self, html: str, at: str) -> str:
        """The HTML of a page with relative addresses, as seen from the file `at`; other addresses stay."""
        folder = posixpath.dirname(at)

        def moved(found: re.Match[str]) -> str:
            url, mark, rest = _split(unescape(found[2]))
            file = self.files.get(url) or (self.files[ASSETS] if url == ASSETS else None)
            if file is None:
                return found[0]
            return found[1] + escape(quote(posixpath.relpath(file, folder or ".")) + mark + rest)

        return ADDRESS.sub(moved, html)


def _split(address: str) -> tuple[str, str, str]:
    """The path of an address, `?` or `#` where one follows, and what is behind it."""
    path = re.split("[?#]", address, maxsplit=1)[0]
    return path, address[len(path) : len(path) + 1], address[len(path) + 1 :]


def build_site(project: Project, folder: Path) -> int:
    """Write the pages; the number of them.

    Raises:
        UsageError: the folder has something in it that was not made here.
        ContentError: there is no content tree.
    """
    before = _check_folder(folder)
    tree = read_tree(project.root, cache=project.settings.state_folder / "cache" / "scan.cache")
    live_tree = LiveTree(project, tree, complete=True, dates=last_changes(project.root, tree.sources))
    view = View(live_tree, live=False, dated=False)
    site = _plan(live_tree)
    written: list[str] = []
    for url, name in site.files.items():
        if (data := _content(live_tree, view, site, url, name)) is not None:
            _write(folder, name, data)
            written.append(name)
    for name in before - set(written):
        (folder / name).unlink(missing_ok=True)
    write_whole(folder / MARKER, "\n".join(sorted(written)).encode())
    return sum(name.endswith(".html") for name in written)


def _check_folder(folder: Path) -> set[str]:
    """The files that an earlier build wrote; only these may be overwritten or deleted."""
    marker = folder / MARKER
    if marker.is_file():
        names = set(marker.read_text("utf-8").split("\n")) - {""}
        return {name for name in names if not name.startswith("/") and ".." not in name.split("/")}
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            f"{folder} is not empty, and was not written by `kbsync preview --build`.",
            hint="Choose another folder, or empty this one.",
        )
    return set()


def _plan(live_tree: LiveTree) -> Site:
    index = live_tree.index
    files = {"/": "index.html", OVERVIEW: "overview.html"}
    for locale in index.locales:
        files[home_url(locale)] = f"{_name(locale or '_')}/index.html"
        files[search_url(locale)] = f"search-{_name(locale or '_')}.js"
        for (_, slug), _path in index.shelves_of(locale):
            url = f"{home_url(locale)}categories/{quote(slug, safe='')}"
            files[url] = _file_of(url)
    files |= {url: _file_of(url) for url in index.path_at}
    files |= {f"{ASSETS}/{name}": f"assets/{name}" for name in ASSET_NAMES}
    files |= {f"{FILES}{quote(path)}": f"files/{path}" for path in sorted(live_tree.tree.others) if is_image(path)}
    return Site(files | {ASSETS: "assets"})


def _file_of(url: str) -> str:
    place = read_url(url)
    assert place is not None
    return f"{_name(place.locale or '_')}/{place.kind}/{_name(place.slug)}.html"


def _name(text: str) -> str:
    """A slug as the name of a file: as it is where every system takes it, else by digest."""
    if PLAIN_NAME.fullmatch(text) and not text.endswith("."):
        return text
    return f"page-{blake2b(text.encode(), digest_size=8).hexdigest()}"


def _content(live_tree: LiveTree, view: View, site: Site, url: str, name: str) -> bytes | None:
    if url == ASSETS:
        return None
    if url.startswith(f"{ASSETS}/"):
        return asset(url.removeprefix(f"{ASSETS}/"))[0]
    if url.startswith(FILES):
        place = find_image(live_tree.project.root, unquote(url.removeprefix(FILES)))
        return _image(place, live_tree.project.settings.assets.max_bytes) if place else None
    if url.startswith(SEARCH):
        locale = next(locale for locale in live_tree.index.locales if search_url(locale) == url)
        return _search(live_tree, site, locale)
    page = view.page_at(home_url(live_tree.index.site.default_locale) if url == "/" else url)
    return site.relative(render(page), name).encode()


def _image(place: Path, most_bytes: int) -> bytes | None:
    """The bytes of an image; None for one that is larger than kbsync.toml allows, which lint reports."""
    try:
        return read_within(place, most_bytes)
    except OSError as exc:
        if exc.errno != errno.EFBIG:
            raise
        return None


def _search(live_tree: LiveTree, site: Site, locale: str) -> bytes:
    """The index with addresses as seen from the folder's top, where the file lies.

    As a script: a page that was opened as a file may load one, and may not read files.
    """
    articles = {quote(site.files[url]): article for url, article in of_locale(live_tree, locale).items()}
    return b"kbsyncPage.takeIndex(%b);\n" % encode_index(live_tree.project.root, articles, {})


def _write(folder: Path, name: str, data: bytes) -> None:
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, data)
