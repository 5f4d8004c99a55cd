"""Comments in a body that say which findings are meant: `<!-- kbsync-ignore KB401 KB402: why -->`. Pure.

A comment behind text is about its own line; one that stands alone is about the next line that is not empty. The
portal drops comments, so readers see nothing of them. Codes are checked by lint, which knows what codes there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kbsync.content.source import Ignore, Problem

if TYPE_CHECKING:
    from kbsync.markdown.spans import RawHtml

WORD = "kbsync-ignore"
COMMENT = re.compile(r"<!--\s*(kbsync-[\w-]*)(.*?)-->", re.DOTALL)
CODES = re.compile(r"[^\s,]+")
LINE_END = re.compile(r"\r\n|\n|\r")


def read_ignores(
    body: str, raw_html: Iterable[RawHtml], first_line: int, problems: list[Problem]
) -> tuple[Ignore, ...]:
    """What the comments of a body ignore.

    Args:
        body: the text behind the front matter.
        raw_html: where HTML stands in it; a comment within code is none.
        first_line: how many lines of the file stand before the body.
        problems: gets what is wrong with a comment.
    """
    if "<!--" not in body or "kbsync-" not in body:
        return ()
    lines = LINE_END.split(body)
    found: list[Ignore] = []
    for html in raw_html:
        for comment in COMMENT.finditer(html.html):
            found += _read(comment, html, lines, first_line, problems)
    return tuple(found)


def _read(
    comment: re.Match[str], html: RawHtml, lines: list[str], first_line: int, problems: list[Problem]
) -> Iterator[Ignore]:
    line, column = _place(html, comment.start())
    codes = comment[2].partition(":")[0]
    if comment[1] != WORD:
        message = f"`{comment[1]}` is no comment that kbsync knows"
        problems.append(_problem(first_line + line, column, message, f"did you mean `{WORD}`?"))
        return
    if not codes.strip():
        message, hint = "this comment names no code", f"write for example `<!-- {WORD} KB401 -->`"
        problems.append(_problem(first_line + line, column, message, hint))
    behind = LINE_END.split(html.html[comment.end() :])[0]
    if html.kind == "block" and behind.strip() and "<!--" not in behind:
        # Source: CommonMark, HTML blocks: it ends with the line, not with the comment.
        message = "text behind a comment that begins the line is part of the comment: readers do not see it"
        problems.append(_problem(first_line + line, column, message, "put the comment at the end of the line"))
    covers = first_line + _covered(lines, line, line + comment[0].count("\n"))
    for code in CODES.finditer(codes):
        spot = _place(html, comment.start(2) + code.start())
        yield Ignore(first_line + spot[0], spot[1], covers, code[0])


def _place(html: RawHtml, at: int) -> tuple[int, int]:
    """Line and column, in the body, of a character of a piece of HTML."""
    before = LINE_END.split(html.html[:at])
    column = html.column + at if len(before) == 1 else len(before[-1]) + 1
    return html.line + len(before) - 1, column


def _covered(lines: list[str], first: int, last: int) -> int:
    """The line, from 1, that a comment from the first to the last of some lines is about."""
    if not _is_empty(" ".join(lines[first - 1 : last])):
        return first
    return next((number for number, line in enumerate(lines[last:], start=last + 1) if not _is_empty(line)), first)


def _is_empty(line: str) -> bool:
    """Whether nothing stands there but comments to kbsync, and what makes a quotation."""
    return not COMMENT.sub("", line).strip(" \t>")


def _problem(line: int, column: int, message: str, hint: str) -> Problem:
    return Problem("KB120", "warning", line, column, message, hint)
