"""The images that kbsync uploaded, as bodies name them: on the portal by address, for comparison by what is in them.

An upload gets another address each time, and all of them are the same image. So an address is compared as the key in
its name, and what a content tree wants depends on no upload: neither on the ledger nor on the portal. Which host is in
an address does not count either: behind some proxies it is another than the one that the upload was sent to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kbsync.model import name_body

NAME_CHARS = 20
"""So much of an image's id is in its name: 80 bits."""

SUFFIXES: Mapping[str, str] = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/avif": ".avif",
    "image/svg+xml": ".svg",
    "video/mp4": ".mp4",
}
"""What the name of an image ends with, by its media type."""

UPLOADS = "/rails/active_storage/"
"""What the address of every upload has in it. Source: docs/service.md, section 5."""

SCHEME = "kbsync-image:"
"""How an image is named in a body that is compared: `kbsync-image:<key>`."""

_ENDS = "|".join(suffix[1:] for suffix in SUFFIXES.values())
_ADDRESS = re.compile(r"https?://[^\s()<>\"'\\]+")
_KEY = re.compile(rf"-([0-9a-f]{{{NAME_CHARS}}})\.(?:{_ENDS})(?![\w.-])")


def host_of(address: str) -> str:
    """The host in an address, without the port."""
    return address.partition("://")[2].partition("/")[0].partition(":")[0].lower()


def image_name(key: str) -> str:
    """What stands for the address of an image, wherever a service put it."""
    return SCHEME + key


def addresses_in(body: str) -> tuple[str, ...]:
    """The addresses of images that kbsync uploaded, each once, in their order."""
    if UPLOADS not in body:
        return ()
    return tuple(dict.fromkeys(cut for found in _ADDRESS.finditer(body) if (cut := _cut(found[0]))))


def key_in(address: str) -> str:
    """What of an image's id is in its address; "" where none is."""
    found = _KEY.search(address) if _cut(address) == address else None
    return found[1] if found else ""


def by_key(body: str) -> str:
    """A body with its uploaded images named by what is in them."""
    # Thousands of bodies are named, and a single character is looked for a hundred times as fast.
    return _ADDRESS.sub(_named, body) if "_" in body and UPLOADS in body else body


def body_digest(text: str) -> str:
    """Name an article's text for comparison: `body:` and 32 hex digits. Neither line breaks at both ends nor where an
    image was uploaded to count."""
    return name_body(by_key(text))


def _cut(address: str) -> str:
    """The part of an address that is an upload's; "" where it is none. What follows the suffix is not part of it."""
    at = address.find(UPLOADS)
    found = _KEY.search(address, at) if at >= 0 else None
    return address[: found.end()] if found else ""


def _named(found: re.Match[str]) -> str:
    address = found[0]
    cut = _cut(address)
    return image_name(key_in(cut)) + address[len(cut) :] if cut else address
