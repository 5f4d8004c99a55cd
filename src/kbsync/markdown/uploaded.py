"""The addresses of pictures that kbsync uploaded, as bodies on the portal have them."""

from __future__ import annotations

import re
from collections.abc import Mapping

NAME_CHARS = 20
"""So much of a picture's id is in its name: 80 bits."""

SUFFIXES: Mapping[str, str] = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/avif": ".avif",
    "image/svg+xml": ".svg",
}
"""What the name of a picture ends with, by its media type."""

_ENDS = "|".join(suffix[1:] for suffix in SUFFIXES.values())
_UPLOADED = re.compile(rf"https?://[^\s()<>\"'\\]*-([0-9a-f]{{{NAME_CHARS}}})\.(?:{_ENDS})(?![\w.-])")


def addresses_in(body: str) -> tuple[str, ...]:
    """The addresses of pictures that kbsync uploaded, each once, in their order."""
    return tuple(dict.fromkeys(found[0] for found in _UPLOADED.finditer(body))) if "://" in body else ()


def key_in(address: str) -> str:
    """What of a picture's id is in its address; "" where none is."""
    found = _UPLOADED.fullmatch(address)
    return found[1] if found else ""
