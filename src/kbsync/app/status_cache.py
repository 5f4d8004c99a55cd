"""The numbers of the last `status`, kept beside a plan that had nothing to do.

They follow from what that plan was made from (`plan_cache.py`), and, where translations are counted by git history,
from the commit that is checked out. Not kept of a shallow clone, or where git could not tell: what git knows there may
grow without another commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import msgspec

from kbsync.app.cached import record_of_nothing
from kbsync.app.plan_cache import digest_of
from kbsync.app.workspace import Workspace
from kbsync.history.git_process import GitFailed
from kbsync.history.repository import Repository
from kbsync.memory import Kind
from kbsync.model import Plan
from kbsync.plan.overview import LocaleState, Overview, Owed


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    name: bytes
    locales: tuple[LocaleState, ...]
    owed: tuple[Owed, ...] = ()


COUNTED: Kind[_Kept] = Kind("status", _Kept)
"""By the key of the portal."""


@dataclass(frozen=True, slots=True)
class Unmoved:
    """A plan with nothing to do of which nothing moved since; `name` tells what it was made from."""

    plan: Plan
    name: bytes
    workspace: Workspace

    def numbers(self) -> Overview | None:
        """What `status` counted then, if it did."""
        kept = self.workspace.memory.get(COUNTED, self.workspace.target.key)
        return Overview(self.plan, kept.locales, kept.owed) if kept is not None and kept.name == self.name else None

    def keep(self, found: Overview) -> None:
        """Keep what was counted, unless somebody edited something meanwhile."""
        plan, translations = found.plan, found.total.translations
        if translations is not None and translations.unknown:
            return
        if not (plan.changes or plan.held or plan.settled or plan.staged_edits):
            kept = _Kept(self.name, found.locales, found.owed)
            self.workspace.memory.put(COUNTED, {self.workspace.target.key: kept})


def find_unmoved(workspace: Workspace) -> Unmoved | None:
    """The last plan, if it had nothing to do and nothing moved since, here and on the portal."""
    record = record_of_nothing(workspace)
    commit = _commit(workspace) if record is not None else None
    if record is None or commit is None:
        return None
    name = blake2b(digest_of(record) + commit.encode(), digest_size=16).digest()
    return Unmoved(record.plan, name, workspace)


def _commit(workspace: Workspace) -> str | None:
    """The commit that is checked out; "" without git, None where that alone does not say what git knows."""
    try:
        repository = Repository(workspace.content_root)
    except GitFailed:
        return ""
    return None if repository.is_shallow else repository.head()
