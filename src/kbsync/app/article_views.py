"""How often readers opened the articles of your files, as the portal said when it was last read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kbsync.memory import Memory
from kbsync.service.snapshot import load_snapshot

if TYPE_CHECKING:
    from kbsync.content.identity import Site


def views_of(site: Site, memory: Memory, target: str) -> dict[str, int]:
    """The views by path, where they are known.

    Args:
        site: which file is which article.
        memory: has the last listing of the portal.
        target: the key of the portal.
    """
    by_slug = load_snapshot(memory, target).views_by_slug
    if not by_slug:
        return {}
    return {path: by_slug[item.slug] for path, item in site.articles.items() if item.slug in by_slug}
