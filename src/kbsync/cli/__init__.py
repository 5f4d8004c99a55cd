"""The commands. This table is all of them; each is a file, imported only when it is called."""

from __future__ import annotations

from kbsync.cli.door import main

__all__ = ["main"]
