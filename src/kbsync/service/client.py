"""The service, as the rest of kbsync sees it: operations on articles and categories, in kbsync's own values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from msgspec import UnsetType

from kbsync.errors import Denied, NotFound, ServerFailed, ServiceError
from kbsync.fields import SideEffects
from kbsync.markdown.versions import Version
from kbsync.model import Fields, Kind, Observed, RemoteId, Status
from kbsync.service import decoded, wire
from kbsync.service.answers import SHOWN_CHARS, check_status
from kbsync.service.api import ApiRequest
from kbsync.service.article_lister import MAX_PAGES, Filters, Lister, Page, reading
from kbsync.service.category_lister import CategoryLister, Counts, Expected
from kbsync.service.facts import Facts
from kbsync.service.list_rows import observed_row
from kbsync.service.owners import Owners
from kbsync.service.portal import Owner, Portal, PortalInfo, check_locales
from kbsync.service.portal_fields import observed_portal, portal_body
from kbsync.service.profile import Profile
from kbsync.service.snapshot import Snapshot
from kbsync.service.transport import Answer, File, Transport
from kbsync.service.wire import path_part

NOTHING_EXPECTED = Expected()

NOT_MODIFIED = 304

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
    version: str = ""
    categories: dict[RemoteId, Observed] = field(default_factory=dict)
    _known: Snapshot = field(init=False, repr=False, default_factory=Snapshot)
    _listed: CategoryLister | None = field(init=False, repr=False, default=None)
    _owners: Owners = field(init=False, repr=False)
    _read: dict[str, Collection[RemoteId]] = field(init=False, repr=False, default_factory=dict)
    _told: str | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        self._owners = Owners(self._public_status)

    @property
    def base_url(self) -> str:
        """Where it is."""
        return self.transport.base_url

    @property
    def side_effects(self) -> SideEffects:
        """What a save changes along with what is sent."""
        return self.profile.side_effects

    @property
    def facts(self) -> Facts:
        """What is so in the service's version."""
        return self.profile.facts

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
        """The version that the service says it has; "" where it does not tell, or something in between answers.

        It is asked once, whatever it answers: one that hangs is not waited for twice.
        """
        if self._told is None:
            try:
                self._told = decoded.version(self._ask("version", public=True)) if self.can("version") else ""
            except ServiceError:
                # Everything else can still be done: as the newest version does it.
                self._told = ""
        return self._told

    def use_version(self, version: str) -> None:
        """Take the service for one of this version; for the newest known one where that is ""."""
        self.version = version
        self.profile = self.profile.at(Version.or_newest(version))

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
        # What is asked for in full is not taken from any page that was kept.
        self._known = Snapshot() if full else known
        complete = self._list_articles(locales, known, peeked or {}, full=full)
        self._known = known
        found = [(locale, row) for locale in locales for row in known.locales[locale].rows.values()]
        listed.look_up(sorted({row.category_id for _, row in found if row.category_id is not None}, key=str))
        listed.look_up(expected.managed, surely=True)
        listed.probe(expected.wanted)
        known.categories = tuple(self.categories)
        originals = {linked: row.id for _, row in found if row.translations for linked in row.translations}
        articles = {row.id: observed_row(row, locale, self.categories, originals) for locale, row in found}
        return Portal(tuple(self.categories.values()), tuple(articles.values()), complete)

    def look_again(self, known: Snapshot, categories: Iterable[tuple[str, str]]) -> bool:
        """Read some categories whole, where that was not done just now; whether they are as in the snapshot.

        Args:
            known: the snapshot that was just brought up to date; what is read goes into it.
            categories: by locale and slug.
        """
        same = True
        with reading(LIST_THREADS) as pool:
            for locale, slug in categories:
                found = known.locales[locale]
                before, category_id = found.rows, self.category_id(slug, locale=locale)
                if category_id is None:
                    continue
                here = {row.id for row in before.values() if row.category_id == category_id}
                if not here.issubset(self._read.get(locale, ())):
                    rows = self._lister(locale, pool).read_category(slug)
                    same = same and all(before.get(id) == row for id, row in rows.items()) and here <= rows.keys()
                    found = msgspec.structs.replace(found, rows=before | rows)
                    known.locales[locale] = found.without_tags_of(before)
        return same

    def _list_articles(
        self, locales: Iterable[str], known: Snapshot, peeked: Mapping[str, Page], *, full: bool
    ) -> bool:
        """Bring the articles of each locale up to date; whether the lists were complete.

        The version is asked for beside them, so that nobody waits for it; where nothing moved, the last one counts.
        """
        complete = True
        with reading(LIST_THREADS) as pool:
            asked = None if self.version or known.version else pool.submit(self.fetch_version)
            for locale in locales:
                before = None if full else known.locales.get(locale)
                listing = self._lister(locale, pool).list(before, peeked.get(locale))
                if not (self.version or asked) and (before is None or listing.found.rows != before.rows):
                    asked = pool.submit(self.fetch_version)
                known.locales[locale], self._read[locale] = listing.found, listing.read
                complete = complete and listing.complete
            self.use_version(self.version or (asked.result() if asked else "") or known.version)
        return complete

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
        return self.read_staged(remote_id, locale=locale)[:2]

    def read_staged(self, remote_id: RemoteId, *, locale: str) -> tuple[Observed, str | None, str | None]:
        """The same, and the text of an edit that is pending in the panel; None where there is none."""
        article = decoded.article(self._ask("show_article", id=remote_id))
        content, staged = article.content, article.draft_content
        text = None if isinstance(content, UnsetType) else content or ""
        return self._observed(article, locale), text, None if isinstance(staged, UnsetType) else staged

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

    def show_portal(self) -> Observed:
        """The portal itself as it is now."""
        return observed_portal(decoded.portal(self._ask("show_portal")))

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
        if not self._has_public_page(slug):
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

    def slugs_elsewhere(self, slugs: Collection[str]) -> frozenset[str]:
        """Those of the slugs that another portal of the installation has, as far as the public site shows it."""
        asked = [slug for slug in slugs if self._has_public_page(slug)]
        with reading(LIST_THREADS) as pool:
            return self._owners.elsewhere(asked, pool)

    def is_elsewhere(self, slug: str) -> bool:
        """Whether another portal has a slug with which a create or an update was just refused."""
        return self._has_public_page(slug) and self._owners.is_elsewhere(slug)

    def _has_public_page(self, slug: str) -> bool:
        """Whether the public page of a slug is an article's (docs/service.md, S21 and S119)."""
        return "." not in slug and slug not in self.profile.limits.reserved_slugs and self.can("find_article")

    def _public_status(self, slug: str, repeat: bool) -> int:
        entry = self.profile.operation("find_article")
        path = entry.path.format(portal=path_part(self.portal), slug=path_part(slug))
        return self.transport.send(entry.method, path, public=True, repeat=repeat).status

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
        try:
            answer = self._ask("create_category", body={**wire.category_body(sent), "locale": locale})
        except NotFound as exc:
            # Only the portal can be missing; before 4.16 that is a 500 (docs/service.md, S15 and S132).
            raise NotFound(
                f"{exc.message.removesuffix('.')}. Account {self.account_id} seems to have no portal `{self.portal}`.",
                hint="Check account_id and portal under [service]. `kbsync check` names the portals that there are.",
                status=exc.status,
            ) from exc
        return self._category(answer, locale)

    def update_category(self, remote_id: RemoteId, fields: Fields, *, locale: str) -> Observed:
        """Change some fields of a category; the answer, as the portal now holds it."""
        return self._category(self._ask("update_category", id=remote_id, body=wire.category_body(fields)), locale)

    def update_portal(self, fields: Fields) -> Observed:
        """Change some settings of the portal; the answer, as it now is.

        What is in the same key of its config and not among these is asked for right before and sent along
        (docs/service.md, S133).
        """
        now = decoded.portal(self._ask("show_portal"))
        return observed_portal(decoded.portal(self._ask("update_portal", body=portal_body(fields, now))))

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
        draft_content: str | None = None,
    ) -> Observed:
        """Change some fields of an article, or its status; the answer, as the portal now holds it.

        `draft_content` is the text behind that field, as `content` is.
        """
        body = wire.article_body(
            fields,
            content=content,
            category_id=category_id,
            meta_before=before.fields,
            draft_content=draft_content,
        )
        if status is not None:
            body["status"] = self.profile.number_of(status)
        return self._article(self._ask("update_article", id=remote_id, body=body), locale=before.locale)

    def update_statuses(self, remote_ids: Sequence[RemoteId], status: Status) -> None:
        """Change the status of several articles: of all or, if one is invalid, of none (docs/service.md, S129).

        Ids that are not there are left out without a word, and the answer is empty: who asks has to look.

        Raises:
            NotFound: the service is older than 4.16 and has no such request.
        """
        self._ask("bulk_status", body={"ids": list(remote_ids), "status": status.value})

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
        etag: str = "",
    ) -> Answer:
        entry = self.profile.operation(operation)
        path = entry.path.format(
            account_id=self.account_id, portal=path_part(self.portal), id=path_part(str(id)), slug=path_part(slug)
        )
        answer = self.transport.send(entry.method, path, body=body, query=query, public=public, file=file, etag=etag)
        return answer if etag and answer.status == NOT_MODIFIED else check_status(answer)

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
        total = sum(len(found.rows) for found in self._known.locales.values())
        by_id = {id: item.slug for id, item in self.categories.items() if item.locale == locale}
        return Lister(self._read_page, locale, pool, (*by_category, *by_status), by_id, total)

    def _read_page(self, filters: Filters, number: int) -> Page:
        known = self._known.locales.get(str(filters["locale"])) if len(filters) == 1 else None
        tag = known.tag_of(number) if known else None
        answer = self._ask("list_articles", query={**filters, "page": number}, etag=tag.etag if tag else "")
        if tag is not None and known is not None and answer.status == NOT_MODIFIED:
            return Page(tuple(known.rows[id] for id in tag.ids), tag.count, answer.server_time_s, tag.etag)
        return decoded.articles(answer, self.profile)

    def _observed(self, article: wire.WireArticle, locale: str) -> Observed:
        return wire.observed_article(article, self.profile, locale=locale, categories=self.categories)

    def _article(self, answer: Answer, *, locale: str) -> Observed:
        return self._observed(decoded.article(answer), locale)

    def _category(self, answer: Answer, locale: str) -> Observed:
        category = decoded.category(answer, locale)
        self.categories[category.remote_id] = category
        return category
