"""What `lint --fix` writes: each file whole or not at all, and only where it is still what was read.

Also: `lint --fix` until nothing is left: in memory, so that `--diff` shows what is written, and each file is written
once.

Front matter that is repaired shows what is to be fixed in the text below it, and a fixed link what is wrong with its
anchor: so the tree is checked again, with the new texts in it.

What `lint --fix` changes in a file because of the other files: links to what moved, names of categories. Pure.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from urllib.parse import quote

from kbsync.app.file_transaction import NewBytes
from kbsync.app.linting.dead_links import FindingsWithHistory, explain_dead_links
from kbsync.app.linting.lint import Selection
from kbsync.app.reading import Reading, with_texts
from kbsync.app.workspace import Workspace
from kbsync.content.body import BOM, raw_digest, spliced
from kbsync.content.front_edit import set_value
from kbsync.content.identity import Site
from kbsync.content.source import Link, Source
from kbsync.content.tree import Tree
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.errors import ContentError
from kbsync.files import read_within, real_path
from kbsync.lint.fill_ins import templates
from kbsync.lint.fixes import fix_text
from kbsync.lint.ignore import Ignored
from kbsync.lint.likely_targets import Moved, relative_to
from kbsync.lint.links import NO_FILE, NO_IMAGE, file_of, meant_elsewhere
from kbsync.lint.page import Edit, covering
from kbsync.lint.rooted import ROOTED, is_of_the_host, rooted_target
from kbsync.lint.structure import NO_CATEGORY, sure_category
from kbsync.model import Finding, Rule
from kbsync.patterns import Pattern

_TO_ENCODE = Pattern(r"[\s()<>\\%#?\"'\[\]]")

ELSEWHERE = ("mailto:", "https://")

NOT_ASKED: Mapping[str, str] = {}
"""Git."""


def patch(fix: NewBytes, name: str) -> Iterator[str]:
    """The lines of a patch, each with its end; `name` is the file as a patch names it."""
    # A tab ends a name with spaces for `patch` and `git apply`.
    ended = f"{name}\t" if " " in name else name
    yield from difflib.unified_diff(_lines(fix.before or b""), _lines(fix.after), ended, ended)


def _lines(data: bytes) -> list[str]:
    """Lines as a patch has them, each with its end: only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", data.decode(errors="replace"))


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
        body = spliced(body, edits)
        return (self._categorized(source, head, codes) + body).encode()

    def _links(self, source: Source, codes: Collection[str]) -> Iterator[tuple[Link, str]]:
        """The links that can be fixed, each with its new destination."""
        ignored = Ignored(source.ignores, source.lint_ignore)
        for rule, link, found in (*self._dead(source), *self._rooted(source)):
            if found and rule.code in codes and not ignored.has(rule.code, link.line):
                yield link, _destination(source.path, link, found)

    def _dead(self, source: Source) -> Iterator[tuple[Rule, Link, str]]:
        for link in source.links:
            if link.is_image:
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


MOST_ROUNDS = 5
"""The front matter, the text below it, what other files see of both; one more finds nothing."""


def all_fixes(workspace: Workspace, selection: Selection) -> list[NewBytes]:
    """Everything that can be fixed safely in the files that were asked for, each with its bytes before and after."""
    fixes: dict[str, NewBytes] = {}
    reading, findings, dead = selection.reading, selection.findings, selection.dead
    for _ in range(MOST_ROUNDS):
        held = {path: fix.after for path, fix in fixes.items()}
        found = list(_one_round(reading, findings, dead, held))
        if not found:
            break
        fixes |= {fix.path: fix._replace(before=fixes.get(fix.path, fix).before) for fix in found}
        reading = with_texts(workspace, reading, {fix.path: fix.after for fix in found})
        dead = explain_dead_links(reading, dead)
        findings = tuple(item for item in dead.findings if item.path in selection.paths)
    return [fix for fix in fixes.values() if fix.after != fix.before]


def _one_round(
    reading: Reading, findings: Iterable[Finding], dead: FindingsWithHistory, held: Mapping[str, bytes]
) -> Iterator[NewBytes]:
    tree = reading.compiler.tree
    of_tree = TreeFixes(tree, reading.compiler.site, dead.moved)

    def rewrite(path: str, data: bytes, codes: Collection[str]) -> bytes:
        return fix_text(path, of_tree.fix(path, data, codes), codes)

    return fixes_of(tree, findings, rewrite, held)


Rewrite = Callable[[str, bytes, Collection[str]], bytes]
"""The bytes of a source without what some codes found, given its path; the same bytes where nothing can be fixed."""

ON_DISK: Mapping[str, bytes] = {}


def fixes_of(
    tree: Tree, findings: Iterable[Finding], rewrite: Rewrite, held: Mapping[str, bytes] = ON_DISK
) -> Iterator[NewBytes]:
    """The files with something to fix. One that has two names is fixed once, and none outside the root.

    Args:
        tree: as it was read.
        findings: what was found in it.
        rewrite: fixes one file.
        held: the bytes of files of which the tree has another text than the disk.
    """
    root = real_path(tree.root)
    seen = {real_path(tree.root / path): path for path in held}
    for path, wanted in _codes_by_path(findings).items():
        place = real_path(tree.root / path)
        if path not in tree.sources or not place.is_relative_to(root) or seen.setdefault(place, path) != path:
            continue
        try:
            data = held[path] if path in held else read_within(place, MAX_SOURCE_BYTES)
        except OSError:
            # Reading it again says so, as a finding.
            continue
        # What was found is about the bytes that were read; others need another look first.
        if raw_digest(data) == tree.sources[path].raw_digest and (after := rewrite(path, data, wanted)) != data:
            yield NewBytes(path, data, after)


def _codes_by_path(findings: Iterable[Finding]) -> dict[str, set[str]]:
    """What can be fixed of each file."""
    codes: dict[str, set[str]] = {}
    for finding in findings:
        if finding.fixable:
            codes.setdefault(finding.path, set()).add(finding.code)
    return codes
