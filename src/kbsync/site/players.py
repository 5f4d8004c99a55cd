"""The players that the renderer writes, recognised in its HTML.

The shapes are made from the renderer's own templates (`kbsync.markdown.embeds`), so a new player is known here at once.
"""

import re
from dataclasses import dataclass
from string import Formatter

from kbsync.markdown.embeds import EMBEDS, EMBEDS_4_10

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


PLAYERS = tuple(_player(template) for template in dict.fromkeys(embed.player for embed in (*EMBEDS, *EMBEDS_4_10)))
"""In the renderer's order, longer shapes of the same host first."""
