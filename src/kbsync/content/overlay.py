"""A tree as it would be if some of its files had other texts. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from kbsync.content.inspection import Inspect
from kbsync.content.parse import parse_source
from kbsync.content.tree import Tree, problems_of


def overlaid(tree: Tree, texts: Mapping[str, bytes], inspect: Inspect) -> Tree:
    """The tree with these texts.

    Args:
        tree: as it was read.
        texts: the bytes of some of its sources, by path.
        inspect: what else looks for problems in the bodies.
    """
    parsed = {path: parse_source(path, data, inspect=inspect) for path, data in texts.items()}
    gone = {found for path in parsed for found in problems_of(tree.sources[path])}
    findings = [found for found in tree.findings if found.path not in parsed or found not in gone]
    findings += (found for source in parsed.values() for found in problems_of(source))
    rows = {**tree.rows} | {
        path: msgspec.structs.replace(tree.rows[path], source=source, links_key=b"", content_digest="")
        for path, source in parsed.items()
    }
    return replace(tree, sources={**tree.sources, **parsed}, findings=findings, rows=rows)
