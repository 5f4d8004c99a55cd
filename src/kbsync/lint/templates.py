"""Where another tool fills something in: `{{< name >}}`, `{% include x %}`. Nothing in there is fixed. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from kbsync.lint.page import Mark, Span, covering
from kbsync.patterns import Pattern

MOST_CHARS = 1_000
"""Braces further apart do not belong together."""

PAIRS = (("{{", "}}"), ("{%", "%}"))


def templates(text: str) -> list[Span]:
    """All of them, braces included, in order."""
    # A single character is looked for five times as fast as two.
    return list(_templates(text)) if "{" in text and ("{{" in text or "{%" in text) else []


def _templates(text: str) -> Iterator[Span]:
    at = 0
    while (start := text.find("{", at)) >= 0:
        at = start + 1
        close = next((close for opening, close in PAIRS if text.startswith(opening, start)), "")
        end = text.find(close, start + 2, start + MOST_CHARS) if close else -1
        if end >= 0:
            at = end + len(close)
            yield start, at


def touches(spans: list[Span], mark: Mark) -> bool:
    """Whether an edit of a finding would change something in one of these."""
    return any(covering(spans, edit.start) or covering(spans, max(edit.start, edit.end - 1)) for edit in mark.edits)


MOST_BEFORE = 500
"""Characters of a tag before its first value in braces."""

_BRACE = Pattern(r"[{}]")


def components(text: str) -> list[Span]:
    """The tags of MDX that have a value in braces, from their beginning to the last brace, in order."""
    return list(dict(_components(text)).items()) if "={" in text else []


def _components(text: str) -> Iterator[Span]:
    """Each value in braces: the beginning of its tag, and its own end."""
    at, tag = 0, -1
    while (brace := text.find("={", at)) >= 0:
        start, end = text.rfind("<", max(at, brace - MOST_BEFORE), brace), _closed(text, brace + 1)
        if end < 0:
            return
        if start >= 0 and text[start + 1].isalpha() and ">" not in text[start:brace]:
            tag = start
        elif start >= 0 or text.find(">", at, brace) >= 0:
            tag = -1
        if tag >= 0:
            yield tag, end
        at = end


def _closed(text: str, brace: int) -> int:
    """The place behind the brace that closes another one; -1 where none does."""
    depth = 0
    for match in _BRACE.finditer(text, brace):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return match.end()
    return -1
