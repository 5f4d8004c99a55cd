"""What ledger, git and kbsync.toml know of files that move: slugs that somebody may know, merges, and old paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kbsync.app.workspace import Workspace
from kbsync.content.identity import Site, identify_article, identify_category
from kbsync.content.parse import parse_source
from kbsync.history.git_index import GitIndex, open_index


@dataclass
class Records:
    """The records of one project. Each is read when it is asked for.

    Args:
        workspace: the project.
        root: its content folder.
    """

    workspace: Workspace
    root: Path

    @cached_property
    def slugs(self) -> frozenset[str]:
        """The slugs in the ledger; a ledger in git as it was fetched last."""
        workspace = self.workspace
        if not workspace.has_ledger():
            return frozenset()
        git = workspace.has_git_ledger
        with closing(workspace.open_git_ledger(fetch=False) if git else workspace.open_ledger(looking=True)) as ledger:
            return frozenset(base.slug for base in ledger.bases(workspace.target.key))

    @cached_property
    def _index(self) -> GitIndex | None:
        return open_index(self.root)

    def unmerged(self) -> set[str]:
        """The files of a merge that is not finished."""
        entries = self._index.entries() if self._index else {}
        return {name for name, found in entries.items() if len(found) > 1}

    def known(self, names: Iterable[str], site: Site) -> set[str]:
        """The slugs in the ledger, and those that files of these names have and had in the last commit."""
        known = set(self.slugs)
        for name, data in self._index.at_head(names).items() if self._index else ():
            source = parse_source(name, data, body=False)
            is_category = source.kind == "category"
            then = (
                identify_category(name, source, site)
                if is_category
                else identify_article(name, source, site, lambda path: None)
            )
            known |= {then.slug, *source.aliases}
        return known

    def mentions(self, paths: Sequence[str]) -> Iterator[str]:
        """A sentence for each line of a settings file that names an old path, and not as a part of other words."""
        names = [(path, re.compile(rf"(?<![\w-]){re.escape(path)}(?![\w-]|\.\w)")) for path in paths]
        settings = self.workspace.settings.path
        for file in (settings, settings.with_name("portal.toml")):
            text = file.read_text("utf-8", errors="replace") if file.is_file() else ""
            for number, line in enumerate(text.splitlines(), 1):
                if found := next((path for path, name in names if path in line and name.search(line)), ""):
                    yield f"{file.name}, line {number}, still names {found}. Change it by hand."
