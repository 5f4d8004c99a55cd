"""KB413: what looks like a table and is none, so that readers see its bars.

The portal needs a line of hyphens under the head with as many cells as that. Source: service/observed.md, section 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.lint.page import Mark, Page

_DELIMITERS = re.compile(r"\n[ \t>]*(?:\|[ \t]*:?-+:?|:?-+:?[ \t]*\|)[-:| \t]*(?=\r?\n|\Z)")
_ROWS = re.compile(r"\n[ \t>]*\|[^\n]*\|[ \t\r]*\n[ \t>]*\|(?![ \t]*:?-)[^\n]*\|[ \t]*(?=\r?\n|\Z)")
_CELL = re.compile(r"(?:\\.|[^|\\])+")


def check_tables(page: Page) -> Iterator[Mark]:
    """Lines of hyphens and bars that head no table, and rows of bars without such a line."""
    text = page.text
    if "|" not in text:
        return
    inside = 0
    for match in _DELIMITERS.finditer(text):
        at = match.start() + 1
        if page.is_table(at):
            inside += 1
        elif mark := _no_table(page, at):
            yield mark
    if not inside or text.count("\n\n|") > inside:
        yield from _headless(page)


def _no_table(page: Page, at: int) -> Mark | None:
    head_at = page.line_start(at - 1)
    head, delimiters = page.line_at(head_at).strip(" \t>"), page.line_at(at).strip(" \t>")
    if "|" not in head or page.is_code(at) or _DELIMITERS.match(f"\n{head}"):
        return None
    there, needed = _cells(head), _cells(delimiters)
    if there == needed:
        message = "the portal makes no table of this: the line above its head belongs to it"
        return Mark("KB413", head_at, message, "put an empty line before the table")
    message = f"the portal makes no table of this: {needed} columns under a head with {there}"
    return Mark("KB413", head_at, message, "give the line of hyphens as many cells as the head has")


def _cells(row: str) -> int:
    return len(_CELL.findall(row.removeprefix("|").removesuffix("|"))) or 1


def _headless(page: Page) -> Iterator[Mark]:
    end = -1
    for match in _ROWS.finditer(f"\n{page.text}"):
        at = match.start()
        joined = at <= end + 1
        end = match.end() - 1
        if joined or page.is_code(at) or page.is_table(at):
            continue
        above = page.line_at(page.line_start(at) - 1) if page.line_start(at) else ""
        if above.strip(" \t>").startswith("|") or page.is_code(end - 1):
            continue
        message = "the portal makes no table of this: its head has no line of hyphens below it"
        yield Mark("KB413", page.line_start(at), message, "add a line such as `| --- | --- |` below the first row")
