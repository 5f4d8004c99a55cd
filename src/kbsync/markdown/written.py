"""Finding a destination as it was written inside a link, an image or a definition.

The parser says where the construct stands and what its destination comes to. What lies between, line
breaks, quote marks, angle brackets, escapes, is narrowed down here and checked against that destination.
"""

import re
from collections.abc import Iterator

from kbsync.markdown.entities import decode

Span = tuple[int, int]

_LABEL = re.compile(r"\[(?:[^\\\[\]]|\\.)*\]:", re.DOTALL)
_BLANK = re.compile(r"[ \t\r\n]*")
_QUOTE_MARK = re.compile(r"[ \t]*>[ \t]*[\r\n]*[ \t]*")
_ANGLED = re.compile(r"<((?:[^<>\\\r\n]|\\.)*)>")
_PLAIN_STOP = re.compile(r"[()]|\\[!-/:-@\[-`{-~]|[ \t\r\n\v\f]")


def inline_span(text: str, text_end: int, end: int, destination: str) -> Span | None:
    """Find the destination in `[text](destination "title")`.

    Args:
        text_end: a place after everything inside the brackets, before the closing one.
        end: where the link ends, its closing parenthesis included.
        destination: what the parser made of it.
    """
    opening = text.find("](", text_end, end)
    return None if opening < 0 else _narrow(text, opening + 2, end - 1, destination)


def definition_span(text: str, start: int, end: int, destination: str) -> Span | None:
    """Find the destination in `[label]: destination "title"`, which stands in `text[start:end]`."""
    label = _LABEL.match(text, start, end)
    return None if label is None else _narrow(text, label.end(), end, destination)


def _narrow(text: str, start: int, end: int, destination: str) -> Span | None:
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
