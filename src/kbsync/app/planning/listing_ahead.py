"""The portal of a large tree, listed while the tree is read: neither waits for the other.

Whoever reads a tree calls `begin` when it is read, and asks for what was seen when there is a tree. Errors come in the
order of before: those of the files first, then the ledger's, the token's, the portal's. A small tree is read in less
time than a request takes; there the portal is asked nothing before the files are known to be sound.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from kbsync.app.sides import Peek, keep_version, read_last_run, use_recent_version
from kbsync.app.token import is_given
from kbsync.app.workspace import Workspace
from kbsync.content.walk import Walk
from kbsync.errors import KbsyncError
from kbsync.model import LastRun
from kbsync.service.category_lister import Expected
from kbsync.service.deadline import begin, result_of
from kbsync.service.snapshot import PUSH_MAX_AGE_S, load_snapshot, store_snapshot

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kbsync.service.client import Service

LARGE = 1_000
"""Sources from which reading a tree takes longer than opening the service. As `content.parsing.PARALLEL_FROM`."""


def may_list_ahead(workspace: Workspace, walk: Walk) -> bool:
    """Whether it saves time and can be done without a program or a person who gives the token."""
    is_far = workspace.profile.can_list and not workspace.settings.is_sandbox
    return is_far and len(walk.sources) >= LARGE and is_given(workspace.session.token_file, os.environ)


class Ahead:
    """The portal, and a listing of it that may be under way.

    Args:
        workspace: the project.
        opened: closes the service in the end.
    """

    def __init__(self, workspace: Workspace, opened: ExitStack) -> None:
        self.workspace = workspace
        self.opened = opened
        self._service: Service | None = None
        self._error: KbsyncError | None = None
        self._seen: Future[Peek] | None = None

    def begin_push(self) -> None:
        """Begin to list, and note which run was the last: where another one is by the time that the portal's lock is
        ours, what was listed is out of date.

        What is wrong with the ledger is for those to say who open it, after the files' own errors.
        """
        try:
            last_run = read_last_run(self.workspace)
        except KbsyncError:
            return
        self.begin(last_run, max_age_s=PUSH_MAX_AGE_S)

    def begin(self, last_run: LastRun | None = None, *, max_age_s: int = 0) -> None:
        """Open the service and begin to list. What is wrong is kept for those who ask."""
        try:
            service = self.service()
        except KbsyncError as exc:
            self._error = exc
            return
        # In a thread that keeps no process alive: a command that ends early closes the service.
        self._seen = begin(partial(_list, self.workspace, service, max_age_s, last_run), "ahead")

    def service(self) -> Service:
        """The portal.

        Raises:
            KbsyncError: it cannot be opened, or could not be.
        """
        if self._error is not None:
            raise self._error
        if self._service is None:
            self._service = self.opened.enter_context(self.workspace.open_service())
        return self._service

    def seen(self) -> Peek | None:
        """What was listed, once all of it is there; None where nothing was begun.

        Raises:
            ServiceError: the portal could not be listed.
        """
        return None if self._seen is None else result_of(self._seen)


def _list(workspace: Workspace, service: Service, max_age_s: int, last_run: LastRun | None) -> Peek:
    """Bring the snapshot of the portal up to date; with it the next listing finds all that it lists."""
    info = service.fetch_portal()
    snapshot = load_snapshot(workspace.memory, workspace.target.key)
    expected = Expected(info.categories, seen=snapshot.categories)
    locales = sorted(info.locales)
    pages = service.reader.peek(locales, expected)
    use_recent_version(workspace, service)
    service.reader.update(locales, snapshot, peeked=pages, expected=expected, max_age_s=max_age_s)
    keep_version(workspace, service, snapshot)
    store_snapshot(workspace.memory, snapshot)
    return Peek(info, pages, last_run, listed=service.reader.snapshot)
