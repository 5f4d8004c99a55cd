"""The body of an article as a page shows it: the portal's HTML, links within the tree, anchors, nothing dangerous."""

from __future__ import annotations

from kbsync.content.body import body_of
from kbsync.content.compile import replacements_of
from kbsync.content.source import Link, Source
from kbsync.markdown.html import render_html
from kbsync.markdown.versions import NEWEST, Version
from kbsync.preview.image_files import is_image
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.urls import FILES, file_url
from kbsync.site.absent_images import mark_absent_images
from kbsync.site.anchor_links import add_anchors
from kbsync.site.code_blocks import dress_code
from kbsync.site.defuse import defuse
from kbsync.site.pages import TocEntry
from kbsync.site.reader_words import words_of


def article_body(live_tree: LiveTree, path: str, *, media: bool) -> tuple[str, tuple[TocEntry, ...]]:
    """The HTML of an article, and its headings.

    Args:
        media: whether images and players of other hosts are loaded.

    Raises:
        OSError: the file is not there any more.
    """
    source, data = live_tree.text_of(path)
    body = body_of(source, data, local_links(live_tree, source))
    html, toc = page_html(body, media=media, version=live_tree.project.version)
    return html if live_tree.project.portal_look else dressed(html, live_tree.index.site.articles[path].locale), toc


def page_html(markdown: str, *, media: bool, version: Version = NEWEST) -> tuple[str, tuple[TocEntry, ...]]:
    """The portal's HTML, harmless and with anchors."""
    html, toc = add_anchors(render_html(markdown, version))
    return defuse(html, media=media), toc


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
