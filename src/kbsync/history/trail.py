"""Follows files through git history, newest first, under whatever names they had."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from kbsync.history.raw_log import UNCHANGED, Commit, Entry
from kbsync.plan.known import NEVER

Names = Mapping[str, frozenset[str]]
NO_RENAMES: Names = {}


class Text(NamedTuple):
    """An older text of a file: its path today (the last one, of a file that is gone), and its name at a commit.

    `until_s` is when another text replaced it, `NEVER` for the newest. `is_first`: the file began with it.
    """

    path: str
    name: str
    oid: str
    commit: str
    until_s: int
    is_first: bool = False


class _Concerned(dict[str, bool]):
    """Whether a change of a name is of interest, for each name that was asked about: a long history has it many times.

    Names that files of interest had are put in as they are found.
    """

    def __init__(self, matters: Callable[[str], bool]) -> None:
        super().__init__()
        self.matters = matters

    def __missing__(self, name: str) -> bool:
        answer = self[name] = name.endswith(".md") and self.matters(name)
        return answer


class Trail:
    """Follows files through renames, from each commit to its parents.

    For each commit still to come it keeps the names that mean something else there than today: the paths of today that
    a name leads to, none for one that was not theirs yet. A branch that was made before a rename and merged after it is
    followed under the new name only.

    Args:
        matters: whether a path is of interest, of today or of a file that is gone. Each path is asked about once.
        is_today: whether a path is of today.
        is_same: decides whether a file is the same one, where git reports a rename but is not sure.
    """

    def __init__(
        self, matters: Callable[[str], bool], is_today: Callable[[str], bool], is_same: Callable[[Entry], bool]
    ) -> None:
        self.matters = matters
        self.is_today = is_today
        self.is_same = is_same
        self._coming: dict[str, Names] = {}
        self._first: Names = NO_RENAMES
        self._concerned = _Concerned(matters)
        self.concerns: Callable[[str], bool] = self._concerned.__getitem__
        """Whether a change of this name may be one of a path that matters, in the next commit."""
        self._until: dict[tuple[str, str, str], int] = {}
        self.renamed: set[str] = set()
        """Former names of files of today that do not matter themselves: each is followed like a file that is gone."""

    def begin(self, renames: list[Entry]) -> None:
        """Begin with renames that are staged, and not committed yet."""
        self._first = self._before(NO_RENAMES, renames)

    def follow(self, commit: Commit) -> Iterator[Text]:
        """The texts that a commit wrote or replaced, the newer one of each first."""
        here = self._coming.pop(commit.id, self._first)
        self._first = NO_RENAMES
        renames = [entry for entry in commit.entries if self._is_rename(entry, here)]
        before = self._before(here, renames)
        for number, parent in enumerate(commit.parents):
            self._meet(parent, here if number else before)
        for entry in commit.entries:
            followed = entry in renames or not entry.is_rename
            if entry.oid:
                for path in self._paths(here, entry.name):
                    until_s = self._until.get((path, entry.name, entry.oid), NEVER)
                    yield Text(path, entry.name, entry.oid, commit.id, until_s, not (entry.old_oid and followed))
            if entry.old_oid and commit.parents:
                for path in self._paths(before, entry.old_name):
                    until_s = self._until.setdefault((path, entry.old_name, entry.old_oid), commit.time_s)
                    yield Text(path, entry.old_name, entry.old_oid, commit.parents[0], until_s)

    def _is_rename(self, entry: Entry, here: Names) -> bool:
        if not entry.is_rename:
            return False
        if not entry.name.endswith(".md") or not entry.old_name.endswith(".md"):
            return False
        if not (self._paths(here, entry.name) or self.matters(entry.old_name)):
            return False
        return entry.percent == UNCHANGED or self.is_same(entry)

    def _paths(self, names: Names, name: str) -> frozenset[str]:
        """The paths of today that a name leads to, of those that matter."""
        if not name.endswith(".md"):
            return frozenset()
        known = names.get(name)
        if known is not None:
            return known
        return frozenset((name,)) if self.matters(name) else frozenset()

    def _before(self, here: Names, renames: list[Entry]) -> Names:
        if not renames:
            return here
        self._concerned.update((name, True) for entry in renames for name in (entry.old_name, entry.name))
        gone: Names = {entry.name: frozenset() for entry in renames}
        old = {e.old_name: self._meant(here, e.old_name) | self._paths(here, e.name) for e in renames}
        for entry in renames:
            if self._is_of_no_interest(entry.name, here) and not self.is_today(entry.old_name):
                self.renamed.add(entry.old_name)
                old[entry.old_name] |= {entry.old_name}
        return {**here, **gone, **old}

    def _is_of_no_interest(self, name: str, here: Names) -> bool:
        return name not in here and self.is_today(name) and not self.matters(name)

    def _meant(self, here: Names, name: str) -> frozenset[str]:
        """What a name means besides that of a file which was renamed away from it: one that came later."""
        return self._paths(here, name) if name in here or self.is_today(name) else frozenset()

    def _meet(self, parent: str, names: Names) -> None:
        known = self._coming.get(parent)
        if known is None or known is names:
            self._coming[parent] = names
        else:
            both = known.keys() | names.keys()
            self._coming[parent] = {name: self._paths(known, name) | self._paths(names, name) for name in both}
