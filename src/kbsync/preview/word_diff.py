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
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_AS_WRITTEN = re.compile(r"\A(?: {0,3}(?:```|~~~)|    |\t)|^ *\|", re.MULTILINE)
"""How code and tables begin: their columns are aligned by spaces."""

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


def difference_columns(before: str, after: str) -> str:
    """The same in two columns: one row for each pair of blocks, code and tables as they are written.

    Everything is escaped. "" for equal texts.
    """
    old, new = _blocks(before), _blocks(after)
    pieces = ['<div class="pair names"><span>On the portal</span><span>Your file</span></div>']
    for tag, start, end, other_start, other_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(LEFT_OUT)
        else:
            pairs = zip_longest(old[start:end], new[other_start:other_end], fillvalue="")
            pieces += (_row(one, other) for one, other in pairs)
    return "\n".join(pieces) if any("pair" in piece for piece in pieces[1:]) else ""


def _row(before: str, after: str) -> str:
    old, new = _sides(_WORDS.findall(before), _WORDS.findall(after))
    kind = "pair code" if _AS_WRITTEN.search(before) or _AS_WRITTEN.search(after) else "pair"
    return f'<div class="{kind}"><div class="old">{old}</div><div class="new">{new}</div></div>'


def _sides(old: list[str], new: list[str]) -> tuple[str, str]:
    """The words of each side, those marked that the other has not."""
    if max(len(old), len(new)) > MOST_WORDS:
        return _tagged("del", old), _tagged("ins", new)
    left, right = list[str](), list[str]()
    for tag, start, end, other_start, other_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        goes, comes = old[start:end], new[other_start:other_end]
        is_same = tag == "equal"
        left.append(escape("".join(goes)) if is_same else _tagged("del", goes))
        right.append(escape("".join(comes)) if is_same else _tagged("ins", comes))
    return "".join(left), "".join(right)


def _blocks(text: str) -> list[str]:
    """The paragraphs of a text; a block of code is one, spaces and empty lines included."""
    blocks: list[str] = []
    fence = ""
    for paragraph in _paragraphs(text):
        if fence:
            blocks[-1] += f"\n\n{paragraph}"
        else:
            blocks.append(paragraph)
        for mark in _FENCE.findall(paragraph):
            if not fence:
                fence = mark
            elif mark[0] == fence[0] and len(mark) >= len(fence):
                fence = ""
    return blocks


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
