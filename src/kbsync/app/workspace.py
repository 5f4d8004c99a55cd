"""What every command works with: the settings of a project, its folders, its service and its ledger.

Also: the embedded sandbox of a project: its account, portal, locales and people, and what is wrong with its data.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kbsync.app.consent import Consent
from kbsync.app.session import Session
from kbsync.app.token import read_token
from kbsync.config import Settings, written_at
from kbsync.errors import ConfigError
from kbsync.files import make_folder
from kbsync.hosts import LOOPBACK
from kbsync.markdown.versions import Version
from kbsync.memory import Memory
from kbsync.model import Target
from kbsync.service.profile import Profile, TokenHeader, read_profile

if TYPE_CHECKING:
    from kbsync.ledger import Ledger
    from kbsync.ledger.git_ledger import GitLedger
    from kbsync.sandbox import Setup, UserSetup
    from kbsync.service.client import Service
    from kbsync.service.transport import Transport


def sandbox_setup(settings: Settings) -> Setup:
    """The account, portal, locales and authors that kbsync.toml names; the first person has the sandbox's own token.

    Raises:
        DataRefused: there is no token, and one cannot be made.
    """
    from kbsync.sandbox import PortalSetup, Setup, UserSetup, token_for, token_of

    locales = tuple(settings.content.locales) or _folders(settings) or (settings.content.default_locale,)
    default = settings.content.default_locale if settings.content.default_locale in locales else locales[0]
    portal = PortalSetup(settings.service.portal, settings.service.portal.replace("-", " ").title(), locales, default)
    token = token_of(settings.state_folder / "sandbox.db")
    owner = UserSetup(1, "Ada Admin", "ada@example.com", "administrator", token)
    others = {number: name for name, number in settings.authors.items() if number != owner.id}
    users = (owner, *(_author(number, name, token_for(token, number)) for number, name in sorted(others.items())))
    return Setup((portal,), users, account_id=settings.service.account_id)


def panel_address(base_url: str, token: str) -> str:
    """The practice panel of a sandbox, for a browser: with the token as its password."""
    return f"{base_url.replace('://', f'://panel:{token}@', 1)}/-/panel"


def _author(number: int, name: str, token: str) -> UserSetup:
    from kbsync.sandbox import UserSetup

    return UserSetup(number, name.title(), f"author-{number}@example.com", "agent", token)


def _folders(settings: Settings) -> tuple[str, ...]:
    root = settings.content_root
    if not root.is_dir():
        return ()
    return tuple(sorted(path.name for path in root.iterdir() if path.is_dir() and any(path.rglob("*.md"))))


def refused_data(exc: Exception, database: Path) -> ConfigError:
    """What to do about data of the sandbox that does not fit, cannot be written, or is in use."""
    from kbsync.sandbox import DataInUse

    if isinstance(exc, DataInUse):
        hint = "Use that one, or stop it first." if exc.base_url else "Run this again when that command has ended."
        return ConfigError(str(exc), hint=hint)
    name = f"{database.parent.name}/{database.name}"
    hint = f"It may belong to another account_id. Move {name} away, or check its permissions."
    return ConfigError(str(exc), hint=hint)


SANDBOX_WAIT_S = 5.0
"""A command that uses the sandbox's data may end soon; so long another waits for it."""

LOOK_AGAIN_S = 0.05
UNPACED = 60_000
"""Requests a minute for the embedded sandbox, which need not be spared."""


def profile_of(settings: Settings) -> Profile:
    """The profile that kbsync.toml names, in the version of the service that it says, or else in the newest."""
    service = settings.service
    return read_profile(service.profile, folder=settings.folder, version=Version.or_newest(service.version))


class Workspace:
    """One project as one command sees it."""

    def __init__(self, settings: Settings, session: Session) -> None:
        self.settings = settings
        self.session = session
        # Whether the ledger in git was brought up to date by this command.
        self.fetched = False
        # Whether it may be; else it is what this clone has of it.
        self.fetches = True
        self.consent = Consent(self.settings, self.session)
        self.consent.profile()
        self.profile = profile_of(self.settings)
        if self.settings.lint.ignore or self.settings.lint.levels:
            from kbsync.lint.ignore import check_codes

            path, env = self.settings.path, self.session.env
            check_codes(self.settings.lint, lambda key: written_at(path, env, "lint", key))

    @property
    def target(self) -> Target:
        """The portal that this is about."""
        service = self.settings.service
        return Target(service.base_url, service.account_id, service.portal, self.profile.name)

    @property
    def memory(self) -> Memory:
        """What can be made again."""
        return Memory(self.state_folder)

    @property
    def state_folder(self) -> Path:
        """`.kbsync`, if it is the project's own or somebody agreed to where it leads."""
        self.consent.state()
        return self.settings.state_folder

    @cached_property
    def seal_key(self) -> bytes:
        """What seals a file that one command leaves for the next, so that only this clone's are believed."""
        return self.consent.seal_key()

    @property
    def content_root(self) -> Path:
        """The folder of the content tree, if it is the project's own or somebody agreed to it."""
        self.consent.content()
        return self.settings.content_root

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
            ConfigError: there is no token, or it belongs to another service.
        """
        if self.settings.is_sandbox:
            return ""
        token = read_token(
            self.settings, token_file=self.session.token_file, environ=os.environ, allow=self.consent.program
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
        from kbsync.service.client import Service
        from kbsync.service.endpoint import Endpoint

        with self.open_transport(base_url, token) as transport:
            service = self.settings.service
            endpoint = Endpoint(self.profile, transport, service.account_id, service.portal, service.version)
            yield Service(endpoint)

    @contextmanager
    def open_transport(self, base_url: str, token: str) -> Iterator[Transport]:
        """Requests at the pace of the settings; "" sends no token."""
        # Imported here: httpx takes longer to load than a small tree to read.
        from kbsync.service.pace import Bucket, Gate
        from kbsync.service.transport import Transport

        settings = self.settings
        bucket = Bucket(self.requests_per_minute, float(settings.pace.concurrency), time.monotonic, time.sleep)
        gate = Gate(settings.pace.concurrency)
        note, log = self.session.note, self.session.log
        header = TokenHeader(self.profile.token_headers)
        transport = Transport(
            base_url, token, settings.service.timeout_s, bucket, gate, note=note, log=log, token_header=header
        )
        try:
            yield transport
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
    def run_sandbox(self, *, port: int = 0, next_step: str = "") -> Iterator[str]:
        """The embedded sandbox, or the one that `kbsync sandbox` runs on the same data; its address.

        `next_step` is what its practice panel says about what to do after an edit.

        Raises:
            ConfigError: its data cannot be used, or another command does not let go of it.
        """
        from kbsync.sandbox import DataRefused

        folder = self.state_folder
        try:
            make_folder(folder)
        except OSError as exc:
            hint = "Check its permissions. If something else has that name, delete it."
            raise ConfigError(f"The folder {folder} cannot be made: {exc.strerror}.", hint=hint) from exc
        with ExitStack() as stack:
            try:
                base_url = self._start_or_join(stack, port, next_step)
            except DataRefused as exc:
                raise refused_data(exc, self.sandbox_database) from exc
            yield base_url

    def _start_or_join(self, stack: ExitStack, port: int, next_step: str) -> str:
        from kbsync.sandbox import Behaviour, DataInUse, join, running, token_of

        setup = sandbox_setup(self.settings)
        behaviour = Behaviour(uploads_per_hour=None)
        give_up_at = time.monotonic() + SANDBOX_WAIT_S
        while True:
            try:
                started = running(self.sandbox_database, setup, behaviour, port=port, next_step=next_step)
                return stack.enter_context(started).base_url
            except DataInUse as exc:
                if exc.base_url:
                    with suppress(DataInUse):
                        join(exc.base_url, token_of(self.sandbox_database), setup)
                        return exc.base_url
                if time.monotonic() > give_up_at:
                    raise
            time.sleep(LOOK_AGAIN_S)

    # --- the ledger ------------------------------------------------------------------------------------------------

    def open_ledger(self, *, looking: bool = False, beside: bool = False) -> Ledger:
        """The ledger; made where it is missing. `beside`: another connection, which keeps a lease alive."""
        from kbsync.ledger import open_ledger

        self.consent.ledger()
        if self.has_git_ledger:
            return self.open_git_ledger(beside=beside)
        return open_ledger(self.settings.ledger.url, folder=self.settings.folder, looking=looking)

    @property
    def has_git_ledger(self) -> bool:
        """Whether the ledger is a ref of a git remote."""
        return self.settings.ledger.url.startswith("git:")

    @property
    def shares_ledger(self) -> bool:
        """Whether other clones may have this ledger, too; an SQLite file in this folder is its own."""
        scheme, _, rest = self.settings.ledger.url.partition(":")
        folder = self.settings.folder
        return scheme != "sqlite" or not (folder / rest.removeprefix("//")).resolve().is_relative_to(folder.resolve())

    def open_git_ledger(self, *, beside: bool = False, fetch: bool = True) -> GitLedger:
        """The ledger in git, which is fetched once a command."""
        from kbsync.ledger.git_ledger import open_git_ledger, ref_of
        from kbsync.ledger.remote import RemoteRef

        settings = self.settings.ledger
        remote, name = settings.url.removeprefix("git:"), settings.ref or ref_of(self.target)
        ref = RemoteRef(self.settings.folder, remote, name, fetches=self.fetches)
        fetch = fetch and not beside and not self.fetched
        ledger = open_git_ledger(ref, self.target, self.state_folder, fetch=fetch, beside=beside)
        self.fetched = self.fetched or fetch
        return ledger

    def ledger_file(self) -> Path | None:
        """The SQLite file of the ledger, once it has all that there is; None where there is no such file."""
        if self.has_git_ledger:
            with closing(self.open_git_ledger()) as ledger:
                return ledger.file.path
        scheme, _, rest = self.settings.ledger.url.partition(":")
        return self.settings.folder / rest.removeprefix("//") if scheme == "sqlite" else None

    def has_ledger(self) -> bool:
        """Whether there is a ledger already."""
        from kbsync.ledger import ledger_exists

        self.consent.ledger()
        return ledger_exists(self.settings.ledger.url, folder=self.settings.folder)
