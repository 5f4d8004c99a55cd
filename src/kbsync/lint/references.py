"""What refers to something by a name that the portal does not know: footnotes, reference links, wiki links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from kbsync.content.source import PICTURES
from kbsync.lint.finds import finds
from kbsync.lint.page import Mark, Page, short
from kbsync.model import Rule
from kbsync.patterns import Pattern

FOOTNOTE = Rule("KB406", "Footnote")
NOWHERE = Rule("KB318", "Link without an address")
WIKI_LINK = Rule("KB418", "Wiki link")

ELSEWHERE = "Put the note in parentheses, or below its own heading."

_FOOTNOTE = Pattern(r"\[\^([^\]\s^]{1,40})\]")
_NOTE = Pattern(r"^[ \t>]*\[\^([^\]\s^]{1,40})\]:", re.MULTILINE)


@finds(FOOTNOTE, sign="[^")
def check_footnotes(page: Page) -> Iterator[Mark]:
    """Each mark of a footnote, and each text of one that has no mark."""
    marks = footnotes(page)
    used = {label for start, label in marks.items() if not _is_definition(page.text, start)}
    for start, label in marks.items():
        if label not in used or not _is_definition(page.text, start):
            message = f"`[^{label}]` does not become a footnote: the portal prints it, or makes a broken link of it."
            yield Mark(FOOTNOTE, start, message, ELSEWHERE)


@lru_cache(maxsize=1)
def footnotes(page: Page) -> Mapping[int, str]:
    """The label of each footnote, by its place."""
    if "[^" not in page.text:
        return {}
    # Without its text below, `[^1]` is not a footnote in any tool: rather a piece of a pattern.
    notes = set(_NOTE.findall(page.text))
    found = _FOOTNOTE.finditer(page.prose.text) if notes else ()
    marks = {match.start(): match[1] for match in found if match[1] in notes}
    for start, label in _linked_notes(page):
        marks.setdefault(start, label)
    return marks


def _linked_notes(page: Page) -> Iterator[tuple[int, str]]:
    """Footnotes whose text is one word are, for the portal, links with a definition."""
    for reference in page.scan.references:
        if reference.label.startswith("^"):
            yield reference.start, reference.label[1:]
    for target in page.scan.targets:
        if target.kind == "definition" and target.text.startswith("^"):
            start = page.text.rfind("[", 0, target.start)
            yield start if start >= 0 else target.start, target.text[1:]


def _is_definition(text: str, start: int) -> bool:
    """Whether the text of a footnote begins here, rather than a mark that points to one."""
    end = text.find("]", start)
    return text[end + 1 : end + 2] == ":" and text[start - 1 : start] in {"", "\n", "\r", " "}


_EMPTY_OR_NAMED = Pattern(r"\](?:\(\s*(?:<>\s*)?\)|\[[^\[\]\n]*\](?![\[(*+?{:]))")
_NAMED = Pattern(r"(?:^|(?<=[\s(>\0]))\[([^\[\]\n]+)\]\[([^\[\]\n]*)\](?![\[(*+?{:])", re.MULTILINE)
_ALONE = Pattern(r"(?<!\])\[([^\[\]\n]+)\](?![\[(:])")
_TICKET = Pattern(r"[A-Z][A-Z0-9]{1,9}-\d{1,9}|(?=\w*\d)[0-9a-f]{6,40}")
"""`[wp][CB-3783] ...` and `[cf94517][f1eb17]` in release notes."""

_BEHIND_A_LINK = Pattern(r"[ \t>]*[-*+][ \t]+\[[^\[\]\n]*\]\([^()\s]*\)[ \t]+")
"""`* [CB-7551](address) [Camera][iOS 8] ...`: tags behind the link of a ticket."""

_WORDS = Pattern(r"[^\W\d_][ \t]+[^\W\d_]")
_MEANS_A_NAME = Pattern(r"[^\d^]")


@finds(NOWHERE)
def check_empty_links(page: Page) -> Iterator[Mark]:
    """`[words]()`, and `[words][name]` where no line says what the name is."""
    empty = list(_empty(page))
    if not (empty or page.has_loose_brackets) or not page.has(_EMPTY_OR_NAMED):
        return
    yield from empty
    if "][" in page.text:
        yield from (_undefined(page, match) for match in _NAMED.finditer(page.prose.text) if _is_link(page, match))


def _empty(page: Page) -> Iterator[Mark]:
    for target in page.scan.targets:
        if not target.destination and target.kind in {"link", "image"}:
            what, sign = ("image", "![") if target.kind == "image" else ("link", "[")
            hint = f"Write the address of the {what} between the round brackets, or delete the brackets."
            at = max(page.text.rfind(sign, 0, target.start), 0)
            yield Mark(NOWHERE, at, f"This {what} has no address, so it leads nowhere.", hint)


def _is_link(page: Page, match: re.Match[str]) -> bool:
    """Whether `[words][name]` was meant as a link."""
    words, name = match[1], match[2] or match[1]
    if match[2]:
        is_tag = _BEHIND_A_LINK.fullmatch(page.text, page.line_start(match.start()), match.start())
        if is_tag or _TICKET.fullmatch(name) or _tags(page).issuperset((words.casefold(), name.casefold())):
            return False
    # `[0][1]` and `a[i][0]` are no links; several words are.
    is_name = _MEANS_A_NAME.match(name) or (name.isdecimal() and _WORDS.search(words))
    return bool(is_name) and "\1" not in match[0]


@lru_cache(maxsize=1)
def _tags(page: Page) -> frozenset[str]:
    """Words that the page has in brackets and makes no link of: `- [new] ...`, `- [breaking][fix] ...`."""
    text = page.prose.text
    tags = {match[1].casefold() for match in _ALONE.finditer(text)}
    several = [(match[1].casefold(), match[2].casefold()) for match in _NAMED.finditer(text) if match[2]]
    # `[Camera][iOS 8] ...` beside `[Camera][iOS] ...`: a first tag with several seconds is none of the links.
    firsts = Counter(first for first, _ in set(several))
    return frozenset(tags.union(*(pair for pair in several if firsts[pair[0]] > 1)))


def _undefined(page: Page, match: re.Match[str]) -> Mark:
    written = page.text[match.start() : match.end()]
    name = written[written.rindex("[") + 1 : -1] or written[1 : written.index("]")]
    message = f"`{short(written)}` does not become a link: no line of the page says what `{short(name)}` is."
    hint = f"Write `[words](address)`, or add a line `[{short(name)}]: address`."
    if name.startswith(("https://", "http://")):
        hint = f"Put the address in round brackets: `[words]({short(name)})`."
    return Mark(NOWHERE, match.start(), message, hint)


_WIKI_LINK = Pattern(r"\[\[(?=[\w./#])(?![\d\s,.;-]+\]\])[^\[\]\n]+\]\]")
_IMAGE = Pattern(rf"(?:{'|'.join(map(re.escape, PICTURES))})(?:[|#][^\[\]]*)?\]\]", re.IGNORECASE)
SLOTS = frozenset({
    "Call", "Class", "Construct", "DefineOwnProperty", "Delete", "Extensible", "Get", "GetOwnProperty",
    "GetPrototypeOf", "HasProperty", "OwnPropertyKeys", "PrimitiveValue", "Prototype", "Set", "SetPrototypeOf",
    "Value", "class",
})  # fmt: skip
"""Names in two brackets that are no pages: the internal slots of JavaScript. Source: ECMA-262, section 6.1.7.2."""


@finds(WIKI_LINK, sign="[[")
def check_wiki_links(page: Page) -> Iterator[Mark]:
    """`[[Page]]` and `![[image.png]]`, where the parser did not make a link of it."""
    for match in _WIKI_LINK.finditer(page.prose.text):
        embeds = page.text[match.start() - 1 : match.start()] == "!"
        # Signs for a table of contents are of another rule (KB422).
        is_contents = match[0].strip("[_*]").lower() == "toc"
        is_slot = not embeds and match[0][2:-2] in SLOTS
        if not is_contents and not is_slot and page.link_at(match.start()) is None:
            at = match.start() - embeds
            what, hint = "become a link", "Write `[words](path.md)`."
            if embeds:
                what, hint = "bring in the note", "Write here what it says, or a link: `[words](path.md)`."
            if embeds and _IMAGE.search(match[0]):
                what, hint = "become an image", "Write `![what it shows](path)`."
            shown = short(page.text[at : match.end()])
            yield Mark(WIKI_LINK, at, f"`{shown}` does not {what}: the portal prints the brackets.", hint)
