"""The other two sides: what the ledger has on record of a portal, and what the portal holds.

Also: what the service last said of its version, and when: a plan from memory does not ask, for at most ten minutes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from kbsync.app.token import is_given
from kbsync.app.workspace import Workspace
from kbsync.errors import KbsyncError, NotFound
from kbsync.jobs import is_ci
from kbsync.memory import Kind, Memory
from kbsync.model import Base, Desired, LastRun, Observed, Pending, Target
from kbsync.plan.staged import is_watched
from kbsync.service.category_lister import Expected
from kbsync.service.deadline import begin, result_of
from kbsync.service.snapshot import FRESH_S, Snapshot, load_snapshot, store_snapshot

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kbsync.ledger import Ledger
    from kbsync.service.article_lister import Page
    from kbsync.service.client import Service
    from kbsync.service.portal import PortalInfo
    from kbsync.service.profile import Profile


class _Said(msgspec.Struct, frozen=True, array_like=True):
    version: str
    at_s: float


SAID: Kind[_Said] = Kind("version", _Said)
"""By the key of the portal."""


def keep_said(memory: Memory, target: Target, version: str) -> None:
    """Keep what the service said just now."""
    memory.put(SAID, {target.key: _Said(version, time.time())})


def is_still(workspace: Workspace, service: Service, version: str) -> bool:
    """Whether the service has this version, as far as it said so a few minutes ago; else it is asked."""
    if service.endpoint.version:
        return service.endpoint.version == version  # kbsync.toml says it.
    said = said_recently(workspace.memory, workspace.target)
    if not said:
        said = service.endpoint.fetch_version()
        keep_said(workspace.memory, workspace.target, said)
    if said == version:
        return True
    service.endpoint.use_version(said)
    return False


def said_recently(memory: Memory, target: Target) -> str:
    """What the service said of its version a few minutes ago; "" where it has to be asked."""
    said = memory.get(SAID, target.key)
    return said.version if said is not None and 0 <= time.time() - said.at_s <= FRESH_S else ""


MOST_STAGED = 40
"""Articles with a staged edit that are looked at one by one; with more, the whole portal is listed."""


class Recorded(msgspec.Struct, frozen=True, eq=False):
    """What a ledger says of one portal: bases, requests without a recorded answer, addresses of images by key.

    `last_run` is the last run on record.
    """

    bases: list[Base] = msgspec.field(default_factory=list)
    pending: list[Pending] = msgspec.field(default_factory=list)
    images: dict[str, str] = msgspec.field(default_factory=dict)
    last_run: LastRun | None = None


class Peek(msgspec.Struct, frozen=True):
    """The portal, and the first page of each of its locales, as they were just now.

    `last_run` is the last run on record before it was looked at.
    """

    info: PortalInfo
    pages: Mapping[str, Page]
    last_run: LastRun | None = None


class OpenPortal(msgspec.Struct, frozen=True):
    """The portal, open already, and what it answered."""

    service: Service
    seen: Peek


class Portal(msgspec.Struct, frozen=True):
    """What was observed: everything, or None where the portal cannot be listed. `snapshot` has its listings.

    `is_overdue` means that rows were read longer ago than for a plan that people read.
    """

    items: list[Observed] | None
    complete: bool
    info: PortalInfo | None = None
    locales: tuple[str, ...] = ()
    snapshot: Snapshot | None = None
    is_overdue: bool = False

    @property
    def everything(self) -> list[Observed] | None:
        """What was observed, with the portal itself."""
        itself = self.info.settings if self.info else None
        return self.items if self.items is None or itself is None else [*self.items, itself]


def read_ledger(workspace: Workspace) -> Recorded:
    """What the ledger says of this portal. Where there is no ledger, it is empty, and none is created."""
    if not workspace.has_ledger():
        return Recorded()
    with closing(workspace.open_ledger(looking=True)) as ledger:
        return recorded(workspace, ledger)


def note_without_ledger(workspace: Workspace) -> None:
    """In a CI job without any ledger: what kbsync cannot know there, and how to change that."""
    if is_ci(os.environ) and not workspace.has_ledger():
        workspace.session.note(
            "This job has no ledger, so kbsync cannot know what earlier jobs left unfinished or what people decided. "
            "`kbsync ledger move git:origin` keeps it in this repository."
        )


def recorded(workspace: Workspace, ledger: Ledger) -> Recorded:
    """What an open ledger says of this portal."""
    key = workspace.target.key
    return Recorded(ledger.bases(key), ledger.pending(key), image_addresses(ledger, key), ledger.last_run(key))


def image_addresses(ledger: Ledger, key: str) -> dict[str, str]:
    """Where the images of a portal are, as far as a ledger knows."""
    return {name: found.url for name, found in ledger.images(key).items()}


def observe(
    workspace: Workspace,
    service: Service,
    desired: Sequence[Desired],
    bases: Sequence[Base],
    *,
    full: bool,
    peek: Peek | None = None,
    max_age_s: int = 0,
) -> Portal:
    """Look at the portal; with a profile that cannot list, only whether the service answers.

    `peek` is what was asked of it just now, and is not asked again. `max_age_s`: see `Service.update`.
    """
    if not workspace.profile.can_list:
        service.check_connection()
        learn_categories(workspace.profile, service, bases)
        return Portal(None, complete=False)
    info = peek.info if peek else service.fetch_portal()
    snapshot = load_snapshot(workspace.memory, workspace.target.key)
    named = (item.locale for item in (*desired, *bases) if item.kind != "portal")
    locales = sorted({*info.locales, *named})
    pages = peek.pages if peek and list(peek.pages) == locales else None
    expected = _expected(info, desired, bases)
    staged = [base for base in bases if base.kind == "article" and is_watched(base)]
    full = full or len(staged) > MOST_STAGED
    use_recent_version(workspace, service)
    if not service.endpoint.version and snapshot.version and (told := service.endpoint.fetch_version()):
        service.endpoint.use_version(told)  # Where nothing moved, a listing would go by the last one, however old.
    complete = service.reader.update(locales, snapshot, full=full, peeked=pages, expected=expected, max_age_s=max_age_s)
    keep_version(workspace, service, snapshot)
    store_snapshot(workspace.memory, snapshot)
    articles = service.reader.observed(locales)
    items = [*service.reader.categories.values(), *(articles if full else _with_staged(service, staged, articles))]
    if not complete:
        items += _confirm_missing(service, bases, items)
    return Portal(items, complete, info, tuple(locales), snapshot=snapshot, is_overdue=snapshot.is_overdue)


LARGE = 1_000
"""Files from which reading a tree takes longer than opening the service. As `content.parsing.PARALLEL_FROM`."""


class Beside:
    """The portal of a large tree, listed into the memory while the tree is read: `observe` asks what moved since then.

    Args:
        workspace: the project.
        files: how many the tree has.
        opened: closes the service in the end.
        max_age_s: see `observe`.
    """

    def __init__(self, workspace: Workspace, files: int, opened: ExitStack, *, max_age_s: int = 0) -> None:
        self.workspace, self.files, self.opened, self.max_age_s = workspace, files, opened, max_age_s
        self._service: Service | None = None
        self._listed: Future[Portal] | None = None

    def begin(self) -> None:
        """Begin to list, where that needs neither a program nor a person. Who lists next finds what is wrong."""
        is_far = self.workspace.profile.can_list and not self.workspace.settings.is_sandbox
        if self.files < LARGE or not is_far or not is_given(self.workspace.session.token_file, os.environ):
            return
        with suppress(KbsyncError):
            self._service = self.opened.enter_context(self.workspace.open_service())
            looking = partial(observe, self.workspace, self._service, (), (), full=False, max_age_s=self.max_age_s)
            # In a thread that keeps no process alive: a command that ends early closes the service.
            self._listed = begin(looking, "beside")

    def service(self) -> Service:
        """The portal, once it is listed."""
        if self._listed is not None:
            with suppress(KbsyncError):
                result_of(self._listed)
        return self._service or self.opened.enter_context(self.workspace.open_service())


def _with_staged(service: Service, staged: Iterable[Base], articles: Iterable[Observed]) -> Iterator[Observed]:
    """Articles, those with a staged edit of ours, or one that somebody decided about, as they are now.

    A listing does not see that a person changed one: staging moves no `updated_at`, and it stops at rows that it knows
    (docs/service.md, S105).
    """
    ours = {base.remote_id: base for base in staged}
    for item in articles:
        if item.remote_id not in ours:
            yield item
            continue
        try:
            now = service.read_article(item.remote_id, locale=item.locale).item
        except NotFound:
            continue
        yield structs.replace(item, staged=now.staged, stages=now.stages)


def learn_version(workspace: Workspace, service: Service) -> None:
    """Ask the service for its version, unless kbsync.toml has it, or it was asked just now: what is sent follows it."""
    if not service.endpoint.version and workspace.profile.can_list:
        use_recent_version(workspace, service)
    service.endpoint.use_version(service.endpoint.version or service.endpoint.fetch_version())


def use_recent_version(workspace: Workspace, service: Service) -> None:
    """Take the service for what it said a few minutes ago, so that it is not asked again."""
    if not service.endpoint.version and (recent := said_recently(workspace.memory, workspace.target)):
        service.endpoint.use_version(recent)


def keep_version(workspace: Workspace, service: Service, snapshot: Snapshot) -> None:
    """Keep what the service said of its version; what kbsync.toml says of it is not the service's word."""
    if workspace.settings.service.version:
        return
    snapshot.version = service.endpoint.version
    if service.endpoint.told_version:
        keep_said(workspace.memory, workspace.target, service.endpoint.told_version)


def keep_written(memory: Memory, service: Service, portal: Portal) -> None:
    """Keep what a push wrote in the snapshot: for the next listing it is no edit of somebody else."""
    if portal.snapshot is None or (snapshot := service.reader.keep_written()) is None:
        return
    store_snapshot(memory, snapshot)


def learn_categories(profile: Profile, service: Service, bases: Sequence[Base]) -> None:
    """Tell the client which categories there are: from the portal, or from the ledger where that cannot list."""
    if profile.can_list:
        managed = [base.remote_id for base in bases if base.kind == "category"]
        service.reader.list_categories((), Expected(managed=managed))
        return
    known = [
        Observed(kind="category", remote_id=base.remote_id, locale=base.locale, slug=base.slug, fields=base.fields)
        for base in bases
        if base.kind == "category"
    ]
    service.reader.categories = {item.remote_id: item for item in known}


def _expected(info: PortalInfo, desired: Iterable[Desired], bases: Iterable[Base]) -> Expected:
    """What we know of the categories before they are listed."""
    managed = [base.remote_id for base in bases if base.kind == "category"]
    wanted = {(item.locale, item.slug) for item in desired if item.kind == "category"}
    return Expected(info.categories, managed, wanted=wanted)


def _confirm_missing(service: Service, bases: Sequence[Base], items: list[Observed]) -> Iterator[Observed]:
    """A list with holes does not prove that a managed article is gone; asking for it does."""
    listed = {(item.kind, item.remote_id) for item in items}
    for base in bases:
        if base.kind == "article" and (base.kind, base.remote_id) not in listed:
            try:
                yield service.read_article(base.remote_id, locale=base.locale).item
            except NotFound:
                continue
