"""Signs that mean something in other tools, and that the portal prints, or reads in another way.

Source: docs/service.md, section 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kbsync.lint.callouts import alert_edits, container_edits, containers, indented_edits
from kbsync.lint.finds import finds
from kbsync.lint.page import Edit, Mark, Page, Span
from kbsync.model import Rule
from kbsync.patterns import Pattern

STRIKETHROUGH = Rule("KB404", "Strikethrough with `~~`")
TASK_LIST = Rule("KB405", "Task list")
FOOTNOTE = Rule("KB406", "Footnote")
CALLOUT = Rule("KB408", "Callout of another tool", fixable=True)
ATTRIBUTES = Rule("KB409", "Attributes in curly brackets", fixable=True)
IMAGE_SIZE = Rule("KB410", "Image size")
TWO_CARETS = Rule("KB411", "Two carets in a sentence")

QUOTE = "Use a quote that starts with a bold word: `> **Note:**`."
TABS = "Write the tabs one below the other, each under a heading or a line in bold."
REPLACE = "Write in Markdown what the other tool makes of it: text, links, a table or an image."
MAX_SHOWN = 40
SAVE_AT_SIZE = "Delete it, and save the image as large as it should appear."

_STRUCK = Pattern(r"~~(?=[^\s~])[^~]*?[^\s~]~~(?!~)")
_STATES = r"[/<>!?*+~\"-]"
"""In the box of a task that is half done, cancelled or moved: of Obsidian and others."""

_BOX_SUSPECT = Pattern(rf"\[(?:[ xX]\\?|{_STATES})\][ \t\r\n]")
_BOX = Pattern(rf"^[ \t>]*(?:[-*+]|\d{{1,9}}[.)])[ \t]+(\\?\[[ xX]\\?\]|\[{_STATES}\])(?=[ \t\r\n])", re.MULTILINE)
_FOOTNOTE = Pattern(r"\[\^([^\]\s^]{1,40})\]")
_INLINE_NOTE = Pattern(r"\^\[(?=[^\[\]\n]{0,200}[^\W\d_]{2} [^\[\]\n]{0,200}[^\W\d_]{2})[^\[\]\n]+\](?![$+*?{|)\]])")
"""Of Pandoc: `words^[A note of several words.]`."""

_NOTE = Pattern(r"^[ \t>]*\[\^([^\]\s^]{1,40})\]:", re.MULTILINE)
_CALLOUT_SUSPECT = Pattern(r"\n[ \t>]*(?:!!!|\?\?\?|:::|::[A-Za-z]|\[!)")
_ALERT_SUSPECT = Pattern(r">[ \t]*(?:\[!|!\[[A-Za-z]+\](?![(\[]))")
"""The quote of an alert may be in a list: `- > [!NOTE]`. One pattern with the other takes seven times as long: each
of them begins with a plain character."""

_TAB_OR_BLOCK_SUSPECT = Pattern(r"===[!+]?[ \t]+\"|///[ \t]")
_CALLOUT = Pattern(
    r"^[\0 \t]*((?:!!!|\?\?\?\+?|:::+)[ \t]*(?:\{[A-Za-z][\w-]*\}|[A-Za-z][\w-]*|\"[^\"\n]+\")"
    r"|::[A-Za-z][\w-]*+(?=[\[{]))",
    re.MULTILINE,
)
"""Also a directive in one line: `::button[Refund]{to=x}`."""

_DIRECTIVE_BEFORE = Pattern(r"[ \t>]*:{2,}[ \t]*[A-Za-z]")
_TAB_OR_BLOCK = Pattern(
    r"^[\0 \t]*(===[!+]?[ \t]+\"[^\"\n]+\"|/{3,}[ \t]+[a-z][a-z-]*)(?=[\0 \t\r]*(?:$|\|))", re.MULTILINE
)
"""A tab of Material for MkDocs, and the first line of a block of PyMdown Extensions."""

ADMONITIONS = frozenset({
    "admonition", "attention", "caution", "danger", "error", "hint", "important", "note", "seealso", "tip", "todo",
    "versionadded", "versionchanged", "warning",
})  # fmt: skip
CALLOUTS = ADMONITIONS | {
    "abstract", "aside", "bug", "callout", "details", "example", "failure", "info", "message", "question", "quote",
    "success", "summary",
}  # fmt: skip
"""Other blocks, such as `:::demo` and `::: code-group`, show something else than a box with words."""

_NAME_OF_SIGN = Pattern(r"[A-Za-z][\w-]*")
_ALERT = Pattern(r"^\0[\0 \t]*(\[![A-Za-z][\w |-]*\])[-+]?", re.MULTILINE)
_IMAGE_ALERT = Pattern(rf"^\0[\0 \t]*(!\[(?i:{'|'.join(sorted(CALLOUTS))})\])(?![\[(:{{])", re.MULTILINE)
_ID_OR_CLASS = r"[#.][A-Za-z][\w:.-]*+"
_PAIR = r"[A-Za-z_][\w-]*+=(?:\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'{}]++)"
_ONE = rf"(?:{_ID_OR_CLASS}|{_PAIR})"
_COMMAND = rf"::?/?[a-z]+(?:[ \t]++{_ONE})*+[ \t]*/?"
"""Of kramdown: `{:toc}`, `{::comment}`."""

_LIKE_PAIRS = r"[ \t]?:[ \t]?[A-Za-z_][\w-]*+[ \t]?=[^{}\n]{1,200}+"
"""Of kramdown, too, with a comma, a quote or a space in the wrong place: it is certainly no sentence."""

_ATTRIBUTES = Pattern(rf"\{{(?:(?:-|:?[ \t]*{_ONE}(?:[ \t]++{_ONE})*+|{_COMMAND})[ \t]*|{_LIKE_PAIRS})\}}(?!\}})")
"""Begins with a plain character, as the other patterns do: these are found ten times faster."""

_IMAGE_BEFORE = Pattern(r"!\[[^\]\n]{0,200}\](?:\([^()\n]{0,200}\)|\[[^\]\n]{0,200}\])$")
_SIZED = Pattern(r"!\[[^\]\n]{0,200}\]\([^()\n]{0,200}?[ \t](=\d*%?x\d*%?)[ \t]*\)")
_OPERATOR = Pattern(r"\\[A-Za-z]+_\Z")
"""In a formula: `\\sum_{i=1}`."""

_LINE_END = Pattern(r"[ \t]*(?:\r?\n|\Z)")
_SIZE_WORDS = Pattern(r"\b(?:width|height|w|h|size)\b")
_RAISED = Pattern(r"\^([^^\0\n]+)\^")
_TO_BLOCK = Pattern(r"\[\[[^\[\]\n]*#\Z")
"""Before the caret of `[[page#^id]]`, which is reported as a whole (KB418)."""

MOST_OF_A_PATH = 200

_MEANT_OTHERWISE = Pattern(r"[\s*/=|]")
"""What is between two carets and has one of these is a sentence or a formula, and was not meant to be raised."""

# In each check a suspicion comes first, which costs little: nearly all texts have none.


@finds(STRIKETHROUGH, sign="~~")
def check_struck(page: Page) -> Iterator[Mark]:
    """Text between two pairs of tildes, within a paragraph."""
    for match in _STRUCK.finditer(page.prose.text):
        # In the prose, the border of a cell looks like a mark of emphasis does.
        if "\n\n" not in match[0] and not page.text[match.start() + 2].isspace():
            message = "Text between `~~` is not struck through: the portal prints the tildes."
            yield Mark(STRIKETHROUGH, match.start(), message, "Delete the words, or write that they no longer apply.")


@finds(TASK_LIST, sign="[")
def check_boxes(page: Page) -> Iterator[Mark]:
    """A box at the beginning of a list item."""
    if not page.has_loose_brackets or not page.has(_BOX_SUSPECT):
        return
    boxes = [match for match in _BOX.finditer(page.text) if page.prose.text[match.start(1)] in "[\x01"]
    # One `\\[ ]` may be meant as it is; tools that know no checkboxes write all of them so.
    is_list = sum(match[1][0] == "\\" for match in boxes) > 1
    for match in boxes:
        if match[1][0] == "[" or is_list:
            message = f"`{match[1]}` does not become a checkbox: the portal prints the brackets."
            yield Mark(TASK_LIST, match.start(1), message, "Use a plain list, or a sign such as ✅.")


@finds(FOOTNOTE, sign="^")
def check_footnotes(page: Page) -> Iterator[Mark]:
    """Each mark of a footnote, and each text of one that has no mark."""
    text = page.text
    if "^[" in page.signs:
        yield from _inline_notes(page)
    if "[^" not in page.signs:
        return
    marks = _footnotes(page)
    used = {label for start, label in marks.items() if not _is_definition(text, start)}
    for start, label in marks.items():
        if label in used and _is_definition(text, start):
            continue
        message = f"`[^{label}]` does not become a footnote: the portal prints it, or makes a broken link of it."
        yield Mark(FOOTNOTE, start, message, "Put the note in parentheses, or below its own heading.")


def _inline_notes(page: Page) -> Iterator[Mark]:
    for match in _INLINE_NOTE.finditer(page.prose.text):
        message = "`^[` does not begin a footnote: the portal prints it with the note."
        yield Mark(FOOTNOTE, match.start(), message, "Put the note in parentheses, or below its own heading.")


def _footnotes(page: Page) -> dict[int, str]:
    """The label of each footnote, by its place."""
    # Without its text below, `[^1]` is not a footnote in any tool: rather a piece of a pattern.
    notes = set(_NOTE.findall(page.text))
    marks: dict[int, str] = {}
    if notes:
        marks = {match.start(): match[1] for match in _FOOTNOTE.finditer(page.prose.text) if match[1] in notes}
    for label, start in _linked_notes(page):
        marks.setdefault(start, label)
    return marks


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


@finds(TWO_CARETS, sign="^")
def check_carets(page: Page) -> Iterator[Mark]:
    """Two carets that were not meant to raise what is between them."""
    if not page.has(_RAISED):
        return
    notes = _footnotes(page) if "[^" in page.text else {}
    for match in _RAISED.finditer(page.prose.text):
        start = match.start()
        is_part = (
            start - 1 in notes
            or _INLINE_NOTE.match(page.prose.text, start)
            or _TO_BLOCK.search(page.text, max(0, start - MOST_OF_A_PATH), start)
        )
        if not is_part and _MEANT_OTHERWISE.search(match[1]):
            between = page.text[match.start(1) : match.end(1)]
            shown = between if len(between) <= 30 else f"{between[:29]}…"
            message = f"The portal raises `{shown}`, which is between two carets, and drops the carets."
            yield Mark(TWO_CARETS, match.start(), message, "Put what has a caret in backticks.")


@finds(CALLOUT)
def check_callouts(page: Page) -> Iterator[Mark]:
    """The first line of a callout, in the ways of several tools."""
    signs = page.signs
    # Asked without what is before them first: most texts have none.
    may_be_alert = "[!" in signs or ("![" in signs and page.has_loose_brackets)
    may_be = may_be_alert or "::" in signs or "!!!" in signs or "???" in signs
    if may_be and (page.has(_CALLOUT_SUSPECT) or (may_be_alert and page.has(_ALERT_SUSPECT))):
        yield from _callouts(page, _CALLOUT, _ALERT, _IMAGE_ALERT)
    # The signs of one address can be three slashes.
    may_be = ("===" in signs and "===" in page.outside) or ("///" in signs and "///" in page.outside)
    if may_be and page.has(_TAB_OR_BLOCK_SUSPECT):
        yield from _callouts(page, _TAB_OR_BLOCK)


def _callouts(page: Page, *patterns: Pattern) -> Iterator[Mark]:
    closings = containers(page) if ":::" in page.signs else {}
    for pattern in patterns:
        for match in pattern.finditer(page.prose.text):
            sign = match[1]
            if pattern is _ALERT and not page.line_at(match.start()).lstrip().startswith((">", "-", "*", "1")):
                continue
            after = " Indented text below it becomes code." if sign[0] in "!?=" and sign[1] != "[" else ""
            message = f"`{sign}` belongs to another tool: the portal prints it.{after}"
            hint = _instead_of_sign(sign)
            edits = _as_quote(page, match, closings) if hint == QUOTE else ()
            yield Mark(CALLOUT, match.start(1), message, hint, edits)


def _as_quote(page: Page, match: re.Match[str], closings: Mapping[int, Span]) -> tuple[Edit, ...]:
    start, sign = match.start(1), match[1]
    if sign[0] == ":":
        return container_edits(page, start, closings.get(start))
    if sign[0] in "!?" and sign[1] != "[":
        return indented_edits(page, start)
    name = _NAME_OF_SIGN.search(sign)
    return alert_edits(page, (start, match.end()), name[0], has_title=sign[0] == "[") if name else ()


def is_callout(page: Page, place: int) -> bool:
    """Whether `![info]` is at the beginning of a quote."""
    return bool(_IMAGE_ALERT.match(page.prose.text, page.line_start(place)))


def _instead_of_sign(sign: str) -> str:
    if sign.startswith("="):
        return TABS
    name = _NAME_OF_SIGN.search(sign) if sign.startswith((":", "/")) else None
    return QUOTE if name is None or name[0].lower() in CALLOUTS else REPLACE


@finds(ATTRIBUTES, IMAGE_SIZE, sign="{")
def check_attributes(page: Page) -> Iterator[Mark]:
    """Attributes in curly brackets; behind an image they are most often its size."""
    text = page.text
    if not page.has(_ATTRIBUTES):
        return
    for match in _ATTRIBUTES.finditer(page.prose.text):
        start = match.start()
        if text[start - 1 : start] == "{":
            continue
        before = text[max(page.line_start(start), start - 500) : start]
        if _DIRECTIVE_BEFORE.match(before):
            # The whole line is reported as a callout.
            continue
        is_marked = before.endswith((")", "]", "`", "*", "_")) or before.lstrip().startswith("#")
        if match[0] == "{-}" and page.heading_at(start) is None:
            # Elsewhere it may be a set.
            continue
        if _is_mention(text, match) or (text[start - 1] == "_" and (before.count("$") % 2 or _OPERATOR.search(before))):
            continue
        if "=" in match[0] and not is_marked and not match[0].startswith(("{:", "{ :")):
            # `{a=1}` in a sentence is a formula, or what a template is made of.
            continue
        if _IMAGE_BEFORE.search(before) and _SIZE_WORDS.search(match[0]):
            yield Mark(IMAGE_SIZE, start, f"The portal has no image sizes: it prints `{match[0]}`.", SAVE_AT_SIZE)
            continue
        message = f"The portal has no attributes: it prints `{match[0]}`."
        hint = "Delete it. Headings get an anchor from their words."
        yield Mark(ATTRIBUTES, start, message, hint, _untagged(page, match))


def _is_mention(text: str, match: re.Match[str]) -> bool:
    """Whether a sentence goes on behind it, as in `use the {.unnumbered} class`: it is not attached to anything."""
    start, end = match.span()
    is_apart = text[start - 1 : start] == " " and text[end : end + 1] == " "
    return is_apart and text[end + 1 : end + 2].isalpha() and text[start - 2 : start - 1].isalpha()


def _untagged(page: Page, match: re.Match[str]) -> tuple[Edit, ...]:
    """Take the attributes off the end of a heading; elsewhere they may be all that a line has."""
    heading = page.heading_at(match.start())
    start = page.before_spaces(match.start())
    if (
        heading is None
        or start <= heading[0]
        or not _LINE_END.match(page.text, match.end())
        or page.text[start - 1] == "#"
    ):
        return ()
    return (Edit(start, match.end(), ""),)


@finds(IMAGE_SIZE, sign="![")
def check_sizes(page: Page) -> Iterator[Mark]:
    """A size behind the address of an image."""
    if "=" not in page.signs or not page.has(_SIZED):
        return
    for match in _SIZED.finditer(page.prose.text):
        message = f"The portal has no image sizes: with `{match[1]}` it shows this line as text, not the image."
        yield Mark(IMAGE_SIZE, match.start(), message, SAVE_AT_SIZE)
