"""Puts what moved on the portal into a file: keys of its front matter, its title where that is a heading, its body.

Every character that is no part of that stays as the writer wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kbsync.content.apart import joined, take_apart
from kbsync.content.body import line_end_of
from kbsync.content.front_edit import Both, Edit, edit_front
from kbsync.content.parse import parse_source
from kbsync.content.source import Source

_ENDS = re.compile(r"\A([\r\n]*)(.*?)([\r\n]*)\Z", re.DOTALL)
_ASCII_MARKS = re.compile(r"[!-/:-@\[-`{-~]")
_NEEDS_ESCAPE = re.compile(r"[\\`*_\[\]<>&#!~^|]")


def body_in(source: Source, text: str) -> str:
    """The body of a file without the heading that is its title."""
    content = take_apart(text).body
    start, end = source.title_span
    return content[:start] + content[end:]


def edit_source(
    source: Source, text: str, front: Mapping[str, Edit], body: str | None, *, most_chars: int = 0
) -> str | None:
    """The text of a file with other values.

    Args:
        source: what the text says.
        text: the file, with its BOM if it has one.
        front: by key of the front matter.
        body: the new body without the title's heading; None where it stays.
        most_chars: a body that has as many gets no line breaks at its ends; 0 for no limit.

    Returns:
        None where the file is written in a way that cannot be edited.
    """
    head, _, content = take_apart(text)
    front = dict(front)
    start, end = source.title_span
    if end > start and ("title" in front or body is not None):
        content, front = _with_heading(source, content, front, body, most_chars)
    elif body is not None:
        content = framed(body, content, most_chars)
    edited = edit_front(head, front) if front else head
    return None if edited is None else joined(edited, content)


def framed(body: str, old: str, most_chars: int = 0) -> str:
    """A body with the line breaks that the old one had at both ends: no reader sees them, and the panel drops them."""
    frame, inner = _ENDS.match(old), _ENDS.match(body)
    assert frame is not None and inner is not None
    text = frame[1] + inner[2] + (frame[3] if frame[2] else inner[3] or "\n")
    return text if not most_chars or len(text) <= most_chars else inner[2]


def _with_heading(
    source: Source, content: str, front: dict[str, Edit], body: str | None, most_chars: int
) -> tuple[str, dict[str, Edit]]:
    """The text below the front matter where its heading is the title, and what is left to edit above."""
    start, end = source.title_span
    before, heading, after = content[:start], content[start:end], content[end:]
    if body is not None and before.strip():
        # The title would come in the middle of a text that has changed around it.
        return framed(body, before + after, most_chars), {"title": source.title, **front}
    rest = after if body is None else framed(body, after, most_chars)
    if "title" not in front:
        return before + heading + rest, front
    edit = front["title"]
    others = {name: value for name, value in front.items() if name != "title"}
    if isinstance(edit, Both):
        return before + _marked(heading, edit) + rest, others
    line = _heading(heading, str(edit))
    if line is not None:
        return before + line + rest, others
    return before + rest.lstrip("\r\n"), front


def _marked(heading: str, edit: Both) -> str:
    title = _heading("#", str(edit.theirs)) or f"# {edit.theirs}"
    end = line_end_of(heading)
    lines = (f"<<<<<<< {edit.ours_name}", heading.rstrip("\r\n"), "=======", title, f">>>>>>> {edit.theirs_name}", "")
    return end.join(lines)


def _heading(old: str, title: str) -> str | None:
    """A heading of these words; None where a heading cannot say them."""
    tail = old[len(old.rstrip("\r\n")) :]
    for written in (title, _NEEDS_ESCAPE.sub(r"\\\g<0>", title), _ASCII_MARKS.sub(r"\\\g<0>", title)):
        line = f"# {written}"
        if "\n" not in line and parse_source("x.md", f"{line}\n\ntext\n".encode()).title == title:
            return line + tail
    return None
