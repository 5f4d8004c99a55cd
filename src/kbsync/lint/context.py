"""What a rule gets to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kbsync.config import AssetsSettings
from kbsync.content.identity import Site
from kbsync.content.pictures import Pictures
from kbsync.content.source import Source
from kbsync.content.tree import Tree
from kbsync.model import Finding, Level
from kbsync.service.profile import Limits


@dataclass(frozen=True, slots=True)
class Context:
    """The tree, who its sources are, and the numbers to hold them to."""

    tree: Tree
    site: Site
    limits: Limits
    authors: Mapping[str, int]
    pictures: Pictures
    assets: AssetsSettings

    def finding(self, code: str, level: Level, source: Source, key: str, message: str, hint: str = "") -> Finding:
        """A finding at the place of a key of a source, or at the file's first line where it has none."""
        place = source.place(key)
        return Finding(code, level, source.path, place.line, place.column, message, hint)
