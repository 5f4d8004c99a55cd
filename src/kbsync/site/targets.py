"""Addresses in an article as a browser would understand them, whatever hides them."""

import re
from html import unescape
from urllib.parse import urlsplit

_IGNORED = re.compile(r"[\x00-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060\ufeff]+")
"""Spaces and characters without a shape. Browsers skip only some of these; here none helps to hide a scheme."""

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_TWO_SLASHES = re.compile(r"[/\\]{2}")

SCRIPTED = frozenset({"javascript", "vbscript", "livescript", "data", "blob", "filesystem", "view-source"})
"""Schemes whose addresses may be programs."""

_PICTURE_DATA = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif|svg\+xml)[;,]", re.IGNORECASE)


def plain_address(attribute: str) -> str:
    """The value of an attribute without entities, and without spaces or control characters."""
    return _IGNORED.sub("", unescape(attribute))


def scheme_of(attribute: str) -> str:
    """The scheme in lower case, "" for an address without one."""
    found = _SCHEME.match(plain_address(attribute))
    return found[1].lower() if found else ""


def is_script(attribute: str, *, image: bool = False) -> bool:
    """Whether following the address may run a program; an image that holds its own data runs none."""
    if image and _PICTURE_DATA.match(plain_address(attribute)):
        return False
    return scheme_of(attribute) in SCRIPTED


def is_remote(attribute: str) -> bool:
    """Whether loading the address asks another host."""
    address = plain_address(attribute)
    # `https:host` and `/\host` are other hosts, too.
    return bool(_TWO_SLASHES.match(address)) or scheme_of(attribute) not in {"", "data"}


def shown_host(attribute: str) -> str:
    """The host of an address, for people."""
    try:
        host = urlsplit(plain_address(attribute)).hostname
    except ValueError:
        host = None
    return host or "another site"
