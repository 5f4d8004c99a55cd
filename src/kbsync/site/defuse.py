"""Makes the HTML of an article harmless for a local page.

The portal's HTML (`kbsync.markdown.html`) is as unsafe as the portal: it keeps `javascript:` links, writes the info
string of a code block unescaped, and puts what a video address captures into its player as it is. This module knows
every tag that the renderer writes on purpose, in full; anything else counts as text, and is escaped.
So nothing depends on finding what is bad.
"""

import re
from dataclasses import dataclass, field
from html import escape, unescape

from kbsync.site.players import PLAYERS, SAFE_CAPTURE, Player, is_remote, is_script, shown_host
from kbsync.site.reader_words import ReaderWords

OWN_FILES = "/-/files/"
"""How the addresses begin of what a local site serves itself: a video of the tree needs no switch."""

_PLAIN = "p|h[1-6]|blockquote|ul|ol|li|pre|code|table|thead|tbody|tr|th|td|em|strong|sup"

_TABLE_STYLE = r"(?:min-width: max\(100%, [0-9]+px\)|width: [0-9]+px !important; min-width: [0-9]+px) !important;"

_IMAGE_STYLE = '(?: style="width: [0-9]+px; max-width: 100%; height: auto;")?'

_KEPT = "|".join(
    (
        f"/?(?:{_PLAIN})>|[bh]r />|!-- raw HTML omitted -->",
        'ol start="[0-9]+">|t[hd] align="[a-z]+">|h[1-3] id="[a-z0-9-]+">',
        rf'table style="table-layout: fixed; {_TABLE_STYLE}">|/?colgroup>|col(?: style="width: [0-9]+px;")?>',
    )
)
"""What stays as it is. Nine of ten tags are of these, so they are passed over and not replaced by themselves."""

_SHAPES = (
    r'(?P<permalink>a class="permalink" href="#[a-z0-9-]+" aria-hidden="true" tabindex="-1">)',
    r'a href="(?P<href>[^"]*)"(?: title="[^"]*")?>',
    r"(?P<end>/a>)",
    rf'img src="(?P<src>[^"]*)" alt="(?P<alt>[^"]*)"(?: title="[^"]*")?{_IMAGE_STYLE} />',
    r'(?P<wrapper>div class="tableWrapper"(?: style="width: [0-9]+px; max-width: 100%;")?>)',
    r"(?P<wrapped>/div>)",
    *(f"(?P<player{number}>{player.shape.pattern.removeprefix('<')})" for number, player in enumerate(PLAYERS)),
    "(?P<other>)",
)
# The info has no blanks, and the code after it neither `"` nor `>`: the last `">` ends the tag. It comes before what
# is kept, for there `<pre>` is a tag by itself.
_INFO = r'pre><code class="language-(?P<info>[^ \t\r\n\f\v]*)">'
# All of them begin with `<`. With that in front, the next one is found without trying them all at every letter.
_TOKEN = re.compile(f"<(?:{_INFO}|(?!{_KEPT})(?:{'|'.join(_SHAPES)}))", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def defuse(body_html: str, words: ReaderWords, *, media: bool) -> str:
    """Give the HTML of an article without anything that a local page must not do.

    Links to scripts become inert text; images and players of other hosts become boxes with a switch; whatever is not
    exactly as the renderer writes it becomes text. All other bytes stay, those of `add_anchors` included.

    Args:
        body_html: from `render_html`, with or without anchors.
        words: of the page's language.
        media: leave images and players of other hosts; those that need a script of theirs stay boxes.
    """
    return _TOKEN.sub(_Page(words, media).token, body_html)


@dataclass(slots=True)
class _Page:
    """What has been seen so far: how the open links are to be closed, and how many wrappers of tables are open."""

    words: ReaderWords
    media: bool
    ends: list[str] = field(default_factory=list)
    wrappers: int = 0

    def token(self, found: re.Match[str]) -> str:
        """The replacement of one tag."""
        kind = found.lastgroup or ""
        if kind.startswith("player"):
            return self._player(PLAYERS[int(kind.removeprefix("player"))], found)
        match kind:
            case "wrapper" | "wrapped":
                return self._wrapper(found)
            case "info":
                return f'<pre><code class="language-{_safe_info(found["info"])}">'
            case "permalink" | "href":
                return self._open(found)
            case "end":
                return self.ends.pop() if self.ends else escape(found[0])
            case "alt":
                return self._image(found)
        return "&lt;"

    def _open(self, found: re.Match[str]) -> str:
        target = found["href"]
        if target is None or not is_script(target):
            self.ends.append("</a>")
            return found[0]
        self.ends.append("</span>")
        return f'<span class="defused" title="{escape(self.words["link_off"])}: {_value(target)}">'

    def _wrapper(self, found: re.Match[str]) -> str:
        """The element around a table; an end without a beginning could close an element of the page."""
        self.wrappers += 1 if found["wrapper"] else -1
        if self.wrappers < 0:
            self.wrappers = 0
            return escape(found[0])
        return found[0]

    def _image(self, found: re.Match[str]) -> str:
        address = found["src"]
        if is_script(address, image=True):
            return _box("picture", self.words["unsafe_address"], _alt(found["alt"]))
        if self.media or not is_remote(address):
            return found[0]
        # Inside of a link there is no room for a switch: the link is what a click means.
        tools = "" if self.ends else f"{self._switch('show')} {self._open_link(address)}"
        return _box("picture", self.words.filled("image_from", host=shown_host(address)), _alt(found["alt"]), tools)

    def _player(self, player: Player, found: re.Match[str]) -> str:
        captured = player.captured(found[0])
        if not all(SAFE_CAPTURE.fullmatch(text) for text in captured.values()):
            return _box("player", self.words["unsafe_address"])
        is_own = captured.get("address", "").startswith(OWN_FILES)
        if (self.media or is_own) and not player.runs_script:
            return found[0]
        address = player.address.format(**captured)
        what = self.words.filled("player_from", host=shown_host(address))
        if self.ends:
            return _box("player", what)
        if player.runs_script:
            return _box("player", what, self.words["needs_script"], self._open_link(address))
        return _box("player", what, "", f"{self._switch('show_media')} {self._open_link(address)}")

    def _switch(self, text: str) -> str:
        about = escape(self.words["show_media"])
        shown = escape(self.words[text])
        return f'<button type="button" data-media="on" title="{about}" aria-label="{about}">{shown}</button>'

    def _open_link(self, address: str) -> str:
        return f'<a href="{_value(address)}" rel="noreferrer">{escape(self.words["open_there"])}</a>'


def _box(kind: str, what: str, about: str = "", tools: str = "") -> str:
    """A box of inline elements, because it may be inside a paragraph. `tools` is HTML."""
    words = f' <span class="about">{escape(about)}</span>' if about else ""
    return f'<span class="blocked {kind}"><span class="what">{escape(what)}</span>{words}{tools and " " + tools}</span>'


def _value(attribute: str) -> str:
    """An attribute's value as it stood in the page, once more."""
    return escape(unescape(attribute))


def _alt(alt: str) -> str:
    return " ".join(unescape(_TAG.sub("", alt)).split())


def _safe_info(info: str) -> str:
    """The info string as an attribute's value: only what would end it is different."""
    return info.replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;") if '"' in info else info
