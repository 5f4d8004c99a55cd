"""The few sources of a tree that moved since it was read, without the thousands that did not.

What a source is to the others is its *shape*: everything but its text. Where some files changed and no shape did,
no finding of the rest of the tree (a slug that two have, a heading that a link means, an image without an article) can
have changed, so the rest need not be looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from kbsync.content.body import CATEGORY_FILE
from kbsync.content.inspection import Inspect
from kbsync.content.mark import Moved
from kbsync.content.scan_cache import CacheFile, Row
from kbsync.content.source import Source
from kbsync.content.tree import Tree, parse_one, problems_of
from kbsync.content.walk import Walk

Shape = tuple[Source, tuple[str, ...]]


def shape_of(source: Source) -> Shape:
    """What other sources can see of one, where its front matter is, and what it links to, as its translations do."""
    targets = tuple(sorted(link.target for link in source.links))
    plain = msgspec.structs.replace(
        source, raw_digest=b"", body_digest="", body_chars=0, links=(), problems=(), rooted=(), part_lines=()
    )
    return plain, targets


def read_part(
    root: Path,
    walk: Walk,
    moved: Moved,
    *,
    beside: Collection[str] = (),
    cache: Path,
    inspect: Inspect | None,
    default_locale: str,
) -> Tree | None:
    """The sources that moved, with those that they point to and their originals; None where a shape is another now.

    Args:
        root, walk: the tree.
        moved: the sources that moved.
        beside: others to be looked at, also with those that they point to.
        cache: the scan cache.
        inspect: the rules for one article.
        default_locale: that of the originals.
    """
    try:
        with CacheFile(cache) as file:
            rows: dict[str, Row] = {}
            for path, then in moved.items():
                old, new = file.row(path), parse_one(root, path, walk.sources[path], inspect)
                # The cache may have been written since: then it is not known what the source was.
                if old is None or not old.fits(then) or new is None or new.source.kind != "article":
                    return None
                if shape_of(old.source) != shape_of(new.source):
                    return None
                rows[path] = new
            for path in beside:
                if (row := file.row(path)) is None or not row.fits(walk.sources[path]):
                    return None
                rows[path] = row
            for path in list(rows):
                for other in _around(rows[path].source, default_locale):
                    if other in walk.sources and other not in rows:
                        if (row := file.row(other)) is None or not row.fits(walk.sources[other]):
                            return None
                        rows[other] = row
    except (OSError, EOFError, msgspec.DecodeError):
        return None
    sources = {path: rows[path].source for path in sorted(rows)}
    findings = [found for path in (*moved, *beside) for found in problems_of(sources[path])]
    return Tree(root, sources, walk.others, findings, rows, every=walk.sources)


def _around(source: Source, default_locale: str) -> Iterator[str]:
    """What a source's links, its original and its categories are looked up in."""
    yield source.translation_of or f"{default_locale}/{source.path.partition('/')[2]}"
    for link in source.links:
        yield link.target
        yield f"{link.target}/{CATEGORY_FILE}"
    folder = source.path.rpartition("/")[0]
    while folder:
        yield f"{folder}/{CATEGORY_FILE}"
        folder = folder.rpartition("/")[0]
