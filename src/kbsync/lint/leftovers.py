"""Marks of Markdown that the parser made nothing of, so the portal prints them: `**`, `](`, `##` without a space.

What is left in the prose was no mark for the parser. A pattern alone would not know.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from operator import attrgetter

from msgspec import structs

from kbsync.content.source import PICTURES
from kbsync.lint.finds import finds
from kbsync.lint.page import Edit, Mark, Page
from kbsync.lint.tables import cut_code
from kbsync.markdown.anchors import heading_anchor
from kbsync.model import Rule
from kbsync.patterns import Pattern

PRINTED_MARK = Rule("KB419", "Mark of Markdown that the portal prints", fixable=True)

# Each begins with a plain character, so that nearly all texts are passed in a moment; what they find is a suspicion.
_STARS = Pattern(r"\*\*(?:(?=[^\s*])[^*\n]*(?:(?<=\w)\*\*|(?<=[^\s\w])\*\*(?!\w))|())")
_LINKS = Pattern(r"\]\((?!<?[^()\s<>\\]*(?:\([^()\s]*\)[^()\s]*)?>?(?:[ \t]+[\"'][^\"'\n]*[\"'])?[ \t]*\))")
_HASHES = Pattern(r"\n[ \t>\-+*.)0-9]*#(?:#{1,5}[^\s#]|#{6}|[A-Z]|#{0,5}[\u00a0\u3000])")
_OTHER_SPACES = "\u00a0\u3000"
"""What keyboards type with Alt, and in Japanese and Chinese, where a plain space belongs."""


_BACKTICK = Pattern(r"`(?:(?<![\w`]`)(?=\w)|(?<=[\w)\]}]`)(?![\w`]))")
_BOLD = Pattern(r"(?<!\*)\*\*(?!\*)")
_NOT_BOLD = Pattern(r"[/*]|[\w.]*(?:kw|opt|arg)\w*\b")
"""Behind two asterisks: a pattern for files, or what Python unpacks."""

_POWER = Pattern(r"[\w)] \*\* \d")
"""Two asterisks that raise to a power: `5 ** 2`."""

_TARGET = Pattern(r"[^)\n]{0,1000}")
_FILE_ENDS = "|".join(map(re.escape, (".md", *PICTURES)))
_SPACED = Pattern(rf"[ \t]*((?![A-Za-z]:|/)[^()<>\"'\n{{}}]+(?:{_FILE_ENDS})(?:#[\w-]*)?)[ \t]*", re.IGNORECASE)
"""An address with spaces that certainly means a file of the tree: it ends as one."""

_ADDRESS = Pattern(r"https?://[^\s()\0]+\)")
_ADDRESS_SIGN = Pattern(r"[/#\\]|\.\w")
"""What an address has, and words do not."""

_HEADING = Pattern(r"^[\0 \t]*(#+)([ \t]*)([^\n]*)$", re.MULTILINE)
_LINE_MARKS = Pattern(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*")
DEEPEST = 6


@finds(PRINTED_MARK, sign="**")
def check_bold(page: Page) -> Iterator[Mark]:
    """Asterisks that were meant to make words bold."""
    if not any(match[1] is not None for match in _STARS.finditer(page.outside)):
        return
    for places in _by_line(page.prose.text):
        for together in _by_cell(page, [place for place in places if not _POWER.match(page.text, max(0, place - 2))]):
            if mark := _bold(page, together):
                yield mark


def _by_line(prose: str) -> Iterator[list[int]]:
    """Where asterisks are left, a list for each line."""
    places: list[int] = []
    end = 0
    for match in _BOLD.finditer(prose):
        if places and match.start() > end:
            yield places
            places = []
        if not places:
            found = prose.find("\n", match.start())
            end = found if found >= 0 else len(prose)
        places.append(match.start())
    if places:
        yield places


def _by_cell(page: Page, places: list[int]) -> Iterator[list[int]]:
    """The same places, in a table a list for each cell."""
    if not places or not page.is_table(places[0]):
        yield from [places] if places else ()
        return
    cells: dict[int, list[int]] = {}
    for place in places:
        cells.setdefault(page.text.count("|", places[0], place), []).append(place)
    # `No**` has its footnote below the table.
    yield from (cell for cell in cells.values() if len(cell) > 1 or not page.text[cell[0] - 1].isalnum())


def _bold(page: Page, places: list[int]) -> Mark | None:
    """What is wrong with the asterisks that are left of one line."""
    text, first = page.text, places[0]
    if _NOT_BOLD.match(text, first + 2) or text[first - 1 : first] == "/":
        return None
    message = "These two asterisks do not make anything bold: the portal prints them."
    if len(places) == 1:
        opens = not _before(page, first) and text[first + 2 : first + 3].strip()
        closes = text[first - 1 : first].isalpha() and not text[first + 2 : first + 3].strip(" \t\r\n.,;:!?)")
        return Mark(PRINTED_MARK, first, message, "Add the other pair of asterisks.") if opens or closes else None
    return _of_words(page, places, message)


def _of_words(page: Page, places: list[int], message: str) -> Mark | None:
    """The same of words between two of them."""
    text, first, last = page.text, places[0], places[-1]
    inner, behind = text[first + 2 : last], text[last + 2 : last + 3]
    if inner == inner.strip():
        hint = "Put a space, or move punctuation, so that the asterisks are at the beginning and the end of words."
        return Mark(PRINTED_MARK, first, message, hint) if inner else None
    ends_clearly = not behind.isalnum() or inner.rstrip()[-1:] in set(":.,;!?)")
    if not ends_clearly and _before(page, first):
        return None
    hint = "Delete the space between the asterisks and the words."
    return Mark(PRINTED_MARK, first, message, hint, _tight(text, places) if ends_clearly else ())


def _before(page: Page, place: int) -> str:
    """What is on a line before a place, without the marks of quotes and lists."""
    return page.prose.text[page.line_start(place) : place].strip(" \t\0")


def _tight(text: str, places: list[int]) -> tuple[Edit, ...]:
    """Bold words without a space inside of the asterisks; it goes outside where nothing is between the words there."""
    if len(places) != 2:
        return ()
    first, last = places
    inner = text[first + 2 : last]
    words = inner.strip()
    # With a space on both sides it may be anything; with none, spaces are not what is wrong.
    if "**" in inner or not words or inner[0].isspace() == inner[-1].isspace():
        return ()
    before = " " if inner[:1].isspace() and text[first - 1 : first].isalnum() else ""
    after = " " if inner[-1:].isspace() and text[last + 2 : last + 3].isalnum() else ""
    return (Edit(first, last + 2, f"{before}**{words}**{after}"),)


@finds(PRINTED_MARK, sign="*")
def check_emphasis(page: Page) -> Iterator[Mark]:
    """One asterisk between letters of Chinese, Japanese or Korean and a sign such as a dot: `以*.amr*結尾`."""
    if page.text.isascii() or not page.has(_BEHIND_CJK):
        return
    for match in _WITHIN_CJK.finditer(page.prose.text):
        message = "These asterisks do not emphasize anything: the portal prints them."
        yield Mark(PRINTED_MARK, match.start(), message, "Put a space before the first and behind the last one.")


# Before a sign that ends something, the asterisk most often ends emphasis, too.
_BEHIND_CJK = Pattern(r"\*(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]\*)(?=[^\s*\w，。、；：！？）」』】》〉”’…])")

_WITHIN_CJK = Pattern(
    r"\*(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]\*)(?=[^\s*\0\w])[^*\n\0]{1,60}\w"
    r"\*(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
)


@finds(PRINTED_MARK, sign="](")
def check_brackets(page: Page) -> Iterator[Mark]:
    """`[words](address)` that did not become a link: most often the address has a space."""
    if not page.has_loose_brackets or not (page.has(_LINKS) or _may_lack_bracket(page)):
        return
    prose, before = page.prose.text, 0
    while (at := prose.find("](", before)) >= 0:
        opening = prose.rfind("[", max(before, prose.rfind("\n", before, at)), at)
        is_closed = opening < 0 or prose.find("]", opening, at) >= 0
        if is_closed and _ADDRESS.match(prose, at + 2):
            message = "This does not become a link: the portal prints it."
            yield Mark(PRINTED_MARK, at, message, "Put `[` before the words of the link.")
        elif opening >= 0 and (mark := _bracket(page, opening, at + 2)):
            yield mark
        before = at + 2


def _may_lack_bracket(page: Page) -> bool:
    """Whether there are more `](` than links."""
    return page.signs.count("](") > sum(target.kind in {"link", "image"} for target in page.scan.targets)


def _bracket(page: Page, opening: int, start: int) -> Mark | None:
    text = page.text
    written = _TARGET.match(text, start)
    end = written.end() if written else start
    if page.prose.text[start : start + 1] == "\0" or any(sign in text[start:end] for sign in ("{{", "{%", "\0")):
        # What another tool fills in is reported as that (KB417), and a NUL is an error of its own (KB114).
        return None
    is_image = text[opening - 1 : opening] == "!"
    at, what = (opening - 1, "an image") if is_image else (opening, "a link")
    message = f"This does not become {what}: the portal prints the brackets."
    if text[end : end + 1] != ")":
        return Mark(PRINTED_MARK, at, message, "Close the address with `)` on the same line.")
    if spaced := _SPACED.fullmatch(text, start, end):
        address = spaced[1].replace("\\", "/").replace(" ", "%20").replace("\t", "%09")
        hint = "Write `%20` for each space in the address."
        return Mark(PRINTED_MARK, at, message, hint, (Edit(start, end, address),))
    return Mark(PRINTED_MARK, at, message, _hint(text, opening, start, end))


def _hint(text: str, opening: int, start: int, end: int) -> str:
    """What makes a link of words and an address in brackets that became none."""
    if not _ADDRESS_SIGN.search(text, start, end):
        # `[Words](what the words mean)`: no angle bracket makes an address of that.
        return "Write an address between the round brackets, or delete the square ones."
    if _ADDRESS.match(text, start) and text.find("](", opening, start - 2) >= 0:
        return "A link cannot be inside of another link: keep one of the two."
    if text.startswith(("http://", "https://"), opening + 1):
        return "Exchange the words and the address: `[words](address)`."
    if text.count("(", start, end):
        return "Put an address with brackets in angle brackets: `[words](<a(b.md>)`."
    return "Put an address with spaces in angle brackets: `[words](<my file.md>)`."


@finds(PRINTED_MARK, sign="]:")
def check_hidden_lines(page: Page) -> Iterator[Mark]:
    """`[//]: # (x)` or `[comment]: #` is hidden by other tools and by the portal, but not right below a paragraph."""
    text = page.text
    for match in _HIDDEN_LINE.finditer(text):
        # What it is about may be a link: another such line is hidden, and defines it.
        if page.prose.text[match.start(1) + 1 : match.end(1) - 2] != match[1][1:-2]:
            continue
        below = page.line_at(match.end() + 1) if match.end() < len(text) else ""
        is_sure = match.start() == match.start(1) and (not below.strip() or below.startswith(match[1]))
        end = "\r\n" if text[match.start() - 2 : match.start()] == "\r\n" else "\n"
        message = "This line is not hidden: it belongs to the paragraph above it, so the portal prints it."
        edits = (Edit(match.start(), match.start(), end),) if is_sure and match.start() else ()
        yield Mark(PRINTED_MARK, match.start(1), message, "Put an empty line before it.", edits)


_HIDDEN_LINE = Pattern(r"^[ \t>]*+(\[(?://|comment)\]:)[^\n]*+$", re.MULTILINE)


@finds(PRINTED_MARK, sign="`")
def check_backticks(page: Page) -> Iterator[Mark]:
    """Backticks at a word that have no second one, or have it in the next cell of a table."""
    cut: set[int] = set()
    for first, last, edits in cut_code(page):
        cut |= {first, last}
        message = "The `|` in this code ends the cell: the portal prints the backticks, and drops a cell of this row."
        yield Mark(PRINTED_MARK, first, message, "Write `\\|` for each `|` in the code.", edits)
    # An even number is most often that of pairs; the prose costs another parsing.
    if page.signs.count("`") % 2:
        for match in _BACKTICK.finditer(page.prose.text):
            if match.start() in cut:
                continue
            message = "This backtick has no second one: the portal prints it."
            yield Mark(PRINTED_MARK, match.start(), message, "Add the other backtick, or delete this one.")


@finds(PRINTED_MARK, sign="#")
def check_hashes(page: Page) -> Iterator[Mark]:
    """Lines that were meant to be headings: no space behind the `#`, or more than six of them."""
    if not page.has(_HASHES):
        return
    anchors = {heading_anchor(heading.text) for heading in page.scan.headings}
    made: tuple[int, int] | None = None
    for match in _HEADING.finditer(page.prose.text):
        if mark := _heading(page, match):
            level, anchor = len(match[1]), heading_anchor(match[3].strip(f" \t\r\0{_OTHER_SPACES}"))
            if mark.edits and 1 < level <= DEEPEST:
                # As a heading of the same words as another, or of too deep a level, it would be a finding again.
                if anchor in anchors or level > _level_above(page, mark.at, made) + 1:
                    mark = structs.replace(mark, edits=())
                else:
                    made = mark.at, level
                    anchors.add(anchor)
            yield mark


def _heading(page: Page, match: re.Match[str]) -> Mark | None:
    start, number, words = match.start(1), len(match[1]), match[3].strip(f" \t\r\0{_OTHER_SPACES}")
    if not _LINE_MARKS.fullmatch(page.text, match.start(), start):
        return None
    if number > DEEPEST:
        return _too_deep(page, match, words)
    if match[2] or not words or page.text[match.start(3)] in "#\\!":
        return None
    message = "This line does not become a heading: the portal prints the `#`."
    hint = f"Put a space behind `{match[1]}`."
    end = match.end(1)
    if match[3][0] in _OTHER_SPACES:
        hint = f"Put a plain space behind `{match[1]}`: the one there is of another kind."
        end = match.end(3) - len(match[3].lstrip(f" \t{_OTHER_SPACES}"))
    if number > 1:
        return Mark(PRINTED_MARK, start, message, hint, (Edit(start, end, match[1] + " "),))
    return _as_title(page, match, words, Mark(PRINTED_MARK, start, message, hint, (Edit(start, end, "# "),)))


def _as_title(page: Page, match: re.Match[str], words: str, mark: Mark) -> Mark | None:
    if not words[0].isupper() or "#" in words or not _is_alone(page, match.start(), match.end()):
        return None
    # With a title, the line becomes a second one: which level it should have is for its writer to say.
    untitled = page.body.title is None and page.body.title_span == (0, 0)
    return mark if untitled else structs.replace(mark, edits=())


def _too_deep(page: Page, match: re.Match[str], words: str) -> Mark:
    start = match.start(1)
    message = f"`{match[1][:12]}` does not make a heading: the portal prints it. Headings have at most six `#`."
    if not words:
        rule = (Edit(start, match.end(1), "---"),) if _is_alone(page, match.start(), match.end()) else ()
        return Mark(PRINTED_MARK, start, message, "Write `---` for a line across the page.", rule)
    # One level below the heading above, as deep as there are.
    signs = "#" * min(DEEPEST, _level_above(page, start, None) + 1)
    return Mark(PRINTED_MARK, start, message, f"Use `{signs}`.", (Edit(start, match.end(2), f"{signs} "),))


def _level_above(page: Page, place: int, made: tuple[int, int] | None) -> int:
    """The level of the heading above a place; `made` is the place and level of the last one that `--fix` makes."""
    number = bisect_left(page.scan.headings, place, key=attrgetter("start"))
    above = page.scan.headings[number - 1] if number else None
    if made and (above is None or above.start < made[0]):
        return made[1]
    return above.level if above else 1


def _is_alone(page: Page, start: int, end: int) -> bool:
    """Whether a line is a paragraph of its own, of a few words."""
    above = page.line_at(start - 1) if start else ""
    below = page.line_at(end + 1) if end + 1 < len(page.text) else ""
    return not above.strip() and not below.strip() and len(page.text[start:end].split()) <= MOST_WORDS


MOST_WORDS = 8
"""Words that a heading without a space has at most; a longer line is a sentence that begins with a tag."""
