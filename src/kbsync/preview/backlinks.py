"""Which sources link to a place of the tree: looked up, where a look through all of them took 20 ms of 10,000."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kbsync.content.source import Source


@dataclass(slots=True)
class Backlinks:
    """The links of a tree by what they lead to, kept up to date source by source."""

    _paths_by_target: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, sources: Mapping[str, Source]) -> Backlinks:
        """Those of a whole tree."""
        made = cls()
        for path, source in sources.items():
            made.replace(path, None, source)
        return made

    def replace(self, path: str, old: Source | None, new: Source | None) -> None:
        """A source has become another; None where there was none, or is none any more."""
        before = {link.target for link in old.links} if old else set()
        after = {link.target for link in new.links} if new else set()
        for target in before - after:
            paths = self._paths_by_target[target]
            paths.remove(path)
            if not paths:
                del self._paths_by_target[target]
        for target in after - before:
            self._paths_by_target.setdefault(target, []).append(path)

    def linking_to(self, targets: Iterable[str]) -> set[str]:
        """The paths of the sources with a link to one of these."""
        return {path for target in targets for path in self._paths_by_target.get(target, ())}
