"""`open`: the public address of one article. Asks no other machine."""

from __future__ import annotations

from contextlib import closing

from kbsync.app.reading import read_content
from kbsync.app.selectors import item_named
from kbsync.app.workspace import Workspace
from kbsync.content.compile import Addresses
from kbsync.content.identity import Identity
from kbsync.errors import UsageError
from kbsync.model import Base, visible


def address_of(workspace: Workspace, name: str) -> str:
    """The page of an article or a category, as readers have it; of a draft, too.

    Args:
        workspace: the project.
        name: a path as seen from the current folder, a slug, or `locale/slug`.

    Raises:
        UsageError: nothing has this name, it has no page, or the sandbox that would show it does not run.
    """
    item = item_named(workspace, name, _bases(workspace), read_content(workspace).desired)
    if item.kind == "article" and "." in item.slug:  # docs/service.md, S21
        message = f"The portal shows no page for a slug with a dot: `{visible(item.slug)}`."
        raise UsageError(message, hint="Give the article a slug without one.")
    profile, service = workspace.profile, workspace.settings.service
    addresses = Addresses(profile.article_url, profile.category_url, service.portal)
    path = addresses.of(Identity(item.path, item.locale, item.slug), is_article=item.kind == "article")
    return f"{_base_url(workspace).rstrip('/')}{path}"


def _bases(workspace: Workspace) -> list[Base]:
    """What is on record, with the slugs that are on the portal."""
    if not workspace.has_ledger():
        return []
    with closing(workspace.open_ledger(looking=True)) as ledger:
        return ledger.bases(workspace.target.key)


def _base_url(workspace: Workspace) -> str:
    """Where the portal is; of the embedded sandbox, where it runs just now."""
    if not workspace.settings.is_sandbox:
        return workspace.settings.service.base_url
    from kbsync.sandbox import DataInUse
    from kbsync.sandbox.claim import claim

    try:
        with claim(workspace.sandbox_database):
            pass
    except DataInUse as exc:
        if exc.base_url:
            return exc.base_url
    raise UsageError("The sandbox is not running.", hint="Run `kbsync sandbox` in another terminal, then try again.")
