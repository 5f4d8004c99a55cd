"""The portal as the preview asks it: one article at a time, over a connection that is opened when first needed."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from kbsync.cli.screen import Options
from kbsync.cli.token import read_token
from kbsync.cli.workspace import Workspace
from kbsync.config import Settings
from kbsync.errors import ConfigError, NotFound

if TYPE_CHECKING:
    from kbsync.preview.portal import Ask, PortalArticle
    from kbsync.service.client import Service


def can_ask(settings: Settings, *, token_file: Path | None) -> bool:
    """Whether a token is at hand, or the embedded sandbox has something in it."""
    if settings.is_sandbox:
        return (settings.state_folder / "sandbox.db").is_file()
    try:
        read_token(settings, token_file=token_file, environ=os.environ)
    except ConfigError:
        return False
    return True


def portal_asker(options: Options, stack: ExitStack) -> Ask | None:
    """Asks the portal for articles; None where nothing is at hand to ask it with.

    Args:
        options: those of the command.
        stack: closes the connection at its end.
    """
    workspace = Workspace(options.read_settings(), options)
    if not can_ask(workspace.settings, token_file=options.token_file):
        return None
    opened: list[Service] = []

    def ask_sandbox(locale: str, slug: str) -> PortalArticle | None:
        # Its data is not kept busy in between: a push in another window wants it, too.
        with workspace.open_service() as service:
            workspace.learn_categories(service, [])
            return read_portal_article(service, locale, slug)

    def ask(locale: str, slug: str) -> PortalArticle | None:
        if not opened:
            service = stack.enter_context(workspace.open_service())
            workspace.learn_categories(service, [])
            opened.append(service)
        return read_portal_article(opened[0], locale, slug)

    return ask_sandbox if workspace.settings.is_sandbox else ask


def read_portal_article(service: Service, locale: str, slug: str) -> PortalArticle | None:
    """One article with its text, None where the portal has none of this slug."""
    from kbsync.preview.portal import PortalArticle

    try:
        found = service.find_article(slug, locale=locale)
        if found is None:
            return None
        article, content = service.read_article(found.remote_id, locale=locale)
    except NotFound:
        return None
    return PortalArticle(article.fields, content or "", article.status.value if article.status else "")
