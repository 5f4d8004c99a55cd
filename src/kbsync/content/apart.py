"""A file's text, taken apart: its head, the keys in it, and its body, every character of them as it was written."""

from __future__ import annotations

import re
from typing import NamedTuple

from kbsync.content.body import BOM, line_end_of
from kbsync.content.entries import FrontMatter
from kbsync.content.frontmatter import read_block
from kbsync.content.rules import NEVER_CLOSED
from kbsync.content.source import Problem

OPENING = re.compile(rf"{BOM}?---[ \t]*(?:\r\n|\n|\r|\Z)")
CLOSING = re.compile(r"(?:---(?<![^\r\n]---)|\.\.\.(?<![^\r\n]\.\.\.))[ \t]*(?:\r\n|\n|\r|\Z)")
"""Looks back last: a pattern that begins with plain characters is found several times as fast."""


class Apart(NamedTuple):
    """`head` is everything before the body: BOM, front matter and its two lines."""

    head: str
    front: FrontMatter
    body: str


def take_apart(text: str) -> Apart:
    """Take a file's text apart. A text without an opening `---` line is all body.

    Args:
        text: the file as it is, with its line ends; a BOM is part of the head.
    """
    head, block, body = split(text)
    return Apart(head, _never_closed() if block is None else read_block(block), body)


def head_of(text: str) -> str:
    """A file's text up to its body: BOM and front matter, all of it where that never ends. No YAML is read.

    Two files of one head have the same front matter.
    """
    return split(text)[0]


def split(text: str) -> tuple[str, str | None, str]:
    """Head, the YAML in it and body; no YAML (None) where the front matter is never closed."""
    opening = OPENING.match(text)
    if opening is None:
        head = BOM if text.startswith(BOM) else ""
        return head, "", text[len(head) :]
    closing = CLOSING.search(text, opening.end())
    if closing is None:
        return text, None, ""
    end = closing.end()
    return text[:end], text[opening.end() : closing.start()], text[end:]


def joined(head: str, body: str) -> str:
    """A file's text, put together. A front matter that ended its file gets the line end that it lacked."""
    return head + (line_end_of(head) if body and head.endswith("-") else "") + body


def _never_closed() -> FrontMatter:
    """What is known of a front matter without a closing line."""
    front = FrontMatter()
    message, hint = "The front matter is never closed.", "Add a line `---` after it."
    front.problems.append(Problem.of(NEVER_CLOSED, (1, 1), message, hint))
    return front
