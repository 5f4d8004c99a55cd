"""How the signs of other tools are found: what a row of the table in `foreign.py` says, and where it may count.

What costs little comes first: the punctuation of a page, then a pattern that begins with a plain character and so is
found fast. Only a suspicion has the page parsed a second time, for its prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from kbsync.lint.page import Edit, Mark, Page, short
from kbsync.markdown.offsets import Places
from kbsync.markdown.prose import QUOTED
from kbsync.markdown.spans import events_of
from kbsync.model import Rule
from kbsync.patterns import Pattern

Matches = Iterator[re.Match[str]]
Where = Callable[[Page, "Sign"], Matches]


class Sign(msgspec.Struct, frozen=True):
    """One sign of another tool, and what to say of it.

    Args:
        rule: the rule of its findings.
        least: punctuation that a page with the sign has at least, or that each of its forms has; a square bracket has
            to be one that is no link's.
        where: gives the places where the pattern counts.
        pattern: the sign.
        message, hint: what to say; `{}` is the sign, `{text}` as it is outside of the prose, both short; `{all}` is all
            of the match, `{group}` its last group.
        at: the group of the pattern that the finding is at.
        suspects: patterns of which a page with the sign has one outside of code, instead of the sign's own.
        when: whether a match is meant as the sign.
        say: the message and hint where they depend on the match.
        fix: the edits that replace it.
    """

    rule: Rule
    least: tuple[str, ...]
    where: Where
    pattern: Pattern
    message: str = ""
    hint: str = ""
    at: int = 0
    suspects: tuple[Pattern, ...] = ()
    when: Callable[[Page, re.Match[str]], object] | None = None
    say: Callable[[Page, re.Match[str]], tuple[str, str]] | None = None
    fix: Callable[[Page, re.Match[str]], tuple[Edit, ...]] | None = None

    def is_suspected(self, page: Page) -> bool:
        """Whether a page has what the sign looks like outside of code."""
        return any(page.has(suspect) for suspect in self.suspects or (self.pattern,))

    def marks(self, page: Page) -> Iterator[Mark]:
        """A finding for each place where it counts."""
        for match in self.where(page, self):
            if self.when is None or self.when(page, match):
                message, hint = self.say(page, match) if self.say else (self._filled_in(page, match), self.hint)
                yield Mark(self.rule, match.start(self.at), message, hint, self.fix(page, match) if self.fix else ())

    def _filled_in(self, page: Page, match: re.Match[str]) -> str:
        text, group = page.text[match.start() : match.end()], match[match.lastindex or 0]
        return self.message.format(short(match[self.at]), text=short(text), all=match[0], group=group)


def in_text(page: Page, sign: Sign) -> Matches:
    """Where readers see it as it is written."""
    return (match for match in sign.pattern.finditer(page.text) if page.is_text(match.start()))


def on_line(page: Page, sign: Sign) -> Matches:
    """The same at the beginning of a line, or of one in a quote."""
    return (match for match in in_text(page, sign) if begins_line(page, match.start()))


def begins_line(page: Page, place: int) -> bool:
    """Whether only the marks of quotes are before a place on its line."""
    return not page.text[page.line_start(place) : place].strip(" \t>")


def escaped(page: Page, sign: Sign) -> Matches:
    """Where readers see it, with a backslash in front or without."""
    for match in sign.pattern.finditer(page.text):
        at = match.start(sign.at)
        if not page.is_code(at) and page.prose.text[at] in {page.text[at], QUOTED}:
            yield match


def in_prose(page: Page, sign: Sign) -> Matches:
    """In the prose: marks, code and addresses are blank there, and the mark of a quote or list is a NUL."""
    return sign.pattern.finditer(page.prose.text)


def in_fences(page: Page, sign: Sign) -> Matches:
    """In the first line of a fenced block of code."""
    return fenced_blocks(page, sign.pattern)


INDENT = 4
"""Columns of an indented block. A fence has less, behind the marks of the quotes and lists around it."""


def fenced_blocks(page: Page, first_line: Pattern) -> Matches:
    """The match of each fenced block whose first line matches.

    A line of backticks in an indented block is code that readers see.
    """
    indented: frozenset[int] | None = None
    for start, _ in page.scan.code:
        if match := first_line.match(page.text, start):
            # Nearly all fences begin their line. Of the others only the parser knows how deep their list is.
            if len(page.text[page.line_start(start) : start].expandtabs(INDENT)) >= INDENT:
                indented = _indented(page.text) if indented is None else indented
                if start in indented:
                    continue
            yield match


def _indented(text: str) -> frozenset[int]:
    """The first characters of the blocks of code by their indent."""
    places = Places(text, skipped=1 if text.startswith("\ufeff") else 0)
    return frozenset(
        places.char(span["start"])
        for event, span in events_of(text)
        if event.__class__ is dict and event.get("Start") == {"CodeBlock": "Indented"}
    )
