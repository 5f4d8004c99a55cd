"""What a successful answer holds: its JSON decoded, an id in it, in kbsync's own values. One function a shape."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from kbsync.errors import Misbehaved
from kbsync.markdown.own_pages import OwnPages
from kbsync.model import Observed, RemoteId
from kbsync.service import wire
from kbsync.service.answers import SHOWN_CHARS, decode
from kbsync.service.article_lister import Page
from kbsync.service.exchange import Answer
from kbsync.service.list_rows import row_of
from kbsync.service.portal import Owner, PortalInfo, portal_info
from kbsync.service.profile import Profile


def anything(answer: Answer) -> None:
    """Check that it is JSON at all."""
    decode(answer, dict[str, Any] | list[Any])


def version(answer: Answer) -> str:
    """The version that the service says it has; "" where it says nothing of that kind."""
    found: wire.WireVersion = decode(answer, wire.WireVersion)
    return found.version if wire.VERSION.fullmatch(found.version) else ""


def owner(answer: Answer, account_id: int) -> Owner:
    """Whose token it is, and what that user is in an account."""
    found: wire.WireOwner = decode(answer, wire.WireOwner)
    role = next((a.role for a in found.accounts if wire.as_id(a.id) == account_id and a.role), found.role)
    return Owner(wire.as_id(found.id), (found.name or "")[:SHOWN_CHARS], (role or "")[:SHOWN_CHARS])


def portals(answer: Answer) -> tuple[PortalInfo, ...]:
    """The account's portals."""
    page = decode(answer, wire.PortalPage | list[wire.WirePortal])
    found = page.payload if isinstance(page, wire.PortalPage) else page
    return tuple(portal_info(portal) for portal in found)


def portal(answer: Answer) -> wire.WirePortal:
    """One portal, which is not wrapped."""
    found: wire.WirePortal = decode(answer, wire.WirePortal)
    if found.id is None:
        raise _without(answer, "an id")
    return found


def categories(answer: Answer) -> list[Observed]:
    """One page of categories."""
    page = decode(answer, wire.CategoryPage | list[wire.WireCategory])
    rows = page.payload if isinstance(page, wire.CategoryPage) else page
    if any(row.id is None for row in rows):
        raise _without(answer, "an id")
    return [wire.observed_category(row) for row in rows]


def articles(answer: Answer, profile: Profile, own: OwnPages) -> Page:
    """One page of articles."""
    page = decode(answer, wire.ArticlePage | list[wire.WireArticle])
    found, count = (page.payload, page.count) if isinstance(page, wire.ArticlePage) else (page, None)
    if any(row.id is None for row in found):
        raise _without(answer, "an id")
    views = {wire.as_id(row.id): number for row in found if (number := wire.views_of(row))}
    authors = {id: name for id, name in map(wire.author_name, found) if name}
    rows = tuple(row_of(row, profile, own) for row in found)
    return Page(rows, count, answer.server_time_s, answer.etag, views, authors)


def bodies(answer: Answer) -> dict[RemoteId, str]:
    """The texts of one page of articles by id; an article whose text the list leaves out is left out."""
    page = decode(answer, wire.ArticlePage | list[wire.WireArticle])
    found = page.payload if isinstance(page, wire.ArticlePage) else page
    return {wire.as_id(row.id): row.content or "" for row in found if row.id is not None and row.content is not UNSET}


def article(answer: Answer) -> wire.WireArticle:
    """One article, in a `payload` or bare."""
    found: wire.ArticleAnswer = decode(answer, wire.ArticleAnswer)
    one = found.payload or found
    if one.id is None:
        raise _without(answer, "an id")
    return one


def category(answer: Answer, locale: str) -> Observed:
    """One category, in a `payload` or bare; `locale` is its own where the answer leaves that out."""
    found: wire.CategoryAnswer = decode(answer, wire.CategoryAnswer)
    one = wire.observed_category(found.payload or found, locale=locale)
    if not one.remote_id:
        raise _without(answer, "an id")
    return one


def file_url(answer: Answer) -> str:
    """The address of an uploaded file."""
    found: wire.WireUpload = decode(answer, wire.WireUpload)
    if not found.file_url.startswith(("http://", "https://")):
        raise _without(answer, "`file_url`")
    return found.file_url


def _without(answer: Answer, what: str) -> Misbehaved:
    return Misbehaved(
        f"{answer.asked}: The service answered {answer.status} without {what}.",
        hint="Check base_url and profile under [service].",
    )
