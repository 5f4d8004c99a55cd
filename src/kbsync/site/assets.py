"""Stylesheet and scripts of the pages, out of the package."""

from functools import cache
from importlib.resources import files

STYLE, SCRIPT = "text/css; charset=utf-8", "text/javascript; charset=utf-8"

ASSETS = {
    "style.css": STYLE,
    "article.css": STYLE,
    "writer.css": STYLE,
    "scheme.js": SCRIPT,
    "page.js": SCRIPT,
    "search-words.js": SCRIPT,
    "search.js": SCRIPT,
    "writer.js": SCRIPT,
    "morph.js": SCRIPT,
    "live.js": SCRIPT,
}
"""Names and content types."""


@cache
def asset(name: str) -> tuple[bytes, str]:
    """The bytes of an asset and its content type.

    Raises:
        KeyError: there is no asset of this name.
    """
    kind = ASSETS[name]
    return (files("kbsync.site") / "assets" / name).read_bytes(), kind
