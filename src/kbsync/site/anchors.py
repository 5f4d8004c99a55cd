"""Ids for the headings of an article, as the portal's page script gives them."""

from __future__ import annotations

import html
import re

from kbsync.markdown.anchors import heading_anchor
from kbsync.site.pages import TocEntry

_HEADING = re.compile(r"<h([1-3])>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def add_anchors(body_html: str) -> tuple[str, tuple[TocEntry, ...]]:
    """The HTML with ids on its headings of level 1 to 3, and the headings."""
    entries: list[TocEntry] = []

    def anchored(found: re.Match[str]) -> str:
        text = html.unescape(_TAG.sub("", found[2])).strip()
        anchor = heading_anchor(text)
        entries.append(TocEntry(int(found[1]), text, anchor))
        return f'<h{found[1]} id="{anchor}">{found[2]}</h{found[1]}>' if anchor else found[0]

    return _HEADING.sub(anchored, body_html), tuple(entries)
