"""httpx, without the command that comes with it: that loads pygments and rich where these are installed.

A program that imports kbsync before httpx has no `httpx.main` either.
"""

from __future__ import annotations

from kbsync.imports import without

with without("httpx._main"):
    import httpx

__all__ = ["httpx"]
