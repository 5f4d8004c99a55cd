"""Stylesheets and scripts of the pages, out of the package, without what only their authors read."""

import gzip
import re
from functools import cache
from importlib.resources import files

STYLE, SCRIPT = "text/css; charset=utf-8", "text/javascript; charset=utf-8"

ASSETS = {
    "style.css": STYLE,
    "article.css": STYLE,
    "lists.css": STYLE,
    "writer.css": STYLE,
    "scheme.js": SCRIPT,
    "page.js": SCRIPT,
    "search-start.js": SCRIPT,
    "search.js": SCRIPT,
    "writer.js": SCRIPT,
    "morph.js": SCRIPT,
    "live.js": SCRIPT,
}
"""Names and content types of what preview and help center use; a build writes them all."""

TOGETHER = {"search.js": ("search-words.js", "search-index.js", "search-marks.js", "search-box.js")}
"""Assets of several files, in this order."""

PRACTICE_ASSETS = {"practice.css": STYLE, "practice.js": SCRIPT}
"""Of the sandbox's practice panel alone."""

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r"(?:/\*\*.*\*/|//.*)")
_COMMENT_BEHIND = re.compile(r"(?<=[;{,]) // .*")
_AROUND = re.compile(r" ?([{};,]) ?")
_ZERO = re.compile(r"(?<=[\s:,(-])0(?=\.[0-9])")


@cache
def asset(name: str) -> tuple[bytes, str]:
    """The bytes of an asset and its content type.

    Raises:
        KeyError: there is no asset of this name.
    """
    kind = (ASSETS | PRACTICE_ASSETS)[name]
    folder = files("kbsync.site") / "assets"
    text = "\n".join((folder / part).read_text("utf-8") for part in TOGETHER.get(name, (name,)))
    return (_short_style(text) if kind == STYLE else _short_script(text)).encode(), kind


@cache
def packed_asset(name: str) -> bytes:
    """The bytes of an asset for a browser that unpacks gzip.

    Raises:
        KeyError: there is no asset of this name.
    """
    return gzip.compress(asset(name)[0], mtime=0)


def _short_style(text: str) -> str:
    """Without comments, zeros before a point and needless blanks. No value of ours holds a brace or a semicolon."""
    short = _AROUND.sub(r"\1", " ".join(_COMMENT.sub("", text).split())).replace(": ", ":").replace(";}", "}")
    return _ZERO.sub("", short)


def _short_script(text: str) -> str:
    """Without comments and indentation. No text of ours goes over several lines, or has a `; //` in it."""
    lines = (_COMMENT_BEHIND.sub("", line.strip()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line and not _LINE_COMMENT.fullmatch(line)) + "\n"
