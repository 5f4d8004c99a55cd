"""Heading anchors: what the portal's page script adds to an article, written into its HTML."""

import re
from html import unescape

from kbsync.markdown.anchors import heading_anchor
from kbsync.site.pages import TocEntry

_HEADING_TAG = re.compile(r'<pre><code class="language-[^ \t\r\n\f\v]*">|<(/?)h([1-3])>')
"""The info string of a code block is in its attribute as it is written, even `"><h1>`: that is not a heading."""

_TAG = re.compile(r'<(?:"[^"]*+"|[^">])*+>')
"""Attribute values may hold a `>`: the text of an image keeps its superscript tags."""


def add_anchors(body_html: str) -> tuple[str, tuple[TocEntry, ...]]:
    """Give headings of level 1 to 3 their ids and a link to themselves; all other bytes stay.

    Equal headings get equal ids, and one whose text has no letter that can be written in ASCII gets none, as on the
    portal. Returns the HTML and the headings in order.
    """
    pieces: list[str] = []
    entries: list[TocEntry] = []
    done = 0
    opened: re.Match[str] | None = None
    for tag in _HEADING_TAG.finditer(body_html):
        if tag[2] is None:
            continue
        if not tag[1]:
            opened = tag
        elif opened and opened[2] == tag[2]:
            entry = _entry(int(tag[2]), body_html[opened.end() : tag.start()])
            entries.append(entry)
            if entry.anchor:
                start = f'{body_html[done : opened.end() - 1]} id="{entry.anchor}">'
                pieces += [start, body_html[opened.end() : tag.start()], _permalink(entry.anchor), tag[0]]
                done = tag.end()
            opened = None
    return "".join((*pieces, body_html[done:])), tuple(entries)


def _entry(level: int, inner_html: str) -> TocEntry:
    text = " ".join(unescape(_TAG.sub("", inner_html)).split())
    return TocEntry(level, text, heading_anchor(text))


def _permalink(anchor: str) -> str:
    # For the mouse only: screen readers and the keyboard have the table of contents.
    return f'<a class="permalink" href="#{anchor}" aria-hidden="true" tabindex="-1"></a>'
