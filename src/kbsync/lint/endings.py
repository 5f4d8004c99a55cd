"""Names of files that mean something: endings that kbsync does not read, and a README."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from kbsync.content.walk import README as README_NAME
from kbsync.lint.context import Context
from kbsync.lint.finds import Needs, finds
from kbsync.model import Finding, Rule
from kbsync.words import are

MARKDOWN = (".md", ".mdx", ".markdown", ".mdown", ".mkd", ".mkdn", ".rmd", ".qmd")
"""In any letter case; a file that ends in `.md` itself is a source, or a README."""

HTML = (".html", ".htm")

ASSETS = frozenset({"assets", "attachments", "downloads", "files", "images", "img", "media", "static"})
"""Folders of what articles show or offer: a file there is as its writer wants it."""

OTHER_ENDING = Rule("KB117", "Page that does not end in `.md`", unnoticed=True)
README = Rule("KB123", "README that is not published", unnoticed=True)


@finds(README, needs=Needs.EVERYTHING)
def check_readmes(context: Context) -> Iterator[Finding]:
    """Once: the first README without front matter, and how many others there are."""
    others = (path for path in context.tree.others if path.endswith(".md"))
    paths = sorted(path for path in others if posixpath.basename(path).lower() == README_NAME)
    if paths:
        more = f" Nor {are(len(paths) - 1)} {len(paths) - 1:,} more." if len(paths) > 1 else ""
        message = f"This README has no front matter, so it is not published.{more}"
        hint = "If it is for readers, give it front matter with a `title`. If not, ignore KB123 in kbsync.toml."
        yield README.finding(paths[0], 1, 1, message, hint)


@finds(OTHER_ENDING, needs=Needs.EVERYTHING)
def check_endings(context: Context) -> Iterator[Finding]:
    """Once for each folder: the first file, and how many others there are like it."""
    folders: dict[str, list[str]] = {}
    for path in sorted(context.tree.others):
        folder, name = posixpath.split(path)
        folder_names = folder.lower().split("/")
        if name.endswith(".md") or not ASSETS.isdisjoint(folder_names):
            continue
        # What Jekyll and Hugo keep in `_layouts` and the like is no page.
        is_page = name.lower().endswith(HTML) and not any(part.startswith("_") for part in (*folder_names, name))
        if is_page or name.lower().endswith(MARKDOWN):
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
    if name.lower().endswith(HTML):
        hint = f"Write it in Markdown, as `{stem}.md`. If it is a download, move it to a folder named `files`."
    elif name.lower().endswith(".mdx"):
        hint += " Take out its imports and components: the portal shows Markdown only."
    return OTHER_ENDING.finding(paths[0], 1, 1, message, hint)
