"""KB301 to KB308: whether what a source points to in the tree is there, and whether readers can see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from kbsync.content.source import PICTURES, Link, Source
from kbsync.lint.context import Context
from kbsync.model import Finding


def check_links(context: Context) -> Iterator[Finding]:
    """Links to sources and their headings, and local pictures."""
    by_path, others, hidden = context.site.by_path, context.tree.others, _hidden(context)
    for source in context.tree.sources.values():
        # Ten thousand articles have seventy thousand links, nearly all of them good: what is good costs one look-up.
        for link in source.links:
            target = link.target
            if link.kind == "image":
                if target not in others:
                    yield _at(source, link, "KB303", f"there is no picture {target}", "add it, or mend the path")
            elif (identity := by_path.get(target)) is None:
                if target not in others or not target.lower().endswith(PICTURES):
                    yield _nothing(source, link, is_file=target in others)
            else:
                if link.anchor and not _has_anchor(context, identity.path, link.anchor):
                    message = f"{target} has no heading `#{link.anchor}`"
                    yield _at(source, link, "KB302", message, "readers would land at the top of the page")
                if target in hidden:
                    yield from _unseen(source, link, hidden[target])


def _nothing(source: Source, link: Link, *, is_file: bool) -> Finding:
    target = link.target
    if is_file:
        message = f"{target} is no article: the portal has no page for it"
        return _at(source, link, "KB307", message, "put it on a server, and link to its address there")
    if target.startswith(".."):
        return _at(source, link, "KB301", f"{target} is outside of the content tree", "give its public address")
    if target.endswith(".md"):
        return _at(source, link, "KB301", f"there is no {target}", "mend the path; readers would get a dead link")
    message = f"there is no page for {target}: no article, and no folder with a `_category.md`"
    hint = "write the name of the article's file with its `.md`; an address elsewhere begins with `https://`"
    return _at(source, link, "KB301", message, hint)


def _hidden(context: Context) -> Mapping[str, Source]:
    """The articles that readers cannot find, or of which nobody knows whether they can."""
    sources = context.tree.sources
    return {
        path: source
        for path in context.site.articles
        if (source := sources[path]).status != "published" or source.manage == "false"
    }


def _unseen(source: Source, link: Link, target: Source) -> Iterator[Finding]:
    """What is wrong with a link to an article that is no published one of ours."""
    if target.manage == "false":
        message = f"{target.path} is not published by kbsync (`manage: false`): nobody knows whether it is there"
        yield _at(source, link, "KB306", message, "look whether the portal has an article of that slug")
    elif target.status == "archived" and source.status != "archived":
        message = f"{target.path} is archived: readers find it nowhere else"
        yield _at(source, link, "KB305", message, "link to what replaces it, or take the link out")
    elif target.status in {"draft", None} and source.status == "published":
        message = f"{target.path} is a draft, and this article is published"
        if target.status is None:
            message = f"{target.path} gives no status, so it stays a draft, and this article is published"
        yield _at(source, link, "KB304", message, "publish both: `status: published`")


def check_pictures(context: Context) -> Iterator[Finding]:
    """Pictures of the tree that nothing points to."""
    unused = {path for path in context.tree.others if path.lower().endswith(PICTURES)}
    if not unused:
        return
    for source in context.tree.sources.values():
        unused.difference_update(link.target for link in source.links)
    for path in sorted(unused):
        yield Finding("KB308", "warning", path, 1, 1, "no article shows this picture", "show it, or delete the file")


def _has_anchor(context: Context, path: str, anchor: str) -> bool:
    target = context.tree.sources[path]
    # A category has no body, and what could not be read has headings that nobody knows.
    return target.body_blank or (unquote(anchor) if "%" in anchor else anchor) in target.anchors


def _at(source: Source, link: Link, code: str, message: str, hint: str) -> Finding:
    return Finding(code, "warning", source.path, link.line, link.column, message, hint)
