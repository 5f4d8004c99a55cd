"""The addresses of a site that is files, and how a page links to them: as seen from its own folder.

Also: the images and videos of the tree, as the local site hands them out; nothing else of the disk has an address.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote

from kbsync.content.images import MP4
from kbsync.content.walk import is_visible
from kbsync.preview.index import Index
from kbsync.preview.urls import ASSETS, FILES, OVERVIEW, home_url, read_url, search_url
from kbsync.site.assets import ASSETS as ASSET_NAMES

PICTURES = {
    "avif": "image/avif",
    "bmp": "image/bmp",
    "gif": "image/gif",
    "ico": "image/x-icon",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "mp4": MP4,
    "png": "image/png",
    "svg": "image/svg+xml",
    "webp": "image/webp",
}
"""Content types by the ending of the name, in lower case."""


def is_image(path: str) -> bool:
    """Whether a file of the tree is one that pages may show."""
    return image_type(path) != ""


def image_type(path: str) -> str:
    """The content type of an image or a video, "" for any other file."""
    return PICTURES.get(path.rpartition(".")[2].lower(), "")


def find_image(root: Path, path: str) -> Path | None:
    """The file of an image, or None for what is hidden, no image, no file, or not below the root."""
    parts = path.split("/")
    if not is_image(path) or not is_visible(path) or any("\\" in part or "\0" in part for part in parts):
        return None
    place, real_root = os.path.realpath(root / path), os.path.realpath(root)
    # A link, or a drive letter on Windows, must not lead elsewhere.
    if os.path.commonpath([place, real_root]) != real_root or not is_image(place):
        return None
    found = Path(place)
    return found if found.is_file() else None


ADDRESS = re.compile(r'="(/(?:(?<=[ \n]href="/)|(?<=[ \n]src="/)|(?P<other>(?<=[a-z-]="/)))[^"]*)(?=")')
"""The value of an attribute that leads somewhere. Its name is looked for behind it: a pattern that begins with fixed
letters is found many times faster."""

OTHER_NAME = re.compile(r"[ \n]data-[a-z-]+\Z")
LONGEST_NAME = 40
MARK = re.compile("[?#]")

PLAIN_NAME = re.compile(r"[\w~-][\w.~-]{0,120}")


@dataclass(slots=True, eq=False)
class SiteAddresses:
    """Every address of the site and its file, relative to the folder."""

    files: Mapping[str, str]
    _moved: dict[str, dict[str, str | None]] = field(default_factory=dict)

    def relative(self, html: str, at: str) -> str:
        """HTML with relative addresses, as seen from the file `at`; other addresses stay."""
        folder = posixpath.dirname(at)
        known = self._moved.setdefault(folder, {})

        def moved(found: re.Match[str]) -> str:
            start = found.start()
            if found["other"] is not None and not OTHER_NAME.search(html, max(0, start - LONGEST_NAME), start):
                return found[0]
            # Thousands of pages link to the same few: each is worked out once a folder.
            if found[1] not in known:
                known[found[1]] = self._move(found[1], folder)
            text = known[found[1]]
            return found[0] if text is None else f'="{text}'

        return ADDRESS.sub(moved, html)

    def _move(self, written: str, folder: str) -> str | None:
        url, mark, rest = _split(unescape(written))
        file = self.files.get(url)
        if file is None:
            return None
        return escape(quote(_seen_from(folder, file)) + mark + rest)


def _seen_from(folder: str, file: str) -> str:
    """The relative path to a file. `posixpath.relpath` asks for the folder of this process each time."""
    if folder and file.startswith(f"{folder}/"):
        return file[len(folder) + 1 :]  # Most links of an article: to one of the same locale.
    above, names = folder.split("/") if folder else [], file.split("/")
    same = len(posixpath.commonprefix([above, names]))
    return "/".join([".."] * (len(above) - same) + names[same:])


def _split(address: str) -> tuple[str, str, str]:
    """The path of an address, `?` or `#` where one follows, and what is behind it."""
    mark = MARK.search(address)
    return (address, "", "") if mark is None else (address[: mark.start()], mark[0], address[mark.end() :])


def addresses_of(index: Index, images: Iterable[str]) -> SiteAddresses:
    """The addresses of a tree.

    Args:
        index: the tree.
        images: the paths of the images that its pages show.
    """
    files = {"/": "index.html", OVERVIEW: "overview.html"}
    for locale in index.locales:
        files[home_url(locale)] = f"{_name(locale or '_')}/index.html"
        files[search_url(locale)] = f"search-{_name(locale or '_')}.js"
        for (_, slug), _path in index.shelves_of(locale):
            url = f"{home_url(locale)}categories/{quote(slug, safe='')}"
            files[url] = _file_of(url)
    files |= {url: _file_of(url) for url in index.path_at}
    files |= {f"{ASSETS}/{name}": f"assets/{name}" for name in ASSET_NAMES}
    files |= {f"{FILES}{quote(path)}": f"files/{path}" for path in sorted(set(images)) if is_image(path)}
    return SiteAddresses(files | {ASSETS: "assets"})


def _file_of(url: str) -> str:
    place = read_url(url)
    assert place is not None
    return f"{_name(place.locale or '_')}/{place.kind}/{_name(place.slug)}.html"


def _name(text: str) -> str:
    """A slug as the name of a file: as it is where every system takes it, else by digest."""
    if PLAIN_NAME.fullmatch(text) and not text.endswith("."):
        return text
    return f"page-{blake2b(text.encode(), digest_size=8).hexdigest()}"
