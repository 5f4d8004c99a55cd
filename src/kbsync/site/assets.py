"""The stylesheet and the scripts of the pages, out of the package."""

from __future__ import annotations

from importlib.resources import files

ASSETS = {
    "style.css": "text/css; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
}
"""Names and content types."""


def asset(name: str) -> tuple[bytes, str]:
    """The bytes of an asset and its content type.

    Raises:
        KeyError: there is none of this name.
    """
    kind = ASSETS[name]
    folder = "templates" if name.endswith(".css") else "assets"
    return (files("kbsync.site") / folder / name).read_bytes(), kind
