"""The images of the tree, as the local site hands them out; nothing else of the disk has an address."""

from __future__ import annotations

import os
from pathlib import Path

from kbsync.content.walk import is_visible

PICTURES = {
    "avif": "image/avif",
    "bmp": "image/bmp",
    "gif": "image/gif",
    "ico": "image/x-icon",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "png": "image/png",
    "svg": "image/svg+xml",
    "webp": "image/webp",
}
"""Content types by the ending of the name, in lower case."""


def is_image(path: str) -> bool:
    """Whether a file of the tree is one that pages may show."""
    return image_type(path) != ""


def image_type(path: str) -> str:
    """The content type of an image, "" for any other file."""
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
