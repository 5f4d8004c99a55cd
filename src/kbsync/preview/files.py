"""The pictures of the tree, as the local site hands them out; nothing else of the disk has an address."""

from __future__ import annotations

import os
from pathlib import Path

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


def is_picture(path: str) -> bool:
    """Whether a file of the tree is one that pages may show."""
    return picture_type(path) != ""


def picture_type(path: str) -> str:
    """The content type of a picture, "" for any other file."""
    return PICTURES.get(path.rpartition(".")[2].lower(), "")


def find_picture(root: Path, path: str) -> Path | None:
    """The file of a picture, or None for what is hidden, no picture, no file, or not below the root."""
    parts = path.split("/")
    if not is_picture(path) or any(part.startswith(".") or "\\" in part or "\0" in part for part in parts):
        return None
    place, real_root = os.path.realpath(root / path), os.path.realpath(root)
    # A link, or a drive letter on Windows, must not lead elsewhere.
    if os.path.commonpath([place, real_root]) != real_root or not is_picture(place):
        return None
    found = Path(place)
    return found if found.is_file() else None
