"""Where the portal's renderer stops. Beside the rules that render, as those take long to load."""

from __future__ import annotations

from collections.abc import Callable

Check = Callable[[], None]
"""Asked at every step of rendering; what it raises ends the rendering."""


def unlimited() -> None:
    """The check of a rendering that nobody waits for."""


MAX_FILLED_IN = 0x80000
"""Empty cells that the portal adds to short rows before it ends a table. Source: cmark-gfm, extensions/table.c."""
