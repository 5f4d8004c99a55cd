"""What other tools make pages of, and the portal prints: definition lists, MDX, links to names that do not exist."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from kbsync.lint.finds import finds
from kbsync.lint.notation import is_callout
from kbsync.lint.page import Mark, Page
from kbsync.model import Rule
from kbsync.patterns import Pattern

NOWHERE = Rule("KB318", "Link without an address")
DEFINITION_LIST = Rule("KB420", "Definition list")
MDX = Rule("KB421", "Code of MDX or JSX")

_NAMED = Pattern(r"(?:^|(?<=[\s(>\0]))\[([^\[\]\n]+)\]\[([^\[\]\n]*)\](?![\[(*+?{:])", re.MULTILINE)
_ALONE = Pattern(r"(?<!\])\[([^\[\]\n]+)\](?![\[(:])")
_IMAGE_ALONE = Pattern(r"(?:^|(?<=[\s(>\0]))!\[[^\[\]\n\0]{1,100}\](?![\[(:{])", re.MULTILINE)
_EMPTY_OR_NAMED = Pattern(r"\](?:\(\s*(?:<>\s*)?\)|\[[^\[\]\n]*\](?![\[(*+?{:]))")
_TICKET = Pattern(r"[A-Z][A-Z0-9]{1,9}-\d{1,9}|(?=\w*\d)[0-9a-f]{6,40}")
"""`[wp][CB-3783] ...` and `[cf94517][f1eb17]` in release notes."""

_BEHIND_A_LINK = Pattern(r"[ \t>]*[-*+][ \t]+\[[^\[\]\n]*\]\([^()\s]*\)[ \t]+")
"""`* [CB-7551](address) [Camera][iOS 8] ...`: tags behind the link of a ticket."""

_WORDS = Pattern(r"[^\W\d_][ \t]+[^\W\d_]")
_MEANS_A_NAME = Pattern(r"[^\d^]")
_DEFINITION = Pattern(r"^(?![\0 \t>]*:)(?=[^\n]*\w)[^\n]++\n(?:[\0 \t]*\n)?[\0 \t]{0,3}(:)[ \t]+[^\s:]", re.MULTILINE)
_DEFINITION_SUSPECT = Pattern(r"\n[ \t>]*:[ \t]+[^\s:]")
_MODULE = Pattern(
    r"^(?:import[ \t]+(?:[\w$*{][^\n]*[ \t]from[ \t]+(?=[\"'])|(?=[\"'][^\"'\n]*[./]))(?P<q>[\"'])[^\"'\n]+(?P=q)"
    r"|export[ \t]+(?:const|let|default|function|async|class)\b)[^\n]*",
    re.MULTILINE,
)
_EXPRESSION = Pattern(
    r"(?<![{$#\\])\{[ \t]*(?:/[*\0][^\n}]*\}?|[\"'][^\"'{}\n]*[\"'][ \t]*\}"
    r"|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*+)+(?:\([^(){}\n]*\))?[ \t]*\}(?!\}))"
)
_COMPONENT = Pattern(
    r"(?<![\\\w])<[A-Za-z][\w.]*+"
    r"(?:[\s\0]+[A-Za-z][\w-]*+(?:=\"[^\"<>]*\"|='[^'<>]*'|(?!=)))*+"
    r"[\s\0]+[A-Za-z][\w-]*+=\{(?!\{)"
)
"""A tag with a value in braces is no HTML: readers see all of it. What is in two braces is a template (KB417)."""

_MODULE_SUSPECT = Pattern(r"\n(?:import|export)[ \t]")
_COMPONENT_SUSPECT = Pattern(r"=\{(?<=[\w-]=\{)")
_EXPRESSION_SUSPECT = Pattern(r"\{[ \t]*(?:/\*|[\"']|[A-Za-z_$][\w$]*\.)")

_NO_EXPRESSION = Pattern(r"(?:\\[A-Za-z]{1,20}|\)[ \t]?)\Z")
"""Before a brace: a command of LaTeX, the head of a function."""

NEAR = 25
MAX_SHOWN = 40


@finds(NOWHERE)
def check_empty_links(page: Page) -> Iterator[Mark]:
    """`[words]()`, and `[words][name]` where no line says what the name is."""
    text = page.text
    if not page.has_loose_brackets and all(target.destination for target in page.scan.targets):
        return
    if not page.has(_EMPTY_OR_NAMED):
        return
    for target in page.scan.targets:
        if not target.destination and target.kind in {"link", "image"}:
            what, mark = ("image", "![") if target.kind == "image" else ("link", "[")
            at = text.rfind(mark, 0, target.start)
            hint = f"Write the address of the {what} between the round brackets, or delete the brackets."
            yield Mark(NOWHERE, max(at, 0), f"This {what} has no address, so it leads nowhere.", hint)
    if "][" not in text:
        return
    tags: frozenset[str] | None = None
    for match in _NAMED.finditer(page.prose.text):
        name = match[2] or match[1]
        if match[2] and _BEHIND_A_LINK.fullmatch(page.text, page.line_start(match.start()), match.start()):
            continue
        if match[2]:
            tags = _tags(page) if tags is None else tags
            if _TICKET.fullmatch(name) or tags.issuperset((match[1].casefold(), name.casefold())):
                continue
        # `[0][1]` and `a[i][0]` are no links; several words are.
        is_name = _MEANS_A_NAME.match(name) or (name.isdecimal() and _WORDS.search(match[1]))
        if is_name and "\1" not in match[0]:
            yield _undefined(page, match.start(), match.end())


def _tags(page: Page) -> frozenset[str]:
    """Words that the page has in brackets and makes no link of: `- [new] ...`, `- [breaking][fix] ...`."""
    text = page.prose.text
    tags = {match[1].casefold() for match in _ALONE.finditer(text)}
    several = [(match[1].casefold(), match[2].casefold()) for match in _NAMED.finditer(text) if match[2]]
    # `[Camera][iOS 8] ...` beside `[Camera][iOS] ...`: a first tag with several seconds is none of the links.
    firsts = Counter(first for first, _ in set(several))
    return frozenset(tags.union(*(pair for pair in several if firsts[pair[0]] > 1)))


def _undefined(page: Page, start: int, end: int) -> Mark:
    written = page.text[start:end]
    name = written[written.rindex("[") + 1 : -1] or written[1 : written.index("]")]
    message = f"`{_short(written)}` does not become a link: no line of the page says what `{_short(name)}` is."
    if name.startswith(("https://", "http://")):
        return Mark(NOWHERE, start, message, f"Put the address in round brackets: `[words]({_short(name)})`.")
    return Mark(NOWHERE, start, message, f"Write `[words](address)`, or add a line `[{_short(name)}]: address`.")


@finds(NOWHERE, sign="![")
def check_images_alone(page: Page) -> Iterator[Mark]:
    """`![words]` without an address; where it begins a quote, it may be the name of a callout (KB408)."""
    if page.has_loose_brackets and page.has(_IMAGE_ALONE):
        for match in _IMAGE_ALONE.finditer(page.prose.text):
            if not is_callout(page, match.start()):
                message = f"`{_short(match[0])}` does not become an image: it has no address."
                yield Mark(NOWHERE, match.start(), message, "Write `![what it shows](address)`, or delete it.")


@finds(DEFINITION_LIST, sign=":")
def check_definitions(page: Page) -> Iterator[Mark]:
    """Each term with a line below it that begins with a colon."""
    # French has a space before each colon: only one that begins its line is a suspicion.
    if ("\n:" not in page.signs and ">:" not in page.signs) or not page.has(_DEFINITION_SUSPECT):
        return
    for match in _DEFINITION.finditer(page.prose.text):
        message = "This does not become a definition list: the portal prints the colon."
        hint = "Use a list: `- **Term**: what it means`."
        yield Mark(DEFINITION_LIST, match.start(1), message, hint)


@finds(MDX)
def check_mdx(page: Page) -> Iterator[Mark]:
    """Imports, exports, expressions, and components with one; other components are raw HTML (KB401)."""
    has_module = page.has(_MODULE_SUSPECT)
    has_expression = "{" in page.signs and page.has(_EXPRESSION_SUSPECT)
    has_component = "={" in page.signs and page.has(_COMPONENT_SUSPECT)
    patterns = ((_MODULE, has_module), (_COMPONENT, has_component), (_EXPRESSION, has_expression))
    for pattern in (pattern for pattern, is_suspected in patterns if is_suspected):
        for match in pattern.finditer(page.prose.text):
            if pattern is _EXPRESSION and _NO_EXPRESSION.search(page.text, max(0, match.start() - NEAR), match.start()):
                continue
            shown = _short(page.text[match.start() : match.end()])
            message = f"`{shown}` is for another tool, such as MDX: the portal prints it."
            yield Mark(MDX, match.start(), message, "Write its text instead. To show it as it is, put it in backticks.")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + "…"
