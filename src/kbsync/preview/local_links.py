"""The links and images of an article that mean something of the tree, with their addresses on the local site."""

from __future__ import annotations

from kbsync.content.compile import replacements_of
from kbsync.content.source import Link, Source
from kbsync.preview.image_files import is_image
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.urls import file_url


def local_links(live_tree: LiveTree, source: Source) -> list[tuple[Link, str]]:
    """The links that mean something of the tree, each with its local address."""
    index = live_tree.index

    def address_of(target: str) -> str | None:
        identity = index.site.by_path.get(target)
        return index.url_of.get(identity.path) if identity else None

    def image_of(target: str) -> str | None:
        if target not in live_tree.tree.others or not is_image(target):
            return None
        return file_url(target, saves=live_tree.redrawn[target])

    return replacements_of(source, address_of, image_of)
