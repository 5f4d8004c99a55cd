"""The words of a Markdown text, for a search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyromark

_PARSER = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES)
_TEXTS = ("Text", "Code")
_INSIDE = frozenset({"Emphasis", "Strong", "Link", "Image", "Strikethrough", "Superscript", "Subscript"})
"""Constructs within a line: what stands on both sides of their ends may be one word."""


def plain_text(markdown: str) -> str:
    """What a reader can read of a text: no marks, no addresses, no raw HTML; blocks are parted by a blank."""
    return " ".join("".join(_pieces(markdown)).split())


def _pieces(markdown: str) -> Iterator[str]:
    events: Iterator[Any] = _PARSER.events(markdown)
    for event in events:
        if event.__class__ is dict:
            for name in _TEXTS:
                if (text := event.get(name)) is not None:
                    yield text
            if (tag := event.get("End")) is not None and (tag if isinstance(tag, str) else "") not in _INSIDE:
                yield " "
        elif event in {"SoftBreak", "HardBreak", "Rule"}:
            yield " "
