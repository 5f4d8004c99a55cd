"""What every command works with: the settings of a project, its folders, its service and its ledger."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kbsync.app.consent import Consent
from kbsync.app.embedded import run_sandbox
from kbsync.app.session import Session
from kbsync.app.token import read_token
from kbsync.config import Settings, written_at
from kbsync.hosts import LOOPBACK
from kbsync.markdown.versions import Version
from kbsync.memory import Memory
from kbsync.model import Target
from kbsync.service.profile import Profile, TokenHeader, read_profile

if TYPE_CHECKING:
    from kbsync.ledger import Ledger
    from kbsync.ledger.git_ledger import GitLedger
    from kbsync.service.client import Service
    from kbsync.service.transport import Transport


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
            with (
                run_sandbox(self.settings, self.sandbox_database) as base_url,
                self.connect_sandbox(base_url) as service,
            ):
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
