"""Links that begin with `/`: for readers they lead to the host of the portal, where the files of the tree are not."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from msgspec.structs import replace

from kbsync.content.source import Link
from kbsync.lint.context import Context, at_link
from kbsync.lint.finds import Needs, finds
from kbsync.lint.likely_targets import Moved, relative_to
from kbsync.model import Finding, Rule
from kbsync.words import suggestion

ROOTED = Rule("KB309", "Address that begins with `/`", fixable=True)

OF_THE_HOST = ("hc", "rails")
"""First folders of what the service itself has: the public help center and uploads.

Source: docs/service.md, sections 5 and 9."""


@finds(ROOTED, needs=Needs.LINKS)
def check_rooted(context: Context) -> Iterator[Finding]:
    """Each link or image with such an address that is not one of the service."""
    for source in context.tree.sources.values():
        for link in source.rooted:
            if is_of_the_host(link.target):
                continue
            yield _finding(source.path, at_link(ROOTED, source, link, "", ""), link, context.overview.moved)


def is_of_the_host(target: str) -> bool:
    """Whether the service has something at an address."""
    first = target.strip("/").partition("/")[0]
    return not first or first in OF_THE_HOST


def rooted_target(path: str, link: Link, moved: Moved) -> str:
    """The one file or folder of the tree that such a link means; "" where there is none, or more than one.

    Args:
        path: the file with the link. Other tools put the pages of a locale, or of a folder `docs`, at the top.
        link: the link.
        moved: the files of the tree.
    """
    among = moved.others if link.kind == "image" else moved.pages
    bare = posixpath.normpath(link.target.strip("/"))
    locale, behind = path.partition("/")[0], bare.partition("/")[2]
    found: dict[str, None] = {}
    for tried in (bare, f"{locale}/{bare}", *((behind, f"{locale}/{behind}") if behind else ())):
        stem = posixpath.splitext(tried)[0] if tried.endswith((".html", ".htm", ".mdx", ".markdown")) else tried
        for written in (tried, f"{stem}.md", f"{stem}/index.md"):
            if written in among:
                found[written] = None
    # Who links to the page itself means another version of it, or another site.
    return next(iter(found)) if len(found) == 1 and path not in found else ""


def _finding(path: str, finding: Finding, link: Link, moved: Moved) -> Finding:
    target = rooted_target(path, link, moved)
    what = "image" if link.kind == "image" else "link"
    message = f"This {what} begins with `/`, so it leads to the host of the portal, where your files are not."
    if target:
        hint = suggestion(relative_to(path, target) + (f"#{link.anchor}" if link.anchor else ""))
    else:
        hint = "Write a path from this file on, such as `../billing/refunds.md`, or an address that begins with `https://`."
    return replace(finding, message=message, hint=hint, fixable=bool(target))
