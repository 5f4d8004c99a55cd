"""What another tool fills in or resolves, and the portal prints: shortcodes, templates, wiki links.

Also: the placeholder that `kbsync new article` writes: readers must not see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from kbsync.content.source import PICTURES
from kbsync.lint.callouts import hint_edits, hints
from kbsync.lint.finds import finds
from kbsync.lint.notation import CALLOUTS, QUOTE
from kbsync.lint.page import Mark, Page, covering
from kbsync.lint.templates import templates
from kbsync.markdown.prose import GONE
from kbsync.model import Rule
from kbsync.patterns import Pattern

UNFINISHED = Rule("KB608", "Article that is not written or translated yet", "error")

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


TEMPLATE = Rule("KB417", "Shortcode or template of another tool", fixable=True)
WIKI_LINK = Rule("KB418", "Wiki link")

_CLOSES = Pattern(r"\{\{[<%]-?\s*/(?!\*)|\{%-?\s*end")
_BRACES_THEMSELVES = Pattern(r"\{{2,3}[\s\"'`]*+(?:and|or|und|oder|et|ou|y|e|o|i|и|или|と|和|或|및)[\s\"'`]*+\}\}")
"""A sentence about braces: they are enclosed in {{ and }}."""

_HINT = Pattern(rf"\{{%-?[ \t]*(?:{'|'.join(sorted(CALLOUTS | {'hint'}))})\b")
_INLINE_R = Pattern(r"`r (?<!``r )[^`\n]+`(?!`)")

_WIKI_LINK = Pattern(r"\[\[(?=[\w./#])(?![\d\s,.;-]+\]\])[^\[\]\n]+\]\]")

_IMAGE = Pattern(rf"(?:{'|'.join(map(re.escape, PICTURES))})(?:[|#][^\[\]]*)?\]\]", re.IGNORECASE)
SLOTS = frozenset({
    "Call", "Class", "Construct", "DefineOwnProperty", "Delete", "Extensible", "Get", "GetOwnProperty",
    "GetPrototypeOf", "HasProperty", "OwnPropertyKeys", "PrimitiveValue", "Prototype", "Set", "SetPrototypeOf",
    "Value", "class",
})  # fmt: skip
"""Names in two brackets that are no pages: the internal slots of JavaScript. Source: ECMA-262, section 6.1.7.2."""

MAX_SHOWN = 40


@finds(TEMPLATE, sign="{")
def check_templates(page: Page) -> Iterator[Mark]:
    """Each that is in the text or in the address of a link; what ends one is part of what begins it."""
    text = page.text
    spans = templates(text) if "{{" in page.signs or "{%" in page.signs else []
    if not spans:
        return
    closings = hints(page, spans)
    addresses = [(target.start, target.end) for target in page.scan.targets]
    for start, end in spans:
        if (
            _CLOSES.match(text, start)
            or _BRACES_THEMSELVES.match(text, start)
            or not (page.prose.text[start] == "{" or covering(addresses, start))
        ):
            continue
        message = f"`{_short(text[start:end])}` belongs to another tool: the portal does not fill it in."
        hint = "Write its text instead. To show it as it is, put it in backticks."
        edits = hint_edits(page, start, closings.get(start)) if _HINT.match(text, start) else ()
        yield Mark(TEMPLATE, start, message, QUOTE if edits else hint, edits)


@finds(TEMPLATE)
def check_inline_code(page: Page) -> Iterator[Mark]:
    """`` `r name` `` in a page with blocks of R: R Markdown puts the value there."""
    if "```{" not in page.signs_inside and "```{" not in page.signs:
        return
    if "`r " not in page.outside or "```{r" not in page.text:
        return
    for match in _INLINE_R.finditer(page.text):
        if not page.is_code(match.start()) and page.prose.text[match.start()] == GONE:
            message = f"`{_short(match[0][1:-1])}` is shown as code: the portal does not compute it."
            yield Mark(TEMPLATE, match.start(), message, "Write the value instead.")


@finds(WIKI_LINK, sign="[[")
def check_wiki_links(page: Page) -> Iterator[Mark]:
    """`[[Page]]` and `![[image.png]]`, where the parser did not make a link of it."""
    for match in _WIKI_LINK.finditer(page.prose.text):
        if match[0].strip("[_*]").lower() == "toc":
            # Reported with the other signs for a table of contents (KB422).
            continue
        if page.link_at(match.start()) is None:
            embeds = page.text[match.start() - 1 : match.start()] == "!"
            at = match.start() - embeds
            shown = _short(page.text[at : match.end()])
            if not embeds and match[0][2:-2] in SLOTS:
                continue
            if embeds and not _IMAGE.search(match[0]):
                message = f"`{shown}` does not bring in the note: the portal prints the brackets."
                yield Mark(WIKI_LINK, at, message, "Write here what it says, or a link: `[words](path.md)`.")
                continue
            what, instead = ("an image", "![what it shows](path)") if embeds else ("a link", "[words](path.md)")
            message = f"`{shown}` does not become {what}: the portal prints the brackets."
            yield Mark(WIKI_LINK, at, message, f"Write `{instead}`.")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + "…"
