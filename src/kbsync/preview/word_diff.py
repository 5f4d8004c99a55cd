"""Two texts, and the words in which they differ, as HTML. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape
from itertools import zip_longest

MOST_WORDS = 3_000
"""Paragraphs with more words than that are shown as a whole, old and new: comparing them takes the square of it."""

_BLANK_LINES = re.compile(r"\n[ \t]*\n+")
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
LEFT_OUT = '<p class="quiet">…</p>'


def difference_html(before: str, after: str) -> str:
    """The paragraphs that differ, with `<del>` around the words that go and `<ins>` around those that come.

    Everything is escaped; what is equal between two of them is an ellipsis. "" for equal texts.
    """
    old, new = _paragraphs(before), _paragraphs(after)
    pieces: list[str] = []
    for tag, start, end, other_start, other_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(LEFT_OUT)
        else:
            pairs = zip_longest(old[start:end], new[other_start:other_end], fillvalue="")
            pieces += (f"<p>{_marked(one, other)}</p>" for one, other in pairs)
    return "\n".join(pieces) if any(piece != LEFT_OUT for piece in pieces) else ""


def _paragraphs(text: str) -> list[str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return [part for part in _BLANK_LINES.split(text.strip("\n")) if part]


def _marked(before: str, after: str) -> str:
    return "".join(_pieces(_WORDS.findall(before), _WORDS.findall(after))).replace("\n", "<br>")


def _pieces(old: list[str], new: list[str]) -> Iterator[str]:
    if max(len(old), len(new)) > MOST_WORDS:
        yield from (_tagged("del", old), _tagged("ins", new))
        return
    for tag, start, end, other_start, other_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield escape("".join(old[start:end]))
        else:
            yield from (_tagged("del", old[start:end]), _tagged("ins", new[other_start:other_end]))


def _tagged(tag: str, words: list[str]) -> str:
    return f"<{tag}>{escape(''.join(words))}</{tag}>" if words else ""
