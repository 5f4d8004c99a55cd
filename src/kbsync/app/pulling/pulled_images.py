"""The images that portal texts show become files: each content once, by its bytes, within the limits of kbsync.toml."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from urllib.parse import unquote, urlsplit

from kbsync.app.file_transaction import Transaction
from kbsync.config import AssetsSettings
from kbsync.content.images import SVG, Image, look_at
from kbsync.content.relative import Places
from kbsync.files import read_within, store_whole
from kbsync.markdown.spans import scan
from kbsync.markdown.uploaded import SUFFIXES, UPLOADS, host_of, key_in
from kbsync.plan.new_paths import Names, safe_name
from kbsync.service.download import Downloader, NotLoaded

MOST_SILENT = 3
"""After so many images in a row that nothing answered for, no more are asked for."""


@dataclass(slots=True)
class ImagePuller:
    """Loads images and gives them paths.

    Args:
        downloader: reads them.
        stage: takes the files.
        names: gives out paths.
        places: learns where each image is.
        settings: [assets].
        cache: keeps what was loaded until the pull is done: one that was interrupted does not load it again.
        paths: the image of the tree by id of its bytes.
        hosted: the addresses of panel uploads by id; grows.
    """

    downloader: Downloader
    stage: Transaction
    names: Names
    places: Places
    settings: AssetsSettings
    cache: Path
    paths: dict[str, str]
    hosted: dict[str, str]
    left: dict[str, str] = field(default_factory=dict)
    left_in: dict[str, str] = field(default_factory=dict)
    loaded: int = 0
    silent: int = 0
    own: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        # Images of the tree that kbsync uploads itself: their address follows from their content.
        self.own = frozenset(self.paths) - self.hosted.keys()

    def prepare(self, text: str, path: str) -> str:
        """Load the images of a text for the file at `path`; the text, with one address for each image."""
        if UPLOADS not in text or self.settings.base_url:
            return text
        for address in dict.fromkeys(self._addresses(text, path)):
            if address not in self.places.images and address not in self.left:
                self._load(address, path)
            if address in self.left:
                self.left_in.setdefault(address, path)
            place = self.places.images.get(address)
            if place is not None and key_in(address) and self.places.address_of_image[place] != address:
                # An image that was uploaded twice is the same image.
                text = text.replace(address, self.places.address_of_image[place])
        return text

    @property
    def left_out(self) -> tuple[tuple[str, str, str], ...]:
        """The images that were not loaded: the name, the first article that shows it, and why."""
        names = ((posixpath.basename(unquote(urlsplit(address).path)) or address, address) for address in self.left)
        return tuple((name, self.left_in.get(address, ""), self.left[address]) for name, address in names)

    def _addresses(self, text: str, path: str) -> Iterator[str]:
        """The service's own uploads that a text shows or links to."""
        host = host_of(self.downloader.base_url)
        for target in scan(text).targets:
            address = text[target.start : target.end].partition("?")[0]
            if UPLOADS in address and target.kind != "autolink":
                if host_of(address) == host or address.startswith(UPLOADS):
                    yield address
                elif target.kind == "image":
                    self.left.setdefault(address, "it is on another host")
                    self.left_in.setdefault(address, path)

    def _load(self, address: str, path: str) -> None:
        try:
            data = self._bytes(address)
        except NotLoaded as exc:
            self.left[address] = str(exc)
            return
        image = look_at("", data)
        if why := self._unfit(image):
            self.left[address] = why
            return
        of_kbsync = key_in(address) == image.key
        if not of_kbsync and (image.id in self.own or self.hosted.get(image.id, address) != address):
            # The tree has one address for it already, and this text has another.
            self.left[address] = "the same image has another address in your files"
            return
        if image.id not in self.paths:
            self.paths[image.id] = self._new_path(address, path, image)
            self.stage.write(self.paths[image.id], data)
            self.loaded += 1
        if not of_kbsync:
            self.hosted[image.id] = address
        self.places.add_image(address, self.paths[image.id])

    def _bytes(self, address: str) -> bytes:
        """The file behind an address; of the service, wherever it is now, the sandbox's port is another each time."""
        kept = self.cache / blake2b(address.encode(), digest_size=16).hexdigest()
        if kept.is_file():
            return read_within(kept, self.settings.max_bytes)
        if self.silent >= MOST_SILENT:
            raise NotLoaded("the service did not answer for other images")
        url = urlsplit(self.downloader.base_url)._replace(path=urlsplit(address).path).geturl()
        try:
            data = self.downloader.load(url, most_bytes=self.settings.max_bytes)
        except NotLoaded as exc:
            self.silent = self.silent + 1 if str(exc) in {"no answer in time", "it cannot be reached"} else 0
            raise
        self.silent = 0
        store_whole(kept, data)
        return data

    def _unfit(self, image: Image) -> str:
        """Why the tree must not have it; "" where it may."""
        if not image.kind:
            return "it is not an image that browsers show"
        if image.kind == SVG and not self.settings.allow_svg:
            return "it is an SVG, which can contain scripts"
        if max(image.width, image.height) > self.settings.max_pixels:
            return f"it has more than {self.settings.max_pixels:,} pixels on one side ([assets] max_pixels)"
        return ""

    def _new_path(self, address: str, path: str, image: Image) -> str:
        name = posixpath.basename(unquote(urlsplit(address).path))
        stem = posixpath.splitext(name)[0].removesuffix(f"-{key_in(address)}")
        folder = posixpath.join(path.rpartition("/")[0], "images")
        return self.names.give(folder, safe_name(stem, image.key, "image"), SUFFIXES[image.kind])


def ids_of(images: dict[str, Image]) -> dict[str, str]:
    """The path of each image by the id of its bytes."""
    found: dict[str, str] = {}
    for path, image in sorted(images.items()):
        if image.id and image.kind:
            found.setdefault(image.id, path)
    return found
