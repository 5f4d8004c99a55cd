"""The body of an article as a page shows it: the portal's HTML, links within the tree, anchors, nothing dangerous."""

from __future__ import annotations

from dataclasses import dataclass

from kbsync.content.body import BOM, body_of
from kbsync.content.compile import replacements_of
from kbsync.content.source import Link, Source
from kbsync.markdown.html import render_html, render_with_lines
from kbsync.markdown.versions import NEWEST, Version
from kbsync.preview.image_files import is_image
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.marks import NO_PLACES, Places, dead_links, marked_address, places_of, show_marks
from kbsync.preview.urls import FILES, file_url
from kbsync.site.absent_images import mark_absent_images
from kbsync.site.anchor_links import add_anchors
from kbsync.site.code_blocks import dress_code
from kbsync.site.defuse import defuse
from kbsync.site.pages import TocEntry
from kbsync.site.reader_words import words_of


@dataclass(frozen=True, slots=True)
class ArticleBody:
    """The HTML of an article, its headings, and where the lines of the file are in it."""

    html: str
    toc: tuple[TocEntry, ...]
    places: Places = NO_PLACES


def article_body(live_tree: LiveTree, path: str, *, media: bool, marked: bool = False) -> ArticleBody:
    """What the page of an article shows.

    Args:
        media: whether images and players of other hosts are loaded.
        marked: whether links that lead nowhere and dropped HTML are marked, for the person who writes.

    Raises:
        OSError: the file is not there any more.
    """
    source, data = live_tree.text_of(path)
    links = local_links(live_tree, source)
    version = live_tree.project.version
    if not marked or live_tree.project.portal_look:
        html, toc = page_html(body_of(source, data, links), media=media, version=version)
        return ArticleBody(_as_shown(live_tree, path, html), toc)
    dead = dead_links(source, live_tree.findings.get(path, ()))
    addresses = dict(links)
    replaced = addresses | {link: marked_address(link) for link in dead}
    html, lines = render_with_lines(body_of(source, data, replaced.items()), version)
    html, toc = add_anchors(html)
    text = data.decode("utf-8").removeprefix(BOM)
    html = show_marks(defuse(html, media=media), dead, addresses, text[source.body_start :])
    return ArticleBody(_as_shown(live_tree, path, html), toc, places_of(source, text, lines))


def page_html(markdown: str, *, media: bool, version: Version = NEWEST) -> tuple[str, tuple[TocEntry, ...]]:
    """The portal's HTML, harmless and with anchors."""
    html, toc = add_anchors(render_html(markdown, version))
    return defuse(html, media=media), toc


def _as_shown(live_tree: LiveTree, path: str, body_html: str) -> str:
    look = live_tree.project.portal_look
    return body_html if look else dressed(body_html, live_tree.index.site.articles[path].locale)


def dressed(body_html: str, locale: str) -> str:
    """The content of the article element: the portal's HTML with what only looks matter for."""
    words = words_of(locale)
    return dress_code(mark_absent_images(body_html, words, present=FILES), words, copies=True)


def local_links(live_tree: LiveTree, source: Source) -> list[tuple[Link, str]]:
    """The links that mean something of the tree, each with its local address."""
    index = live_tree.index

    def address_of(target: str) -> str | None:
        identity = index.site.by_path.get(target)
        return index.url_of.get(identity.path) if identity else None

    def image_of(target: str) -> str | None:
        return file_url(target) if target in live_tree.tree.others and is_image(target) else None

    return replacements_of(source, address_of, image_of)
