"""Which pages look different in another version of the service: `lint --service 4.16 --against 4.10`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kbsync.content.body import spliced
from kbsync.content.source import VIDEO, Link, is_video
from kbsync.content.tree import Tree
from kbsync.lint.addresses import MAY_PLAY
from kbsync.lint.context import article_text
from kbsync.markdown.html import render_blocks
from kbsync.markdown.inline_html import OMITTED
from kbsync.markdown.offsets import Places
from kbsync.markdown.versions import Version
from kbsync.model import Finding, Rule
from kbsync.words import count

CHANGED_PAGE = Rule("KB416", "Page that another version of the service shows differently", unnoticed=True)

_MAY_DIFFER = re.compile(rf"\||:-|-:|cw_image_|{MAY_PLAY.pattern}")
"""Cheaper than the HTML of a page: there may be a table, the width of an image, or a player."""

_TABLE = re.compile(r'<div class="tableWrapper')
_SIZED = re.compile(r'px; max-width: 100%; height: auto;" />')


@dataclass(frozen=True, slots=True)
class Versions:
    """Two versions of the service: the one that pages are for, and the one that they are compared with."""

    service: Version
    against: Version


def find_changed(tree: Tree, paths: Iterable[str], versions: Versions) -> Iterator[Finding]:
    """One finding for each page of these whose HTML differs, at the first place where it does."""
    for path in paths:
        text = article_text(tree, path)
        if text is None or not _MAY_DIFFER.search(text):
            continue
        source = tree.sources[path]
        start = source.body_start
        kinds, line = _differences(_with_videos(text[start:], source.links), versions)
        if kinds:
            where = f"in version {versions.service} than in {versions.against}"
            message = f"This page has different HTML {where}: {_listed(kinds)}."
            hint = f"Compare `kbsync preview --service {versions.service}` with `--service {versions.against}`."
            yield CHANGED_PAGE.finding(path, Places(text).line(start) + line, 1, message, hint)


def _with_videos(body: str, links: Iterable[Link]) -> str:
    """A body whose local videos have the address of an upload: only a link with a host becomes a player."""
    videos = sorted((link.start, link.end, link.query) for link in links if is_video(link.target))
    return spliced(body, [(start, end, f"https://portal.invalid/a{VIDEO}?{query}") for start, end, query in videos])


def _differences(body: str, versions: Versions) -> tuple[Counter[str], int]:
    """How many of what differ, and the line of the first, from 0."""
    kinds: Counter[str] = Counter()
    first = 0
    for line, (html, other) in render_blocks(body, (versions.service, versions.against)):
        if html == other or {html, other} == {"", OMITTED}:
            continue
        first = first if kinds else line
        kinds += _kinds(html, other)
    return kinds, first


def _kinds(one: str, other: str) -> Counter[str]:
    """What of a block differs; where it is neither a table nor the width of an image, it is a player."""
    shapes = {"table": _TABLE, "image": _SIZED}
    found = {kind: abs(len(shape.findall(one)) - len(shape.findall(other))) for kind, shape in shapes.items()}
    return Counter({kind: number for kind, number in found.items() if number} or {"player": 1})


def _listed(kinds: Counter[str]) -> str:
    return ", ".join(count(kinds[kind], kind) for kind in ("table", "image", "player") if kinds[kind])
