"""What another tool fills in, and the portal prints or shows as code: shortcodes, templates, included files.

Those that one pattern finds are in the table in `foreign.py`. Also: where all of them are, as nothing in there is
fixed; and the placeholder that `kbsync new article` writes: readers must not see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from kbsync.lint.callouts import CALLOUTS, QUOTE, hint_edits, hints
from kbsync.lint.finds import finds
from kbsync.lint.page import Mark, Page, Span, covering, short
from kbsync.lint.signs import fenced_blocks
from kbsync.markdown.prose import GONE
from kbsync.model import Rule
from kbsync.patterns import Pattern

UNFINISHED = Rule("KB608", "Article that is not written or translated yet", "error")
TEMPLATE = Rule("KB417", "Shortcode or template of another tool", fixable=True)

PLACEHOLDER = "Write the article here."

UNTIL_THEN = "Until then, write `status: draft`: then readers do not get it."

_LINE = Pattern(r"(?m)^[ \t]*Write the article here\.[ \t\r]*$")


@finds(UNFINISHED, sign=".")
def check_placeholder(page: Page) -> Iterator[Mark]:
    """The placeholder of a new article; readers see it where the article is published."""
    if PLACEHOLDER not in page.outside:
        return
    places = (found.start() for found in _LINE.finditer(page.text))
    at = next((place for place in places if not page.is_code(place)), None)
    if at is not None:
        is_sent = page.body.status == "published"
        rule = UNFINISHED if is_sent else replace(UNFINISHED, level="warning")
        hint = f"Write the text in its place.{f' {UNTIL_THEN}' if is_sent else ''}"
        yield Mark(rule, at, "The article is not written yet: this is the placeholder of `kbsync new`.", hint)


_NO_TEMPLATE = Pattern(
    r"\{\{[<%]-?\s*/(?!\*)|\{%-?\s*end"
    r"|\{{2,3}[\s\"'`]*+(?:and|or|und|oder|et|ou|y|e|o|i|и|или|と|和|或|및)[\s\"'`]*+\}\}"
)
"""What ends one, and a sentence about braces: they are enclosed in {{ and }}."""

_HINT = Pattern(rf"\{{%-?[ \t]*(?:{'|'.join(sorted(CALLOUTS | {'hint'}))})\b")


@finds(TEMPLATE, sign="{")
def check_templates(page: Page) -> Iterator[Mark]:
    """Each that is in the text or in the address of a link; what ends one is part of what begins it."""
    text = page.text
    spans = templates(text) if "{{" in page.signs or "{%" in page.signs else []
    closings, addresses = hints(page, spans), [(target.start, target.end) for target in page.scan.targets]
    for start, end in spans:
        is_seen = page.prose.text[start] == "{" or covering(addresses, start)
        if is_seen and not _NO_TEMPLATE.match(text, start):
            message = f"`{short(text[start:end])}` belongs to another tool: the portal does not fill it in."
            hint = "Write its text instead. To show it as it is, put it in backticks."
            edits = hint_edits(page, start, closings.get(start)) if _HINT.match(text, start) else ()
            yield Mark(TEMPLATE, start, message, QUOTE if edits else hint, edits)


_INLINE_R = Pattern(r"`r (?<!``r )[^`\n]+`(?!`)")


@finds(TEMPLATE, sign="`")
def check_inline_code(page: Page) -> Iterator[Mark]:
    """`` `r name` `` in a page with blocks of R: R Markdown puts the value there."""
    if "`r " not in page.outside or "```{r" not in page.text:
        return
    for match in _INLINE_R.finditer(page.text):
        if not page.is_code(match.start()) and page.prose.text[match.start()] == GONE:
            message = f"`{short(match[0][1:-1])}` is shown as code: the portal does not compute it."
            yield Mark(TEMPLATE, match.start(), message, "Write the value instead.")


_LANGUAGE = Pattern(r"(?:`{3,}|~{3,})[ \t]*([A-Za-z][\w+#-]*)")
SHOWS_TEMPLATES = frozenset({
    "diff", "handlebars", "hbs", "html", "jinja", "jinja2", "liquid", "markdown", "md", "mdx", "mustache", "none",
    "plain", "rst", "text", "txt", "vue",
})  # fmt: skip
"""Languages of blocks in which the line of an include may be what readers are to see."""

_IN_CODE = Pattern(
    r"^[ \t>]*+(\{![ \t]*[^\s{}!]+[ \t]*!\}|\{\{[ \t]*#(?:include|rustdoc_include|playground|example)[ \t][^{}\n]*\}\}"
    r"|-{1,3}8<-{1,3}[ \t]+[\"'][^\"'\n]+[\"'])[ \t]*(?=\r?$)",
    re.MULTILINE,
)
_HIDDEN = Pattern(r"^[ \t>]*+(#)(?:[ \t][^\n]*)?\r?$", re.MULTILINE)


@finds(TEMPLATE)
def check_code(page: Page) -> Iterator[Mark]:
    """Lines of code blocks that other tools exchange for a file, and lines of Rust that they hide."""
    # Most pages have blocks, and hardly any has such a one.
    if not page.scan.code or not (_may_include(page) or "rust" in page.inside.lower()):
        return
    for info in fenced_blocks(page, _LANGUAGE):
        block, language = covering(page.scan.code, info.start()) or info.span(), info[1].lower()
        if language not in SHOWS_TEMPLATES:
            for match in _IN_CODE.finditer(page.text, *block):
                message = f"`{short(match[1])}` does not include a file: the portal shows this line, not the code."
                yield Mark(TEMPLATE, match.start(1), message, "Write here what the file says.")
        if language == "rust" and (hidden := _HIDDEN.search(page.text, *block)):
            message = "Lines of Rust that begin with `# ` are hidden by rustdoc and mdBook: the portal shows them."
            yield Mark(TEMPLATE, hidden.start(1), message, "Delete these lines, or the `#` in front of them.")


def _may_include(page: Page) -> bool:
    return any(sign in page.signs_inside for sign in ("{!", "{#", "<-"))


MOST_CHARS = 1_000
"""Braces further apart do not belong together."""

PAIRS = (("{{", "}}"), ("{%", "%}"))


def templates(text: str) -> list[Span]:
    """All of them, braces included, in order."""
    # A single character is looked for five times as fast as two.
    return list(_templates(text)) if "{" in text and ("{{" in text or "{%" in text) else []


def _templates(text: str) -> Iterator[Span]:
    at = 0
    while (start := text.find("{", at)) >= 0:
        at = start + 1
        close = next((close for opening, close in PAIRS if text.startswith(opening, start)), "")
        end = text.find(close, start + 2, start + MOST_CHARS) if close else -1
        if end >= 0:
            at = end + len(close)
            yield start, at


def touches(spans: list[Span], mark: Mark) -> bool:
    """Whether an edit of a finding would change something in one of these."""
    return any(covering(spans, edit.start) or covering(spans, max(edit.start, edit.end - 1)) for edit in mark.edits)


MOST_BEFORE = 500
"""Characters of a tag before its first value in braces."""

_BRACE = Pattern(r"[{}]")


def components(text: str) -> list[Span]:
    """The tags of MDX that have a value in braces, from their beginning to the last brace, in order."""
    return list(dict(_components(text)).items()) if "={" in text else []


def _components(text: str) -> Iterator[Span]:
    """Each value in braces: the beginning of its tag, and its own end."""
    at, tag = 0, -1
    while (brace := text.find("={", at)) >= 0:
        start, end = text.rfind("<", max(at, brace - MOST_BEFORE), brace), _closed(text, brace + 1)
        if end < 0:
            return
        if start >= 0 and text[start + 1].isalpha() and ">" not in text[start:brace]:
            tag = start
        elif start >= 0 or text.find(">", at, brace) >= 0:
            tag = -1
        if tag >= 0:
            yield tag, end
        at = end


def _closed(text: str, brace: int) -> int:
    """The place behind the brace that closes another one; -1 where none does."""
    depth = 0
    for match in _BRACE.finditer(text, brace):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return match.end()
    return -1
