"""The proxy that the environment, or the system's settings, name for an address."""

from __future__ import annotations

from urllib.request import getproxies, proxy_bypass

import httpx

OWN = frozenset({"localhost", "127.0.0.1", "::1"})
"""A proxy for the world is not for this machine."""


def proxy_of(url: httpx.URL, host: str) -> str:
    """The proxy that the environment names for an address, "" for none."""
    found = getproxies()
    proxy = found.get(url.scheme) or found.get("all", "")
    if not proxy or host in OWN or proxy_bypass(host):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"
