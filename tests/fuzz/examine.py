"""One broken file, all the way through: front matter, spans, lint, the body that would be sent, the preview's HTML."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hostile import MOST_CHARS

from builders import AUTHORS, LIMITS
from kbsync.config import AssetsSettings, ContentSettings
from kbsync.content.body import BOM, body_of
from kbsync.content.identity import identify
from kbsync.content.images import Images
from kbsync.content.parse import parse_source
from kbsync.content.source import Source
from kbsync.content.tree import Tree
from kbsync.lint import check_tree
from kbsync.lint.context import Context
from kbsync.lint.finds import MOST
from kbsync.markdown.html import render_html
from kbsync.model import Finding

PATH = "en/a/fuzzed.md"
NEIGHBOURS = {
    "en/a/_category.md": b"---\nname: A\n---\n",
    "en/a/refunds.md": b"---\ntitle: R\n---\n# B\n\n[f](fuzzed.md#t)\n",
}
"""The small tree around the file. Its root is nowhere: whatever would be read could only fail."""


@cache
def neighbours() -> dict[str, Source]:
    """The other files of the tree, read."""
    return {path: parse_source(path, data) for path, data in NEIGHBOURS.items()}


def examine(data: bytes, *, preview: bool) -> Iterator[str]:
    """Send one file all the way; give what is wrong. Whatever is raised is for the caller."""
    source = parse_source(PATH, data)
    if any(problem.code == "KB101" for problem in source.problems):
        return
    body = body_of(source, data)
    text = data.decode("utf-8").removeprefix(BOM)[source.body_start :]
    if body_of(source, data, [(link, text[link.start : link.end]) for link in source.links]) != body:
        yield "replacing every target by itself gives another body"
    yield from _escapes(source, *checked(source))
    if preview:
        render_html(body[:MOST_CHARS])


def checked(source: Source) -> tuple[set[str], list[Finding]]:
    """The paths that the small tree knows, and what lint finds in it."""
    tree = Tree(Path("/nowhere"), neighbours() | {PATH: source}, set())
    site = identify(tree, ContentSettings(locales=["en"]))
    context = Context(tree, site, LIMITS, AUTHORS, Images(tree.root), AssetsSettings())
    return set(site.by_path), check_tree(context)


def _escapes(source: Source, known: set[str], findings: list[Finding]) -> Iterator[str]:
    """Links out of the tree: none means anything there, and each to a page or an image is told of."""
    here = [finding for finding in findings if finding.path == PATH]
    told = {(finding.line, finding.column) for finding in here}
    # Of one code, a file has so many findings and no more: the rest is only counted.
    is_cut = max(Counter(finding.code for finding in here).values(), default=0) >= MOST
    for link in source.links:
        if not link.target.startswith(("..", "/")):
            continue
        if link.target in known:
            yield f"{link.target} was found outside of the tree"
        is_page_or_image = link.kind == "image" or link.target.endswith(".md")
        if is_page_or_image and (link.line, link.column) not in told and not is_cut:
            yield f"nothing is said of a link to {link.target}"
