"""Attributes in curly brackets, and what else gives an image its size: the portal prints them."""

from __future__ import annotations

import re

from kbsync.lint.page import Edit, Page
from kbsync.patterns import Pattern

_ID_OR_CLASS = r"[#.][A-Za-z][\w:.-]*+"
_PAIR = r"[A-Za-z_][\w-]*+=(?:\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'{}]++)"
_ONE = rf"(?:{_ID_OR_CLASS}|{_PAIR})"
_COMMAND = rf"::?/?[a-z]+(?:[ \t]++{_ONE})*+[ \t]*/?"
"""Of kramdown: `{:toc}`, `{::comment}`."""

_LIKE_PAIRS = r"[ \t]?:[ \t]?[A-Za-z_][\w-]*+[ \t]?=[^{}\n]{1,200}+"
"""Of kramdown, too, with a comma, a quote or a space in the wrong place: it is certainly no sentence."""

SIGN = Pattern(rf"\{{(?:(?:-|:?[ \t]*{_ONE}(?:[ \t]++{_ONE})*+|{_COMMAND})[ \t]*|{_LIKE_PAIRS})\}}(?!\}})")
_DIRECTIVE_BEFORE = Pattern(r"[ \t>]*:{2,}[ \t]*[A-Za-z]")
_IMAGE_BEFORE = Pattern(r"!\[[^\]\n]{0,200}\](?:\([^()\n]{0,200}\)|\[[^\]\n]{0,200}\])$")
_SIZE_WORDS = Pattern(r"\b(?:width|height|w|h|size)\b")
_OPERATOR = Pattern(r"\\[A-Za-z]+_\Z")
"""In a formula: `\\sum_{i=1}`."""

_LINE_END = Pattern(r"[ \t]*(?:\r?\n|\Z)")


def _before(page: Page, match: re.Match[str]) -> str:
    return page.text[max(page.line_start(match.start()), match.start() - 500) : match.start()]


def is_attribute(page: Page, match: re.Match[str]) -> bool:
    """Whether braces were meant as attributes of what is before them, other than the size of an image."""
    return _is_attached(page, match) and not _is_behind_image(page, match)


def is_size(page: Page, match: re.Match[str]) -> bool:
    return _is_behind_image(page, match) and _is_attached(page, match)


def _is_behind_image(page: Page, match: re.Match[str]) -> bool:
    return bool(_SIZE_WORDS.search(match[0]) and _IMAGE_BEFORE.search(_before(page, match)))


def _is_attached(page: Page, match: re.Match[str]) -> bool:
    before = _before(page, match)
    # The whole line of a directive is reported as a callout, and two braces as a template.
    if before.endswith("{") or _DIRECTIVE_BEFORE.match(before) or _is_mention(page.text, match):
        return False
    if match[0] == "{-}":
        # Elsewhere it may be a set.
        return page.heading_at(match.start()) is not None and not _is_in_formula(before)
    is_marked = before.endswith((")", "]", "`", "*", "_")) or before.lstrip().startswith("#")
    # `{a=1}` in a sentence is a formula, or what a template is made of.
    is_one = "=" not in match[0] or is_marked or match[0].startswith(("{:", "{ :"))
    return is_one and not _is_in_formula(before)


def _is_in_formula(before: str) -> bool:
    return before.endswith("_") and bool(before.count("$") % 2 or _OPERATOR.search(before))


def _is_mention(text: str, match: re.Match[str]) -> bool:
    """Whether a sentence goes on behind it, as in `use the {.unnumbered} class`: it is not attached to anything."""
    start, end = match.span()
    is_apart = text[start - 1 : start] == " " and text[end : end + 1] == " "
    return is_apart and text[end + 1 : end + 2].isalpha() and text[start - 2 : start - 1].isalpha()


def untagged(page: Page, match: re.Match[str]) -> tuple[Edit, ...]:
    """Take the attributes off the end of a heading; elsewhere they may be all that a line has."""
    heading, start = page.heading_at(match.start()), page.before_spaces(match.start())
    if heading is None or start <= heading[0] or page.text[start - 1] == "#":
        return ()
    return (Edit(start, match.end(), ""),) if _LINE_END.match(page.text, match.end()) else ()
