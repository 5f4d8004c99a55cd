"""The proxy that the environment, or the system's settings, name for an address."""

from __future__ import annotations

from urllib.request import getproxies, proxy_bypass

import httpx

from kbsync.hosts import LOOPBACK


def proxy_of(url: httpx.URL, host: str) -> str:
    """The proxy that the environment names for an address, "" for none: one for the world is not for this machine."""
    found = getproxies()
    proxy = found.get(url.scheme) or found.get("all", "")
    if not proxy or host in LOOPBACK or proxy_bypass(host):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"
