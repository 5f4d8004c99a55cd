"""The players that the renderer writes, recognised in its HTML.

The shapes are made from the renderer's own templates (`kbsync.markdown.embeds`), so a new player is known here at once.

Also: addresses in an article as a browser would understand them, whatever hides them.
"""

import re
from dataclasses import dataclass
from html import escape, unescape
from string import Formatter
from urllib.parse import urlsplit

from kbsync.markdown.embeds import EMBEDS, EMBEDS_4_10, EMBEDS_4_16, sized
from kbsync.site.reader_words import ReaderWords

_IGNORED = re.compile(r"[\x00-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060\ufeff]+")
"""Spaces and characters without a shape. Browsers skip only some of these; here none helps to hide a scheme."""

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_TWO_SLASHES = re.compile(r"[/\\]{2}")

SCRIPTED = frozenset({"javascript", "vbscript", "livescript", "data", "blob", "filesystem", "view-source"})
"""Schemes whose addresses may be programs."""

_PICTURE_DATA = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif|svg\+xml)[;,]", re.IGNORECASE)


def plain_address(attribute: str) -> str:
    """The value of an attribute without entities, and without spaces or control characters."""
    return _IGNORED.sub("", unescape(attribute))


def scheme_of(attribute: str) -> str:
    """The scheme in lower case, "" for an address without one."""
    found = _SCHEME.match(plain_address(attribute))
    return found[1].lower() if found else ""


def is_script(attribute: str, *, image: bool = False) -> bool:
    """Whether following the address may run a program; an image that holds its own data runs none."""
    if image and _PICTURE_DATA.match(plain_address(attribute)):
        return False
    return scheme_of(attribute) in SCRIPTED


def is_remote(attribute: str) -> bool:
    """Whether loading the address asks another host."""
    address = plain_address(attribute)
    # `https:host` and `/\host` are other hosts, too.
    return bool(_TWO_SLASHES.match(address)) or scheme_of(attribute) not in {"", "data"}


def shown_host(attribute: str) -> str:
    """The host of an address, for people."""
    try:
        host = urlsplit(plain_address(attribute)).hostname
    except ValueError:
        host = None
    return host or "another site"


SAFE_CAPTURE = re.compile(r"""[^\s"'<>`\x00-\x20]+""")
"""What a captured value may be: it is put between quotes and must not end them."""

_ADDRESS = re.compile(r'<a href="([^"]+)"|<iframe[^>]*? src="([^"]+)"|<source src="([^"]+)"')
_OUTSIDE = re.compile(r'https://[^"/]+/')


@dataclass(frozen=True, slots=True)
class Player:
    """One kind of player.

    Args:
        template: the renderer's, with fields.
        shape: matches its HTML, whatever was captured.
        address: where a person can look at it, with fields.
    """

    template: str
    shape: re.Pattern[str]
    address: str

    @property
    def runs_script(self) -> bool:
        """Whether it is a program in the page, and not a frame or a film."""
        return "<script" in self.template

    def captured(self, player_html: str) -> dict[str, str]:
        """The captured values in its HTML, each under its field's name and once."""
        values: dict[str, str] = {}
        found = self.shape.fullmatch(player_html)
        if found is None:
            return values
        for name, text in zip(_fields(self.template), found.groups(), strict=True):
            # Where the copies differ, one has swallowed a piece of the page: then it has quotes in it.
            values[name] = text if values.get(name, text) == text else '"'
        return values


def _fields(template: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(template) if name is not None]


def _player(template: str) -> Player:
    pieces = (
        re.escape(literal) + ("(.*?)" if name is not None else "")
        for literal, name, _, _ in Formatter().parse(template)
    )
    address = next((text for found in _ADDRESS.finditer(template) for text in found.groups() if text), "")
    if not address and (outside := _OUTSIDE.search(template)):
        address = outside[0]
    return Player(template, re.compile("".join(pieces), re.DOTALL), address)


_TEMPLATES = [embed.player for embed in (*EMBEDS, *EMBEDS_4_16, *EMBEDS_4_10)]

PLAYERS = tuple(map(_player, dict.fromkeys([*(sized(embed.player, "{width}") for embed in EMBEDS), *_TEMPLATES])))
"""In the renderer's order, longer shapes of the same host first, and first of all those in a box of their own."""

_SHOWN = re.compile("|".join(f"(?P<player{n}>{one.shape.pattern})" for n, one in enumerate(PLAYERS)), re.DOTALL)


def name_players(body_html: str, words: ReaderWords) -> str:
    """The HTML of an article with a line below each player that is loaded: whose it is, and where it opens.

    A browser tells no page whether a frame of another host has come. Where it has not, this line still leads there.

    Args:
        body_html: harmless, from `defuse`.
        words: of the page's language.
    """
    if "<iframe" not in body_html and "<video" not in body_html:
        return body_html

    def named(found: re.Match[str]) -> str:
        player = PLAYERS[int((found.lastgroup or "").removeprefix("player"))]
        captured = player.captured(found[0])
        before = body_html[: found.start()]
        if not captured or before.rfind("<a ") > before.rfind("</a>"):
            return found[0]
        if not is_remote(address := player.address.format(**captured)):
            return found[0]
        whose = escape(words.filled("player_from", host=shown_host(address)))
        link = f'<a href="{escape(unescape(address))}" rel="noreferrer">{escape(words["open_there"])}</a>'
        return f'{found[0]}<span class="whose">{whose} {link}</span>'

    return _SHOWN.sub(named, body_html)
