"""KB404 to KB411: signs that mean something elsewhere and that the portal prints as they stand, or takes otherwise.

Source: docs/service.md, section 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.lint.page import Edit, Mark, Page

_STRUCK = re.compile(r"~~(?=[^\s~])[^~]*?[^\s~]~~(?!~)")
_BOX_SUSPECT = re.compile(r"\[[ xX]\][ \t\r\n]")
_BOX = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(\[[ xX]\])(?=[ \t\r\n])", re.MULTILINE)
_FOOTNOTE = re.compile(r"\[\^([^\]\s^]{1,40})\]")
_NOTE = re.compile(r"^[ \t>]*\[\^([^\]\s^]{1,40})\]:", re.MULTILINE)
_CALLOUT_SUSPECT = re.compile(r"\n[ \t>]*(?:!!!|\?\?\?|:::|\[!)")
_CALLOUT = re.compile(r"^[\0 \t]*((?:!!!|\?\?\?\+?|:::+)[ \t]*(?:\{[A-Za-z][\w-]*\}|[A-Za-z][\w-]*))", re.MULTILINE)
_DIRECTIVE = re.compile(r"(?:`{3,}|~{3,})(\{[A-Za-z][\w:-]*\})")
_ALERT = re.compile(r"^\0[\0 \t]*(\[![A-Za-z]+\])[-+]?", re.MULTILINE)
_ID_OR_CLASS = r"[#.][A-Za-z][\w:.-]*+"
_PAIR = r"[A-Za-z_][\w-]*+=(?:\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'{}]++)"
_ONE = rf"(?:{_ID_OR_CLASS}|{_PAIR})"
_ATTRIBUTES = re.compile(rf"\{{:?[ \t]*{_ONE}(?:[ \t]++{_ONE})*+[ \t]*\}}(?!\}})")
"""Begins with a plain character, as the other patterns do: these are found ten times faster."""

_IMAGE_BEFORE = re.compile(r"!\[[^\]\n]{0,200}\](?:\([^()\n]{0,200}\)|\[[^\]\n]{0,200}\])$")
_SIZED = re.compile(r"!\[[^\]\n]{0,200}\]\([^()\n]{0,200}?[ \t](=\d*%?x\d*%?)[ \t]*\)")
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_SIZE_WORDS = re.compile(r"\b(?:width|height|w|h|size)\b")
_RAISED = re.compile(r"\^([^^\0\n]+)\^")
_MEANT_OTHERWISE = re.compile(r"[\s*/=|]")
"""What stands between two carets and has one of these is a sentence or a formula, and was not to be raised."""


def check_notation(page: Page) -> Iterator[Mark]:
    """What would be printed with its signs. A suspicion in the whole text comes first: nearly all texts have none."""
    text = page.text
    if "~" in text and "~~" in text:
        yield from _struck(page)
    if page.has(_BOX_SUSPECT):
        yield from _boxes(page)
    if "^" in text:
        yield from _carets(page)
    if _CALLOUT_SUSPECT.search(f"\n{text}"):
        yield from _callouts(page)
    if "{" in text:
        yield from _directives(page)
        if page.has(_ATTRIBUTES):
            yield from _attributes(page)
    if "=" in text and "![" in text and page.has(_SIZED):
        yield from _sizes(page)


def _struck(page: Page) -> Iterator[Mark]:
    for match in _STRUCK.finditer(page.prose.text):
        if "\n\n" not in match[0]:
            message = "text between `~~` is not struck out: the portal prints the tildes"
            yield Mark("KB404", match.start(), message, "delete the words, or say that they no longer hold")


def _boxes(page: Page) -> Iterator[Mark]:
    for match in _BOX.finditer(page.text):
        if page.prose.text[match.start(1)] == "[":
            message = f"`{match[1]}` is no box to tick: the portal prints the brackets"
            yield Mark("KB405", match.start(1), message, "use a plain list, or a sign such as ✅")


def _carets(page: Page) -> Iterator[Mark]:
    text = page.text
    # Without its text below, `[^1]` is no footnote anywhere: rather a piece of a pattern.
    notes = set(_NOTE.findall(text)) if "[^" in text else set()
    marks: dict[int, str] = {}
    if notes:
        marks = {match.start(): match[1] for match in _FOOTNOTE.finditer(page.prose.text) if match[1] in notes}
    for label, start in _linked_notes(page):
        marks.setdefault(start, label)
    used = {label for start, label in marks.items() if not _is_definition(text, start)}
    for start, label in marks.items():
        if label in used and _is_definition(text, start):
            continue
        message = f"`[^{label}]` is no footnote: the portal prints it, or makes a broken link of it"
        yield Mark("KB406", start, message, "write the note in brackets, or below a heading of its own")
    if page.has(_RAISED):
        yield from _raised(page, set(marks))


def _is_definition(text: str, start: int) -> bool:
    """Whether the text of a footnote begins here, rather than a mark that points to one."""
    end = text.find("]", start)
    return text[end + 1 : end + 2] == ":" and text[start - 1 : start] in {"", "\n", "\r", " "}


def _linked_notes(page: Page) -> Iterator[tuple[str, int]]:
    """Footnotes whose text is one word are, for the portal, links with a definition."""
    for reference in page.scan.references:
        if reference.label.startswith("^"):
            yield reference.label[1:], reference.start
    for target in page.scan.targets:
        if target.kind == "definition" and target.text.startswith("^"):
            start = page.text.rfind("[", 0, target.start)
            yield target.text[1:], start if start >= 0 else target.start


def _raised(page: Page, notes: set[int]) -> Iterator[Mark]:
    for match in _RAISED.finditer(page.prose.text):
        if match.start() - 1 not in notes and _MEANT_OTHERWISE.search(match[1]):
            between = page.text[match.start(1) : match.end(1)]
            shown = between if len(between) <= 30 else f"{between[:29]}…"
            message = f"two carets: the portal raises `{shown}` between them, and drops the carets"
            yield Mark("KB411", match.start(), message, "put what has a caret between backticks")


def _callouts(page: Page) -> Iterator[Mark]:
    for pattern in (_CALLOUT, _ALERT):
        for match in pattern.finditer(page.prose.text):
            sign = match[1]
            if pattern is _ALERT and not page.line_at(match.start()).lstrip().startswith((">", "-", "*", "1")):
                continue
            after = "; what is indented below it becomes code" if sign[0] in "!?" else ""
            message = f"`{sign}` belongs to another tool: the portal prints it as it stands{after}"
            yield Mark("KB408", match.start(1), message, "write a quotation that begins with a bold word: `> **Note**`")


def _directives(page: Page) -> Iterator[Mark]:
    for start, _ in page.scan.code:
        if sign := _DIRECTIVE.match(page.text, start):
            message = f"`{sign[1]}` belongs to another tool: the portal shows a block of code"
            yield Mark("KB408", start, message, "write a quotation that begins with a bold word: `> **Note**`")


def _attributes(page: Page) -> Iterator[Mark]:
    text = page.text
    for match in _ATTRIBUTES.finditer(page.prose.text):
        start = match.start()
        if text[start - 1 : start] == "{":
            continue
        before = text[max(page.line_start(start), start - 500) : start]
        if "=" in match[0] and not before.endswith((")", "]", "`", "*", "_")) and not before.lstrip().startswith("#"):
            # `{a=1}` in a sentence is a formula, or what a template is made of.
            continue
        if _IMAGE_BEFORE.search(before) and _SIZE_WORDS.search(match[0]):
            message = f"the portal knows no sizes of pictures: it prints `{match[0]}`"
            yield Mark("KB410", start, message, "delete it, and make the picture as large as it should appear")
            continue
        message = f"`{match[0]}` is printed as it stands: the portal knows no attributes"
        yield Mark("KB409", start, message, "delete it; headings have anchors of their own", _untagged(page, match))


def _untagged(page: Page, match: re.Match[str]) -> tuple[Edit, ...]:
    """Take the attributes off the end of a heading; elsewhere they may be all that a line has."""
    heading = page.heading_at(match.start())
    start = len(page.text[: match.start()].rstrip(" \t"))
    if (
        heading is None
        or start <= heading[0]
        or not _LINE_END.match(page.text, match.end())
        or page.text[start - 1] == "#"
    ):
        return ()
    return (Edit(start, match.end(), ""),)


def _sizes(page: Page) -> Iterator[Mark]:
    for match in _SIZED.finditer(page.prose.text):
        message = f"`{match[1]}` is no size: the portal shows no picture, but the text of this line"
        yield Mark("KB410", match.start(), message, "delete it, and make the picture as large as it should appear")
