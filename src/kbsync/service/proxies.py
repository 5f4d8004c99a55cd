"""Which proxy the environment names for an address."""

from __future__ import annotations

import os
import sys

OWN = frozenset({"localhost", "127.0.0.1", "::1"})
"""A proxy for the world is not for this machine."""


def proxy_of(scheme: str, host: str) -> str:
    """The proxy that the environment names for an address, "" for none."""
    if host in OWN or not _can_name_proxy():
        return ""
    from urllib.request import getproxies, proxy_bypass  # Loaded here: few have a proxy.

    found = getproxies()
    proxy = found.get(scheme) or found.get("all", "")
    if not proxy or proxy_bypass(host):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def _can_name_proxy() -> bool:
    """Windows and macOS have settings for it beside the environment."""
    has_settings = os.name == "nt" or sys.platform == "darwin"
    return has_settings or any(name.lower().endswith("_proxy") for name in os.environ)
