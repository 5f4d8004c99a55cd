"""The few sources of a tree that moved since it was read, without the thousands that did not.

What a source is to the others is its *shape*: everything but its text. Where some files changed and no shape did,
no finding of the rest of the tree (a slug that two have, a heading that a link means, an image without an article) can
have changed, so the rest need not be looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import msgspec

from kbsync.content.body import CATEGORY_FILE
from kbsync.content.inspection import Inspect
from kbsync.content.mark import Moved
from kbsync.content.rules import HIDES_KEYS
from kbsync.content.scan_cache import CacheFile, Row, renew_rows
from kbsync.content.source import Source
from kbsync.content.tree import Tree, parse_one, problems_of
from kbsync.content.walk import Walk

Shape = tuple[Source, list[tuple[str, bool]], list[tuple[str, int, int]]]


def shape_of(source: Source) -> Shape:
    """What other sources can see of one, where its front matter is, what it links to, as its translations do, and the
    errors because of which a key has no value: a check of shapes does not report such a key as missing."""
    targets = sorted((link.target, link.is_image) for link in source.links)
    plain = msgspec.structs.replace(
        source,
        raw_digest=b"", body_digest="", body_chars=0, crlf_ends=0, links=(), problems=(), rooted=(), part_lines=(),
    )  # fmt: skip
    keys = set(zip(source.places[::2], source.places[1::2], strict=True))
    unread = [
        (problem.code, problem.line, problem.column)
        for problem in source.problems
        if problem.code in HIDES_KEYS or (problem.level == "error" and (problem.line, problem.column) in keys)
    ]
    return plain, targets, unread


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
    """The sources that moved, with those that their findings depend on; None where a shape is another now.

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
            parsed = 0
            for path, then in moved.items():
                old = file.row(path)
                # Another command may have written the cache since: then it may not be known what the source was.
                if old is None or not old.had_shape_at(then):
                    return None
                rows[path] = old
                if not old.fits(walk.sources[path]):
                    parsed += 1
                    new = parse_one(root, path, walk.sources[path], inspect)
                    if new is None or shape_of(old.source) != shape_of(new.source):
                        return None
                    rows[path] = msgspec.structs.replace(new, same_shape=old.stamps_of_shape())
                if rows[path].source.kind != "article":
                    return None
            if not _add(rows, beside, file, walk):
                return None
            these = [rows[path].source for path in (*moved, *beside)]
            if not _add(rows, (path for source in these for path in _around(source, default_locale)), file, walk):
                return None
            # A link of an original may lead to a translation, and means then what that translates.
            originals = {_original(source, default_locale) for source in these} & rows.keys()
            if not _add(rows, [link.target for path in originals for link in rows[path].source.links], file, walk):
                return None
    except (OSError, EOFError, msgspec.DecodeError):
        return None
    sources = {path: rows[path].source for path in sorted(rows)}
    findings = [found for path in (*moved, *beside) for found in problems_of(sources[path])]
    return Tree(root, sources, walk.others, findings, rows, stale=parsed > 0, every=walk.sources)


def store_part(tree: Tree, cache: Path) -> None:
    """Keep what was read of some sources, so that any command's next run knows of each what it was at its last one."""
    if tree.stale:
        renew_rows(cache, tree.rows)


def _add(rows: dict[str, Row], paths: Iterable[str], file: CacheFile, walk: Walk) -> bool:
    """Add what was read of those paths that are sources; whether all of these are still as they were read."""
    for path in paths:
        if path in walk.sources and path not in rows:
            if (row := file.row(path)) is None or not row.fits(walk.sources[path]):
                return False
            rows[path] = row
    return True


def _original(source: Source, default_locale: str) -> str:
    """Where the article is that a source translates, if there is one."""
    return source.translation_of or f"{default_locale}/{source.path.partition('/')[2]}"


def _around(source: Source, default_locale: str) -> Iterator[str]:
    """What a source's links, its original and its categories are looked up in."""
    yield _original(source, default_locale)
    for link in source.links:
        yield link.target
        yield f"{link.target}/{CATEGORY_FILE}"
    folder = source.path.rpartition("/")[0]
    while folder:
        yield f"{folder}/{CATEGORY_FILE}"
        folder = folder.rpartition("/")[0]
