"""What a rule gets to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kbsync.config import AssetsSettings
from kbsync.content.identity import Site
from kbsync.content.images import Images
from kbsync.content.source import Link, Source
from kbsync.content.tree import Tree
from kbsync.model import Finding, Rule
from kbsync.service.profile import Limits


@dataclass(frozen=True, slots=True)
class Context:
    """The tree, who its sources are, and the numbers to hold them to."""

    tree: Tree
    site: Site
    limits: Limits
    authors: Mapping[str, int]
    images: Images
    assets: AssetsSettings


def at_key(rule: Rule, source: Source, key: str, message: str, hint: str) -> Finding:
    """A finding at the place of a key of a source, or at the file's first line if it does not have the key."""
    place = source.place(key)
    return rule.finding(source.path, place.line, place.column, message, hint)


def at_link(rule: Rule, source: Source, link: Link, message: str, hint: str) -> Finding:
    """A finding at a link of a source."""
    return rule.finding(source.path, link.line, link.column, message, hint)
