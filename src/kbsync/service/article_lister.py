"""All articles of a portal, through a list that is not a snapshot, has no tie-breaker and loses rows.

Newest first, a listing stops at what is known to be settled; the counts say whether that can be all. Where they
disagree, everything is read, more than once if need be, and the union is kept. Source:
docs/service.md, S6, section 8.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from kbsync.errors import Misbehaved
from kbsync.model import RemoteId
from kbsync.service.snapshot import LocaleRows, Row, Tag, is_fresh

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

PASSES = 3
"""Full readings before a list that still does not add up is read in smaller parts."""

SETTLE_S = 1
"""`updated_at` has whole seconds: what changed in the second of a listing may have changed after it, too."""

MAX_PAGES = 40_000
"""A million articles; a service that counts more is not believed."""

MAX_UNCOUNTED_PAGES = 4_000
"""A hundred thousand articles, of a list that does not say how many there are."""

MAX_ROWS = 1_000_000
MAX_CHARS = 1_000_000_000
"""Of titles, descriptions and the like in one locale: a hundred thousand articles have some ten millions."""

MAX_OVERLAP = 4
"""How often the smaller lists may have an article, on average: each is in one category and has one status."""

PAGES_AHEAD = 100
"""Pages that are asked for before anybody looks whether there are so many."""


Filters = Mapping[str, str | int]
"""What a list is narrowed to, as parameters of its address."""


class Page(msgspec.Struct, frozen=True):
    """One page as the list answered it: rows in its order, its count of all, the service's clock, its ETag or "".

    `views` are those of its articles that somebody opened, `authors` the names of people by their own ids. They are no
    part of a row: rows are compared, and no article moves because readers open it.
    """

    rows: tuple[Row, ...]
    count: int | None
    server_time_s: int | None
    etag: str = ""
    views: Mapping[RemoteId, int] = msgspec.field(default_factory=dict)
    authors: Mapping[RemoteId, str] = msgspec.field(default_factory=dict)

    @property
    def tag(self) -> Tag:
        """What is kept of it."""
        return Tag(self.etag, self.count, tuple(row.id for row in self.rows))

    @property
    def moment_s(self) -> int:
        """When it was answered, as well as can be said: by the service's clock, else by its newest row."""
        newest_s = max((row.updated_at for row in self.rows), default=0)
        return newest_s if self.server_time_s is None else self.server_time_s


class Gathered(msgspec.Struct):
    """The rows of one locale as they come in, the newest of each article, and no more than memory is for."""

    locale: str
    rows: dict[RemoteId, Row] = msgspec.field(default_factory=dict)
    chars: int = 0

    def add(self, page: Iterable[Row]) -> None:
        """Take the rows of a page in.

        Raises:
            Misbehaved: there are more than any help center has.
        """
        for row in page:
            old = self.rows.get(row.id)
            if old is None or (old.updated_at <= row.updated_at and old != row):
                self.chars += row.chars - (old.chars if old else 0)
                self.rows[row.id] = row
        if len(self.rows) > MAX_ROWS or self.chars > MAX_CHARS:
            raise Misbehaved(
                f"The list of articles in `{self.locale}` is too large: more than {MAX_ROWS:,} articles, "
                f"or {MAX_CHARS:,} characters in their titles and descriptions.",
                hint="Check [service] base_url and profile.",
            )


ReadPage = Callable[[Filters, int], Page]
"""Reads a page (from 1) of the articles that a filter lets through."""


class Listing(msgspec.Struct, frozen=True):
    """The articles of one locale; `complete` says whether they are as many as the service counts.

    `read` are the ids of the rows that were read for it. Where the service counts more, `missing` is how many more, and
    `began_s` when the listing began, by its clock.
    """

    found: LocaleRows
    complete: bool
    read: Collection[RemoteId] = ()
    missing: int = 0
    began_s: int = 0


class Lister(msgspec.Struct, frozen=True, eq=False):
    """Lists one locale.

    Args:
        read: asks the service for one page.
        locale: the filter.
        pool: reads pages side by side.
        parts: filters that make the list smaller: a list of one page loses nothing, and a list by category is in
            another order, with other ties.
        slugs: of the categories, by id.
        total: rows of all locales together, as far as they are known.
        max_age_s: how long ago all rows may have been read in any case.
    """

    read: ReadPage
    locale: str
    pool: ThreadPoolExecutor
    parts: tuple[Filters, ...] = ()
    slugs: Mapping[RemoteId, str] = msgspec.field(default_factory=dict)
    total: int = 0
    max_age_s: int = 0

    def list(self, known: LocaleRows | None, first: Page | None = None) -> Listing:
        """List it, from what is known where that is enough; with None everything is read.

        `first` is the first page, where somebody asked for it just now.
        """
        first = first or self._page(1)
        if known is not None and known.read_at and self._is_fresh(known, first):
            if (found := self._catch_up(known, first)) is not None:
                return found
            first = self._page(1)
        return self._read_all(first)

    def _is_fresh(self, known: LocaleRows, first: Page) -> bool:
        rows, whole_at = len(known.rows), known.whole_at or known.read_at
        total = max(self.total, rows)
        return is_fresh(whole_at, rows, first.server_time_s, total=total, max_age_s=self.max_age_s)

    def read_category(self, slug: str) -> dict[RemoteId, Row]:
        """The rows of one category, all of them read now."""
        part = {"category_slug": slug}
        gathered = Gathered(self.locale)
        self._one_pass(self._page(1, part), gathered, part)
        return gathered.rows

    def _page(self, number: int, part: Filters | None = None) -> Page:
        return self.read({"locale": self.locale, **(part or {})}, number)

    def _catch_up(self, known: LocaleRows, first: Page) -> Listing | None:
        """Read down to the first row that was settled before the last listing; None where that cannot be all."""
        if first.count is None or (first.server_time_s or known.read_at) < known.read_at:
            return None  # No count to compare with, or a clock that was set back: nothing is settled.
        gathered = Gathered(self.locale)
        seen = gathered.rows
        page, number, settled_s = first, 1, known.read_at - SETTLE_S
        while page.rows:
            if len(seen) > first.count:
                return None  # More than there are: the count or the list is wrong.
            self._check_end(number, MAX_PAGES)
            before = len(seen)
            gathered.add(page.rows)
            if len(seen) != before + len(page.rows):
                # Rows moved between the pages, or tie: where one comes twice another may be hidden.
                return None
            # What changed comes before all that did not, whichever clock wrote it.
            if any(row.updated_at < settled_s and known.rows.get(row.id) == row for row in page.rows):
                break
            number += 1
            page = self._page(number)
        # A drag moves the `updated_at` of one article and the positions of all around it (docs/service.md, S124).
        for slug in self._moved_categories(known.rows, seen):
            seen |= self.read_category(slug)
        rows = known.rows | seen
        # A count that changed in between means a deletion, which hides the row after the page's edge.
        if not page.count == first.count == len(rows):
            return None
        whole_at = known.whole_at or known.read_at
        found = LocaleRows(first.moment_s or known.read_at, rows, whole_at, known.tags).without_tags_of(known.rows)
        if first.etag and _is_of(first, rows):
            found.tags = {**found.tags, 1: first.tag}
        return Listing(found, complete=True, read=seen)

    def _moved_categories(self, known: Mapping[RemoteId, Row], seen: Mapping[RemoteId, Row]) -> Collection[str]:
        """The categories in which something moved, and not all of which was read just now."""
        moved = {
            one.category_id
            for row in seen.values()
            if (old := known.get(row.id)) is not None and old != row
            for one in (old, row)
        }
        if not moved:
            return ()
        unread = {row.category_id for id, row in known.items() if row.category_id in moved and id not in seen}
        return sorted(self.slugs[id] for id in self.slugs.keys() & unread)

    def _read_all(self, first: Page) -> Listing:
        gathered = Gathered(self.locale)
        # Of the first pass: what changed after it may be hidden from the later ones.
        moment_s = first.moment_s
        for _ in range(PASSES):
            if len(gathered.rows) > (first.count or 0):
                # Something was deleted while we read, and a union cannot unlearn it: begin again.
                gathered, moment_s = Gathered(self.locale), first.moment_s
            rows, pages = gathered.rows, {1: first}
            counts = self._one_pass(first, gathered, pages=pages)
            if None in counts:
                return Listing(LocaleRows(0, rows), complete=False, read=rows)
            if counts == {len(rows)}:
                tags = {n: page.tag for n, page in pages.items() if page.etag and _is_of(page, rows)}
                return Listing(LocaleRows(moment_s, rows, tags=tags), complete=True, read=rows)
            first = self._page(1)
        return self._read_parts(gathered, moment_s)

    def _read_parts(self, gathered: Gathered, moment_s: int) -> Listing:
        """Look for the hidden rows in smaller lists, until there are as many as are counted."""
        rows, listed = gathered.rows, 0
        for part in self.parts:
            count = self._page(1).count or 0
            if len(rows) >= count:
                break
            first = self._page(1, part)
            listed += first.count or 0
            if listed > MAX_OVERLAP * (count + len(self.parts)):
                break  # The parts count far more than the whole: they are not parts of it.
            self._one_pass(first, gathered, part)
        missing = (self._page(1).count or 0) - len(rows)
        complete = missing == 0
        found = LocaleRows(moment_s if complete else 0, rows)
        return Listing(found, complete, read=rows, missing=max(0, missing), began_s=moment_s)

    def _one_pass(
        self, first: Page, gathered: Gathered, part: Filters | None = None, *, pages: dict[int, Page] | None = None
    ) -> set[int | None]:
        """Read every page once into `gathered`, and into `pages` by number; all the counts that they gave."""
        gathered.add(first.rows)
        if not first.rows:
            return {first.count}
        if first.count is None:
            return self._read_until_known(first, gathered, part)
        # The pages that end the list. A list by status counts all of them (docs/service.md, section 4), so that pages
        # behind its end are asked for, too, and often answered before the last one that has rows.
        ends: list[int] = []

        def read(number: int) -> Page | None:
            if any(end < number for end in ends):
                return None
            page = self._page(number, part)
            # A service that does not know `page` gives the first one for ever (docs/service.md, S18).
            if not page.rows or page.rows == first.rows:
                ends.append(number)
            return page

        counts: set[int | None] = {first.count}
        number_of_pages = -(-first.count // len(first.rows))
        here = {row.id for row in first.rows}
        last = min(number_of_pages, MAX_PAGES)
        for begin in range(2, last + 1, PAGES_AHEAD):
            before = len(here)
            asked = range(begin, min(begin + PAGES_AHEAD, last + 1))
            for number, page in zip(asked, self.pool.map(read, asked), strict=True):
                if page is not None:
                    if pages is not None:
                        pages[number] = page
                    gathered.add(page.rows)
                    here |= {row.id for row in page.rows}
                    counts.add(page.count)
            # Pages that mostly repeat what this pass has seen lead nowhere, whatever is counted.
            if ends or 2 * (len(here) - before) < len(asked):
                break
        else:
            self._check_end(number_of_pages, MAX_PAGES)
        return counts

    def _read_until_known(self, first: Page, gathered: Gathered, part: Filters | None) -> set[int | None]:
        """A list that does not count: read on until a page brings nothing new.

        Raises:
            Misbehaved: there is no such page.
        """
        number, page = 2, self._page(2, part)
        while not all(row.id in gathered.rows for row in page.rows):
            gathered.add(page.rows)
            number += 1
            self._check_end(number, MAX_UNCOUNTED_PAGES)
            page = self._page(number, part)
        return {first.count}

    def _check_end(self, pages: int, most: int) -> None:
        if pages > most:
            raise Misbehaved(
                f"The list of articles in `{self.locale}` does not end: more than {most:,} pages.",
                hint="Check base_url and profile under [service]. The service does not page as the profile says.",
            )


def _is_of(page: Page, rows: Mapping[RemoteId, Row]) -> bool:
    """Whether a page has the rows that were kept: another pass may have found newer ones."""
    return all(rows[row.id] == row for row in page.rows)


MOST_ASKED = 500
"""Look-ups, a request each: 25 seconds at the usual pace. Other accounts of the service have ids in between, too."""

SIDE_BY_SIDE = 20
"""Look-ups that are sent before it is seen whether any more are needed."""

Show = Callable[[RemoteId], tuple[Row, str] | None]
"""One article and its locale, "" where no category says it (S3); None where this portal has none of this id."""


def find_hidden(
    short: Mapping[str, Listing], ids: Iterable[RemoteId], show: Show, pool: ThreadPoolExecutor
) -> dict[str, dict[RemoteId, Row]]:
    """The rows of each locale that no page of its list shows, as far as they are found (docs/service.md, S6).

    Of many articles with one `updated_at` and no order in their categories a list hides some, and every time the same
    ones. What is imported together has ids that follow each other, so they are between the ones that were found.

    Args:
        short: by locale, the lists that are shorter than the service counts.
        ids: what to look up, the likeliest first; none of a row that was found.
        show: asks for one.
        pool: asks side by side.
    """
    missing = {locale: listing.missing for locale, listing in short.items()}
    hidden: dict[str, dict[RemoteId, Row]] = {locale: {} for locale in short}
    only = next(iter(short)) if len(short) == 1 else ""
    asked = islice(ids, MOST_ASKED if sum(missing.values()) <= MOST_ASKED else 0)
    while any(len(hidden[locale]) < number for locale, number in missing.items()):
        some = list(islice(asked, SIDE_BY_SIDE))
        if not some:
            break
        for seen in pool.map(show, some):
            if seen is not None and (locale := seen[1] or only) in hidden:
                hidden[locale][seen[0].id] = seen[0]
    return hidden
