"""The wiring, in one place: settings become a tree, a service and a ledger, and these become a plan."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kbsync.cli.consent import Consent
from kbsync.cli.screen import Options
from kbsync.cli.token import read_token
from kbsync.config import LOOPBACK, Settings, written_at
from kbsync.errors import ConfigError, ContentError
from kbsync.files import make_folder
from kbsync.model import Base, Change, Desired, Finding, Observed, Pending, Target, body_digest
from kbsync.service.profile import Profile, read_profile

if TYPE_CHECKING:
    # What reads, compiles and asks is imported where it is used: a command seldom needs all of it.
    from kbsync.content.compile import Compiler
    from kbsync.content.identity import Site
    from kbsync.content.part import Moved
    from kbsync.content.pictures import Pictures
    from kbsync.content.tree import Tree
    from kbsync.content.walk import Walk
    from kbsync.ledger.contract import Ledger
    from kbsync.lint import Family
    from kbsync.service.categories import Expected
    from kbsync.service.client import Service
    from kbsync.service.listing import Page
    from kbsync.service.portal import PortalInfo
    from kbsync.service.snapshot import Snapshot

SANDBOX_WAIT_S = 5.0
"""A command that uses the sandbox's data may end soon; so long another waits for it."""

LOOK_AGAIN_S = 0.05
UNPACED = 60_000
"""Requests a minute for the embedded sandbox, which need not be spared."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The content tree, read and compiled.

    `tree` is what everybody who has this tree gets; `desired` also knows where pictures were put, once that is settled.
    """

    compiler: Compiler
    findings: list[Finding]
    desired: list[Desired]
    tree: list[Desired] = field(default_factory=list)

    def settle_pictures(self, known: Mapping[str, str], observed: Iterable[Observed], *, of: str) -> None:
        """Now that the ledger and the portal were asked where pictures are, say what the articles with some become.

        Args:
            known: addresses by key, of the ledger.
            observed: the portal's items.
            of: how the addresses of the service begin; a picture elsewhere is nobody's that we know.
        """
        pictures = self.compiler.pictures
        pictures.settled = True
        if not pictures.by_path or not pictures.can_upload:
            return
        from kbsync.markdown.uploaded import key_in

        own = {
            item.slug: {key_in(address): address for address in item.pictures if address.startswith(of)}
            for item in observed
            if item.pictures
        }
        for found in own.values():
            pictures.known.update(found)
        pictures.known.update(known)
        sources, articles = self.compiler.tree.sources, self.compiler.site.articles
        for place, item in enumerate(self.desired):
            if item.kind == "article" and self.compiler.has_pictures(item.path):
                if item.slug in own:
                    pictures.own[item.path] = own[item.slug]
                self.desired[place] = self.compiler.article(sources[item.path], articles[item.path])

    @property
    def errors(self) -> list[Finding]:
        """The findings that stop a plan."""
        return [finding for finding in self.findings if finding.level == "error"]

    def content_of(self, change: Change) -> str:
        """The body that a change of a source sends.

        Raises:
            ContentError: it would be another than was planned.
        """
        text = self.compiler.content_of(change.path)
        if change.after.get("content") != body_digest(text):
            raise ContentError(
                f"{change.path}: its pictures have other addresses here than in the plan",
                hint="run `kbsync plan` again",
            )
        return text


@dataclass(slots=True)
class Workspace:
    """One project as one command sees it."""

    settings: Settings
    options: Options
    profile: Profile = field(init=False)
    consent: Consent = field(init=False)

    def __post_init__(self) -> None:
        self.consent = Consent.of(self.settings, self.options)
        self.consent.profile()
        self.profile = read_profile(self.settings.service.profile, folder=self.settings.folder)
        if self.settings.lint.ignore or self.settings.lint.levels:
            from kbsync.lint.ignore import check_codes

            path, env = self.settings.path, self.options.env
            check_codes(self.settings.lint, lambda key: written_at(path, env, "lint", key))

    @property
    def target(self) -> Target:
        """The portal that this is about."""
        service = self.settings.service
        return Target(service.base_url, service.account_id, service.portal, self.profile.name)

    @property
    def scan_cache(self) -> Path:
        """The file of the scan cache."""
        return self.cache_folder / "scan.cache"

    @property
    def cache_folder(self) -> Path:
        """Where the scan cache and the portal's snapshot lie."""
        return self.state_folder / "cache"

    @property
    def state_folder(self) -> Path:
        """`.kbsync`, if it is the project's own or somebody agreed to where it leads."""
        self.consent.state()
        return self.settings.state_folder

    @property
    def content_root(self) -> Path:
        """The folder of the content tree, if it is the project's own or somebody agreed to it."""
        self.consent.content()
        return self.settings.content_root

    def read_content(self, walk: Walk | None = None, *, compiled: bool = True) -> Reading:
        """Read, check and compile the tree; a tree with errors is not compiled.

        `walk` are its files, where they were listed just now. Who only wants findings need not have it `compiled`.
        """
        from kbsync.content.identity import identify
        from kbsync.content.tree import read_tree, store_tree
        from kbsync.lint import OF_A_SOURCE, OF_THE_TREE, inspect

        tree = read_tree(self.content_root, cache=self.scan_cache, walk=walk, inspect=inspect)
        reading = self._check(tree, identify(tree, self.settings.content), OF_A_SOURCE + OF_THE_TREE)
        if compiled and not reading.errors:
            reading.tree.extend(reading.compiler.compile())
            reading.desired.extend(reading.tree)
        store_tree(tree, self.scan_cache)
        return reading

    def read_part(self, walk: Walk, moved: Moved, findings: Iterable[Finding]) -> Reading | None:
        """Read and compile the sources that moved; None where more has to be looked at, or they have errors.

        Args:
            walk: the files of the tree.
            moved: what moved since the tree was read.
            findings: those of the tree before; the result has those of the tree now.
        """
        from kbsync.content.identity import identify, locales_of
        from kbsync.content.part import read_part
        from kbsync.lint import CODES_OF_THE_TREE, OF_A_SOURCE, in_order, inspect

        content = self.settings.content
        tree = read_part(self.content_root, walk, moved, cache=self.scan_cache, inspect=inspect)
        if tree is None:
            return None
        site = identify(tree, replace(content, locales=content.locales or list(locales_of(walk.sources))))
        reading = self._check(tree, site, OF_A_SOURCE)
        of_these = [finding for finding in reading.findings if finding.path in moved]
        rest = [item for item in findings if item.path not in moved or item.code in CODES_OF_THE_TREE]
        reading.findings[:] = in_order([*rest, *of_these])
        if reading.errors:
            return None
        compiler = reading.compiler
        reading.desired.extend(compiler.article(tree.sources[path], site.articles[path]) for path in moved)
        return reading

    def _check(self, tree: Tree, site: Site, families: Iterable[Family]) -> Reading:
        from kbsync.content.compile import Addresses, Compiler
        from kbsync.lint import check_tree
        from kbsync.lint.context import Context

        settings = self.settings
        addresses = Addresses(self.profile.article_url, self.profile.category_url, settings.service.portal)
        pictures = self._look_at_pictures(tree)
        compiler = Compiler(tree, site, addresses, settings.authors, pictures)
        context = Context(tree, site, self.profile.limits, settings.authors, pictures, settings.assets)
        return Reading(compiler, check_tree(context, settings.lint, families=families), [])

    def _look_at_pictures(self, tree: Tree) -> Pictures:
        from kbsync.content.pictures import Pictures, read_pictures

        root, settings = self.content_root, self.settings.assets
        paths = {link.target for source in tree.sources.values() for link in source.links if link.is_picture}
        cache = self.cache_folder / "pictures.cache"
        found = read_pictures(
            root, paths, tree.others, cache=cache, now_ns=time.time_ns(), most_bytes=settings.max_bytes
        )
        return Pictures(root, found, settings.base_url, self.profile.can("upload"))

    # --- the service -----------------------------------------------------------------------------------------------

    @contextmanager
    def open_service(self, token: str | None = None) -> Iterator[Service]:
        """The portal, ready to be asked; the embedded sandbox runs as long as this does.

        `token` is what `token_to_send` gave, where that was asked for before.
        """
        if self.settings.is_sandbox:
            with self.run_sandbox() as base_url, self.connect_sandbox(base_url) as service:
                yield service
        else:
            token = self.token_to_send() if token is None else token
            with self._connected(self.settings.service.base_url, token) as service:
                yield service

    def token_to_send(self) -> str:
        """The token, if it may be sent to where kbsync.toml says; "" for the embedded sandbox, which has its own.

        Raises:
            ConfigError: there is none, or it belongs elsewhere.
        """
        if self.settings.is_sandbox:
            return ""
        token = read_token(
            self.settings, token_file=self.options.token_file, environ=os.environ, allow=self.consent.program
        )
        self.consent.token(token)
        return token

    def connect_sandbox(self, base_url: str) -> AbstractContextManager[Service]:
        """The embedded sandbox, running already at this address."""
        from kbsync.sandbox import token_of

        return self._connected(base_url, token_of(self.sandbox_database))

    @property
    def sandbox_database(self) -> Path:
        """The file of the embedded sandbox."""
        return self.state_folder / "sandbox.db"

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
    def uploads_per_hour(self) -> int:
        """The operator's word, else the profile's; a service on this machine counts nothing.

        0 where nothing is counted. Source: docs/service.md, section 7.
        """
        host = urlsplit(self.settings.service.base_url).hostname
        fallback = 0 if self.settings.is_sandbox or host in LOOPBACK else self.profile.uploads_per_hour
        return self.settings.pace.uploads_per_hour or fallback

    @property
    def requests_per_minute(self) -> int:
        """The operator's word, else the profile's; the embedded sandbox is not spared."""
        fallback = UNPACED if self.settings.is_sandbox else self.profile.requests_per_minute
        return self.settings.pace.requests_per_minute or fallback

    @contextmanager
    def run_sandbox(self, *, port: int = 0) -> Iterator[str]:
        """The embedded sandbox, or the one that `kbsync sandbox` runs on the same data; its address.

        Raises:
            ConfigError: its data cannot be used, or another command does not let go of it.
        """
        from kbsync.sandbox import DataRefused

        make_folder(self.state_folder)
        with ExitStack() as stack:
            try:
                base_url = self._start_or_join(stack, port)
            except DataRefused as exc:
                raise refused_data(exc, self.sandbox_database) from exc
            yield base_url

    def _start_or_join(self, stack: ExitStack, port: int) -> str:
        from kbsync.cli.sandbox import sandbox_setup
        from kbsync.sandbox import Behaviour, DataInUse, join, running, token_of

        setup = sandbox_setup(self.settings)
        behaviour = Behaviour(uploads_per_hour=None)
        give_up_at = time.monotonic() + SANDBOX_WAIT_S
        while True:
            try:
                return stack.enter_context(running(self.sandbox_database, setup, behaviour, port=port)).base_url
            except DataInUse as exc:
                if exc.base_url:
                    with suppress(DataInUse):
                        join(exc.base_url, token_of(self.sandbox_database), setup)
                        return exc.base_url
                if time.monotonic() > give_up_at:
                    raise
            time.sleep(LOOK_AGAIN_S)

    # --- the ledger ------------------------------------------------------------------------------------------------

    def open_ledger(self, *, looking: bool = False) -> Ledger:
        """The ledger; made where it is missing."""
        from kbsync.ledger import open_ledger

        self.consent.ledger()
        return open_ledger(self.settings.ledger.url, folder=self.settings.folder, looking=looking)

    def has_ledger(self) -> bool:
        """Whether there is a ledger already."""
        from kbsync.ledger import ledger_exists

        self.consent.ledger()
        return ledger_exists(self.settings.ledger.url, folder=self.settings.folder)

    def read_ledger(self) -> Recorded:
        """What the ledger says of this portal; nothing where there is none, and none is made."""
        if not self.has_ledger():
            return Recorded()
        ledger = self.open_ledger(looking=True)
        try:
            return self.recorded(ledger)
        finally:
            ledger.close()

    def recorded(self, ledger: Ledger) -> Recorded:
        """What an open ledger says of this portal."""
        from kbsync.plan.former import without_former_bodies

        key = self.target.key
        pictures = {name: found.url for name, found in ledger.pictures(key).items()}
        bases = ledger.bases(key)
        # Where the portal cannot be looked at, what it holds is known by these names alone.
        bases = without_former_bodies(bases) if self.profile.can_list else bases
        return Recorded(bases, ledger.pending(key), pictures)

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
        expected = _expected(info, desired, bases)
        seen = service.observe(locales, snapshot, full=full, glanced=pages, expected=expected)
        store_snapshot(path, snapshot)
        items = [*seen.categories, *seen.articles]
        if not seen.complete:
            items += _confirm_missing(service, bases, items)
        return Portal(items, complete=seen.complete, info=info, locales=tuple(locales), snapshot=snapshot)

    def settle_pictures(
        self, reading: Reading, service: Service, record: Recorded, items: Iterable[Observed], *, whole: bool = True
    ) -> None:
        """Tell the tree, or a part of it, where its pictures are."""
        reading.settle_pictures(
            record.pictures, items, of="http://127.0.0.1:" if self.settings.is_sandbox else service.transport.base_url
        )
        if whole and reading.compiler.tree.stale:
            from kbsync.content.tree import store_tree

            store_tree(reading.compiler.tree, self.scan_cache)

    def learn_categories(self, service: Service, bases: list[Base]) -> None:
        """Tell the client which categories there are: from the portal, or from the ledger where that cannot list."""
        if self.profile.can_list:
            from kbsync.service.categories import Expected

            service.list_categories((), Expected(managed=[base.remote_id for base in bases if base.kind == "category"]))
            return
        service.categories = {
            base.remote_id: Observed("category", base.remote_id, base.locale, base.slug, base.fields)
            for base in bases
            if base.kind == "category"
        }


def refused_data(exc: Exception, database: Path) -> ConfigError:
    """What to do about data of the sandbox that does not fit, cannot be written, or is in use."""
    from kbsync.sandbox import DataInUse

    if isinstance(exc, DataInUse):
        hint = "use that one, or end it first" if exc.base_url else "run this again when that has ended"
        return ConfigError(str(exc), hint=hint)
    hint = f"is it of another account_id? Move {database.parent.name}/{database.name} away, or check its permissions"
    return ConfigError(str(exc), hint=hint)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a ledger says of one portal: bases, requests whose answer nobody recorded, addresses of pictures by key."""

    bases: list[Base] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    pictures: dict[str, str] = field(default_factory=dict)


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


def _expected(info: PortalInfo, desired: Iterable[Desired], bases: Iterable[Base]) -> Expected:
    """What we know of the categories before they are listed."""
    from kbsync.service.categories import Expected

    managed = [base.remote_id for base in bases if base.kind == "category"]
    wanted = {(item.locale, item.slug) for item in desired if item.kind == "category"}
    return Expected(info.categories, managed, wanted=wanted)


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
