"""What a source is to the others: everything but its text.

Where some files changed and no shape did, no finding of the rest of the tree (a slug that two have, a heading that a
link means, an image without an article) can have changed.
"""

from __future__ import annotations

import msgspec

from kbsync.content.rules import HIDES_KEYS
from kbsync.content.source import Source

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
