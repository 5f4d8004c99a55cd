"""What is on a portal, as lists show it: its categories, and the articles of each locale."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, count
from threading import Lock
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from kbsync.errors import Denied, NotFound
from kbsync.model import Observed, RemoteId
from kbsync.service import decoded, wire
from kbsync.service.article_lister import MAX_PAGES, Filters, Lister, Listing, Page, find_hidden
from kbsync.service.category_lister import CategoryLister, Counts, Expected, holes
from kbsync.service.decoded import NAMES, observed_row, row_of
from kbsync.service.endpoint import NOT_MODIFIED, Endpoint
from kbsync.service.pace import request_threads
from kbsync.service.portal import PortalInfo
from kbsync.service.snapshot import LocaleRows, Row, Snapshot
from kbsync.service.transport import Answer

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

NOTHING_EXPECTED = Expected()
NOTHING_KNOWN: Mapping[str, LocaleRows] = {}

MOST_AUTHORS = 10_000
"""Names of authors that are kept; no account has as many people, and memory has an end."""

POSITION = NAMES.index("position")

LIST_THREADS = 4
"""More than about 4 connections gain nothing. Source: docs/service.md, section 10."""


class PortalReader(msgspec.Struct, eq=False):
    """Reads a portal, from what was seen of it before where that is enough.

    `categories` are those that were seen, by id.
    """

    endpoint: Endpoint
    categories: dict[RemoteId, Observed] = msgspec.field(default_factory=dict)
    _kept: Snapshot = msgspec.field(default_factory=Snapshot)
    _listed: CategoryLister | None = None
    _read: dict[str, Collection[RemoteId]] = msgspec.field(default_factory=dict)
    _views: dict[RemoteId, int] = msgspec.field(default_factory=dict)
    _authors: dict[RemoteId, str] = msgspec.field(default_factory=dict)
    _originals: dict[RemoteId, RemoteId] = msgspec.field(default_factory=dict)
    _as_listed: set[RemoteId] = msgspec.field(default_factory=set)
    _written: dict[str, dict[RemoteId, Row]] = msgspec.field(default_factory=dict)
    _looks: Iterator[int] = msgspec.field(default_factory=count)
    _last_look: dict[str, int] = msgspec.field(default_factory=dict)
    _looks_lock: Lock = msgspec.field(default_factory=Lock)

    def fetch_portals(self) -> tuple[PortalInfo, ...]:
        """The account's portals."""
        found = decoded.portals(self.endpoint.ask("list_portals"))
        self.endpoint.domain = next((one.domain for one in found if one.slug == self.endpoint.portal), "")
        return found

    def peek(
        self,
        locales: Iterable[str],
        expected: Expected = NOTHING_EXPECTED,
        known: Mapping[str, LocaleRows] = NOTHING_KNOWN,
    ) -> dict[str, Page]:
        """Look at the categories, and at the first page of each locale's articles.

        Args:
            locales: whose articles.
            expected: what is known of the categories.
            known: by locale, the rows of the first page as it was, and its tag: a page that is still the same comes
                without its rows.
        """
        locales = tuple(locales)
        self.list_categories(locales, expected)
        return {locale: self._ask_page({"locale": locale}, 1, known.get(locale)) for locale in locales}

    def observed(self, locales: Iterable[str]) -> tuple[Observed, ...]:
        """The articles of the snapshot that was brought up to date last, in the locales that were listed."""
        articles = {
            row.id: observed_row(row, locale, self.categories, self._originals)
            for locale in locales
            for row in self._kept.locales[locale].rows.values()
        }
        return tuple(articles.values())

    def update(
        self,
        locales: Iterable[str],
        known: Snapshot,
        *,
        full: bool = False,
        peeked: Mapping[str, Page] | None = None,
        expected: Expected = NOTHING_EXPECTED,
        max_age_s: int = 0,
    ) -> bool:
        """Look at the whole portal and bring a snapshot up to date in place; whether the lists were complete.

        Args:
            locales: to list, one after the other; articles outside them are not seen.
            known: the last snapshot.
            full: read everything, whatever is known.
            peeked: what `peek` just saw of the same locales; it is not asked for again.
            expected: what is known of the categories.
            max_age_s: how long ago all its rows may have been read, where that is longer than for people who read.
        """
        locales = tuple(locales)
        listed = self._listed
        if peeked is None or listed is None:
            listed = self.list_categories(locales, replace(expected, seen=known.categories))
        # What is asked for in full is not taken from any page that was kept.
        self._kept = Snapshot() if full else known
        complete = self._list_articles(locales, known, peeked or {}, full=full, max_age_s=max_age_s)
        self._kept = known
        found = [row for locale in locales for row in known.locales[locale].rows.values()]
        listed.look_up(sorted({row.category_id for row in found if row.category_id is not None}, key=str))
        listed.look_up(expected.managed, surely=True)
        listed.probe(expected.wanted)
        known.categories = tuple(self.categories)
        listed_ids = {row.id for row in found}
        known.views = {id: number for id, number in (known.views | self._views).items() if id in listed_ids}
        known.authors |= self._authors
        self._originals = {linked: row.id for row in found if row.translations for linked in row.translations}
        return complete

    @property
    def snapshot(self) -> Snapshot:
        """The one that was brought up to date last. Changes of it are seen by all who have it."""
        return self._kept

    def look_again(self, known: Snapshot, categories: Iterable[tuple[str, str]]) -> bool:
        """Read some categories whole, where that was not done just now; whether they are as in the snapshot.

        Args:
            known: the snapshot that was just brought up to date; what is read goes into it.
            categories: by locale and slug.
        """
        same = True
        with request_threads(LIST_THREADS, "list") as pool:
            for locale, slug in categories:
                found = known.locales[locale]
                before, category_id = found.rows, self.category_id(slug, locale=locale)
                if category_id is None:
                    continue
                here = {row.id for row in before.values() if row.category_id == category_id}
                if not here.issubset(self._read.get(locale, ())):
                    rows = self._lister(locale, pool).read_category(slug)
                    same = same and all(before.get(id) == row for id, row in rows.items()) and here <= rows.keys()
                    found = replace(found, rows=before | rows)
                    known.locales[locale] = found.without_tags_of(before)
        return same

    def note_look(self, article: wire.WireArticle, locale: str) -> None:
        """Note whether an article that may be written next is as it was listed, to the last field."""
        row = self._row_of(wire.as_id(article.id), locale)
        if row is not None and row == row_of(article, self.endpoint.profile, self.endpoint.own):
            self._as_listed.add(row.id)
        elif row is not None:
            self._as_listed.discard(row.id)

    def note_write(self, article: wire.WireArticle, locale: str) -> None:
        """Note the answer to a write of an article that was as listed right before, and has the same place after it.

        A row that moved may have been dragged, and then its whole category is read again (docs/service.md, S124). Of
        this one the write is all that moved it.
        """
        row = self._row_of(wire.as_id(article.id), locale)
        if row is not None and row.id in self._as_listed:
            now = row_of(article, self.endpoint.profile, self.endpoint.own)
            if (row.category_id, row.values[POSITION]) == (now.category_id, now.values[POSITION]):
                self._written.setdefault(locale, {})[row.id] = now

    def keep_written(self) -> Snapshot | None:
        """Put what was written into the snapshot, so that the next listing knows it; None where there is nothing."""
        written, self._written = self._written, {}
        if not written:
            return None
        known = self._kept
        for locale, rows in written.items():
            before = known.locales[locale]
            known.locales[locale] = replace(before, rows=before.rows | rows).without_tags_of(before.rows)
        return known

    def _row_of(self, remote_id: RemoteId, locale: str) -> Row | None:
        """The row of an article as it was listed, or written since."""
        listed, written = self._kept.locales.get(locale), self._written.get(locale, {})
        return written.get(remote_id) or (listed.rows.get(remote_id) if listed is not None else None)

    def list_categories(self, locales: Iterable[str] = (), expected: Expected = NOTHING_EXPECTED) -> CategoryLister:
        """Look at the categories; whatever goes into one needs its id."""
        self._listed = listed = self._category_lister(expected.counts)
        listed.list(locales, (*expected.managed, *expected.seen))
        self.categories = listed.found
        return listed

    def read_bodies(self, locale: str) -> Iterator[tuple[RemoteId, str]]:
        """The texts of a locale's articles, page by page: a list has them all (docs/service.md, section 4).

        The list is no snapshot: one may be missing, or there twice.
        """
        seen: set[RemoteId] = set()
        for number in range(1, MAX_PAGES + 1):
            answer = self.endpoint.ask("list_articles", query={"locale": locale, "page": number})
            bodies = decoded.bodies(answer)
            if not bodies or bodies.keys() <= seen:
                return
            seen |= bodies.keys()
            yield from bodies.items()

    def show_category(self, remote_id: RemoteId, *, locale: str) -> Observed:
        """One category as it is now."""
        return self.take_category(self.endpoint.ask("show_category", id=remote_id), locale)

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
        # A copy: another thread of a push may come to know one more meanwhile.
        known = self.categories.copy().items()
        return next((key for key, item in known if item.slug == slug and item.locale == locale), None)

    def find_in_list(self, slug: str, locale: str) -> Observed | None:
        """Look an article up in the list of its locale."""
        look = next(self._looks)
        with request_threads(LIST_THREADS, "list") as pool:
            listing = self._lister(locale, pool).list(self._kept.locales.get(locale))
        with self._looks_lock:
            # Of two threads, the one that looked first may be done last.
            if look > self._last_look.get(locale, -1):
                self._last_look[locale] = look
                self._kept.locales[locale] = listing.found
                # What it shows of an article that was written is that, or somebody's edit of it since.
                self._written.pop(locale, None)
        row = next((row for row in listing.found.rows.values() if row.slug == slug), None)
        return observed_row(row, locale, self.categories, {}) if row else None

    def take_category(self, answer: Answer, locale: str) -> Observed:
        """The category of an answer, which is known from now on."""
        category = decoded.category(answer, locale)
        self.categories[category.remote_id] = category
        return category

    def _list_articles(
        self, locales: Iterable[str], known: Snapshot, peeked: Mapping[str, Page], *, full: bool, max_age_s: int
    ) -> bool:
        """Bring the articles of each locale up to date; whether the lists were complete.

        The version is asked for beside them, so that nobody waits for it; where nothing moved, the last one counts.
        """
        short: dict[str, Listing] = {}
        seen_before: set[RemoteId] = set()
        complete = True
        with request_threads(LIST_THREADS, "list") as pool:
            asked = None if self.endpoint.version or known.version else pool.submit(self.endpoint.fetch_version)
            for locale in locales:
                before = None if full else known.locales.get(locale)
                lister = self._lister(locale, pool, max_age_s=max_age_s)
                listing = lister.list(before, peeked.get(locale))
                if not (self.endpoint.version or asked) and (before is None or listing.found.rows != before.rows):
                    asked = pool.submit(self.endpoint.fetch_version)
                known.locales[locale], self._read[locale] = listing.found, listing.read
                if listing.missing:
                    short[locale] = listing
                    seen_before |= before.rows.keys() if before else set()
                complete = complete and (listing.complete or bool(listing.missing))
            complete = self._complete(short, known, seen_before, pool) and complete
            self.endpoint.use_version(self.endpoint.version or (asked.result() if asked else "") or known.version)
        return complete

    def _complete(
        self, short: Mapping[str, Listing], known: Snapshot, before: Collection[RemoteId], pool: ThreadPoolExecutor
    ) -> bool:
        """Find the articles that lists lack by their ids; whether none is missing any more."""
        if not short or not self.endpoint.can("show_article"):
            return not short
        found = {id for listed in known.locales.values() for id in listed.rows}
        ids = chain(sorted(set(before) - found, key=str), (id for id in holes(found) if id not in before))
        try:
            hidden = find_hidden(short, ids, self._show_row, pool)
        except Denied:
            return False  # To read one article needs an administrator's token (docs/service.md, S16).
        complete = True
        for locale, listing in short.items():
            rows = listing.found.rows | hidden[locale]
            is_whole = self._ask_page({"locale": locale}, 1, None).count == len(rows)
            known.locales[locale] = LocaleRows(listing.began_s if is_whole else 0, rows)
            self._read[locale] = rows
            complete &= is_whole
        return complete

    def _show_row(self, remote_id: RemoteId) -> tuple[Row, str] | None:
        """One article, and the locale of its category."""
        try:
            article = decoded.article(self.endpoint.ask("show_article", id=remote_id))
        except NotFound:
            return None
        category = article.category
        locale = category.locale if isinstance(category, wire.WireCategory) else ""
        return row_of(article, self.endpoint.profile), locale or ""

    def _category_lister(self, counts: Counts | None = None) -> CategoryLister:
        return CategoryLister(self._read_category_page, self._count_categories, self._category_there, counts)

    def _read_category_page(self, filters: Mapping[str, str], number: int) -> list[Observed]:
        return decoded.categories(self.endpoint.ask("list_categories", query={**filters, "page": number}))

    def _count_categories(self) -> Counts | None:
        portals = self.fetch_portals() if self.endpoint.can("list_portals") else ()
        return next((portal.categories for portal in portals if portal.slug == self.endpoint.portal), None)

    def _category_there(self, remote_id: RemoteId) -> Observed | None:
        if not self.endpoint.can("show_category"):
            return None
        try:
            return self.show_category(remote_id, locale="")
        except NotFound:
            return None

    def _categories_by_articles(self, slug: str, locale: str) -> Iterable[RemoteId]:
        """Ids of the categories of this slug that an article is in."""
        if not self.endpoint.can("list_articles"):
            return ()
        rows = self._read_page({"locale": locale, "category_slug": slug}, 1).rows
        return {row.category_id for row in rows if row.category_id is not None}

    def _lister(self, locale: str, pool: ThreadPoolExecutor, *, max_age_s: int = 0) -> Lister:
        by_status = [{"status": number} for number in self.endpoint.profile.status.values()]
        by_id = {id: item.slug for id, item in self.categories.copy().items() if item.locale == locale}
        by_category = [{"category_slug": slug} for slug in sorted(by_id.values())]
        total = sum(len(found.rows) for found in self._kept.locales.values())
        return Lister(self._read_page, locale, pool, (*by_category, *by_status), by_id, total, max_age_s)

    def _read_page(self, filters: Filters, number: int) -> Page:
        known = self._kept.locales.get(str(filters["locale"])) if len(filters) == 1 else None
        return self._ask_page(filters, number, known)

    def _ask_page(self, filters: Filters, number: int, known: LocaleRows | None) -> Page:
        tag = known.tag_of(number) if known else None
        answer = self.endpoint.ask("list_articles", query={**filters, "page": number}, etag=tag.etag if tag else "")
        if tag is not None and known is not None and answer.status == NOT_MODIFIED:
            return Page(tuple(known.rows[id] for id in tag.ids), tag.count, answer.server_time_s, tag.etag)
        page = decoded.articles(answer, self.endpoint.profile, self.endpoint.own)
        self._views.update(page.views)
        if len(self._authors) < MOST_AUTHORS:
            self._authors.update(page.authors)
        return page
