"""Players that the portal puts in the place of a link to a video, a pen or a gist.

Also: the width of an image or a player, which the panel writes into its address.
"""

import re
from html import escape
from html.parser import HTMLParser
from urllib.parse import unquote_plus

import msgspec

from kbsync.markdown.versions import NEWEST, V4_16, V4_17, Version

WIDTHS_PX = range(1, 2001)
"""The widths that an image or a player may have."""

MAX_DIGITS = 1_000
"""Python reads no number beyond 4,300 digits. A longer width is cut: no screen shows it either way."""

_WIDTH = re.compile(r"([0-9]+)px")
_NO_URI = re.compile(r"%(?![0-9A-Fa-f]{2})|[^!#$%&'()*+,./0-9:;=?@A-Z\[\]_a-z~-]")
"""What no URI has. The portal reads no width out of an address with such a thing in it."""


def width_in(address: str, name: str) -> str:
    """The width that an address asks for under this name, as it is written there; "" for none.

    Source: docs/service.md, S153.
    """
    query = address.partition("#")[0].partition("?")[2]
    if name not in query or _NO_URI.search(address):
        return ""
    pairs = (pair.partition("=") for pair in re.split("[&;]", query))
    return unquote_plus(next((value for key, _, value in pairs if unquote_plus(key) == name), ""))


def pixels(width: str) -> int | None:
    """A width such as `300px` in pixels; None where the portal ignores it."""
    found = _WIDTH.fullmatch(width)
    return px if found and (px := int(found[1][:MAX_DIGITS])) in WIDTHS_PX else None


class Embed(msgspec.Struct, frozen=True):
    """One kind of player: which addresses it takes, and the HTML it makes of the named groups."""

    address: re.Pattern[str]
    player: str


def _embed(address: str, player: str) -> Embed:
    return Embed(re.compile(address), player)


_FRAME = """\
<div style="position: relative; padding-bottom: 62.5%; height: 0;">
"""

_FILL = "position: absolute; top: 0; left: 0; width: 100%; height: 100%;"

_YOUTUBE = f"""\
{_FRAME} <iframe
  src="https://www.youtube-nocookie.com/embed/{{video}}"
  frameborder="0"
  style="{_FILL}"
  allow="accelerometer; autoplay; clipboard-write; encrypted-media; gyroscope; picture-in-picture"
  allowfullscreen></iframe>
</div>
"""

_LOOM = f"""\
{_FRAME}  <iframe
   src="https://www.loom.com/embed/{{video}}"
   frameborder="0" webkitallowfullscreen mozallowfullscreen allowfullscreen
   style="{_FILL}"></iframe>
</div>
"""

_VIMEO = f"""\
{_FRAME} <iframe
  src="https://player.vimeo.com/video/{{video}}?dnt=true"
  frameborder="0"
  allow="autoplay; fullscreen; picture-in-picture"
  allowfullscreen
  style="{_FILL}"></iframe>
 </div>
"""

_MP4 = """\
<video width="640" height="360" controls>
  <source src="{address}" type="video/mp4">
  Your browser does not support the video tag.
</video>
"""

_ARCADE = f"""\
<div style="position: relative; padding-bottom: calc(62.793% + 41px); height: 0px; width: 100%;">
  <iframe
    src="https://app.arcade.software/embed/{{video}}"
    frameborder="0"
    webkitallowfullscreen
    mozallowfullscreen
    allowfullscreen
    allow="fullscreen"
    style="{_FILL}">
  </iframe>
</div>
"""

_WISTIA = f"""\
<div style="position: relative; padding-bottom: 56.25%; height: 0;">
  <script src="https://fast.wistia.com/player.js" async></script>
  <script src="https://fast.wistia.com/embed/{{video}}.js" async type="module"></script>
  <style>
    wistia-player[media-id='{{video}}']:not(:defined) {{{{
      background: center / contain no-repeat url('https://fast.wistia.com/embed/medias/{{video}}/swatch');
      display: block;
      filter: blur(5px);
      padding-top:56.25%;
    }}}}
  </style>
  <wistia-player
    media-id="{{video}}"
    aspect="1.7777777777777777"
    style="{_FILL}">
  </wistia-player>
</div>
"""

_BUNNY_ADDRESS = (
    "https://player.mediadelivery.net/embed/{library}/{video}"
    "?autoplay=false&loop=false&muted=false&preload=true&responsive=true"
)

_BUNNY = f"""\
<div style="position: relative; padding-top: 56.25%;">
  <iframe
    src="{_BUNNY_ADDRESS}"
    title="Bunny video player"
    loading="lazy"
    style="border: 0; position: absolute; top: 0; height: 100%; width: 100%;"
    allow="accelerometer; gyroscope; autoplay; encrypted-media; picture-in-picture;"
    allowfullscreen>
  </iframe>
</div>
"""

_BUNNY_4_10 = _BUNNY.replace("//player.", "//iframe.")

_GUIDEJAR = f"""\
{_FRAME}  <iframe
    src="https://www.guidejar.com/embed/{{guide}}?type=1&controls=on"
    frameborder="0"
    allow="accelerometer; autoplay; clipboard-write; encrypted-media; gyroscope; picture-in-picture"
    allowfullscreen
    style="{_FILL}"></iframe>
</div>
"""

_CODEPEN_BOX = "height: 400px; box-sizing: border-box; display: flex; align-items: center; justify-content: center;"

_CODEPEN = f"""\
<div style="{_CODEPEN_BOX}">
  <iframe
    height="400"
    style="width: 100%;"
    scrolling="no"
    title="CodePen Embed"
    src="https://codepen.io/{{user}}/embed/{{pen}}?default-tab=result"
    frameborder="no"
    loading="lazy"
    allowtransparency="true"
    allowfullscreen="true">
  </iframe>
</div>
"""

_GIST_BOX = "border: 1px solid #d1d9e0; border-radius: 6px; padding: 16px; margin: 16px 0; background: #f6f8fa;"
_GIST_LINK = 'target="_blank" style="color: #0969da; text-decoration: none;"'

_GIST = f"""\
<script src="https://gist.github.com/{{user}}/{{gist}}.js"></script>
<noscript>
  <div style="{_GIST_BOX}">
    <a href="https://gist.github.com/{{user}}/{{gist}}" {_GIST_LINK}>
      View this gist on GitHub
    </a>
  </div>
</noscript>
"""

_CODEPEN_EMBED = _embed(r"https?://(?:www\.)?codepen\.io/(?P<user>[^/]+)/pen/(?P<pen>[^/?]+)", _CODEPEN)
_GIST_EMBED = _embed(r"https?://gist\.github\.com/(?P<user>[^/]+)/(?P<gist>[a-f0-9]+)", _GIST)
_MP4_EMBED = _embed(r"(?P<address>https?://(?:www\.)?.+\.mp4)", _MP4)

_FIRST = (
    _embed(r"https?://(?:www\.)?(?:youtube\.com/watch\?v=|youtu\.be/)(?P<video>[^&/]+)", _YOUTUBE),
    _embed(r"https?://(?:www\.)?loom\.com/share/(?P<video>[^&/]+)", _LOOM),
    _embed(r"https?://(?:www\.)?vimeo\.com/(?P<video>[0-9]+)", _VIMEO),
    _MP4_EMBED,
    _embed(
        r"https?://(?:www\.)?app\.arcade\.software/share/(?P<video>[^&/?]+)\?(?:[^&#]*+&)*embed_mobile=tab",
        _ARCADE.replace("{video}", "{video}?embed&embed_mobile=tab"),
    ),
    _embed(r"https?://(?:www\.)?app\.arcade\.software/share/(?P<video>[^&/]+)", _ARCADE),
    _embed(r"https?://(?:www\.)?[^/]+\.wistia\.com/medias/(?P<video>[^&/]+)", _WISTIA),
)

EMBEDS_4_10 = (
    *_FIRST,
    _embed(r"https?://iframe\.mediadelivery\.net/play/(?P<library>[0-9]+)/(?P<video>[^&/?]+)", _BUNNY_4_10),
    _CODEPEN_EMBED,
    _GIST_EMBED,
)

EMBEDS_4_16 = (
    *_FIRST,
    _embed(
        r"https?://(?:iframe|player)\.mediadelivery\.net/(?:play|embed)/(?P<library>[0-9]+)/(?P<video>[^&/?]+)", _BUNNY
    ),
    _CODEPEN_EMBED,
    _embed(r"https?://(?:www\.)?guidejar\.com/(?:embed|guides)/(?P<guide>[^&/?]+)", _GUIDEJAR),
    _GIST_EMBED,
)

_MP4_4_17 = _embed(_MP4_EMBED.address.pattern, _MP4.replace(" controls>", ' controls preload="metadata">'))

EMBEDS = tuple(
    _MP4_4_17 if embed is _MP4_EMBED else _embed(embed.address.pattern.replace("[^&/]+)", "[^&/?]+)"), embed.player)
    for embed in EMBEDS_4_16
)
"""The newest. In the portal's order: the first that matches anywhere in the address wins, even inside a query.

Source: docs/service.md, section 9, S154 and S160, and the players in tests/fixtures/parity.
"""


def player(address: str, version: Version = NEWEST) -> str | None:
    """The player for a link address, or None where the link stays a link.

    In 4.10 captured values go in unescaped, as on the portal; code that shows the HTML has to defuse them.
    """
    if "://" not in address:
        return None
    for embed in EMBEDS if version >= V4_17 else EMBEDS_4_16 if version >= V4_16 else EMBEDS_4_10:
        # Behind the last of these nothing matches, and each `http` in a long address would read on to its end.
        end = address.rfind(".mp4") + len(".mp4") if embed.player.startswith("<video") else len(address)
        if match := embed.address.search(address, 0, end):
            html = embed.player.format(**_captured(match, version))
            width = pixels(width_in(address, "cw_video_width")) if version >= V4_17 else None
            return html if width is None else sized(html, str(width))
    return None


def _captured(match: re.Match[str], version: Version) -> dict[str, str]:
    found = match.groupdict()
    if version < V4_16:
        return found
    return {name: escape(value, quote=False).translate(_QUOTES) for name, value in found.items()}


_QUOTES = str.maketrans({'"': "&quot;", "'": "&#39;"})


def sized(player_html: str, width: str) -> str:
    """A player in a box of this many pixels, as the portal's HTML5 parser writes it. Source: docs/service.md, S160."""
    writer = _Html5()
    writer.feed(player_html)
    writer.close()
    return f'<div style="width: {width}px; max-width: 100%;">{"".join(writer.pieces)}</div>'


class _Html5(HTMLParser):
    """Writes HTML again as an HTML5 parser does; its first element fills what is around it."""

    FILL = "width: 100%; height: auto;"

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if not self.pieces:
            values["style"] = " ".join(filter(None, (values.get("style"), self.FILL)))
        written = (f' {name}="{_escaped(value).replace(chr(34), "&quot;")}"' for name, value in values.items())
        self.pieces.append(f"<{tag}{''.join(written)}>")

    def handle_endtag(self, tag: str) -> None:
        self.pieces.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        is_raw = self.cdata_elem is not None
        self.pieces.append(data if is_raw else _escaped(data).replace("<", "&lt;").replace(">", "&gt;"))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("\xa0", "&nbsp;")
