"""What a rule gets to see.

Also: the text of an article once more: for rules that look at what the scan cache does not keep.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

import msgspec

from kbsync.config import AssetsSettings, Settings
from kbsync.content.body import BOM, raw_digest
from kbsync.content.identity import Site
from kbsync.content.images import Images
from kbsync.content.source import Link, Source
from kbsync.content.tree import Tree
from kbsync.lint.likely_targets import Moved
from kbsync.model import Finding, Rule
from kbsync.service.profile import Limits, Profile


def article_text(tree: Tree, path: str) -> str | None:
    """All of a file; None where it is not an article, is not UTF-8, or is no longer the one that was linted."""
    source = tree.sources[path]
    if source.kind != "article":
        return None
    try:
        data = tree.read_bytes(path)
        if raw_digest(data) != source.raw_digest:
            return None
        return data.decode().removeprefix(BOM)
    except (OSError, UnicodeDecodeError):
        return None


class Overview(msgspec.Struct, frozen=True):
    """What checks know of all sources: it is the same in every part of a tree.

    `hidden` are the articles that readers cannot find, or that may not exist; `named` has what sources name in
    `translation_of`; `moved` knows where the targets of dead links are now.
    """

    hidden: Collection[str]
    named: Mapping[str, str]
    moved: Moved

    @classmethod
    def of(cls, tree: Tree) -> Overview:
        """That of a whole tree."""
        hidden, named = set(), {}
        for path, source in tree.sources.items():
            if source.kind == "article" and (source.status != "published" or source.manage == "false"):
                hidden.add(path)
            if source.translation_of is not None:
                named[path] = source.translation_of
        return cls(hidden, named, Moved(tree.paths, tree.others))


class Context(msgspec.Struct, frozen=True, dict=True):
    """The tree, who its sources are, and the numbers to hold them to.

    `empty_drafts`: whether the service accepts an article without a body that is not published; None where kbsync.toml
    does not say which version it has, and versions differ. Of a large tree each check sees one part after the other:
    what `tree.sources`, `site.articles` and `site.categories` give one by one is of that part, a look-up is of all, and
    `of_the_whole` is given.
    """

    tree: Tree
    site: Site
    limits: Limits
    authors: Mapping[str, int]
    images: Images
    assets: AssetsSettings
    empty_drafts: bool | None = None

    @cached_property
    def overview(self) -> Overview:
        """What all of the tree says together."""
        return Overview.of(self.tree)


def accepts_empty_drafts(settings: Settings, profile: Profile) -> bool | None:
    """`Context.empty_drafts` of a project. Findings are those of the files and kbsync.toml: no service is asked."""
    return profile.surely("empty_drafts") if settings.service.version else None


def at_key(rule: Rule, source: Source, key: str, message: str, hint: str) -> Finding:
    """A finding at the place of a key of a source, or at the file's first line if it does not have the key."""
    place = source.place(key)
    return rule.finding(source.path, place.line, place.column, message, hint)


def at_link(rule: Rule, source: Source, link: Link, message: str, hint: str) -> Finding:
    """A finding at a link of a source."""
    return rule.finding(source.path, link.line, link.column, message, hint)
