"""What a rule gets to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kbsync.config import AssetsSettings, Settings
from kbsync.content.identity import Site
from kbsync.content.images import Images
from kbsync.content.source import Link, Source
from kbsync.content.tree import Tree
from kbsync.model import Finding, Rule
from kbsync.service.profile import Limits, Profile


@dataclass(frozen=True, slots=True)
class Context:
    """The tree, who its sources are, and the numbers to hold them to.

    `empty_drafts`: whether the service accepts an article without a body that is not published; None where kbsync.toml
    does not say which version it has, and versions differ.
    """

    tree: Tree
    site: Site
    limits: Limits
    authors: Mapping[str, int]
    images: Images
    assets: AssetsSettings
    empty_drafts: bool | None = None


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
