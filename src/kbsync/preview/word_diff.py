"""Two texts, and the words in which they differ, as HTML. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
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
    return _differing(_paragraphs(before), _paragraphs(after), _paragraph)


def difference_columns(before: str, after: str) -> str:
    """The same in two columns: one row for each pair of blocks, code and tables as they are written.

    Everything is escaped. "" for equal texts.
    """
    rows = _differing(_blocks(before), _blocks(after), _row)
    names = '<div class="pair names"><span>On the portal</span><span>Your file</span></div>'
    return f"{names}\n{rows}" if rows else ""


def _differing(old: list[str], new: list[str], show: Callable[[str, str], str]) -> str:
    """The blocks that differ, in pairs."""
    pieces: list[str] = []
    for tag, start, end, other_start, other_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        pairs = zip_longest(old[start:end], new[other_start:other_end], fillvalue="")
        pieces += [LEFT_OUT] if tag == "equal" else (show(one, other) for one, other in pairs)
    return "\n".join(pieces) if any(piece != LEFT_OUT for piece in pieces) else ""


def _paragraph(before: str, after: str) -> str:
    steps = _steps(before, after)
    marked = (goes if goes == comes else _tagged("del", goes) + _tagged("ins", comes) for goes, comes in steps)
    return f"<p>{''.join(marked)}</p>".replace("\n", "<br>")


def _row(before: str, after: str) -> str:
    steps = _steps(before, after)
    old = "".join(goes if goes == comes else _tagged("del", goes) for goes, comes in steps)
    new = "".join(comes if goes == comes else _tagged("ins", comes) for goes, comes in steps)
    kind = "pair code" if _AS_WRITTEN.search(before) or _AS_WRITTEN.search(after) else "pair"
    return f'<div class="{kind}"><div class="old">{old}</div><div class="new">{new}</div></div>'


def _steps(before: str, after: str) -> list[tuple[str, str]]:
    """The words that go and those that come instead, from the beginning to the end; twice the same where they stay."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return [(escape(before), escape(after))]
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(escape("".join(old[a:b])), escape("".join(new[c:d]))) for _, a, b, c, d in steps]


def _tagged(tag: str, text: str) -> str:
    return f"<{tag}>{text}</{tag}>" if text else ""


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
