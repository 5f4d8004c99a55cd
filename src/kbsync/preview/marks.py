"""Where in an article's HTML a finding is: dead links and missing images marked, dropped HTML shown. Pure.

A marked link gets an address of its own before the text is rendered, and its real one back afterwards.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from html import escape

from kbsync.content.source import Link, Source
from kbsync.markdown.inline_html import OMITTED
from kbsync.model import Finding
from kbsync.site.players import is_script

DEAD = frozenset({"KB301", "KB302", "KB303", "KB307"})
"""Codes of links and images that lead nowhere: they look different on the page."""

MARKED = "/-/at/"
"""Addresses that begin so are in a text only while it is rendered."""

DROPPED = '<span class="dropped">HTML dropped</span>'

_MARKED_LINK = re.compile(rf'<a href="{MARKED}(?P<at>[0-9]+-[0-9]+)"')
_MARKED_IMAGE = re.compile(rf'<img src="{MARKED}(?P<at>[0-9]+-[0-9]+)"')


@dataclass(frozen=True, slots=True)
class Places:
    """Where the lines of a file are in its article: `starts` has the first line of each element, from 1."""

    starts: tuple[int, ...] = ()

    def block_of(self, line: int) -> int:
        """The element that a line of the file is in; -1 for a line above all of them."""
        return bisect_right(self.starts, line) - 1


NO_PLACES = Places()


def places_of(source: Source, text: str, blocks: Iterable[int]) -> Places:
    """The places of an article.

    Args:
        source: what was read of the file.
        text: the whole file.
        blocks: the first line of each element, from 0, in the body as it was rendered.
    """
    body = text[source.body_start :]
    above = text.count("\n", 0, source.body_start) + 1
    start, end = source.title_span
    title, taken = body.count("\n", 0, start), body.count("\n", start, end)
    return Places(tuple(line + above + (taken if line >= title else 0) for line in blocks))


def dead_links(source: Source, findings: Iterable[Finding]) -> list[Link]:
    """The links and images of a source that lead nowhere."""
    places = {(finding.line, finding.column) for finding in findings if finding.code in DEAD}
    # An autolink's address is also its text.
    return [link for link in source.links if (link.line, link.column) in places and link.kind != "autolink"]


def marked_address(link: Link) -> str:
    """The address that a dead link has while the text is rendered."""
    return f"{MARKED}{link.line}-{link.column}"


def show_marks(html: str, dead: Collection[Link], addresses: dict[Link, str], body: str) -> str:
    """The HTML with its marks.

    Args:
        html: made harmless, its dead links with the addresses of `marked_address`.
        dead: these links.
        addresses: what a link of the tree was replaced by; of those that mean nothing, `body` has what is written.
        body: the text after the front matter.
    """
    html = html.replace(OMITTED, DROPPED)
    if not dead:
        return html
    written = {f"{link.line}-{link.column}": addresses.get(link) or _written(link, body) for link in dead}

    def link(found: re.Match[str]) -> str:
        href = written.get(found["at"], "")
        return f'<a class="dead" data-mark="{found["at"]}" href="{escape(href)}"'

    def image(found: re.Match[str]) -> str:
        return f'<img data-mark="{found["at"]}" src="{escape(written.get(found["at"], ""))}"'

    return _MARKED_IMAGE.sub(image, _MARKED_LINK.sub(link, html))


def _written(link: Link, body: str) -> str:
    address = body[link.start : link.end].strip("<>")
    return "" if is_script(address) else address
