"""Blocks of code that other tools run, draw or make boxes of, and that the portal shows as code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.lint.fill_ins import TEMPLATE
from kbsync.lint.finds import finds
from kbsync.lint.notation import ADMONITIONS, CALLOUT, MAX_SHOWN, QUOTE, REPLACE
from kbsync.lint.page import Mark, Page
from kbsync.markdown.offsets import Places
from kbsync.markdown.spans import events_of
from kbsync.patterns import Pattern

_DIRECTIVE = Pattern(r"(?:`{3,}|~{3,})[ \t]*(\{=?([A-Za-z][\w:-]*+)(?:\}|[ \t,][^\n]*\}))")
CODE_CHUNKS = frozenset({
    "bash", "code", "code-block", "code-cell", "highlight", "ipython", "js", "julia", "literalinclude", "ojs",
    "parsed-literal", "prompt", "python", "r", "rcpp", "sh", "sourcecode", "sql",
})  # fmt: skip
"""What R Markdown, Quarto and MyST show as code, and some of them run."""

_DRAWN = Pattern(r"(?:`{3,}|~{3,})[ \t]*(\w[\w-]*)(?=[ \t]*\r?(?:\n|\Z))")
DRAW = "Show an image of what it draws."
LIST = "Write the list that it makes."
DRAWN = {
    "dataview": LIST, "dataviewjs": LIST, "graphviz": DRAW, "markmap": DRAW, "math": DRAW, "mermaid": DRAW,
    "plantuml": DRAW, "puml": DRAW, "tasks": LIST, "vega-lite": DRAW, "wavedrom": DRAW,
}  # fmt: skip
"""Languages of blocks in which GitHub, GitLab, Obsidian and others show a drawing or a list instead."""

_OF_A_FILE = Pattern(
    r"(?:`{3,}|~{3,})[^\n`]{0,200}?[ \t](file|src)[ \t]{0,9}=(?:[ \t]{0,9}[\"'][^\"'\n]{1,300}[\"']|[^\s\"'`{}])"
)
"""The first line of a block that names the file which another tool shows in it."""

INDENT = 4
"""Columns of an indented block. A fence has less, behind the marks of the quotes and lists around it."""


def fenced_blocks(page: Page, first_line: Pattern) -> Iterator[tuple[re.Match[str], int]]:
    """The match of each fenced block whose first line matches, with the end of the block.

    A line of backticks in an indented block is code that readers see.
    """
    indented: frozenset[int] | None = None
    for start, end in page.scan.code:
        if match := first_line.match(page.text, start):
            # Nearly all fences begin their line. Of the others only the parser knows how deep their list is.
            if len(page.text[page.line_start(start) : start].expandtabs(INDENT)) >= INDENT:
                indented = _indented(page.text) if indented is None else indented
                if start in indented:
                    continue
            yield match, end


def _indented(text: str) -> frozenset[int]:
    """The first characters of the blocks of code by their indent."""
    places = Places(text, skipped=1 if text.startswith("\ufeff") else 0)
    return frozenset(
        places.char(span["start"])
        for event, span in events_of(text)
        if event.__class__ is dict and event.get("Start") == {"CodeBlock": "Indented"}
    )


@finds(CALLOUT, TEMPLATE)
def check_blocks(page: Page) -> Iterator[Mark]:
    """Blocks whose language is a directive of another tool, that it draws, or that it fills from a file."""
    if not page.scan.code:
        return
    if "`{" in page.signs_inside or "~{" in page.signs_inside:
        yield from _directives(page)
    if "=" in page.signs_inside:
        for block, end in fenced_blocks(page, _OF_A_FILE):
            if page.text[block.start() : end].partition("\n")[2].strip(" \t\r\n>`~"):
                continue
            message = f"`{block[1]}=` does not include a file: the portal shows an empty block of code."
            yield Mark(TEMPLATE, block.start(), message, "Write here what the file says.")
    drawn = (_DRAWN.match(page.text, start) for start, _ in page.scan.code)
    if any(block is not None and block[1].lower() in DRAWN for block in drawn):
        for block, _ in fenced_blocks(page, _DRAWN):
            if hint := DRAWN.get(block[1].lower()):
                message = f"A block of `{block[1]}` is for another tool: the portal shows its code."
                yield Mark(CALLOUT, block.start(), message, hint)


def _directives(page: Page) -> Iterator[Mark]:
    for sign, _ in fenced_blocks(page, _DIRECTIVE):
        shown = sign[1] if len(sign[1]) <= MAX_SHOWN else f"{sign[1][: MAX_SHOWN - 1]}…"
        message = f"`{shown}` belongs to another tool: the portal shows a block of code."
        yield Mark(CALLOUT, sign.start(), message, _instead_of(sign[2].lower()))


def _instead_of(directive: str) -> str:
    if directive in ADMONITIONS:
        return QUOTE
    if directive in CODE_CHUNKS:
        return "Write only the language behind the backticks. Nothing runs here: add what the code prints."
    return REPLACE
