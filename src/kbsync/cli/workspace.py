"""The wiring, in one place: settings become a tree, a service and a ledger, and these become a plan."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kbsync.cli.screen import Options
from kbsync.cli.token import read_token
from kbsync.config import Settings
from kbsync.model import Base, Change, Desired, Finding, Observed, Pending, Target
from kbsync.service.profile import Profile, read_profile

if TYPE_CHECKING:
    # What reads, compiles and asks is imported where it is used: a command seldom needs all of it.
    from kbsync.content.compile import Compiler
    from kbsync.content.walk import Walk
    from kbsync.ledger.contract import Ledger
    from kbsync.service.client import Service
    from kbsync.service.listing import Page
    from kbsync.service.portal import PortalInfo
    from kbsync.service.snapshot import Snapshot

SANDBOX_TOKEN = "sandbox-token"
UNPACED = 60_000
"""Requests a minute for the embedded sandbox, which need not be spared."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The content tree, read and compiled."""

    compiler: Compiler
    findings: list[Finding]
    desired: list[Desired]

    @property
    def errors(self) -> list[Finding]:
        """The findings that stop a plan."""
        return [finding for finding in self.findings if finding.level == "error"]

    def content_of(self, change: Change) -> str:
        """The body that a change of a source sends."""
        return self.compiler.content_of(change.path)


@dataclass(slots=True)
class Workspace:
    """One project as one command sees it."""

    settings: Settings
    options: Options
    profile: Profile = field(init=False)

    def __post_init__(self) -> None:
        self.profile = read_profile(self.settings.service.profile, folder=self.settings.folder)

    @property
    def target(self) -> Target:
        """The portal that this is about."""
        service = self.settings.service
        return Target(service.base_url, service.account_id, service.portal, self.profile.name)

    @property
    def cache_folder(self) -> Path:
        """Where the scan cache and the portal's snapshot lie."""
        return self.settings.state_folder / "cache"

    def read_content(self, walk: Walk | None = None) -> Reading:
        """Read, check and compile the tree; a tree with errors is not compiled.

        `walk` are its files, where they were listed just now.
        """
        from kbsync.content.compile import Addresses, Compiler
        from kbsync.content.identity import identify
        from kbsync.content.tree import read_tree, store_tree
        from kbsync.lint import check_tree, inspect
        from kbsync.lint.context import Context

        settings = self.settings
        cache = self.cache_folder / "scan.cache"
        tree = read_tree(settings.content_root, cache=cache, walk=walk, inspect=inspect)
        site = identify(tree, settings.content)
        addresses = Addresses(self.profile.article_url, self.profile.category_url, settings.service.portal)
        compiler = Compiler(tree, site, addresses, settings.authors)
        context = Context(tree, site, self.profile.limits, settings.authors)
        findings = check_tree(context, ignore=settings.lint.ignore)
        reading = Reading(compiler, findings, [])
        if not reading.errors:
            reading.desired.extend(compiler.compile())
        store_tree(tree, cache)
        return reading

    # --- the service -----------------------------------------------------------------------------------------------

    @contextmanager
    def open_service(self) -> Iterator[Service]:
        """The portal, ready to be asked; the embedded sandbox runs as long as this does."""
        if self.settings.is_sandbox:
            with self.run_sandbox() as base_url, self.connect_sandbox(base_url) as service:
                yield service
        else:
            token = read_token(self.settings, token_file=self.options.token_file, environ=os.environ)
            with self._connected(self.settings.service.base_url, token) as service:
                yield service

    def connect_sandbox(self, base_url: str) -> AbstractContextManager[Service]:
        """The embedded sandbox, running already at this address."""
        return self._connected(base_url, SANDBOX_TOKEN)

    @contextmanager
    def _connected(self, base_url: str, token: str) -> Iterator[Service]:
        # Imported here: httpx takes longer to load than a small tree to read.
        from kbsync.service.client import Service
        from kbsync.service.pace import Bucket, Gate
        from kbsync.service.transport import Transport

        settings = self.settings
        bucket = Bucket(self.requests_per_minute, float(settings.pace.concurrency), time.monotonic, time.sleep)
        gate = Gate(settings.pace.concurrency)
        transport = Transport(base_url, token, settings.service.timeout_s, bucket, gate, told=self.options.note)
        try:
            yield Service(self.profile, transport, settings.service.account_id, settings.service.portal)
        finally:
            transport.close()

    @property
    def requests_per_minute(self) -> int:
        """The operator's word, else the profile's; the embedded sandbox is not spared."""
        fallback = UNPACED if self.settings.is_sandbox else self.profile.requests_per_minute
        return self.settings.pace.requests_per_minute or fallback

    @contextmanager
    def run_sandbox(self, *, port: int = 0) -> Iterator[str]:
        """The embedded sandbox; its address."""
        from kbsync.cli.sandbox import sandbox_setup
        from kbsync.sandbox import running

        self.settings.state_folder.mkdir(parents=True, exist_ok=True)
        database = self.settings.state_folder / "sandbox.db"
        with running(database, sandbox_setup(self.settings), port=port) as sandbox:
            yield sandbox.base_url

    # --- the ledger ------------------------------------------------------------------------------------------------

    def open_ledger(self, *, looking: bool = False) -> Ledger:
        """The ledger; made where it is missing."""
        from kbsync.ledger import open_ledger

        return open_ledger(self.settings.ledger.url, folder=self.settings.folder, looking=looking)

    def read_ledger(self) -> tuple[list[Base], list[Pending]]:
        """What the ledger says of this portal; nothing where there is none, and none is made."""
        from kbsync.ledger import ledger_exists

        if not ledger_exists(self.settings.ledger.url, folder=self.settings.folder):
            return [], []
        ledger = self.open_ledger(looking=True)
        try:
            return ledger.bases(self.target.key), ledger.pending(self.target.key)
        finally:
            ledger.close()

    def observe(
        self, service: Service, desired: list[Desired], bases: list[Base], *, full: bool, glance: Glance | None = None
    ) -> Portal:
        """Look at the portal; with a profile that cannot list, only whether the service answers.

        `glance` is what was asked of it just now, and is not asked again.
        """
        from kbsync.service.snapshot import load_snapshot, snapshot_path, store_snapshot

        if not self.profile.can_list:
            service.check_connection()
            self.learn_categories(service, bases)
            return Portal(None, complete=False)
        info = glance.info if glance else service.fetch_portal()
        path = snapshot_path(self.cache_folder, self.target.key)
        snapshot = load_snapshot(path, self.target.key)
        locales = sorted({*info.locales, *(item.locale for item in desired), *(base.locale for base in bases)})
        pages = glance.pages if glance and list(glance.pages) == locales else None
        seen = service.observe(locales, snapshot, full=full, glanced=pages)
        store_snapshot(path, snapshot)
        items = [*seen.categories, *seen.articles]
        if not seen.complete:
            items += _confirm_missing(service, bases, items)
        return Portal(items, complete=seen.complete, info=info, locales=tuple(locales), snapshot=snapshot)

    def learn_categories(self, service: Service, bases: list[Base]) -> None:
        """Tell the client which categories there are: from the portal, or from the ledger where that cannot list."""
        if self.profile.can_list:
            service.list_categories()
            return
        service.categories = {
            base.remote_id: Observed("category", base.remote_id, base.locale, base.slug, base.fields)
            for base in bases
            if base.kind == "category"
        }


@dataclass(frozen=True, slots=True)
class Glance:
    """The portal, and the first page of each of its locales, as they were just now."""

    info: PortalInfo
    pages: Mapping[str, Page]


@dataclass(frozen=True, slots=True)
class Portal:
    """What was observed: everything, or None where the portal cannot be listed. `snapshot` has its listings."""

    items: list[Observed] | None
    complete: bool
    info: PortalInfo | None = None
    locales: tuple[str, ...] = ()
    snapshot: Snapshot | None = None


def _confirm_missing(service: Service, bases: list[Base], items: list[Observed]) -> Iterator[Observed]:
    """A list with holes does not prove that a managed article is gone; asking for it does."""
    from kbsync.errors import NotFound

    listed = {(item.kind, item.remote_id) for item in items}
    for base in bases:
        if base.kind == "article" and (base.kind, base.remote_id) not in listed:
            try:
                yield service.show_article(base.remote_id, locale=base.locale)
            except NotFound:
                continue
