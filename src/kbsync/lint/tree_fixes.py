"""What `lint --fix` changes in a file because of the other files: links to what moved, names of categories. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from urllib.parse import quote

from kbsync.content.body import BOM
from kbsync.content.front_edit import set_value
from kbsync.content.identity import Site
from kbsync.content.source import Link, Source
from kbsync.content.tree import Tree
from kbsync.errors import ContentError
from kbsync.lint.fix_rounds import apply
from kbsync.lint.ignore import Ignored
from kbsync.lint.likely_targets import Moved, relative_to
from kbsync.lint.links import NO_FILE, NO_IMAGE, meant_elsewhere
from kbsync.lint.moved_targets import file_of
from kbsync.lint.page import Edit, covering
from kbsync.lint.rooted import ROOTED, is_of_the_host, rooted_target
from kbsync.lint.structure import NO_CATEGORY, sure_category
from kbsync.lint.templates import templates
from kbsync.model import Rule
from kbsync.patterns import Pattern

_TO_ENCODE = Pattern(r"[\s()<>\\%#?\"'\[\]]")

ELSEWHERE = ("mailto:", "https://")

NOT_ASKED: Mapping[str, str] = {}
"""Git."""


class TreeFixes:
    """Knows where dead links of a tree lead now.

    Args:
        tree: the sources; a file that is fixed is still the one that was read.
        site: who they are.
        renamed: where files are now, by their former names, as git knows.
    """

    def __init__(self, tree: Tree, site: Site, renamed: Mapping[str, str] = NOT_ASKED) -> None:
        self._tree = tree
        self._renamed = renamed
        self._site = site
        self._moved = Moved(tree.paths, tree.others)

    def fix(self, path: str, data: bytes, codes: Collection[str]) -> bytes:
        """The file with links to what is there, and the category that was meant."""
        source = self._tree.sources[path]
        text = data.decode()
        start = source.body_start + text.startswith(BOM)
        head, body = text[:start], text[start:]
        filled_in = templates(body)
        edits = [
            Edit(link.start, link.end, _in_front(destination, body[link.start : link.end]))
            for link, destination in sorted(self._links(source, codes), key=lambda pair: pair[0].start)
            if not covering(filled_in, link.start)
        ]
        body = apply(body, edits)
        return (self._categorized(source, head, codes) + body).encode()

    def _links(self, source: Source, codes: Collection[str]) -> Iterator[tuple[Link, str]]:
        """The links that can be fixed, each with its new destination."""
        ignored = Ignored(source.ignores, source.lint_ignore)
        for rule, link, found in (*self._dead(source), *self._rooted(source)):
            if found and rule.code in codes and not ignored.has(rule.code, link.line):
                yield link, _destination(source.path, link, found)

    def _dead(self, source: Source) -> Iterator[tuple[Rule, Link, str]]:
        for link in source.links:
            if link.kind == "image":
                if link.target not in self._tree.others:
                    yield NO_IMAGE, link, self._moved.sure(link.target, self._moved.others)
            elif link.target not in self._site.by_path and link.target not in self._tree.others:
                is_outside = link.target.startswith("..")
                yield NO_FILE, link, meant_elsewhere(source.path, link) or ("" if is_outside else self._now(link))

    def _now(self, link: Link) -> str:
        """Where the file of a dead link is."""
        return self._renamed.get(file_of(link), "") or self._moved.sure(link.target, self._moved.pages)

    def _rooted(self, source: Source) -> Iterator[tuple[Rule, Link, str]]:
        for link in source.rooted:
            if not is_of_the_host(link.target):
                yield ROOTED, link, rooted_target(source.path, link, self._moved)

    def _categorized(self, source: Source, head: str, codes: Collection[str]) -> str:
        """The front matter with the category that was meant."""
        slug = sure_category(self._site, source) if NO_CATEGORY.code in codes else ""
        if not slug:
            return head
        try:
            return set_value(head, "category", slug)
        except ContentError:
            return head


def _destination(path: str, link: Link, target: str) -> str:
    """A path of the tree as the destination of a link, with what comes behind it."""
    written = target
    if not target.startswith(ELSEWHERE):
        written = _TO_ENCODE.sub(lambda match: quote(match[0], safe=""), relative_to(path, target))
    return written + (f"?{link.query}" if link.query else "") + (f"#{link.anchor}" if link.anchor else "")


def _in_front(destination: str, written: str) -> str:
    """An address elsewhere as it is written, with what it needs in front; a path of the tree as it is."""
    # The path has no percent signs and no slash at its end any more: both are part of an address.
    start = next((start for start in ELSEWHERE if destination.startswith(start)), "")
    return start + written.removeprefix("./") if start else destination
