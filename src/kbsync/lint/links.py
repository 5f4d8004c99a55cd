"""KB30x: whether what a source points to in the tree is there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from kbsync.content.compile import resolve_links
from kbsync.content.source import Link, Source
from kbsync.lint.context import Context
from kbsync.model import Finding


def check_links(context: Context) -> Iterator[Finding]:
    """Links to sources and their headings, and local pictures."""
    for source in context.tree.sources.values():
        if not source.links:
            continue
        for resolved in resolve_links(source, context.site):
            if resolved.identity is None:
                message = f"there is no {resolved.path}"
                yield _at(source, resolved.link, "KB301", message, "mend the path; readers would get a dead link")
            elif resolved.anchor and not _has_anchor(context, resolved.path, resolved.anchor):
                message = f"{resolved.path} has no heading `#{resolved.anchor}`"
                yield _at(source, resolved.link, "KB302", message, "readers would land at the top of the page")
        for link in source.links:
            if link.kind == "image" and (path := _picture(source, link)) not in context.tree.others:
                yield _at(source, link, "KB303", f"there is no picture {path}", "add the file, or mend the path")


def _has_anchor(context: Context, path: str, anchor: str) -> bool:
    target = context.tree.sources.get(path)
    return target is None or target.kind == "category" or unquote(anchor) in target.anchors


def _picture(source: Source, link: Link) -> str:
    folder = source.path.rpartition("/")[0]
    return posixpath.normpath(posixpath.join(folder, unquote(link.destination.partition("?")[0].partition("#")[0])))


def _at(source: Source, link: Link, code: str, message: str, hint: str) -> Finding:
    return Finding(code, "warning", source.path, link.line, link.column, message, hint)
