"""The text of an article once more: for rules that look at what the scan cache does not keep."""

from __future__ import annotations

from kbsync.content.body import BOM, raw_digest
from kbsync.content.tree import Tree


def article_text(tree: Tree, path: str) -> str | None:
    """All of a file; None where it is not an article, is not UTF-8, or is no longer the one that was linted."""
    source = tree.sources[path]
    if source.kind != "article":
        return None
    try:
        data = tree.read_bytes(path)
        if raw_digest(data) != source.raw_digest:
            return None
        return data.decode().removeprefix(BOM)
    except (OSError, UnicodeDecodeError):
        return None
