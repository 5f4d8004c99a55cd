"""Asks once before what a kbsync.toml names outside its repository is used, and guards where a token goes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kbsync.command import command_line
from kbsync.config import Settings
from kbsync.errors import ConfigError
from kbsync.files import real_path
from kbsync.git import top_of
from kbsync.service.profile import BUILT_IN
from kbsync.trust.consents import Store
from kbsync.trust.origin import PIN, check_token
from kbsync.trust.reach import Reach, ReachFinder, digest_of, reaches_of

if TYPE_CHECKING:
    from kbsync.app.session import Session

TRUST = "KBSYNC_TRUST"


class Consent(msgspec.Struct, frozen=True):
    """Says whether what the settings name may be used. Nothing is looked at before it would be.

    Args:
        settings: with the file that they come from.
        session: the run, and who can be asked.
        agreed: digests that this run was given: it does not ask twice, also where nothing can be remembered.
        typed_ledger: the ledger that the user named on the command line.
    """

    settings: Settings
    session: Session
    agreed: set[str] = msgspec.field(default_factory=set)
    typed_ledger: str = ""

    def program(self) -> None:
        """Before `token_command` runs.

        Raises:
            ConfigError: the user did not agree; here and below.
        """
        self._need("service", "token_command", self.settings.service.token_command)

    def profile(self) -> None:
        """Before the profile is read."""
        if self.settings.service.profile not in BUILT_IN:
            self._need("service", "profile", self.settings.service.profile)

    def content(self) -> None:
        """Before the content root is read."""
        root = self.settings.content.root
        if not _is_inside(self.settings.folder, root):
            self._need("content", "root", root)

    def ledger(self) -> None:
        """Before the ledger is opened. One in the folder that the command itself chose needs no word."""
        url, state = self.settings.ledger.url, self.settings.state
        if url == self.typed_ledger:
            return  # The user's own word, not the file's.
        if url.startswith("git:"):
            return  # A remote that the user's own clone has; `ledger/remote.py` looks at how git talks to it.
        place = url.removeprefix("sqlite:").removeprefix("//")
        if url.startswith("sqlite:") and (
            _is_inside(self.settings.folder, place) or (state is not None and Path(place).is_relative_to(state))
        ):
            return
        self._need("ledger", "url", url)

    def state(self) -> None:
        """Before `.kbsync` is used."""
        if self.settings.state is None and self.settings.state_folder.is_symlink():
            self._agree(tuple(self._look().of_state()))

    def token(self, token: str, what: str = "token") -> None:
        """Before a token is sent to the service, or another secret, which is called `what`."""
        check_token(
            token,
            what,
            self.settings.service.base_url,
            pinned=os.environ.get(PIN),
            store=self.store(),
            note=self.session.note,
            command=self.command_for(self.settings.service.base_url),
        )

    @property
    def path(self) -> Path:
        """What a consent is bound to."""
        return real_path(self.settings.path)

    @property
    def command(self) -> str:
        """`kbsync trust`, for this project."""
        return command_line("trust", options=self.session.options)

    def command_for(self, address: str) -> str:
        """`kbsync trust --origin ADDRESS`, for this project and its token."""
        return command_line("trust", options=[("--origin", address), *self.session.options])

    def reaches(self) -> tuple[Reach, ...]:
        """Everything that a consent is about."""
        return reaches_of(self.settings.path)

    def store(self) -> Store:
        """Where consents are kept."""
        return Store.beside(top_of(self.settings.folder), os.environ)

    def seal_key(self) -> bytes:
        """What seals a file that one command leaves for the next, so that only this clone's are believed.

        Where no secret can be kept outside the repository, no later command believes what this one leaves.
        """
        secret = self.store().secret() or os.urandom(32)
        place = os.fsencode(real_path(self.settings.state_folder))
        return blake2b(place, key=secret, digest_size=32).digest()

    def is_given(self, reaches: Iterable[Reach]) -> bool:
        """Whether somebody agreed to exactly this, here or in `KBSYNC_TRUST`."""
        digest = digest_of(reaches)
        if digest in self.agreed or digest == os.environ.get(TRUST, "").strip():
            return True
        return digest == self.store().consent_of(self.path)

    def _look(self) -> ReachFinder:
        return ReachFinder(self.settings.folder)

    def _need(self, table: str, key: str, value: str | list[str]) -> None:
        variable = f"KBSYNC_{table}__{key}".upper()
        if any(name.upper() == variable for name in os.environ):
            return  # The user's own word, not the file's.
        self._agree(tuple(self._look().of_key(table, key, value)))

    def _agree(self, used: Sequence[Reach]) -> None:
        """Go on where these were agreed to; ask, once and for all of the file, where somebody is there to ask."""
        if not used:
            return
        reaches = self.reaches()
        marks = {reach.mark for reach in reaches}
        # A file that changed since it was read was never shown to anybody.
        written = all(reach.mark in marks for reach in used)
        if written and self.is_given(reaches):
            return
        if self.session.confirm is None or not written:
            raise self._refusal(used, reaches)
        if not self.session.confirm(question(self.settings.path, reaches)):
            raise ConfigError(f"{self.settings.path.name} is not trusted. Nothing was done.")
        self.give(reaches)

    def _refusal(self, used: Sequence[Reach], reaches: Sequence[Reach]) -> ConfigError:
        return ConfigError(
            f"{self.settings.path.name} is not trusted: {used[0].place} {used[0].what}.",
            hint=f"Check the file, then run `{self.command}`. In CI, set {TRUST}={digest_of(reaches)}",
        )

    def give(self, reaches: Sequence[Reach]) -> bool:
        """Remember that this was agreed to; returns whether that worked, and reports it where it did not."""
        digest = digest_of(reaches)
        self.agreed.add(digest)
        if self.store().keep_consent(self.path, digest):
            return True
        where = self.store().folder or "a folder outside the repository"
        self.session.note(f"kbsync cannot write to {where}, so it will ask again. Set {TRUST}={digest} to avoid that.")
        return False


def question(path: Path, reaches: Sequence[Reach]) -> str:
    """What a person is asked."""
    return f"{listed(path, reaches)}\nSay yes only if you trust the author of this file.\nTrust it?"


def listed(path: Path, reaches: Sequence[Reach]) -> str:
    """What a kbsync.toml reaches, a line each."""
    lines = [f"{path} uses things outside its repository:"]
    return "\n".join([*lines, *(f"  {reach.place}: {reach.what}" for reach in reaches)])


def _is_inside(folder: Path, name: str) -> bool:
    """The usual case, decided without loading anything: a path below kbsync.toml, links included."""
    return real_path(folder / name).is_relative_to(real_path(folder))
