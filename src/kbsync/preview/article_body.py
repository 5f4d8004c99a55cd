"""The body of an article as a page shows it: the portal's HTML, links within the tree, anchors, nothing dangerous.

The links and images of an article that mean something of the tree, with their addresses on the local site.

Images that are not there, as quiet boxes with their alt text and path instead of the browser's icon.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape, unescape

from kbsync.content.body import BOM, body_of, readable
from kbsync.content.compile import replacements_of
from kbsync.content.source import Link, Source, is_video
from kbsync.markdown.html import render_html, render_with_lines
from kbsync.markdown.limits import Check, unlimited
from kbsync.markdown.versions import NEWEST, Version
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.marks import NO_PLACES, Places, dead_links, marked_address, places_of, show_marks
from kbsync.preview.site_addresses import is_image
from kbsync.preview.urls import FILES, file_url
from kbsync.site.anchor_links import add_anchors
from kbsync.site.code_blocks import dress_code
from kbsync.site.defuse import defuse
from kbsync.site.pages import TocEntry
from kbsync.site.players import is_remote, name_players, scheme_of
from kbsync.site.reader_words import ReaderWords, words_of

_IMAGE = re.compile(
    r'<img(?P<mark> data-mark="[^"]*")? src="(?P<src>[^"]*)" alt="(?P<alt>[^"]*)"'
    r'(?: title="[^"]*")?(?: style="[^"]*")? />'
)
_TAG = re.compile(r"<[^>]*>")

HERE = "https://video.kbsync.invalid"
"""The host of a local video while it is rendered: only an address with a host becomes a player."""


def mark_absent_images(body_html: str, words: ReaderWords, *, present: str) -> str:
    """The HTML of an article with a box for each image that no file is behind.

    Args:
        body_html: harmless.
        words: of the page's language.
        present: how the addresses of images begin that are there.
    """

    def shown(found: re.Match[str]) -> str:
        address = unescape(found["src"])
        if address.startswith(present) or is_remote(found["src"]) or scheme_of(found["src"]):
            return found[0]
        alt = " ".join(unescape(_TAG.sub("", found["alt"])).split())
        about = f' <span class="about">{escape(alt)}</span>' if alt else ""
        path = f" <code>{escape(address.partition('?')[0])}</code>" if address else ""
        what = f'<span class="what">{escape(words["image_missing"])}</span>'
        return f'<span class="blocked absent"{found["mark"] or ""}>{what}{about}{path}</span>'

    return _IMAGE.sub(shown, body_html)


def local_links(live_tree: LiveTree, source: Source) -> list[tuple[Link, str]]:
    """The links that mean something of the tree, each with its local address."""
    index = live_tree.index

    def address_of(target: str) -> str | None:
        identity = index.site.by_path.get(target)
        return index.url_of.get(identity.path) if identity else None

    def image_of(target: str) -> str | None:
        if target not in live_tree.tree.others or not is_image(target):
            return None
        return (HERE if is_video(target) else "") + file_url(target, saves=live_tree.redrawn[target])

    return replacements_of(source, address_of, image_of)


@dataclass(frozen=True, slots=True)
class ArticleBody:
    """The HTML of an article, its headings, and where the lines of the file are in it."""

    html: str
    toc: tuple[TocEntry, ...]
    places: Places = NO_PLACES


def article_body(
    live_tree: LiveTree, path: str, *, media: bool, marked: bool = False, check: Check = unlimited
) -> ArticleBody:
    """What the page of an article shows.

    Args:
        check: may end the rendering at any step.
        media: whether images and players of other hosts are loaded.
        marked: whether links that lead nowhere and dropped HTML are marked, for the person who writes.

    Raises:
        OSError: the file is not there any more.
    """
    source, data = live_tree.text_of(path)
    data = readable(data)
    links = local_links(live_tree, source)
    version = live_tree.project.version
    look = live_tree.project.portal_look
    locale = live_tree.index.site.articles[path].locale
    if not marked or look:
        return plain_body(body_of(source, data, links), locale, bare=look, media=media, version=version, check=check)
    dead = dead_links(source, live_tree.findings.get(path, ()))
    addresses = dict(links)
    replaced = addresses | {link: marked_address(link) for link in dead}
    html, lines = render_with_lines(body_of(source, data, replaced.items()), version, check)
    html, toc = add_anchors(html.replace(HERE, ""))
    text = data.decode("utf-8").removeprefix(BOM)
    html = show_marks(defuse(html, words_of(locale), media=media), dead, addresses, text[source.body_start :])
    return ArticleBody(dressed(html, locale), toc, places_of(source, text, lines))


def plain_body(
    markdown: str, locale: str, *, bare: bool, media: bool, version: Version, check: Check = unlimited
) -> ArticleBody:
    """What the page of an article shows, without marks for the person who writes.

    Args:
        markdown: with local addresses in its links.
        locale: the language of the words that are added.
        bare: add nothing to the portal's HTML that is there for its looks only.
        media: whether images and players of other hosts are loaded.
        version: the portal's whose HTML it is.
        check: may end the rendering at any step.
    """
    html, toc = page_html(markdown, locale, media=media, version=version, check=check)
    return ArticleBody(html if bare else dressed(html, locale), toc)


def page_html(
    markdown: str, locale: str, *, media: bool, version: Version = NEWEST, check: Check = unlimited
) -> tuple[str, tuple[TocEntry, ...]]:
    """The portal's HTML, harmless and with anchors."""
    html, toc = add_anchors(render_html(markdown, version, check).replace(HERE, ""))
    return defuse(html, words_of(locale), media=media), toc


def dressed(body_html: str, locale: str) -> str:
    """The content of the article element: the portal's HTML with what only looks matter for."""
    words = words_of(locale)
    shown = name_players(mark_absent_images(body_html, words, present=FILES), words)
    return dress_code(shown, words, copies=True)
