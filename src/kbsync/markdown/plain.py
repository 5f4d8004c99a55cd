"""The words of a Markdown text, heading by heading, for a search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyromark

from kbsync.markdown.anchors import ANCHORED_LEVELS, heading_anchor

_PARSER = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES)
_TEXTS = frozenset({"Text", "Code"})
_BREAKS = frozenset({"SoftBreak", "HardBreak", "Rule"})
_INSIDE = frozenset({"Emphasis", "Strong", "Link", "Image", "Strikethrough", "Superscript", "Subscript"})
"""Constructs within a line: what stands on both sides of their ends may be one word."""


class PlainSection(NamedTuple):
    """What a reader can read from one heading to the next: no marks, no addresses, no raw HTML.

    `heading` is "" for what comes before the first one, and `anchor` where the page gives it no id. Blocks are parted
    by a space. `code` has the blocks of code: they are searched, and a result does not show them.
    """

    heading: str
    anchor: str
    prose: str
    code: str


@dataclass(slots=True)
class _Draft:
    """A section as far as it is read."""

    level: int = 0
    heading: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)

    def done(self) -> PlainSection:
        heading = _joined(self.heading)
        anchor = heading_anchor(heading) if self.level in ANCHORED_LEVELS else ""
        return PlainSection(heading, anchor, _joined(self.prose), _joined(self.code))


def plain_sections(markdown: str) -> list[PlainSection]:
    """The sections of a text; the first one is what stands before its first heading, and may be empty."""
    drafts = [_Draft()]
    pieces = drafts[-1].prose
    events: Iterator[Any] = _PARSER.events(markdown)
    for event in events:
        if event.__class__ is not dict:
            if event in _BREAKS:
                pieces.append(" ")
            continue
        ((name, value),) = event.items()
        if name in _TEXTS:
            pieces.append(value)
        elif name == "Start":
            # What has no more to say than its name follows one of the others, or the end of a block.
            if value.__class__ is str:
                continue
            if "Heading" in value:
                drafts.append(_Draft(_level(value["Heading"])))
                pieces = drafts[-1].heading
            elif "CodeBlock" in value:
                pieces = drafts[-1].code
            elif _INSIDE.isdisjoint(value):
                pieces.append(" ")
        elif name == "End":
            if (value if isinstance(value, str) else "") not in _INSIDE:
                pieces.append(" ")
            if "CodeBlock" in value or "Heading" in value:
                pieces = drafts[-1].prose
    return [draft.done() for draft in drafts]


def _level(heading: dict[str, Any]) -> int:
    return int(str(heading["level"]).removeprefix("H"))


def _joined(pieces: list[str]) -> str:
    return " ".join("".join(pieces).split())
