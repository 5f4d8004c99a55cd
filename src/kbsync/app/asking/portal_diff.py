"""What the preview compares an article with: the portal, if `--portal` is given, or else the ledger's last push."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kbsync.app.session import Session
from kbsync.app.sides import learn_categories
from kbsync.app.workspace import Workspace
from kbsync.errors import ConfigError, NotFound

if TYPE_CHECKING:
    from kbsync.preview.comparer import Ask, LastPush, PortalArticle
    from kbsync.service.client import Service


def portal_token(session: Session) -> str:
    """The token: now, while somebody is there to answer a question, and once, as a program for it may want a password.

    Raises:
        ConfigError: there is no token, or it must not be used there.
    """
    return Workspace(session.read_settings(), session).token_to_send()


def portal_asker(session: Session, stack: ExitStack, token: str) -> Ask:
    """Asks the portal for articles, one at a time, over a connection that is opened when first needed.

    Args:
        session: the run.
        stack: closes the connection at its end.
        token: what `portal_token` gave.
    """
    workspace = Workspace(session.read_settings(), session)
    opened: list[Service] = []

    def ask_sandbox(locale: str, slug: str) -> PortalArticle | None:
        # Its data is not kept busy in between: a push in another window wants it, too.
        with workspace.open_service() as service:
            learn_categories(workspace.profile, service, [])
            return read_portal_article(service, locale, slug)

    def ask(locale: str, slug: str) -> PortalArticle | None:
        if not opened:
            service = stack.enter_context(workspace.open_service(token))
            learn_categories(workspace.profile, service, [])
            opened.append(service)
        return read_portal_article(opened[0], locale, slug)

    return ask_sandbox if workspace.settings.is_sandbox else ask


def read_portal_article(service: Service, locale: str, slug: str) -> PortalArticle | None:
    """One article with its text, None where the portal has none of this slug."""
    from kbsync.preview.comparer import PortalArticle

    try:
        found = service.find_article(slug, locale=locale)
        if found is None:
            return None
        article, content, _ = service.read_article(found.remote_id, locale=locale)
    except NotFound:
        return None
    return PortalArticle(article.fields, content or "", article.status.value if article.status else "")


def ledger_asker(session: Session) -> Ask | None:
    """Looks into the ledger; None where this machine has none, or the user did not agree to its place."""
    workspace = Workspace(session.read_settings(), replace(session, confirm=None))
    if not workspace.settings.ledger.url.startswith("sqlite:"):
        return None
    try:
        if not workspace.has_ledger():
            return None
    except ConfigError:
        return None
    return lambda locale, slug: read_last_push(workspace, locale, slug)


def read_last_push(workspace: Workspace, locale: str, slug: str) -> LastPush:
    """What the ledger has of an article."""
    from kbsync.preview.comparer import LastPush

    key = workspace.target.key
    with closing(workspace.open_ledger(looking=True)) as ledger:
        bases = [base for base in ledger.bases_of_slugs(key, "article", [slug]) if base.locale == locale]
    return LastPush(bases[0].fields if bases else {})
