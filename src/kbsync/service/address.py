"""Where a request goes: an address taken apart, without what only unusual addresses need."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlencode, urlsplit

import msgspec

PLAIN = r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?(/[A-Za-z0-9_~:@!$&'()*+,;=-]+(\.[A-Za-z0-9_~-]+)*)*/?"
"""An address that goes over the wire as it is written. What is quoted is one, too."""

PORTS = {"http": 80, "https": 443}
MAX_PORT = 65_535


class Address(msgspec.Struct, frozen=True):
    """An address as the wire has it: `host` in ASCII, `netloc` for the header `Host`, `target` is path and query."""

    scheme: str
    host: str
    port: int
    netloc: str
    target: str

    @property
    def origin(self) -> str:
        """Scheme, host and port, as a person writes them."""
        return f"{self.scheme}://{self.netloc}"

    def asking(self, query: str) -> str:
        """The target with another query."""
        return f"{self.target.partition('?')[0]}?{query}" if query else self.target


@lru_cache(maxsize=256)
def address_of(url: str) -> Address:
    """An address taken apart. All creates go to the same one.

    Raises:
        ValueError: it is not one.
    """
    if not re.fullmatch(PLAIN, re.sub("%[0-9A-Fa-f]{2}", "", url)):
        return _unusual(url)
    parts = urlsplit(url)
    host, port = (parts.hostname or "").lower(), parts.port or PORTS[parts.scheme]
    netloc = host if port == PORTS[parts.scheme] else f"{host}:{port}"
    return Address(parts.scheme, host, port, netloc, parts.path or "/")


def _unusual(url: str) -> Address:
    """What is to be encoded or shortened first, as httpx does it: names that are not ASCII, dots, spaces."""
    import httpx  # Loaded here: it takes a fifth of the time of a plan with nothing to do.

    try:
        found = httpx.URL(url)
        port = found.port or PORTS[found.scheme]
    except (httpx.InvalidURL, KeyError, TypeError) as exc:
        raise ValueError(str(exc)) from exc
    if not found.host or port > MAX_PORT:
        raise ValueError("no host, or no such port")
    host, target = found.raw_host.decode("ascii"), found.raw_path.decode("ascii")
    return Address(found.scheme, host, port, found.netloc.decode("ascii"), target)


def query_of(values: Mapping[str, object]) -> str:
    """Parameters as they are sent behind a path."""
    words = {True: "true", False: "false", None: ""}
    pairs = [(name, one) for name, value in values.items() for one in (value if isinstance(value, list) else [value])]
    return urlencode([(name, words[one] if one is None or isinstance(one, bool) else str(one)) for name, one in pairs])
