"""The service, as the rest of kbsync sees it: operations on articles and categories, in kbsync's own values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import UnsetType

from kbsync.errors import Denied, NotFound, ServerFailed
from kbsync.fields import SideEffects
from kbsync.model import Fields, Kind, Observed, RemoteId, Status
from kbsync.service import decoded, wire
from kbsync.service.answers import SHOWN_CHARS, check_status
from kbsync.service.api import ApiRequest
from kbsync.service.article_lister import MAX_PAGES, Filters, Lister, Page, reading
from kbsync.service.category_lister import CategoryLister, Counts, Expected
from kbsync.service.list_rows import observed_row
from kbsync.service.portal import Owner, Portal, PortalInfo, check_locales
from kbsync.service.profile import Profile
from kbsync.service.snapshot import Snapshot
from kbsync.service.transport import Answer, File, Transport
from kbsync.service.wire import path_part

NOTHING_EXPECTED = Expected()

NAMED_PORTALS = 10

LIST_THREADS = 4
"""More than about 4 connections gain nothing. Source: docs/service.md, section 10."""


@dataclass(slots=True)
class HttpService:
    """One portal of one service, spoken to over HTTP as a profile says. See `contract.py`.

    Every method raises a `ServiceError` that names the request and what came back.
    """

    profile: Profile
    transport: Transport
    account_id: int
    portal: str
    categories: dict[RemoteId, Observed] = field(default_factory=dict)
    _known: Snapshot = field(init=False, repr=False, default_factory=Snapshot)
    _listed: CategoryLister | None = field(init=False, repr=False, default=None)

    @property
    def base_url(self) -> str:
        """Where it is."""
        return self.transport.base_url

    @property
    def side_effects(self) -> SideEffects:
        """What a save changes along with what is sent."""
        return self.profile.side_effects

    @property
    def requests(self) -> int:
        """How many requests were sent so far."""
        return self.transport.requests

    @property
    def latency_s(self) -> float:
        """How long an answer takes, seconds."""
        return self.transport.latency_s

    def can(self, operation: str) -> bool:
        """Whether the profile has this operation."""
        return self.profile.can(operation)

    # --- looking ---------------------------------------------------------------------------------------------------

    def check_connection(self) -> None:
        """Ask the one thing that every service answers: the account's inboxes."""
        decoded.anything(self._ask("check"))

    def fetch_version(self) -> str:
        """What the service says it is, or ""."""
        return decoded.version(self._ask("version", public=True))

    def fetch_owner(self) -> Owner:
        """Whose token it is, and what that user is in this account."""
        return decoded.owner(self._ask("profile"), self.account_id)

    def fetch_portals(self) -> tuple[PortalInfo, ...]:
        """The account's portals."""
        return decoded.portals(self._ask("list_portals"))

    def fetch_portal(self) -> PortalInfo:
        """The portal itself, found in the list: an unknown slug there is an answer, a 500 is not.

        Source: docs/service.md, S15.

        Raises:
            NotFound: there is no such portal; the hint lists those that there are.
        """
        portals = self.fetch_portals()
        for portal in portals:
            if portal.slug == self.portal:
                return check_locales(portal)
        names = ", ".join(f"`{portal.slug[:SHOWN_CHARS]}`" for portal in portals[:NAMED_PORTALS]) or "none"
        names += f" and {len(portals) - NAMED_PORTALS:,} more" if len(portals) > NAMED_PORTALS else ""
        raise NotFound(
            f"Account {self.account_id} has no portal `{self.portal}`.",
            hint=f"Set [service] portal to one of: {names}." if names else "Create the portal in the panel first.",
        )

    def peek(self, locales: Iterable[str], expected: Expected = NOTHING_EXPECTED) -> dict[str, Page]:
        """Look at the categories, and at the first page of each locale's articles."""
        locales = tuple(locales)
        self.list_categories(locales, expected)
        return {locale: self._read_page({"locale": locale}, 1) for locale in locales}

    def observe(
        self,
        locales: Iterable[str],
        known: Snapshot,
        *,
        full: bool = False,
        peeked: Mapping[str, Page] | None = None,
        expected: Expected = NOTHING_EXPECTED,
    ) -> Portal:
        """Look at the whole portal.

        Args:
            locales: to list, one after the other; articles outside them are not seen.
            known: the last snapshot; it is brought up to date in place.
            full: read everything, whatever is known.
            peeked: what `peek` just saw of the same locales; it is not asked for again.
            expected: what is known of the categories.
        """
        locales = tuple(locales)
        listed = self._listed
        if peeked is None or listed is None:
            listed = self.list_categories(locales, replace(expected, seen=known.categories))
        self._known = known
        complete = True
        with reading(LIST_THREADS) as pool:
            for locale in locales:
                before = None if full else known.locales.get(locale)
                listing = self._lister(locale, pool).list(before, (peeked or {}).get(locale))
                known.locales[locale] = listing.found
                complete = complete and listing.complete
        found = [(locale, row) for locale in locales for row in known.locales[locale].rows.values()]
        listed.look_up(sorted({row.category_id for _, row in found if row.category_id is not None}, key=str))
        listed.look_up(expected.managed, surely=True)
        listed.probe(expected.wanted)
        known.categories = tuple(self.categories)
        originals = {linked: row.id for _, row in found if row.translations for linked in row.translations}
        articles = {row.id: observed_row(row, locale, self.categories, originals) for locale, row in found}
        return Portal(tuple(self.categories.values()), tuple(articles.values()), complete)

    def list_categories(self, locales: Iterable[str] = (), expected: Expected = NOTHING_EXPECTED) -> CategoryLister:
        """Look at the categories; whatever goes into one needs its id."""
        self._listed = listed = self._category_lister(expected.counts)
        listed.list(locales, (*expected.managed, *expected.seen))
        self.categories = listed.found
        return listed

    def show_article(self, remote_id: RemoteId, *, locale: str) -> Observed:
        """One article as it is now."""
        return self.read_article(remote_id, locale=locale)[0]

    def read_article(self, remote_id: RemoteId, *, locale: str) -> tuple[Observed, str | None]:
        """One article as it is now, and its text; None where the answer leaves that out."""
        article = decoded.article(self._ask("show_article", id=remote_id))
        content = article.content
        return self._observed(article, locale), None if isinstance(content, UnsetType) else content or ""

    def read_bodies(self, locale: str) -> Iterator[tuple[RemoteId, str]]:
        """The texts of a locale's articles, page by page: a list has them all (docs/service.md, section 4).

        The list is no snapshot: one may be missing, or there twice.
        """
        seen: set[RemoteId] = set()
        for number in range(1, MAX_PAGES + 1):
            answer = self._ask("list_articles", query={"locale": locale, "page": number})
            bodies = decoded.bodies(answer)
            if not bodies or bodies.keys() <= seen:
                return
            seen |= bodies.keys()
            yield from bodies.items()

    def show_category(self, remote_id: RemoteId, *, locale: str) -> Observed:
        """One category as it is now."""
        return self._category(self._ask("show_category", id=remote_id), locale)

    def find_category(self, slug: str, *, locale: str) -> Observed | None:
        """Look a category up; None where the portal has none of this slug in this locale.

        Where the list has several pages it may never show it (docs/service.md, S19); then its articles are
        asked, and its id.
        """
        lister = self._category_lister()
        found = lister.find((locale, slug), lambda: self._categories_by_articles(slug, locale))
        if found is not None:
            # The articles that go into it ask for its id.
            self.categories[found.remote_id] = found
        return found

    def category_id(self, slug: object, *, locale: str) -> RemoteId | None:
        """The id of a category of a locale; None where it does not exist."""
        found = (key for key, item in self.categories.items() if (item.locale, item.slug) == (locale, slug))
        return next(found, None)

    def find_article(self, slug: str, *, locale: str, thorough: bool = False) -> Observed | None:
        """Look an article up by its slug, drafts included; None where the portal has none.

        The public page answers for drafts and archived ones too (docs/service.md, S2). It cannot for a slug with a dot
        (docs/service.md, S21), answers 500 for one of another portal, and 401 under a host that it does not know
        (docs/service.md, section 9); then the list is read; and with `thorough` also where the page says that there is
        none. Under a reserved slug it shows something else (docs/service.md, S119).
        """
        if "." in slug or slug in self.profile.limits.reserved_slugs or not self.can("find_article"):
            return self._find_in_list(slug, locale)
        try:
            found = self._article(self._ask("find_article", slug=slug, public=True), locale=locale)
            return self.show_article(found.remote_id, locale=locale) if self.can("show_article") else found
        except NotFound:
            if not thorough or not self.can("list_articles"):
                return None
        except (ServerFailed, Denied) as exc:
            # Any other failure says nothing about the slug.
            if exc.status not in {401, 500} or not self.can("list_articles"):
                raise
        return self._find_in_list(slug, locale)

    def _find_in_list(self, slug: str, locale: str) -> Observed | None:
        with reading(LIST_THREADS) as pool:
            listing = self._lister(locale, pool).list(self._known.locales.get(locale))
        self._known.locales[locale] = listing.found
        row = next((row for row in listing.found.rows.values() if row.slug == slug), None)
        return observed_row(row, locale, self.categories, {}) if row else None

    def can_find(self, slug: str) -> bool:
        """Whether an article can be looked up by this slug. No article can have a reserved one."""
        if slug in self.profile.limits.reserved_slugs:
            return False
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
        """Create an article, explicitly as a draft; the answer, as the portal now holds it."""
        sent = {name: value for name, value in fields.items() if self.profile.keeps("article", name)}
        body = wire.article_body(sent, content=content, category_id=category_id, meta_before={})
        body |= {"status": self.profile.number_of(Status.DRAFT), "locale": locale}
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
        discard: bool = False,
    ) -> Observed:
        """Change some fields of an article, or its status; the answer, as the portal now holds it.

        `discard`: in the same request, the edit of a person that is pending in the panel.
        """
        body = wire.article_body(
            fields, content=content, category_id=category_id, meta_before=before.fields, discard=discard
        )
        if status is not None:
            body["status"] = self.profile.number_of(status)
        return self._article(self._ask("update_article", id=remote_id, body=body), locale=before.locale)

    def delete(self, kind: Kind, remote_id: RemoteId) -> None:
        """Delete an article or category. The answer's body is empty (docs/service.md, S17); gone already is as good."""
        try:
            self._ask(f"delete_{kind}", id=remote_id)
        except NotFound:
            return

    def upload(self, name: str, data: bytes, kind: str) -> str:
        """Upload a file; the address that it has from now on. Source: docs/service.md, section 5.

        The same file uploaded twice has two addresses, which cannot be listed or deleted.
        """
        return decoded.file_url(self._ask("upload", file=File("attachment", name, kind, data)))

    def send(self, request: ApiRequest) -> Answer:
        """Ask what a person worded, at the same pace and with the same token; whatever comes back is the answer."""
        return self.transport.send(
            request.method,
            request.path,
            body=request.body if request.file is None else None,
            query=request.query,
            public=request.is_public,
            file=request.file,
        )

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
        file: File | None = None,
    ) -> Answer:
        entry = self.profile.operation(operation)
        path = entry.path.format(
            account_id=self.account_id, portal=path_part(self.portal), id=path_part(str(id)), slug=path_part(slug)
        )
        return check_status(self.transport.send(entry.method, path, body=body, query=query, public=public, file=file))

    def _category_lister(self, counts: Counts | None = None) -> CategoryLister:
        return CategoryLister(self._read_category_page, self._count_categories, self._category_there, counts)

    def _read_category_page(self, filters: Mapping[str, str], number: int) -> list[Observed]:
        return decoded.categories(self._ask("list_categories", query={**filters, "page": number}))

    def _count_categories(self) -> Counts | None:
        portals = self.fetch_portals() if self.can("list_portals") else ()
        return next((portal.categories for portal in portals if portal.slug == self.portal), None)

    def _category_there(self, remote_id: RemoteId) -> Observed | None:
        if not self.can("show_category"):
            return None
        try:
            return self.show_category(remote_id, locale="")
        except NotFound:
            return None

    def _categories_by_articles(self, slug: str, locale: str) -> Iterable[RemoteId]:
        """Ids of the categories of this slug that an article is in."""
        if not self.can("list_articles"):
            return ()
        rows = self._read_page({"locale": locale, "category_slug": slug}, 1).rows
        return {row.category_id for row in rows if row.category_id is not None}

    def _lister(self, locale: str, pool: ThreadPoolExecutor) -> Lister:
        by_status = [{"status": number} for number in self.profile.status.values()]
        slugs = sorted(item.slug for item in self.categories.values() if item.locale == locale)
        by_category = [{"category_slug": slug} for slug in slugs]
        return Lister(self._read_page, locale, pool, (*by_category, *by_status))

    def _read_page(self, filters: Filters, number: int) -> Page:
        return decoded.articles(self._ask("list_articles", query={**filters, "page": number}), self.profile)

    def _observed(self, article: wire.WireArticle, locale: str) -> Observed:
        return wire.observed_article(article, self.profile, locale=locale, categories=self.categories)

    def _article(self, answer: Answer, *, locale: str) -> Observed:
        return self._observed(decoded.article(answer), locale)

    def _category(self, answer: Answer, locale: str) -> Observed:
        category = decoded.category(answer, locale)
        self.categories[category.remote_id] = category
        return category
