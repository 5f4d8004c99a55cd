"""The portal's HTML of an article, section by section: after a save only the sections that changed are rendered.

A heading at the edge of a line, below a blank one, begins a block of its own whatever is above it, unless a fence or a
comment is still open there. Two such sections have nothing to do with each other but link definitions, and the widths
that a comment gives to the columns of the next table.
"""

import re
from functools import lru_cache

from kbsync.markdown.html import Part, render_part
from kbsync.markdown.limits import Check, unlimited
from kbsync.markdown.versions import NEWEST, Version

SECTIONS = 512
"""So many are kept, those last asked for: the open articles of a few pages."""

_LINE_END = re.compile(r"\r\n?")
_HEADING = re.compile(r"(?<=\n)[ \t]*\n(?=#{1,6}[ \t])")


def render_with_lines(markdown: str, version: Version = NEWEST, check: Check = unlimited) -> tuple[str, list[int]]:
    """What `render_html` gives, and the first line, from 0, of each block that left something in it.

    Sections are known again only with the same `check`.
    """
    text = _LINE_END.sub("\n", markdown)
    # A definition counts in the whole article.
    sections = [text] if "]:" in text else _sections(text)
    html, lines, first, widths = "", list[int](), 0, tuple[int, ...]()
    at = 0
    while at < len(sections):
        section, part, at = _closed(sections, at, version, widths, check)
        if html and part.html and not html.endswith("\n"):
            html += "\n"
        html += part.html
        lines += [first + line for line in part.lines]
        first += section.count("\n")
        widths = part.widths
    return html, lines


def _sections(text: str) -> list[str]:
    ends = [found.end() for found in _HEADING.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def _closed(
    sections: list[str], at: int, version: Version, widths: tuple[int, ...], check: Check
) -> tuple[str, Part, int]:
    """One section, or as many as it takes until nothing in them is open; with their HTML, and the place after them."""
    number = 1
    while True:
        section = "".join(sections[at : at + number])
        part = _render(section, version, widths, check)
        if not part.is_open or at + number >= len(sections):
            return section, part, min(at + number, len(sections))
        # Twice as many, and not one more each time: a fence that nothing ends costs no square of its length.
        number *= 2


@lru_cache(maxsize=SECTIONS)
def _render(section: str, version: Version, widths: tuple[int, ...], check: Check) -> Part:
    return render_part(section, version, widths, check)
