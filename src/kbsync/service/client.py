"""The service, as the rest of kbsync sees it: operations on articles and categories, in kbsync's own values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from kbsync.errors import Misbehaved, NotFound, ServerFailed
from kbsync.model import STATUSES, Fields, Kind, Observed, RemoteId, Status, Value
from kbsync.service import wire
from kbsync.service.answers import check_status, decode
from kbsync.service.listing import Page, list_locale
from kbsync.service.profile import Profile
from kbsync.service.snapshot import Row, Snapshot
from kbsync.service.transport import Answer, Transport

LIST_THREADS = 4
"""More than about 4 connections gain nothing. Source: observed.md, "Speed here"."""

MAX_CATEGORY_PAGES = 1000

EMPTY_FIELDS: dict[str, Any] = {
    "title": "",
    "content": "",
    "description": "",
    "position": None,
    "author": None,
    "tags": (),
    "meta_title": "",
    "meta_description": "",
}
"""What a row of a list holds where the service leaves a field out."""


@dataclass(frozen=True, slots=True)
class PortalInfo:
    """A portal as the service describes it."""

    slug: str
    name: str
    locales: tuple[str, ...]
    archived: bool


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose token it is. `role` is "" where the service does not say."""

    id: RemoteId
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class Portal:
    """Everything on the portal, as observed. `complete` is False where the list did not add up to its own count."""

    categories: tuple[Observed, ...] = ()
    articles: tuple[Observed, ...] = ()
    complete: bool = True


@dataclass(slots=True)
class Service:
    """One portal of one service, spoken to as a profile says.

    Every method raises a `ServiceError` that names the request and what came back.
    """

    profile: Profile
    transport: Transport
    account_id: int
    portal: str
    categories: dict[RemoteId, Observed] = field(default_factory=dict)

    def can(self, operation: str) -> bool:
        """Whether the profile has this operation."""
        return self.profile.can(operation)

    # --- looking ---------------------------------------------------------------------------------------------------

    def check_connection(self) -> None:
        """Ask the one thing that every service answers: the account's inboxes."""
        decode(self._ask("check"), dict[str, Any] | list[Any])

    def fetch_version(self) -> str:
        """What the service says it is, or ""."""
        found: wire.WireVersion = decode(self._ask("version", public=True), wire.WireVersion)
        return found.version

    def fetch_owner(self) -> Owner:
        """Whose token it is, and what that user is in this account."""
        found: wire.WireOwner = decode(self._ask("profile"), wire.WireOwner)
        role = next((a.role for a in found.accounts if wire.as_id(a.id) == self.account_id and a.role), found.role)
        return Owner(wire.as_id(found.id), found.name or "", role or "")

    def fetch_portals(self) -> tuple[PortalInfo, ...]:
        """The account's portals."""
        answer = self._ask("list_portals")
        page = decode(answer, wire.PortalPage | list[wire.WirePortal])
        portals = page.payload if isinstance(page, wire.PortalPage) else page
        return tuple(_portal_info(portal) for portal in portals)

    def fetch_portal(self) -> PortalInfo:
        """The portal itself, found in the list: an unknown slug there is an answer, a 500 is none (surprise 15).

        Raises:
            NotFound: there is no such portal; the hint lists those that there are.
        """
        portals = self.fetch_portals()
        for portal in portals:
            if portal.slug == self.portal:
                return portal
        names = ", ".join(f"`{portal.slug}`" for portal in portals) or "none"
        raise NotFound(
            f"the account {self.account_id} has no portal `{self.portal}`",
            hint=f"set [service] portal to one of: {names}",
        )

    def observe(self, locales: Iterable[str], known: Snapshot, *, full: bool = False) -> Portal:
        """Look at the whole portal.

        Args:
            locales: to list, one after the other; articles outside them are not seen.
            known: the last snapshot; it is brought up to date in place.
            full: read everything, whatever is known.
        """
        self.categories = {category.remote_id: category for category in self._list_categories()}
        articles: dict[RemoteId, Observed] = {}
        complete = True
        with ThreadPoolExecutor(LIST_THREADS) as pool:
            for locale in locales:
                before = None if full else known.locales.get(locale)
                listing = list_locale(self._read_page, locale, before, pool=pool)
                known.locales[locale] = listing.found
                complete = complete and listing.complete
                articles |= {row.id: self._from_row(row, locale) for row in listing.found.rows.values()}
        return Portal(tuple(self.categories.values()), tuple(articles.values()), complete)

    def show_article(self, remote_id: RemoteId, *, locale: str) -> Observed:
        """One article as it is now."""
        return self._article(self._ask("show_article", id=remote_id), locale=locale)

    def show_category(self, remote_id: RemoteId, *, locale: str) -> Observed:
        """One category as it is now."""
        return self._category(self._ask("show_category", id=remote_id), locale)

    def find_category(self, slug: str, *, locale: str) -> Observed | None:
        """Look a category up; None where the portal has none of this slug in this locale."""
        found = (item for item in self._list_categories() if (item.locale, item.slug) == (locale, slug))
        return next(found, None)

    def category_id(self, slug: object, *, locale: str) -> RemoteId | None:
        """The id of a category of a locale; None where there is none such."""
        found = (key for key, item in self.categories.items() if (item.locale, item.slug) == (locale, slug))
        return next(found, None)

    def find_article(self, slug: str, *, locale: str) -> Observed | None:
        """Look an article up by its slug, drafts included; None where the portal has none.

        The public page answers for drafts and archived ones too (surprise 2). It cannot for a slug with a dot
        (surprise 21), and answers 500 for one of another portal; then the newest pages of the list are read.
        """
        if "." not in slug and self.can("find_article"):
            try:
                answer = self._ask("find_article", slug=slug, public=True)
            except (NotFound, ServerFailed):
                return None
            found = self._article(answer, locale=locale)
            return self.show_article(found.remote_id, locale=locale) if self.can("show_article") else found
        return self._find_in_list(slug, locale)

    def _find_in_list(self, slug: str, locale: str) -> Observed | None:
        with ThreadPoolExecutor(LIST_THREADS) as pool:
            listing = list_locale(self._read_page, locale, None, pool=pool)
        row = next((row for row in listing.found.rows.values() if row.slug == slug), None)
        return self._from_row(row, locale) if row else None

    def can_find(self, slug: str) -> bool:
        """Whether an article can be looked up by this slug."""
        return self.can("list_articles") or (self.can("find_article") and "." not in slug)

    # --- changing --------------------------------------------------------------------------------------------------

    def create_category(self, fields: Fields, *, locale: str) -> Observed:
        """Make a category; the answer, as the portal now holds it."""
        sent = {name: value for name, value in fields.items() if self.profile.keeps("category", name)}
        answer = self._ask("create_category", body={**sent, "locale": locale})
        return self._category(answer, locale)

    def update_category(self, remote_id: RemoteId, fields: Fields, *, locale: str) -> Observed:
        """Change some fields of a category; the answer, as the portal now holds it."""
        return self._category(self._ask("update_category", id=remote_id, body=dict(fields)), locale)

    def create_article(self, fields: Fields, *, content: str, locale: str, category_id: RemoteId | None) -> Observed:
        """Make an article, as a draft, said explicitly; the answer, as the portal now holds it."""
        sent = {name: value for name, value in fields.items() if self.profile.keeps("article", name)}
        body = wire.article_body(sent, content=content, category_id=category_id, meta_before={})
        body |= {"status": wire.status_number(self.profile, Status.DRAFT), "locale": locale}
        return self._article(self._ask("create_article", body=body), locale=locale)

    def update_article(
        self,
        remote_id: RemoteId,
        fields: Fields,
        *,
        before: Observed,
        content: str | None,
        category_id: RemoteId | None,
        status: Status | None = None,
    ) -> Observed:
        """Change some fields of an article, or its status; the answer, as the portal now holds it."""
        body = wire.article_body(fields, content=content, category_id=category_id, meta_before=before.fields)
        if status is not None:
            body["status"] = wire.status_number(self.profile, status)
        return self._article(self._ask("update_article", id=remote_id, body=body), locale=before.locale)

    def delete(self, kind: Kind, remote_id: RemoteId) -> None:
        """Delete an article or category. The answer's body is empty (surprise 17); gone already is as good."""
        try:
            self._ask(f"delete_{kind}", id=remote_id)
        except NotFound:
            return

    # --- asking ----------------------------------------------------------------------------------------------------

    def _ask(
        self,
        operation: str,
        *,
        id: RemoteId | None = None,
        slug: str = "",
        public: bool = False,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
    ) -> Answer:
        entry = self.profile.operations[operation]
        path = entry.path.format(
            account_id=self.account_id, portal=quote(self.portal, safe=""), id=id, slug=quote(slug, safe="")
        )
        return check_status(self.transport.send(entry.method, path, body=body, query=query, public=public))

    def _list_categories(self) -> Iterable[Observed]:
        """Every category. A page's size is what the answer has, whatever the version (surprise 19)."""
        found: dict[RemoteId, Observed] = {}
        for number in range(1, MAX_CATEGORY_PAGES):
            answer = self._ask("list_categories", query={"page": number})
            page = decode(answer, wire.CategoryPage | list[wire.WireCategory])
            rows = page.payload if isinstance(page, wire.CategoryPage) else page
            before = len(found)
            for row in rows:
                category = wire.observed_category(row)
                found[category.remote_id] = category
            if len(found) == before:
                break
        return found.values()

    def _read_page(self, locale: str, number: int) -> Page:
        answer = self._ask("list_articles", query={"locale": locale, "page": number})
        page = decode(answer, wire.ArticlePage | list[wire.WireArticle])
        articles = page.payload if isinstance(page, wire.ArticlePage) else page
        count = page.meta.articles_count if isinstance(page, wire.ArticlePage) else None
        return Page(tuple(self._row(article) for article in articles), count, answer.server_time_s)

    def _row(self, article: wire.WireArticle) -> Row:
        seen = self._observed(article, "")
        fields: dict[str, Any] = EMPTY_FIELDS | dict(seen.fields)
        status = seen.status.value if seen.status else None
        return Row(
            seen.remote_id,
            seen.updated_at,
            seen.slug,
            fields["title"],
            fields["content"],
            fields["description"],
            wire.category_id_of(article),
            fields["position"],
            fields["author"],
            fields["tags"],
            fields["meta_title"],
            fields["meta_description"],
            status,
        )

    def _from_row(self, row: Row, locale: str) -> Observed:
        category = self.categories.get(row.category_id) if row.category_id is not None else None
        fields: dict[str, Value] = {
            "slug": row.slug,
            "title": row.title,
            "content": row.content,
            "description": row.description,
            "category": category.slug if category else None,
            "position": row.position,
            "author": row.author,
            "tags": row.tags,
            "meta_title": row.meta_title,
            "meta_description": row.meta_description,
        }
        status = STATUSES.get(row.status)
        return Observed("article", row.id, locale, row.slug, fields, status, row.updated_at)

    def _observed(self, article: wire.WireArticle, locale: str) -> Observed:
        return wire.observed_article(article, self.profile, locale=locale, categories=self.categories)

    def _article(self, answer: Answer, *, locale: str) -> Observed:
        found: wire.ArticleAnswer = decode(answer, wire.ArticleAnswer)
        article = found.payload or found
        if article.id is None:
            raise _without_id(answer)
        return self._observed(article, locale)

    def _category(self, answer: Answer, locale: str) -> Observed:
        found: wire.CategoryAnswer = decode(answer, wire.CategoryAnswer)
        category = wire.observed_category(found.payload or found, locale=locale)
        if not category.remote_id:
            raise _without_id(answer)
        self.categories[category.remote_id] = category
        return category


def _portal_info(portal: wire.WirePortal) -> PortalInfo:
    return PortalInfo(portal.slug, portal.name or portal.slug, portal.locales, bool(portal.archived))


def _without_id(answer: Answer) -> Misbehaved:
    return Misbehaved(
        f"{answer.asked}: {answer.status}, but the answer has no id in it", hint="check [service] base_url and profile"
    )
