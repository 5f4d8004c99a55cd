"""How one run of kbsync was started, and who it can talk to. The default asks nothing, as a program needs it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kbsync.command import Option
from kbsync.config import Settings, find_config, read_settings
from kbsync.files import working_folder
from kbsync.git import check_not_embedded
from kbsync.model import Outcome
from kbsync.trust.consents import check_owner
from kbsync.trust.own_folder import check_own_folder

if TYPE_CHECKING:
    from kbsync.service.log import Sent

Show = Callable[[Outcome], None]
"""Is called with each outcome as it comes."""


def _ignore(text: str) -> None:
    pass


def _drop(sent: Sent) -> None:
    pass


@contextmanager
def _no_progress(total: int) -> Iterator[Show]:
    yield lambda outcome: None


class Session(msgspec.Struct, frozen=True):
    """One run of kbsync.

    Args:
        config: the kbsync.toml to use; None: the nearest, from the working folder upwards.
        env: the tables `[env.NAME]` that are put on top; "" for none.
        token_file: where the token is; None: where `app/token.py` looks next.
        note: is called with each sentence for people.
        confirm: asks the person at the terminal a question of yes or no; None where there is no one.
        progress: is entered with the number of changes that are about to be sent.
        log: is called with each request to the service, by the thread that sent it.
    """

    config: Path | None = None
    env: str = ""
    token_file: Path | None = None
    note: Callable[[str], None] = _ignore
    confirm: Callable[[str], bool] | None = None
    progress: Callable[[int], AbstractContextManager[Show]] = _no_progress
    log: Callable[[Sent], None] = _drop

    @property
    def options(self) -> list[Option]:
        """The options without which another command would be about another portal."""
        return [("--config", self.config), ("--env", self.env), ("--token-file", self.token_file)]

    def read_settings(self) -> Settings:
        """kbsync.toml and the environment.

        Raises:
            ConfigError: it says something that cannot be, or it is another user's.
        """
        here = working_folder()  # Also of a `--config`: what is not found below it would be blamed on the file.
        path = self.config or find_config(here)
        if hasattr(os, "geteuid") and not _is_plainly_ours(path):
            check_owner(path, os.environ)
        settings = read_settings(path, env=self.env)
        check_not_embedded(settings.folder)
        check_not_embedded(settings.content_root)
        if settings.state is None and os.path.lexists(settings.state_folder):
            check_own_folder(settings.state_folder, os.environ)
        return settings


def _is_plainly_ours(path: Path) -> bool:
    """The usual case, without loading anything: a file of one's own."""
    try:
        return path.lstat().st_uid == path.stat().st_uid == os.geteuid()
    except OSError:
        return True  # Reading it says what is wrong.
