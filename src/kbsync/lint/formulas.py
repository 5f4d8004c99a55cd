"""Formulas in TeX, which the portal prints as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from kbsync.lint.extensions import EXTENSION, is_text
from kbsync.lint.finds import finds
from kbsync.lint.page import Mark, Page
from kbsync.markdown.prose import QUOTED
from kbsync.patterns import Pattern

_TEX = Pattern(r"\\[A-Za-z]|[\w)}\]][_^](?:[{\\(]|\w(?![A-Za-z]))")
"""What only a formula has: a command, something raised or lowered. Prices, variables of a shell and paths do not."""

_INTERVAL = Pattern(r"\$[\[(]-?[\d.]+, ?-?[\d.]+[\])]\$")

_INLINE = Pattern(r"\$(?<![\\$\w]\$)(?=[^\s$])[^$\n]{1,200}(?<![\s\\])\$(?![\w$])")
_DISPLAYED = Pattern(r"\$\$(?<![\\$\w]\$\$)(?!\$)[^$]{1,2000}\$\$(?![\w$])")
_ESCAPED = Pattern(r"\\(?:\((?:(?!\\\))[^\n]){1,200}\\\)|\[(?:(?!\\\]).){1,400}\\\])", re.DOTALL)

_COMMAND = Pattern(
    r"\\(?<![:\\]\\)(?:(?:autoref|begin|cite[pt]?|eqref|index|label|ref)\{|(?<![\w]\\)(?:(?:clear|cleardouble|new)page|pagebreak)\b|@ref\()"
)
"""Commands of LaTeX that documents have outside of formulas; `\\@ref` is bookdown's."""

_REST = Pattern(r"(?<=\{)[^{}\n]{0,40}\}|(?<=\()[^()\n]{0,40}\)")

HINT = "Write it in words or plain signs, or show an image of it."


@finds(EXTENSION)
def check_formulas(page: Page) -> Iterator[Mark]:
    r"""`$x^2$`, `$$ ... $$`, `\( ... \)` and `\[ ... \]`."""
    text = page.text
    if "$" in page.signs:
        for match in chain(_DISPLAYED.finditer(text), _INLINE.finditer(text)):
            if _is_formula(page, match) and is_text(page, match.start()):
                yield _mark(page, match)
    if "\\" in page.signs:
        for match in _ESCAPED.finditer(text):
            is_suspect = _is_formula(page, match) and not page.is_code(match.start())
            if is_suspect and page.prose.text[match.start()] == QUOTED:
                yield _mark(page, match)


@finds(EXTENSION, sign="\\")
def check_commands(page: Page) -> Iterator[Mark]:
    r"""`\index{word}`, `\ref{name}`, `\newpage` and the like."""
    text = page.text
    for match in _COMMAND.finditer(text):
        start = match.start()
        is_code = page.is_code(start) or page.prose.text[start] not in {"\\", QUOTED}
        in_formula = text.count("$", page.line_start(start), start) % 2 or text.count("$$", 0, start) % 2
        if not is_code and not in_formula:
            shown = match[0] + (_REST.match(text, match.end()) or [""])[0]
            message = f"`{shown}` is a command of LaTeX: the portal prints it."
            yield Mark(EXTENSION, start, message, "Delete it, or write in Markdown what it makes.")


def _is_formula(page: Page, match: re.Match[str]) -> bool:
    start, end = match.span()
    if page.text.startswith("$$", start) and not page.text[page.line_start(start) : start].strip(" \t>"):
        # On lines of its own; what begins and ends within words needs a sign of TeX.
        return not page.line_at(end - 1).rpartition("$$")[2].strip()
    return bool(_TEX.search(page.text, start, end) or _INTERVAL.fullmatch(page.text, start, end))


def _mark(page: Page, match: re.Match[str]) -> Mark:
    shown = " ".join(page.text[match.start() : match.end()].split())
    shown = shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 1] + "…"
    return Mark(EXTENSION, match.start(), f"`{shown}` does not become a formula: the portal prints its signs.", HINT)


MAX_SHOWN = 40
