"""Where links, images, headings and raw HTML stand in a Markdown text, to the character.

pyromark parses; its events carry UTF-8 byte ranges of whole constructs. This module narrows them to the
destination as it was written and turns them into offsets of the `str`, so that a rewrite touches nothing else.
"""

import re
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Literal

import msgspec
import pyromark

from kbsync.markdown.constructs import Heading, RawHtml, Reference, Scan, Target
from kbsync.markdown.entities import decode, decode_entities
from kbsync.markdown.offsets import Places

_PARSER = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES)
_OPENED = frozenset({"Link", "Image", "Heading"})
_REFERENCES = frozenset({"Reference", "Collapsed", "Shortcut"})
_START = attrgetter("start")
_MAY_DEFINE = re.compile(r"\]:")
"""A pattern of two characters is looked for three times as fast as a text of two."""

_SUPERSCRIPT = re.compile(r"\^([^^]+)\^")


def scan(text: str) -> Scan:
    """Find every link, image, definition, heading and piece of raw HTML of a Markdown text.

    Code, comments and escaped text are never targets. Of several definitions of one label the first counts.
    """
    reader = _Reader(Places(text, skipped=1 if text.startswith("\ufeff") else 0))
    opened = reader.open
    for event, span in events_of(text):
        # Most events are text outside of anything that is looked for: they must fall through quickly.
        if opened:
            reader.inside(event, span)
        elif "Start" in event:
            reader.start(event["Start"], span)
        elif "InlineHtml" in event:
            reader.html("inline", span)
    if _MAY_DEFINE.search(text):
        reader.definitions(_PARSER.reference_definitions(text.removeprefix("\ufeff")))
    return reader.result()


def events_of(text: str) -> Iterator[tuple[Any, Any]]:
    """pyromark's events, each with its range in UTF-8 bytes of the text without a byte order mark at its start."""
    events: Iterator[tuple[Any, Any]] = _PARSER.events_with_range(text.removeprefix("\ufeff"))
    return events


class _Open(msgspec.Struct):
    """A link, image or heading whose end has not come yet.

    `pieces` is what is shown of it, `seen` the same without the alt of images in it; `run` is text that may go on.
    """

    name: str
    data: Any
    span: Any
    pieces: list[str] = msgspec.field(default_factory=list)
    seen: list[str] = msgspec.field(default_factory=list)
    run: str = ""

    def part(self) -> None:
        """End a run of text: only within one do carets make superscript, which a reader sees without them."""
        if self.run:
            run, self.run = self.run, ""
            self.put(_SUPERSCRIPT.sub(r"\1", run) if "^" in run else run)

    def put(self, text: str) -> None:
        """Add what a reader sees."""
        self.pieces.append(text)
        self.seen.append(text)

    def take(self, inner: "_Open") -> None:
        """Add what was in a construct inside of this one."""
        self.pieces.append("".join(inner.pieces))
        if inner.name != "Image":
            self.seen.append("".join(inner.seen))


class _Reader:
    """Gathers what the events tell; `open` holds the constructs around the present place, outermost first."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.open: list[_Open] = []
        self._inner_end = 0
        self._targets: list[Target] = []
        self._references: list[Reference] = []
        self._headings: list[Heading] = []
        self._raw_html: list[RawHtml] = []
        self._blocks: dict[str, list[tuple[int, int]]] = {"Table": [], "CodeBlock": []}

    def start(self, tag: Any, span: Any) -> None:
        if tag.__class__ is not dict:
            if tag == "HtmlBlock":
                self.html("block", span)
            return
        ((name, data),) = tag.items()
        if name in _OPENED:
            self.open.append(_Open(name, data, span))
            self._inner_end = span["start"] + 1
        elif (blocks := self._blocks.get(name)) is not None:
            blocks.append((self.places.char(span["start"]), self.places.char(span["end"])))

    def inside(self, event: Any, span: Any) -> None:
        """Take what stands in a link, an image or a heading."""
        if event.__class__ is str:
            self._put("\n" if event == "HardBreak" else " ")
        elif (text := event.get("Text")) is not None:
            self.open[-1].run += text
        elif "Code" in event:
            self._put(event["Code"])
        else:
            self._mark(event, span)
            if "Start" in event:
                return
        self._inner_end = span["end"]

    def _mark(self, event: dict[str, Any], span: Any) -> None:
        """Take the beginning or end of a construct, or raw HTML: whatever it is, a run of text ends there."""
        self.open[-1].part()
        if "Start" in event:
            self.start(event["Start"], span)
        elif "InlineHtml" in event:
            self.html("inline", span)
        else:
            end = event["End"]
            if self.open[-1].name == ("Heading" if end.__class__ is dict else end):
                done = self.open.pop()
                if self.open:
                    self.open[-1].take(done)
                self._close(done)

    def _put(self, text: str) -> None:
        """Add what a reader sees and is not plain text: code, a line break."""
        self.open[-1].part()
        self.open[-1].put(text)

    def html(self, kind: Literal["inline", "block"], span: Any) -> None:
        start, end = self.places.char(span["start"]), self.places.char(span["end"])
        self._raw_html.append(RawHtml(kind, self.places.text[start:end], start, end, *self.places.spot(start)))

    def definitions(self, found: dict[str, Any]) -> None:
        # In the order of the text: to look for the place of each far from that of the one before costs a square.
        for label, definition in sorted(found.items(), key=lambda item: item[1]["span"]["start"]):
            start, end = (self.places.char(definition["span"][edge]) for edge in ("start", "end"))
            written = _LABEL.match(self.places.text, start, end)
            span = _narrow(self.places.text, written.end(), end, definition["dest"]) if written else None
            if span is not None:
                spot = self.places.spot(span[0])
                title = definition["title"] or ""
                self._targets.append(Target("definition", definition["dest"], *span, *spot, label, title))

    def result(self) -> Scan:
        return Scan(
            tuple(sorted(self._targets, key=_START)),
            tuple(sorted(self._references, key=_START)),
            tuple(self._headings),
            tuple(self._raw_html),
            *map(tuple, self._blocks.values()),
        )

    def _close(self, done: _Open) -> None:
        start, end = self.places.char(done.span["start"]), self.places.char(done.span["end"])
        if done.name == "Heading":
            level = int(done.data["level"][1:])
            self._headings.append(Heading(level, "".join(done.seen), start, end, self.places.line(start)))
        elif done.data["link_type"] in _REFERENCES:
            self._close_reference(done, start, end)
        else:
            self._close_target(done, start, end)

    def _close_reference(self, done: _Open, start: int, end: int) -> None:
        kind: Literal["link", "image"] = "image" if done.name == "Image" else "link"
        label, destination = done.data["id"], done.data["dest_url"]
        words = "".join(done.pieces)
        self._references.append(Reference(kind, label, destination, start, end, *self.places.spot(start), words))

    def _close_target(self, done: _Open, start: int, end: int) -> None:
        words, data = "".join(done.pieces), done.data
        if data["link_type"] == "Inline":
            destination, text = data["dest_url"], self.places.text
            opening = text.find("](", self.places.char(self._inner_end), end)
            span = _narrow(text, opening + 2, end - 1, destination) if opening >= 0 else None
            if span is not None:
                kind: Literal["link", "image"] = "image" if done.name == "Image" else "link"
                self._targets.append(Target(kind, destination, *span, *self.places.spot(span[0]), words, data["title"]))
            return
        destination = decode_entities(data["dest_url"])
        if data["link_type"] == "Email":
            destination = f"mailto:{destination}"
        spot = self.places.spot(start + 1)
        self._targets.append(Target("autolink", destination, start + 1, end - 1, *spot, words, data["title"]))


Span = tuple[int, int]

_LABEL = re.compile(r"\[(?:[^\\\[\]]|\\.)*\]:", re.DOTALL)
_BLANK = re.compile(r"[ \t\r\n]*")
_QUOTE_MARK = re.compile(r"[ \t]*>[ \t]*[\r\n]*[ \t]*")
_ANGLED = re.compile(r"<((?:[^<>\\\r\n]|\\.)*)>")
_PLAIN_STOP = re.compile(r"[()]|\\[!-/:-@\[-`{-~]|[ \t\r\n\v\f]")


def _narrow(text: str, start: int, end: int, destination: str) -> Span | None:
    """Find the destination of a link, or of a definition, between what is before it and the end of all."""
    for place in _beginnings(text, start, end):
        span = _span_at(text, place, end)
        written = text[span[0] : span[1]]
        # In a table cell `\|` was a pipe before the cell was read as Markdown.
        if written == destination or destination in (decode(written), decode(written.replace("\\|", "|"))):
            return span
    return None


def _beginnings(text: str, start: int, end: int) -> Iterator[int]:
    """Offer where the destination may begin: after blanks, and on a new line after each quote mark."""
    blank = _BLANK.match(text, start, end)
    place = blank.end() if blank else start
    yield place
    if "\n" in text[start:place] or "\r" in text[start:place]:
        while mark := _QUOTE_MARK.match(text, place, end):
            place = mark.end()
            yield place


def _span_at(text: str, place: int, end: int) -> Span:
    if angled := _ANGLED.match(text, place, end):
        return angled.span(1)
    depth = 0
    for stop in _PLAIN_STOP.finditer(text, place, end):
        mark = stop[0]
        if mark == "(":
            depth += 1
        elif mark == ")":
            depth -= 1
        if depth < 0 or mark in " \t\r\n\v\f":
            return place, stop.start()
    return place, end
