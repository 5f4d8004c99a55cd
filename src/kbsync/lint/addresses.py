"""Where links and images of an article lead, and addresses that do not become a link.

What points into the tree is checked in `links.py`, where the tree is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.content.source import is_video
from kbsync.lint.finds import finds
from kbsync.lint.page import Edit, Mark, Page, short
from kbsync.markdown.constructs import Target
from kbsync.markdown.embeds import EMBEDS, pixels, player, width_in
from kbsync.markdown.prose import GONE
from kbsync.model import Rule
from kbsync.patterns import Pattern

NO_ALT_TEXT = Rule("KB311", "Image has no alt text")
UNSAFE_LINK = Rule("KB312", "Link that runs a script, or that browsers do not open")
BARE_ADDRESS = Rule("KB407", "Address that does not become a link", fixable=True)
BARE_VIDEO = Rule("KB414", "Video that does not play", fixable=True)
BECOMES_PLAYER = Rule("KB415", "Link that becomes a player")
NO_WIDTH = Rule("KB423", "Width that the portal does not take")

_SCHEME = Pattern(r"\s*(?:(javascript|vbscript|data|file):|[a-z]:(?=[\\/]|%5c))", re.IGNORECASE)
"""What leads nowhere, or to the reader's own disk: also a drive of Windows."""

_BARE = Pattern(r"https?://[^\s<>\0]+")
MAX_CHARS = 2_048
"""Browsers and servers do not reliably accept longer addresses; those are not checked."""

_WRITTEN = Pattern(rf"[^\s<>`|\"\\\u2018-\u201f\u3000-\u303f\uff00-\uffef]{{1,{MAX_CHARS + 1}}}")
"""Neither curly quotes nor the punctuation of Chinese and Japanese are part of an address."""

_ENTITY = Pattern(r"&(?:#[xX]?[0-9a-fA-F]+|[A-Za-z]\w*);\Z")
_TRAILING = ".,;:!?'*_~…"
_NOWHERE = Pattern(r"https?://(?:localhost|127\.\d|0\.0\.0\.0|\[::1?\]|[^/]*(?:[{}$…]|&lt;)|\.\.\.|/|$)", re.IGNORECASE)
"""Addresses that lead a reader nowhere: those of their own machine, and those with a part to fill in."""

MAY_PLAY = Pattern(r"youtu|loom\.com|vimeo|\.mp4|arcade\.soft|wistia|mediadelivery|codepen|guidejar|gist\.github")
"""Cheaper than `player`; a test holds the two together."""

_ASKED = Pattern(r"[?&;](cw_(?:image|video)_width)=[^&;]*")
_CLOSING = Pattern(r"([ \t]*)>")
_SPACED_END = Pattern(r"[ \t]+[^\s<>]+>")
"""What a space parts from the beginning of an address, up to the bracket that was to end it."""

_WORDS = Pattern(r"(?<![\]\\])\[(?![ xX]?\])[^\[\]\n]*[^\[\]\n\\]\]")
"""The words of a link, and no box to tick."""

WORDS_CHARS = 300
"""Of the words of a link; longer ones are not looked for."""

_AROUND = " \t>"
_RUN = Pattern(r"[^\0\n]*")


@finds(NO_ALT_TEXT, sign="![")
def check_alt_texts(page: Page) -> Iterator[Mark]:
    """Each image without words between its brackets."""
    for target in page.scan.targets:
        if target.kind == "image" and not target.text.strip():
            yield _no_alt(page.text.rfind("![", 0, target.start))
    for reference in page.scan.references:
        if reference.kind == "image" and not reference.text.strip():
            yield _no_alt(reference.start)


def _no_alt(at: int) -> Mark:
    hint = "Describe it for people who cannot see it: `![The refund button](...)`."
    return Mark(NO_ALT_TEXT, at, "Image has no alt text.", hint)


@finds(UNSAFE_LINK)
def check_schemes(page: Page) -> Iterator[Mark]:
    """Each link that leads neither to a page nor to a file of the tree."""
    for target in page.scan.targets:
        if ":" in target.destination[:16] and (scheme := _SCHEME.match(target.destination)):
            yield _unsafe(target, (scheme[1] or "file").lower())


def _unsafe(target: Target, scheme: str) -> Mark:
    if scheme == "data" and target.kind == "image":
        message, hint = "An image inside the text counts toward the length of the body.", "Save it as a file."
    elif scheme == "data":
        message, hint = "Browsers do not open `data:` links.", "Link to a file."
    elif scheme == "file":
        message = "This address leads to the reader's own disk."
        hint = "Put the file into the content folder, or on a web server."
    else:
        message = f"A `{scheme}:` link runs a script in the reader's browser. The portal does not remove it."
        hint = "Link to a page."
    return Mark(UNSAFE_LINK, target.start, message, hint)


@finds(BECOMES_PLAYER, sign="://")
def check_players(page: Page) -> Iterator[Mark]:
    """Each link that becomes a player where a writer would not expect one."""
    for target in page.scan.targets:
        is_link = target.kind not in {"image", "definition"}
        if is_link and MAY_PLAY.search(target.destination) and (mark := _played(page, target)):
            yield mark


def _played(page: Page, target: Target) -> Mark | None:
    if player(target.destination) is None:
        return None
    span = page.link_at(target.start)
    if span is None or not _stands_alone(page, *span):
        return None
    if not any(embed.address.match(target.destination) for embed in EMBEDS):
        message = "The portal replaces this link with a player, because of an address inside its address."
    elif target.kind == "link" and page.line_at(span[0]).strip(_AROUND) != page.text[span[0] : span[1]]:
        message = "The portal replaces this link with a player, because there are no words beside it."
    elif target.kind == "link" and _is_joined(page, *span):
        message = "The portal replaces this link with a player, because its line has nothing else."
    else:
        return None
    hint = "Add words right before or after the link, or put it in its own paragraph."
    return Mark(BECOMES_PLAYER, span[0], message, hint)


@finds(NO_WIDTH, sign="?")
def check_widths(page: Page) -> Iterator[Mark]:
    """Each width in the address of an image or a video that changes nothing."""
    if "_width" not in page.text:
        return
    for target in page.scan.targets:
        address = target.destination.partition("#")[0]
        asked = _ASKED.search(address)
        if asked and _is_sized(target, asked[1]) and pixels(width_in(address[address.index("?") :], asked[1])) is None:
            message = f"`{short(asked[0][1:])}` changes nothing: the portal takes `1px` to `2000px`."
            yield Mark(NO_WIDTH, target.start, message, f"Write whole pixels, such as `{asked[1]}=480px`.")


def _is_sized(target: Target, name: str) -> bool:
    """Whether what is shown may have a width under this name: an image, or a video of the tree or elsewhere."""
    if name == "cw_image_width":
        return target.kind in {"image", "definition"}
    path = target.destination.partition("?")[0]
    return target.kind != "image" and (is_video(path) or player(target.destination) is not None)


def _stands_alone(page: Page, start: int, end: int) -> bool:
    """Whether there are no words directly beside a link, as the portal counts: see `html.py`."""
    prose = page.prose.text
    before = prose[max(prose.rfind("\n", 0, start), prose.rfind(GONE, 0, start)) + 1 : start]
    after = _RUN.match(prose, end)
    return not before.strip() and not (after and after[0].strip())


def _is_joined(page: Page, start: int, end: int) -> bool:
    """Whether the lines around are part of the same paragraph."""
    line_start = page.line_start(start)
    above = page.line_at(line_start - 1) if line_start else ""
    below_at = page.text.find("\n", end)
    below = page.line_at(below_at + 1) if below_at >= 0 else ""
    return bool(above.strip(_AROUND) or below.strip(_AROUND))


@finds(BARE_ADDRESS, BARE_VIDEO, sign="://")
def check_bare(page: Page) -> Iterator[Mark]:
    """Addresses in the text that do not become a link. As many addresses as the links have: then none is bare."""
    if page.signs.count("://") == sum(target.destination.count("://") for target in page.scan.targets):
        return
    for match in _BARE.finditer(page.prose.text):
        start = match.start()
        if _is_linked(page, start) or (address := _address(page.text, start)) is None:
            continue
        if parted := _parted(page, start, address):
            yield parted
            continue
        is_video = page.line_at(start).strip(" \t>-*+") == address and player(address)
        rule, what = (BARE_VIDEO, "not a player, and not a link") if is_video else (BARE_ADDRESS, "not a link")
        message = f"`{address}` is plain text on the portal: {what}."
        yield Mark(rule, start, message, f"Write `<{address}>`.", _bracketed(page, start, address))


def _is_linked(page: Page, place: int) -> bool:
    """Whether a place is in a link's words, or in what was meant to be a link or a definition."""
    before = page.text[page.line_start(place) : place].rstrip(" <")
    if page.text[place - 1 : place].isalnum():
        return True
    return before.endswith(("](", "]:")) or page.link_at(place) is not None


def _address(text: str, start: int) -> str | None:
    """The address that is written there, without the sentence's punctuation; None where it leads nowhere."""
    match = _WRITTEN.match(text, start)
    address = match[0] if match else ""
    if len(address) > MAX_CHARS:
        return None
    while address and _is_of_sentence(address):
        address = address[:-1]
    follows = text[start + len(address) : start + len(address) + 3].lower()
    # A value, as of a setting: `"https://api.example.com/"`.
    is_quoted = follows[:1] == '"' and text[start - 1 : start] == '"'
    is_filled_in = follows[:1] == "<" and follows != "<br"
    return None if _NOWHERE.match(address) or is_filled_in or is_quoted else address


def _is_of_sentence(address: str) -> bool:
    """Whether the last character is rather the sentence's: punctuation, or a bracket that the address does not open."""
    last = address[-1]
    if last in ")]}":
        return address.count(last) > address.count("([{"[")]}".index(last)])
    return last in _TRAILING and not (last == ";" and _ENTITY.search(address[-12:]))


def _parted(page: Page, start: int, address: str) -> Mark | None:
    """An address that was meant to be a link, where a space parts it from its words, or itself in two."""
    message = f"`{address}` is plain text on the portal: not a link."
    end = start + len(address)
    if page.text[start - 1 : start] == "<" and _SPACED_END.match(page.text, end):
        hint = "Write `%20` for each space between `<` and `>`, or put the `>` right behind the address."
        return Mark(BARE_ADDRESS, start, message, hint)
    bracket = start - 1
    closing = page.before_spaces(bracket)
    if closing == bracket or page.text[bracket:start] != "(" or page.text[end : end + 1] != ")":
        return None
    opening = page.text.rfind("[", max(0, closing - WORDS_CHARS), closing)
    if opening < 0 or not _WORDS.fullmatch(page.text, opening, closing) or page.link_at(opening) is not None:
        return None
    return Mark(BARE_ADDRESS, start, message, "Delete the space between `]` and `(`.", (Edit(closing, bracket, ""),))


def _bracketed(page: Page, start: int, address: str) -> tuple[Edit, ...]:
    """Angle brackets around it, where every character of it is read as it is written."""
    end = start + len(address)
    is_cut_off = page.text.startswith("\\", end) and page.text[end + 1 : end + 2] not in "\r\n"
    if is_cut_off or GONE in page.prose.text[start:end]:
        return ()
    if (opening := page.before_spaces(start)) and page.text[opening - 1] == "<":
        return _unspaced(page, opening, start, end)
    return (Edit(start, start, "<"), Edit(end, end, ">"))


def _unspaced(page: Page, opening: int, start: int, end: int) -> tuple[Edit, ...]:
    """Take out the spaces that keep angle brackets from being a link; nothing where there is no second bracket."""
    closing = _CLOSING.match(page.text, end)
    if closing is None or page.text[opening - 2 : opening - 1] == "\\":
        return ()
    return tuple(Edit(left, right, "") for left, right in ((opening, start), closing.span(1)) if left < right)
