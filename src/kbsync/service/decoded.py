"""What a successful answer holds: its JSON decoded, an id in it, in kbsync's own values. One function a shape.

Also: an article in a list, and in a snapshot: the service's JSON to a row, and a row to what is observed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from kbsync.errors import Misbehaved
from kbsync.fields import FIELDS
from kbsync.markdown.own_pages import NO_PAGES, OwnPages
from kbsync.model import NO_FIELDS, STATUSES, Observed, RemoteId, Value
from kbsync.service import wire
from kbsync.service.answers import SHOWN_CHARS, decode
from kbsync.service.article_lister import Page
from kbsync.service.exchange import Answer
from kbsync.service.portal import Owner, PortalInfo, portal_info
from kbsync.service.profile import Profile
from kbsync.service.snapshot import Row

LISTED = tuple(
    (field.name, field.type.value)
    for field in FIELDS
    if "article" in field.of and field.name not in {"slug", "category"}
)
"""The fields whose values a row holds, in this order, and what each is where the service leaves it out."""

NAMES = tuple(name for name, _ in LISTED)


def row_of(article: wire.WireArticle, profile: Profile, own: OwnPages = NO_PAGES) -> Row:
    """The row of an article in a list."""
    seen = wire.observed_article(article, profile, locale="", categories={}, own=own)
    return Row(
        seen.remote_id,
        seen.updated_at,
        seen.slug,
        wire.category_id_of(article),
        seen.status.value if seen.status else seen.unknown_status or None,
        tuple(seen.fields.get(name, empty) for name, empty in LISTED),
        wire.translations_of(article),
        seen.images,
        seen.outline,
        tuple(seen.staged.items()),
        seen.stages,
        seen.by_path,
    )


def observed_row(
    row: Row,
    locale: str,
    categories: Mapping[RemoteId, Observed],
    originals: Mapping[RemoteId, RemoteId],
) -> Observed:
    """The article of a row. Its category is the one of now: it may have another slug since, or be gone.

    `originals` has the id of the article that this one is a translation of; without one, it is unknown.
    """
    category = categories.get(row.category_id) if row.category_id is not None else None
    fields: dict[str, Value] = dict(zip(NAMES, row.values, strict=True))
    fields |= {"slug": row.slug, "category": category.slug if category else None}
    if originals and row.id in originals:
        fields["translation_of"] = originals[row.id]
    return Observed(
        kind="article",
        remote_id=row.id,
        locale=locale,
        slug=str(fields["slug"]),
        fields=fields,
        status=(status := STATUSES.get(row.status)),
        unknown_status="" if status else row.status or "",
        updated_at=row.updated_at,
        images=row.images,
        outline=row.outline,
        staged=dict(row.staged) if row.staged else NO_FIELDS,
        stages=row.stages,
        by_path=row.by_path,
    )


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
