"""Callouts of other tools, and what `--fix` makes of one: a quote that begins with its name in bold. Pure.

Each line of a callout gets the sign of a quote and stays what it is besides, so lists, tables and code in it keep their
shape. Where it is not sure which lines belong to a callout, nothing is changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from kbsync.lint.page import Edit, Page, Span
from kbsync.patterns import Pattern

QUOTE = "Use a quote that starts with a bold word: `> **Note:**`."
TABS = "Write the tabs one below the other, each under a heading or a line in bold."
REPLACE = "Write in Markdown what the other tool makes of it: text, links, a table or an image."

ADMONITIONS = frozenset({
    "admonition", "attention", "caution", "danger", "error", "hint", "important", "note", "seealso", "tip", "todo",
    "versionadded", "versionchanged", "warning",
})  # fmt: skip
CALLOUTS = ADMONITIONS | {
    "abstract", "aside", "bug", "callout", "details", "example", "failure", "info", "message", "question", "quote",
    "success", "summary",
}  # fmt: skip
"""Other blocks, such as `:::demo` and `::: code-group`, show something else than a box with words."""

SUSPECTS = (
    Pattern(r"\n[ \t>]*(?:!!!|\?\?\?|:::|::[A-Za-z]|\[!)"),
    # The quote of an alert may be in a list: `- > [!NOTE]`. One pattern of both takes seven times as long.
    Pattern(r">[ \t]*(?:\[!|!\[[A-Za-z]+\](?![(\[]))"),
)
BOX = Pattern(
    r"^[\0 \t]*((?:!!!|\?\?\?\+?|:::+)[ \t]*(?:\{[A-Za-z][\w-]*\}|[A-Za-z][\w-]*|\"[^\"\n]+\")"
    r"|::[A-Za-z][\w-]*+(?=[\[{]))",
    re.MULTILINE,
)
"""Also a directive in one line: `::button[Refund]{to=x}`."""

ALERT = Pattern(r"^\0[\0 \t]*(\[![A-Za-z][\w |-]*\])[-+]?", re.MULTILINE)
IMAGE_ALERT = Pattern(rf"^\0[\0 \t]*(!\[(?i:{'|'.join(sorted(CALLOUTS))})\])(?![\[(:{{])", re.MULTILINE)
_NAME_OF_SIGN = Pattern(r"[A-Za-z][\w-]*")


def is_one(page: Page, match: re.Match[str]) -> bool:
    """Whether `[!NOTE]` is in a quote or list; other signs are enough."""
    return match[1][0] != "[" or page.line_at(match.start()).lstrip().startswith((">", "-", "*", "1"))


def is_no_callout(page: Page, match: re.Match[str]) -> bool:
    """Whether `![info]` is not at the beginning of a quote."""
    return not IMAGE_ALERT.match(page.prose.text, page.line_start(match.start()))


def words_of(_: Page, match: re.Match[str]) -> tuple[str, str]:
    """What to say of a callout, a tab or another block."""
    sign = match[1]
    after = " Indented text below it becomes code." if sign[0] in "!?=" and sign[1] != "[" else ""
    return f"`{sign}` belongs to another tool: the portal prints it.{after}", _instead_of(sign)


def _instead_of(sign: str) -> str:
    if sign.startswith("="):
        return TABS
    name = _NAME_OF_SIGN.search(sign) if sign.startswith((":", "/")) else None
    return QUOTE if name is None or name[0].lower() in CALLOUTS else REPLACE


def as_quote(page: Page, match: re.Match[str]) -> tuple[Edit, ...]:
    """The edits that make a quote of a callout; none where it is not certain what belongs to it."""
    start, sign = match.start(1), match[1]
    if _instead_of(sign) != QUOTE:
        return ()
    if sign[0] == "/":
        return ()  # Which lines belong to it is not looked for.
    if sign[0] == ":":
        return _container_edits(page, start, _containers(page).get(start))
    if sign[0] in "!?" and sign[1] != "[":
        return _indented_edits(page, start)
    name = _NAME_OF_SIGN.search(sign)
    return _alert_edits(page, (start, match.end()), name[0], has_title=sign[0] == "[") if name else ()


NAMES = {
    "admonition": "Note", "aside": "Note", "callout": "Note", "hint": "Hint", "message": "Note", "seealso": "See also",
    "tldr": "TL;DR",
}  # fmt: skip
"""What is written for a callout whose own name says nothing, or is no word."""

DEEPEST = 5
"""Levels of callouts in callouts, and of quotes around them, that are looked at; nobody reads deeper ones."""

WIDEST = 40
"""Columns before the sign of a callout that is looked at."""

MOST_CHARS = 20_000
"""A callout is shorter: so long is an article at most (docs/service.md, S4)."""

MOST_LINES = 20
"""Of a paragraph that a heading's underline may be below."""

INDENT = 4
"""Columns by which the text below `!!! note` is indented."""

_CLOSING = Pattern(r":{3,}")
_FENCE = Pattern(r"^[ \t>]*+(:{3,})[ \t]*(\S)?", re.MULTILINE)
_CONTAINER = Pattern(r":{3,}[ \t]*(?:\{([\w-]+)\}|([\w-]+))(?:\[([^\]\n]*)\])?(?:\{([^}\n]*)\})?[ \t]*([^\n]*)")
_INDENTED = Pattern(r"(?:!!!|\?\?\?\+?)[ \t]*([A-Za-z][\w-]*)?((?:[ \t]++(?:inline|end)\b)*+)[ \t]*([^\n]*)")
_HINT = Pattern(r"\{%-?[ \t]*(\w+)([^%\n]*?)-?%\}[ \t\r]*(?=\n|\Z)")
_HINT_END = Pattern(r"\{%-?[ \t]*end(\w+)[ \t]*-?%\}[ \t\r]*(?=\n|\Z)")
_TAG = Pattern(r"\{%-?[ \t]*(?:end)?(\w+)")
_TITLE = Pattern(r"\btitle[ \t]*=[ \t]*\"((?:[^\"\\\n]|\\.)*+)\"")
_STYLE = Pattern(r"\bstyle[ \t]*=[ \t]*[\"']([\w-]+)[\"']")
_QUOTED = Pattern(r"(?:[\w-]++[ \t]++)*+([\"'])(.*)\1")
"""The title of a callout, behind its classes."""

_OPTION = Pattern(r":[\w-]+:")
"""A line of options below the first one of MyST."""

_LIST_ITEM = Pattern(r"[-*+][ \t]|\d{1,9}[.)][ \t]")
_NO_TEXT = Pattern(r"[-*+#>|~`=:]|\d{1,9}[.)][ \t]|[ \t]{4}|\[[^\]\n]*+\]:")
"""How a line begins that may be more than the next words of a paragraph."""

_UNDERLINE = Pattern(r"[ \t>]*+(?:=++|-++)[ \t\r]*")
"""What makes a heading of the paragraph above it."""

_WORD = Pattern(r"[\w-]")
"""What makes another word of the name before it: `Note-taking`."""


class _Line(NamedTuple):
    """A line of the text: where it begins and ends, where the next one begins, and what it has."""

    start: int
    end: int
    after: int
    text: str

    @property
    def is_blank(self) -> bool:
        """Whether it has nothing but the signs of quotes."""
        return not self.text.strip(" \t>")


def _line(text: str, at: int) -> _Line:
    """The line that begins at a place."""
    found = text.find("\n", at)
    end = found if found >= 0 else len(text)
    cut = end - (end > at and text[end - 1] == "\r")
    return _Line(at, cut, min(end + 1, len(text)), text[at:cut])


def _lines(text: str, at: int, end: int) -> Iterator[_Line]:
    while at < end:
        line = _line(text, at)
        yield line
        at = line.after


class _Callout(NamedTuple):
    """A callout: its first line and what is before its sign there, its name and title, the lines of its text.

    `closing` is the line that ends it, where there is one; `indent` how many columns its text is indented.
    """

    first: _Line
    lead: str
    name: str
    title: str
    body: list[_Line]
    closing: _Line | None = None
    indent: int = 0


@lru_cache(maxsize=1)
def _containers(page: Page) -> Mapping[int, Span]:
    """The place of each `:::` that begins a callout, with the line that ends it; not of those deep inside of others."""
    opened: list[tuple[int, int]] = []
    found: dict[int, Span] = {}
    for match in _FENCE.finditer(page.text):
        start, signs = match.start(1), len(match[1])
        if page.is_code(start):
            continue
        if match[2]:
            opened.append((start, signs))
            continue
        # What was opened with more signs than this ends with more.
        while opened and opened[-1][1] > signs:
            opened.pop()
        if opened:
            begun, _ = opened.pop()
            if len(opened) < DEEPEST and start - begun < MOST_CHARS:
                found[begun] = (page.line_start(start), match.end(1))
    return found


def _container_edits(page: Page, sign: int, closing: Span | None) -> tuple[Edit, ...]:
    """A quote for `:::note Title` and the lines up to its `:::`."""
    first = _line(page.text, page.line_start(sign))
    head = _CONTAINER.match(page.text[sign : first.end])
    if head is None or closing is None or (head[3] and head[5].strip()):
        return ()
    attributes = _TITLE.search(head[4] or "")
    title = head[3] or head[5] or (attributes[1].replace('\\"', '"') if attributes else "")
    return _between(page, sign, head[1] or head[2], title, closing)


def hints(page: Page, tags: list[Span]) -> Mapping[int, Span]:
    """The place of each `{% hint %}` in templates, with the line of its `{% endhint %}`; not of one with another in it.

    Both are alone on their lines.
    """
    opened: dict[str, int] = {}
    found: dict[int, Span] = {}
    for start in (start for start, _ in tags if not page.is_code(start)):
        if ends := _HINT_END.match(page.text, start):
            begun, line_start = opened.pop(ends[1], start), page.line_start(start)
            if 0 < start - begun < MOST_CHARS and not page.text[line_start:start].strip(" \t>"):
                found[begun] = (line_start, ends.end())
        elif begins := _HINT.match(page.text, start):
            opened[begins[1]] = start
        elif tag := _TAG.match(page.text, start):
            opened.pop(tag[1], None)
    return found


def hint_edits(page: Page, start: int, closing: Span | None) -> tuple[Edit, ...]:
    """A quote for `{% hint style="info" %}` and the lines up to `{% endhint %}`."""
    head = _HINT.match(page.text, start)
    if head is None or closing is None:
        return ()
    style, title = _STYLE.search(head[2]), _TITLE.search(head[2])
    return _between(page, start, style[1] if style else head[1], title[1] if title else "", closing)


def _between(page: Page, sign: int, name: str, title: str, closing: Span) -> tuple[Edit, ...]:
    text = page.text
    first, last = _line(text, page.line_start(sign)), _line(text, closing[0])
    lead = text[first.start : sign]
    if not last.text.startswith(lead) or last.text[len(lead) :].startswith((" ", "\t")):
        return ()
    return _quote(text, _Callout(first, lead, name, title, list(_lines(text, first.after, closing[0])), last))


def _indented_edits(page: Page, sign: int) -> tuple[Edit, ...]:
    """A quote for `!!! note "Title"` and the indented lines below it."""
    text = page.text
    first = _line(text, page.line_start(sign))
    head, lead = _INDENTED.match(text[sign : first.end]), text[first.start : sign]
    if head is None or _is_deep(lead):
        return ()
    body: list[_Line] = []
    for line in _lines(text, first.after, len(text)):
        if line.start - sign > MOST_CHARS:
            return ()
        is_indented = line.text.startswith((f"{lead}{' ' * INDENT}", f"{lead}\t"))
        if not is_indented and not line.is_blank:
            break
        body.append(line)
    quoted = _QUOTED.fullmatch(head[3].rstrip())
    title = quoted[2] if quoted else head[3]
    return _quote(text, _Callout(first, lead, head[1] or "note", title, body, indent=INDENT))


def _alert_edits(page: Page, sign: Span, name: str, *, has_title: bool) -> tuple[Edit, ...]:
    """Bold words for `[!NOTE]` in a quote; a title is set apart from the text below it."""
    text = page.text
    first = _line(text, page.line_start(sign[0]))
    rest, before = text[sign[1] : first.end], text[first.start : sign[0]]
    if not before.endswith((" ", ">", "\t")):
        return ()
    edits = [Edit(*sign, f"**{_named(name)}:**{' ' if rest[:1].strip() else ''}")]
    lead = "".join(sign if sign in " \t>" else " " for sign in before).rstrip()
    below = _line(text, first.after)
    words = below.text.removeprefix(lead).removeprefix(" ") if below.text.startswith(lead) else ""
    if words.strip() and ((has_title and rest.strip()) or _is_block(text, words, below.after)):
        edits.append(Edit(first.end, first.end, f"{_line_end(text, first)}{lead}"))
    return tuple(edits)


def _is_deep(lead: str) -> bool:
    return len(lead) > WIDEST or lead.count(">") >= DEEPEST


def _named(name: str) -> str:
    """The name of a callout as words."""
    plain = name.lower()
    return NAMES.get(plain) or plain.replace("-", " ").replace("_", " ").strip().capitalize()


def _line_end(text: str, line: _Line) -> str:
    return text[line.end : line.after] or "\n"


def _quote(text: str, callout: _Callout) -> tuple[Edit, ...]:
    """The edits that make a quote of it; none where a line is not where it should be."""
    first, lead, body = callout.first, callout.lead, _trimmed(callout.body)
    words = body[0].text[len(lead) :][callout.indent :] if body else ""
    if not _is_regular(callout, body) or _OPTION.match(words):
        return ()
    last = body[-1] if body else first
    behind = callout.closing or last
    after = f"{_line_end(text, first)}{lead.rstrip()}" if _needs_gap(text, behind, lead) else ""
    return (
        *_gap_above(text, first, lead),
        _beginning(text, callout, body, words),
        *(_quoted(line, lead, callout.indent) for line in body),
        *([Edit(last.end, behind.end, after)] if callout.closing or after else ()),
    )


def _is_regular(callout: _Callout, body: list[_Line]) -> bool:
    """Whether it has something to say, and each of its lines begins as its sign does."""
    lead = callout.lead
    if _is_deep(lead) or lead.strip(" >") or not (body or callout.title):
        return False
    return all(_is_gap(line, lead) or line.text.startswith(lead) for line in body)


def _trimmed(body: list[_Line]) -> list[_Line]:
    """Lines without the blank ones at both ends."""
    filled = [number for number, line in enumerate(body) if not line.is_blank]
    return body[filled[0] : filled[-1] + 1] if filled else []


def _beginning(text: str, callout: _Callout, body: list[_Line], words: str) -> Edit:
    """The name in bold and the title in the place of the first line, up to the first line of the text."""
    first, lead, end = callout.first, callout.lead, _line_end(text, callout.first)
    sign, name, title = first.start + len(lead), _named(callout.name), callout.title.strip()
    # Where the text says what it is, that need not be said twice.
    is_said = words.lower().startswith(f"**{name}".lower()) and not _WORD.match(words[len(name) + 2 :])
    if is_said and not title:
        # The first line of the text has its own lead.
        return Edit(first.start, body[0].start, "")
    head = f"> **{name}:** {title}".rstrip()
    if not body:
        return Edit(sign, first.end, head)
    apart = f"{lead}>{end}" if title or _is_block(text, words, body[0].after) else ""
    return Edit(sign, body[0].start, f"{head}{end}{apart}")


def _is_block(text: str, words: str, after: int) -> bool:
    """Whether the words below a label are more than a paragraph's: a list, a definition, a heading by its underline."""
    if _NO_TEXT.match(words):
        return True
    for number, line in enumerate(_lines(text, after, len(text))):
        if number == MOST_LINES or line.is_blank:
            return False
        if _UNDERLINE.fullmatch(line.text):
            return True
    return False


def _is_gap(line: _Line, lead: str) -> bool:
    return line.is_blank and len(line.text.rstrip()) <= len(lead)


def _quoted(line: _Line, lead: str, indent: int) -> Edit:
    """The sign of a quote before a line."""
    if _is_gap(line, lead):
        return Edit(line.start, line.end, f"{lead}>")
    at = line.start + len(lead)
    return Edit(at, at + (1 if indent and line.text[len(lead) :].startswith("\t") else indent), "> ")


def _gap_above(text: str, first: _Line, lead: str) -> list[Edit]:
    """An empty line between this quote and one right above it."""
    above = text[text.rfind("\n", 0, max(0, first.start - 1)) + 1 : first.start]
    is_quote = above.startswith(lead) and above[len(lead) :].lstrip(" ").startswith(">")
    return [Edit(first.start, first.start, f"{lead.rstrip()}{_line_end(text, first)}")] if is_quote else []


def _needs_gap(text: str, last: _Line, lead: str) -> bool:
    """Whether the line below would go on in the quote."""
    below = _line(text, last.after).text
    words = below[len(lead) :].lstrip(" ") if below.startswith(lead) else below.lstrip(" \t>")
    return bool(words.strip()) and not (_LIST_ITEM.match(words) or _CLOSING.fullmatch(words.strip()))
