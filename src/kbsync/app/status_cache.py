"""The numbers of the last `status`, kept beside a plan that had nothing to do.

They follow from what that plan was made from (`plan_cache.py`), and, where translations are counted by git history,
from the commit that is checked out. Not kept of a shallow clone, or where git could not tell: what git knows there may
grow without another commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from kbsync import __version__
from kbsync.app.cached import plan_of_nothing
from kbsync.app.plan_cache import record_digest
from kbsync.app.workspace import Workspace
from kbsync.digests import blake2b
from kbsync.files import load_sealed, store_sealed
from kbsync.model import Plan
from kbsync.plan.overview import LocaleState, Overview, Owed

HEAD = f"kbsync.status/2 {__version__}\n".encode()


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    name: bytes
    locales: tuple[LocaleState, ...]
    owed: tuple[Owed, ...] = ()


@dataclass(frozen=True, slots=True)
class Unmoved:
    """A plan with nothing to do of which nothing moved since; `name` tells what it was made from."""

    plan: Plan
    name: bytes
    file: Path

    def numbers(self) -> Overview | None:
        """What `status` counted then, if it did."""
        body = load_sealed(self.file, HEAD)
        try:
            kept = msgspec.msgpack.decode(body, type=_Kept) if body is not None else None
        except msgspec.DecodeError:
            return None
        return Overview(self.plan, kept.locales, kept.owed) if kept is not None and kept.name == self.name else None

    def keep(self, found: Overview) -> None:
        """Keep what was counted, unless somebody edited something meanwhile."""
        plan, translations = found.plan, found.total.translations
        if translations is not None and translations.unknown:
            return
        if not (plan.changes or plan.held or plan.settled or plan.staged_edits):
            store_sealed(self.file, HEAD, msgspec.msgpack.encode(_Kept(self.name, found.locales, found.owed)))


def find_unmoved(workspace: Workspace) -> Unmoved | None:
    """The last plan, if it had nothing to do and nothing moved since, here and on the portal."""
    plan = plan_of_nothing(workspace)
    commit = _commit(workspace) if plan is not None else None
    if plan is None or commit is None:
        return None
    name = blake2b(record_digest(workspace) + commit.encode(), digest_size=16).digest()
    portal = blake2b(workspace.target.key.encode(), digest_size=6).hexdigest()
    return Unmoved(plan, name, workspace.cache_folder / f"status-{portal}.cache")


def _commit(workspace: Workspace) -> str | None:
    """The commit that is checked out; "" without git, None where that alone does not say what git knows."""
    from kbsync.history.git_process import GitFailed
    from kbsync.history.repository import Repository

    try:
        repository = Repository(workspace.content_root)
    except GitFailed:
        return ""
    return None if repository.is_shallow else repository.head()
