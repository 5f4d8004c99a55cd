"""The text of an article as its reader gets to see it, with everything else blanked out at its place.

Who looks for signs that mean something elsewhere (`~~`, `[^1]`, a bare address) must not find them in code, in
addresses, in raw HTML or behind a backslash. So each of these is a blank here, and every place is the original's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from kbsync.markdown.offsets import Places
from kbsync.markdown.spans import events_of

GONE = "\0"
"""In the place of each character that is not text: marks, code, addresses, HTML. Line ends stay what they are."""

QUOTED = "\x01"
"""In the place of each character of an entity, and of a backslash with what it protects: text, but not as written."""

_CONTAINERS = frozenset({"List", "Item", "BlockQuote"})
_INLINE = frozenset({"Link", "Image", "Emphasis", "Strong"})
_SILENT = frozenset({"CodeBlock", "Image"})


class Item(msgspec.Struct, frozen=True):
    """One item of a list, from its mark on. `before` is the place in `Prose.items` of the item that it follows
    directly and on the same level, in this list or in one right before it; -1 where it is the first.
    """

    start: int
    end: int
    is_ordered: bool
    before: int


class Prose(msgspec.Struct):
    """What is left of `text`, of the same length; and where links, soft breaks and list items are."""

    text: str = ""
    links: list[tuple[int, int]] = msgspec.field(default_factory=list)
    breaks: set[int] = msgspec.field(default_factory=set)
    items: list[Item] = msgspec.field(default_factory=list)


def read_prose(text: str) -> Prose:
    """Blank out everything that is not text."""
    reader = _Reader(text)
    for event, span in events_of(text):
        if event.__class__ is not dict:
            if event == "SoftBreak":
                reader.prose.breaks.add(reader.places.char(span["start"]))
            elif event == "Rule":
                reader.block()
        elif (words := event.get("Text")) is not None:
            reader.words(words, span)
        elif (tag := event.get("Start")) is not None:
            reader.start(tag, span)
        elif (tag := event.get("End")) is not None:
            reader.stop(tag)
    return reader.result()


class _Reader:
    """Gathers pieces; `_open` holds the containers and silent constructs around the present place."""

    def __init__(self, text: str) -> None:
        self.prose = Prose()
        self.places = Places(text, skipped=1 if text.startswith("\ufeff") else 0)
        self._text = text
        self._pieces: list[str] = []
        self._at = 0
        self._silent = 0
        self._containers: list[str] = []
        self._last: dict[int, int] = {}
        self._deepest = 0
        self._ordered: list[bool] = []

    def words(self, words: str, span: Any) -> None:
        if self._silent:
            return
        start, end = self.places.char(span["start"]), self.places.char(span["end"])
        if start < self._at:
            return
        written = self._text[start:end]
        if start > self._at and self._text[start - 1] == "\\":
            self._pieces += (*_blank(self._text[self._at : start - 1]), QUOTED)
            # A backslash does not protect a caret: the portal makes superscript of what the parser left.
            written = written if written[0] == "^" else QUOTED + written[1:]
        else:
            self._pieces += _blank(self._text[self._at : start])
            written = written if written == words else QUOTED * (end - start)
        self._pieces.append(written)
        self._at = end

    def start(self, tag: Any, span: Any) -> None:
        name = next(iter(tag)) if tag.__class__ is dict else tag
        if name in _INLINE:
            if name == "Link":
                self.prose.links.append(self._span(span))
        elif name == "Item":
            self._item(span)
        elif name == "List":
            self._ordered.append(tag["List"] is not None)
        else:
            self.block()
        if name in _SILENT:
            self._silent += 1
        if name in _CONTAINERS:
            self._containers.append(name)

    def stop(self, tag: Any) -> None:
        name = next(iter(tag)) if tag.__class__ is dict else tag
        if name in _SILENT:
            self._silent -= 1
        elif name in _CONTAINERS:
            self._containers.pop()
            if name == "List":
                self._ordered.pop()
            else:
                depth = len(self._containers)
                # Counted down from the deepest: a look at all of them, for each of many levels, would be their square.
                for level in range(depth + 1, self._deepest + 1):
                    self._last.pop(level, None)
                self._deepest = min(self._deepest, depth)

    def block(self) -> None:
        """Take a block that is not a list: an item after it follows no item."""
        self._last.pop(len(self._containers) + 1, None)

    def _item(self, span: Any) -> None:
        level = len(self._containers)
        start, end = self._span(span)
        # Behind a tab that an outer item takes a part of, the parser's start is as many characters too early.
        while start < end and self._text[start] in " \t\r\n>":
            start += 1
        items = self.prose.items
        items.append(Item(start, end, self._ordered[-1], self._last.get(level, -1)))
        self._last[level] = len(items) - 1
        self._deepest = max(self._deepest, level)

    def _span(self, span: Any) -> tuple[int, int]:
        return self.places.char(span["start"]), self.places.char(span["end"])

    def result(self) -> Prose:
        self._pieces += _blank(self._text[self._at :])
        self.prose.text = "".join(self._pieces)
        return self.prose


def _blank(text: str) -> Iterator[str]:
    if "\n" not in text:
        yield GONE * len(text)
        return
    for line in text.splitlines(keepends=True):
        ended = line.endswith("\n")
        yield GONE * (len(line) - ended) + ("\n" if ended else "")
