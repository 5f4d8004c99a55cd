"""The embedded sandbox of a project: its account, portal, locales and people, and what is wrong with its data."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kbsync.config import Settings
from kbsync.errors import ConfigError
from kbsync.files import make_folder

if TYPE_CHECKING:
    from kbsync.sandbox import Setup, UserSetup


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


@contextmanager
def run_sandbox(settings: Settings, database: Path, *, port: int = 0, next_step: str = "") -> Iterator[str]:
    """The embedded sandbox, or the one that `kbsync sandbox` runs on the same data; its address.

    `next_step` is what its practice panel says about what to do after an edit.

    Raises:
        ConfigError: its data cannot be used, or another command does not let go of it.
    """
    from kbsync.sandbox import DataRefused

    folder = database.parent
    try:
        make_folder(folder)
    except OSError as exc:
        hint = "Check its permissions. If something else has that name, delete it."
        raise ConfigError(f"The folder {folder} cannot be made: {exc.strerror}.", hint=hint) from exc
    with ExitStack() as stack:
        try:
            base_url = _start_or_join(settings, database, stack, port, next_step)
        except DataRefused as exc:
            raise refused_data(exc, database) from exc
        yield base_url


def _start_or_join(settings: Settings, database: Path, stack: ExitStack, port: int, next_step: str) -> str:
    from kbsync.sandbox import Behaviour, DataInUse, join, running, token_of

    setup = sandbox_setup(settings)
    behaviour = Behaviour(uploads_per_hour=None)
    give_up_at = time.monotonic() + SANDBOX_WAIT_S
    while True:
        try:
            started = running(database, setup, behaviour, port=port, next_step=next_step)
            return stack.enter_context(started).base_url
        except DataInUse as exc:
            if exc.base_url:
                with suppress(DataInUse):
                    join(exc.base_url, token_of(database), setup)
                    return exc.base_url
            if time.monotonic() > give_up_at:
                raise
        time.sleep(LOOK_AGAIN_S)
