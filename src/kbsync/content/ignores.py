"""Comments in a body that say which findings are meant: `<!-- kbsync-ignore KB401 KB402: why -->`. Pure.

A comment behind text is about its own line; one alone on its line is about the next line that is not empty. The
portal drops comments, so readers see nothing of them. Codes are checked by lint, which knows what codes there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from kbsync.content.rules import USELESS_IGNORE
from kbsync.content.source import Ignore, Problem
from kbsync.markdown.html_syntax import is_comment
from kbsync.markdown.offsets import Places
from kbsync.words import suggestion

if TYPE_CHECKING:
    from kbsync.markdown.constructs import RawHtml

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
        raw_html: where HTML is in it; a comment within code is not HTML.
        first_line: how many lines of the file come before the body.
        problems: gets what is wrong with a comment.
    """
    # A single character is looked for ten times as fast as several.
    if "<" not in body or "<!--" not in body or "kbsync-" not in body:
        return ()
    lines = _Lines(body)
    found: list[Ignore] = []
    for html in raw_html:
        if html.kind == "inline" and not is_comment(html.html):
            continue
        places = Places(html.html)
        for comment in _comments(html.html):
            found += _read(_Piece(html, places), comment, lines, first_line, problems)
    return tuple(found)


def _comments(text: str) -> Iterator[re.Match[str]]:
    # Behind the last end no comment can be whole: each look for one would go through all the rest in vain.
    return COMMENT.finditer(text, 0, text.rfind("-->") + len("-->"))


class _Piece(msgspec.Struct, frozen=True):
    """A piece of HTML, and where its lines begin."""

    html: RawHtml
    places: Places

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, in the body, of a character of it."""
        line, column = self.places.line(at), self.places.column(at)
        return self.html.line + line - 1, self.html.column + at if line == 1 else column

    def has_words_behind(self, at: int) -> bool:
        """Whether text follows on the same line, and no other comment."""
        text = self.html.html
        end = min((found for mark in "\r\n" if (found := text.find(mark, at)) >= 0), default=len(text))
        return text.find("<!--", at, end) < 0 and bool(text[at:end].strip())


class _Lines:
    """The lines of a body, and which of them are empty but for comments to kbsync."""

    def __init__(self, body: str) -> None:
        self.lines = LINE_END.split(body)
        self._following: list[int] = []

    def covered(self, first: int, last: int) -> int:
        """The line, from 1, that a comment from the first to the last of them is about."""
        if not _is_empty(" ".join(self.lines[first - 1 : last])):
            return first
        if not self._following:
            self._following = [0]
            for number in range(len(self.lines), 0, -1):
                after = self._following[-1]
                self._following.append(after if _is_empty(self.lines[number - 1]) else number)
            self._following.reverse()
        return self._following[last] or first


def _read(
    piece: _Piece, comment: re.Match[str], lines: _Lines, first_line: int, problems: list[Problem]
) -> Iterator[Ignore]:
    line, column = piece.place(comment.start())
    codes = comment[2].partition(":")[0]
    if comment[1] != WORD:
        message = f"kbsync does not know the comment `{comment[1]}`."
        problems.append(_problem(first_line + line, column, message, suggestion(WORD)))
        return
    if not codes.strip():
        message, hint = "This comment does not name a code.", f"Write for example `<!-- {WORD} KB401 -->`."
        problems.append(_problem(first_line + line, column, message, hint))
    if piece.html.kind == "block" and piece.has_words_behind(comment.end()):
        # Source: CommonMark, HTML blocks: it ends with the line, not with the comment.
        message = "Readers do not see the text after this comment, because the comment starts the line."
        problems.append(_problem(first_line + line, column, message, "Put the comment at the end of the line."))
    covers = first_line + lines.covered(line, line + comment[0].count("\n"))
    for code in CODES.finditer(codes):
        spot = piece.place(comment.start(2) + code.start())
        yield Ignore(first_line + spot[0], spot[1], covers, code[0])


@lru_cache(maxsize=64)
def _is_empty(line: str) -> bool:
    """Whether nothing is there but comments to kbsync, and what makes a quotation."""
    pieces, at = [], 0
    for comment in _comments(line):
        pieces.append(line[at : comment.start()])
        at = comment.end()
    return not "".join((*pieces, line[at:])).strip(" \t>")


def _problem(line: int, column: int, message: str, hint: str) -> Problem:
    return Problem.of(USELESS_IGNORE, (line, column), message, hint)
