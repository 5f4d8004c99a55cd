"""What `--fix` makes of a callout of another tool: a quote that begins with its name in bold. Pure.

Each line of a callout gets the sign of a quote and stays what it is besides, so lists, tables and code in it keep their
shape. Where it is not sure which lines belong to a callout, nothing is changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kbsync.lint.page import Edit, Page, Span
from kbsync.patterns import Pattern

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

_TAG = Pattern(r"\{%-?[ \t]*(?:end)?(\w+)")


class _Line(NamedTuple):
    """A line of the text: where it begins and ends, and where the next one begins."""

    start: int
    end: int
    after: int


def _line(text: str, at: int) -> _Line:
    """The line that begins at a place."""
    found = text.find("\n", at)
    end = found if found >= 0 else len(text)
    return _Line(at, end - (end > at and text[end - 1] == "\r"), min(end + 1, len(text)))


class _Callout(NamedTuple):
    """A callout: where its first line and its sign begin, its name and title, the lines of its text.

    `closing` is the line that ends it, where there is one; `indent` how many columns its text is indented.
    """

    first: _Line
    sign: int
    name: str
    title: str
    body: list[_Line]
    closing: _Line | None
    indent: int = 0


def containers(page: Page) -> Mapping[int, Span]:
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
        while opened:
            begun, number = opened.pop()
            if number <= signs:
                if len(opened) < DEEPEST and start - begun < MOST_CHARS:
                    found[begun] = (page.line_start(start), match.end(1))
                break
    return found


def container_edits(page: Page, sign: int, closing: Span | None) -> tuple[Edit, ...]:
    """A quote for `:::note Title` and the lines up to its `:::`."""
    first = _line(page.text, page.line_start(sign))
    head = _CONTAINER.match(page.text[sign : first.end])
    if head is None or closing is None or (head[3] and head[5].strip()):
        return ()
    attributes = _TITLE.search(head[4] or "")
    title = head[3] or head[5] or (attributes[1].replace('\\"', '"') if attributes else "")
    return _between(page, first, sign, head[1] or head[2], title, closing)


def hints(page: Page, tags: list[Span]) -> Mapping[int, Span]:
    """The place of each `{% hint %}` in templates, with the line of its `{% endhint %}`; not of one with another in it.

    Both are alone on their lines.
    """
    opened: dict[str, int] = {}
    found: dict[int, Span] = {}
    for start, _ in tags:
        if page.is_code(start):
            continue
        if begins := _HINT.match(page.text, start):
            opened[begins[1]] = start
        ends = _HINT_END.match(page.text, start)
        begun = opened.pop(ends[1], None) if ends else None
        line_start = page.line_start(start)
        if ends and begun is not None and start - begun < MOST_CHARS and not page.text[line_start:start].strip(" \t>"):
            found[begun] = (line_start, ends.end())
        elif not begins and (tag := _TAG.match(page.text, start)):
            opened.pop(tag[1], None)
    return found


def hint_edits(page: Page, start: int, closing: Span | None) -> tuple[Edit, ...]:
    """A quote for `{% hint style="info" %}` and the lines up to `{% endhint %}`."""
    head = _HINT.match(page.text, start)
    if head is None or closing is None:
        return ()
    style, title = _STYLE.search(head[2]), _TITLE.search(head[2])
    first = _line(page.text, page.line_start(start))
    return _between(page, first, start, style[1] if style else head[1], title[1] if title else "", closing)


def _between(page: Page, first: _Line, sign: int, name: str, title: str, closing: Span) -> tuple[Edit, ...]:
    text, body = page.text, []
    at = first.after
    while at < closing[0]:
        body.append(_line(text, at))
        at = body[-1].after
    last = _line(text, closing[0])
    lead = text[first.start : sign]
    if not text.startswith(lead, last.start) or text[last.start + len(lead) : last.start + len(lead) + 1] in " \t":
        return ()
    return _quote(text, _Callout(first, sign, name, title, body, last))


def indented_edits(page: Page, sign: int) -> tuple[Edit, ...]:
    """A quote for `!!! note "Title"` and the indented lines below it."""
    text = page.text
    first = _line(text, page.line_start(sign))
    head = _INDENTED.match(text[sign : first.end])
    if head is None:
        return ()
    lead, body, at = text[first.start : sign], [], first.after
    if _is_deep(lead):
        return ()
    while at < len(text):
        if at - sign > MOST_CHARS:
            return ()
        line = _line(text, at)
        rest = text[at + len(lead) : line.end] if text.startswith(lead, at) else None
        if rest is not None and rest.startswith((" " * INDENT, "\t")):
            body.append(line)
        elif text[at : line.end].strip(" \t>"):
            break
        elif body or not text[at : line.end].strip():
            body.append(line)
        at = line.after
    while body and not text[body[-1].start : body[-1].end].strip(" \t>"):
        body.pop()
    quoted = _QUOTED.fullmatch(head[3].rstrip())
    title = quoted[2] if quoted else head[3]
    return _quote(text, _Callout(first, sign, head[1] or "note", title, body, None, INDENT))


def alert_edits(page: Page, sign: Span, name: str, *, has_title: bool) -> tuple[Edit, ...]:
    """Bold words for `[!NOTE]` in a quote; a title is set apart from the text below it."""
    text = page.text
    first = _line(text, page.line_start(sign[0]))
    rest = text[sign[1] : first.end]
    if not text[first.start : sign[0]].endswith((" ", ">", "\t")):
        return ()
    gap = " " if rest[:1].strip() else ""
    edits = [Edit(*sign, f"**{_named(name)}:**{gap}")]
    lead = "".join(sign if sign in " \t>" else " " for sign in text[first.start : sign[0]])
    below = text[first.after : _line(text, first.after).end]
    words = below.removeprefix(lead.rstrip()).removeprefix(" ") if below.startswith(lead.rstrip()) else ""
    if words.strip() and ((has_title and rest.strip()) or _stands_alone(text, words, _line(text, first.after).after)):
        edits.append(Edit(first.end, first.end, f"{_line_end(text, first)}{lead.rstrip()}"))
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
    first, sign = callout.first, callout.sign
    lead, end = text[first.start : sign], _line_end(text, first)
    body = list(callout.body)
    while body and not text[body[-1].start : body[-1].end].strip(" \t>"):
        body.pop()
    while body and not text[body[0].start : body[0].end].strip(" \t>"):
        body.pop(0)
    edits = list(_quoted(text, body, lead, callout.indent))
    if _is_deep(lead) or lead.strip(" >") or None in edits or not (body or callout.title):
        return ()
    words = text[body[0].start + len(lead) : body[0].end][callout.indent :] if body else ""
    if _OPTION.match(words):
        return ()
    name, title = _named(callout.name), callout.title.strip()
    # Where the text says what it is, that need not be said twice.
    behind_name = words[len(name) + 2 :]
    is_said = not title and words.lower().startswith(f"**{name}".lower()) and not _WORD.match(behind_name)
    head = "" if is_said else f"> **{name}:** {title}".rstrip()
    is_apart = bool(head and body) and (title or _stands_alone(text, words, body[0].after))
    apart = f"{lead}>{end}" if is_apart else ""
    begins = Edit(sign, first.end, head)
    if body:
        # The first line of the text has its own lead.
        begins = Edit(sign, body[0].start, f"{head}{end}{apart}") if head else Edit(first.start, body[0].start, "")
    before = _before(text, first, lead, end)
    last = body[-1].end if body else first.end
    behind = callout.closing or (body[-1] if body else first)
    after = f"{end}{lead.rstrip()}" if _needs_gap(text, behind, lead) else ""
    closed = (Edit(last, behind.end, after),) if callout.closing or after else ()
    return (*before, begins, *(edit for edit in edits if edit is not None), *closed)


def _stands_alone(text: str, words: str, after: int) -> bool:
    """Whether the words below a label are more than a paragraph's: a list, a definition, a heading by its underline."""
    if _NO_TEXT.match(words):
        return True
    for _ in range(MOST_LINES):
        line = _line(text, after)
        below = text[line.start : line.end]
        if not below.strip(" \t>"):
            return False
        if _UNDERLINE.fullmatch(below):
            return True
        after = line.after
    return False


def _quoted(text: str, body: list[_Line], lead: str, indent: int) -> Iterator[Edit | None]:
    """The sign of a quote before each line; None for one that is not below the callout's own sign."""
    for line in body:
        at = line.start + len(lead)
        if not text[line.start : line.end].strip(" \t>") and len(text[line.start : line.end].rstrip()) <= len(lead):
            yield Edit(line.start, line.end, f"{lead}>")
        elif not text.startswith(lead, line.start):
            yield None
        else:
            yield Edit(at, at + (1 if text[at] == "\t" and indent else indent), "> ")


def _before(text: str, first: _Line, lead: str, end: str) -> list[Edit]:
    """An empty line between this quote and one right above it."""
    above = text[text.rfind("\n", 0, max(0, first.start - 1)) + 1 : first.start]
    is_quote = above.startswith(lead) and above[len(lead) :].lstrip(" ").startswith(">")
    return [Edit(first.start, first.start, f"{lead.rstrip()}{end}")] if is_quote else []


def _needs_gap(text: str, last: _Line, lead: str) -> bool:
    """Whether the line below would go on in the quote."""
    below = text[last.after : _line(text, last.after).end]
    words = below[len(lead) :].lstrip(" ") if below.startswith(lead) else below.lstrip(" \t>")
    return bool(words.strip()) and not (_LIST_ITEM.match(words) or _CLOSING.fullmatch(words.strip()))
