"""Names of files that mean something: endings that kbsync does not read, and a README that becomes an article."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from kbsync.content.source import Source
from kbsync.lint.context import Context
from kbsync.lint.finds import Needs, finds
from kbsync.model import Finding, Rule
from kbsync.words import are

MARKDOWN = (".md", ".mdx", ".markdown", ".mdown", ".mkd", ".mkdn", ".rmd", ".qmd")
"""In any letter case; a file that ends in `.md` itself is a source, and never among the others."""

ASSETS = frozenset({"assets", "attachments", "downloads", "files", "images", "img", "media", "static"})
"""Folders of what articles show or offer: a file there is as its writer wants it."""

OTHER_ENDING = Rule("KB117", "Markdown file that does not end in `.md`")
README = Rule("KB123", "README that becomes an article")


@finds(README, needs=Needs.EVERYTHING)
def check_readmes(context: Context) -> Iterator[Finding]:
    """Once: the first README without front matter, and how many others there are."""
    sources = context.tree.sources
    paths = [
        path
        for path in context.site.articles
        if posixpath.basename(path).lower() == "readme.md" and _is_without_front_matter(sources[path])
    ]
    if paths:
        more = f" So {are(len(paths) - 1)} {len(paths) - 1:,} more." if len(paths) > 1 else ""
        message = f"This README is an article for readers, like every other `.md` file.{more}"
        hint = "Move it out of the content folder, or write `manage: false` in its front matter. Else ignore KB123."
        yield README.finding(paths[0], 1, 1, message, hint)


def _is_without_front_matter(source: Source) -> bool:
    # One without a title has an error of its own. What is wrong in its text says nothing of who reads it.
    return not source.keys and not source.body_start and source.title is not None


@finds(OTHER_ENDING, needs=Needs.EVERYTHING)
def check_endings(context: Context) -> Iterator[Finding]:
    """Once for each folder: the first file, and how many others there are like it."""
    folders: dict[str, list[str]] = {}
    for path in sorted(context.tree.others):
        folder, name = posixpath.split(path)
        if name.lower().endswith(MARKDOWN) and ASSETS.isdisjoint(folder.lower().split("/")):
            folders.setdefault(folder, []).append(path)
    for paths in folders.values():
        yield _unread(paths)


def _unread(paths: list[str]) -> Finding:
    name = posixpath.basename(paths[0])
    stem = posixpath.splitext(name)[0]
    others = len(paths) - 1
    more = f" Nor {are(others)} {others:,} more in this folder." if others else ""
    message = f"`{name}` is not published: kbsync reads only files that end in `.md`.{more}"
    hint = f"Rename it to `{stem}.md`."
    if name.lower().endswith(".mdx"):
        hint += " Take out its imports and components: the portal shows Markdown only."
    return OTHER_ENDING.finding(paths[0], 1, 1, message, hint)
