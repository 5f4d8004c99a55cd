"""KB30x: whether what a source points to in the tree is there."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from kbsync.content.source import Link, Source
from kbsync.lint.context import Context
from kbsync.model import Finding


def check_links(context: Context) -> Iterator[Finding]:
    """Links to sources and their headings, and local pictures."""
    by_path, others = context.site.by_path, context.tree.others
    for source in context.tree.sources.values():
        # Ten thousand articles have seventy thousand links, nearly all of them good: what is good costs one look-up.
        for link in source.links:
            target = link.target
            if link.kind == "image":
                if target not in others:
                    yield _at(source, link, "KB303", f"there is no picture {target}", "add it, or mend the path")
            elif (identity := by_path.get(target)) is None:
                if target.endswith(".md"):
                    message = f"there is no {target}"
                    yield _at(source, link, "KB301", message, "mend the path; readers would get a dead link")
            elif link.anchor and not _has_anchor(context, identity.path, link.anchor):
                message = f"{target} has no heading `#{link.anchor}`"
                yield _at(source, link, "KB302", message, "readers would land at the top of the page")


def _has_anchor(context: Context, path: str, anchor: str) -> bool:
    target = context.tree.sources[path]
    # A category has no body, and what could not be read has headings that nobody knows.
    return target.body_blank or (unquote(anchor) if "%" in anchor else anchor) in target.anchors


def _at(source: Source, link: Link, code: str, message: str, hint: str) -> Finding:
    return Finding(code, "warning", source.path, link.line, link.column, message, hint)
