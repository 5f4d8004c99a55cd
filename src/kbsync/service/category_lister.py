"""All categories of a portal, through a list that is paged without a tie-breaker and never shows some of them.

Categories without a position all tie. Where there are more than two pages of them, each page repeats one row and hides
another, every time the same (docs/service.md, S19): reading again does not help. What does:

    the portal's count            says whether any are missing; it counts all pages, the list's own `meta` only one
    a category by its id          for ids that the ledger, an article or an earlier listing knows
    the list of one locale        fewer rows, so that other ones are hidden
    the ids between those found   for a category that the tree wants and nothing else has found
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise

import msgspec

from kbsync.errors import Denied, Misbehaved
from kbsync.model import Observed, RemoteId

MAX_PAGES = 1000
"""25,000 categories, or a million; a list with more pages is not believed."""

MAX_ASKED = 6 * MAX_PAGES
"""Pages of all lists together: whole ones in three passes, and those of the locales."""

MAX_FOUND = 1_000_000
MAX_CHARS = 1_000_000_000
"""Of names and descriptions on all pages that are read."""

MAX_LOCALES = 500
"""Locales whose categories are listed one by one; there are fewer languages with help centers."""

PASSES = 3
"""Readings of a list that moves meanwhile."""

MOST_PROBED = 100
"""Ids that are asked for at most with nothing but their place to speak for them."""

BEYOND = 10
"""How far beyond the first and the last known id a hidden category is looked for."""

Filters = Mapping[str, str]
Name = tuple[str, str]
"""Locale and slug: what names a category."""


class Counts(msgspec.Struct, frozen=True):
    """How many categories a portal says it has: all, and of each locale that it allows."""

    total: int
    by_locale: Mapping[str, int]


class Expected(msgspec.Struct, frozen=True):
    """What is known of the categories before they are listed.

    Args:
        counts: the portal's current numbers; None where it was not asked.
        managed: ids of the ledger. Each of them is either found or certainly gone.
        seen: ids of an earlier listing.
        wanted: categories of the tree, by locale and slug.
    """

    counts: Counts | None = None
    managed: Collection[RemoteId] = ()
    seen: Collection[RemoteId] = ()
    wanted: Collection[Name] = ()


class CategoryLister(msgspec.Struct, eq=False):
    """Lists one portal's categories; `found` is what came of it.

    Args:
        read: one page of the list (from 1), narrowed by filters.
        count: asks the portal how many there are; None where it does not say.
        show: one category by its id; None where it does not exist.
        counts: the portal's numbers of just before.
    """

    read: Callable[[Filters, int], Sequence[Observed]]
    count: Callable[[], Counts | None]
    show: Callable[[RemoteId], Observed | None]
    counts: Counts | None = None
    found: dict[RemoteId, Observed] = msgspec.field(default_factory=dict)
    absent: set[RemoteId] = msgspec.field(default_factory=set)
    pages: int = 0
    asked: int = 0
    chars: int = 0
    denied: Denied | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing can be missing: as many as the portal counts, or all on one page."""
        return self.counts.total <= len(self.found) if self.counts else self.pages <= 1

    def list(self, locales: Iterable[str], ids: Iterable[RemoteId] = ()) -> None:
        """List them; where some are missing look for `ids` first, then in the lists of the locales."""
        if self._read_all():
            return
        self.look_up(ids)
        known = (*locales, *sorted({item.locale for item in self.found.values()}))
        for locale in self._short(dict.fromkeys(known)):
            if self.is_whole:
                return
            self._read_pages({"locale": locale})
        if not self.is_whole and self.counts is not None:
            self._read_pages({})

    def look_up(self, ids: Iterable[RemoteId], *, surely: bool = False) -> None:
        """Ask for categories by their ids, as long as some are missing; `surely`: in any case, each of them.

        Raises:
            Denied: this token may not look at single categories, so kbsync cannot know whether one is gone.
        """
        for remote_id in ids:
            if remote_id in self.found or remote_id in self.absent:
                continue
            if self.is_whole and not surely:
                return
            self._show(remote_id)
            if surely and self.denied and not self.is_whole:
                raise self.denied

    def probe(self, wanted: Collection[Name]) -> None:
        """Look for wanted categories under ids that nothing speaks for but their place between others."""
        if self.counts is None or not wanted:
            return
        for remote_id in list(islice(holes(self.found), MOST_PROBED)):
            missing = set(wanted) - {(item.locale, item.slug) for item in self.found.values()}
            if self.is_whole or not missing or self.denied:
                return
            if remote_id not in self.absent:
                self._show(remote_id)

    def find(self, name: Name, elsewhere: Callable[[], Iterable[RemoteId]]) -> Observed | None:
        """Look one category up, until it is found.

        `elsewhere` finds ids of categories that may be it; it is asked where the lists do not have it.
        """
        self.pages = self._read_pages({}, until=name)
        if self._named(name) is None and self.pages > 1:
            self._read_pages({"locale": name[0]}, until=name)
            if self._named(name) is None:
                self.look_up(elsewhere())
            if self._named(name) is None:
                self.counts = self.count()
                self.probe({name})
        return self._named(name)

    def _named(self, name: Name) -> Observed | None:
        return next((item for item in self.found.values() if (item.locale, item.slug) == name), None)

    def _short(self, locales: Iterable[str]) -> Iterator[str]:
        """The locales that may have more than was found."""
        for locale in sorted(islice(locales, MAX_LOCALES)):
            here = sum(item.locale == locale for item in self.found.values())
            if self.counts is None or self.counts.by_locale.get(locale, here + 1) > here:
                yield locale

    def _read_all(self) -> bool:
        """Read the whole list, again while the count moves; whether nothing is missing."""
        for _ in range(PASSES):
            before = self.counts
            self.found.clear()
            self.pages = self._read_pages({})
            if before.total == len(self.found) if before else self.pages <= 1:
                return True
            self.counts = self.count()
            if before is None or self.counts == before:
                break
            # Something was deleted or made while we read: a row may be hidden by that, and a deleted one be in `found`.
        return False

    def _read_pages(self, filters: Filters, *, until: Name | None = None) -> int:
        """Read all pages into `found`; how many had rows. A page's size is what the answer has, in any version.

        Raises:
            Misbehaved: new rows come without end.
        """
        here: set[RemoteId] = set()
        expected = self._expected(filters)
        for number in range(1, MAX_PAGES):
            self.asked += 1
            if self.asked > MAX_ASKED:
                break
            rows = self.read(filters, number)
            before = len(here)
            here |= {row.remote_id for row in rows}
            self._keep(rows)
            # A service that does not know `page` gives the first one for ever (docs/service.md, S18).
            if len(here) == before:
                return number - 1
            if len(here) == expected or (until and any((row.locale, row.slug) == until for row in rows)):
                return number
        raise Misbehaved(
            f"The list of categories does not end: {self.asked:,} pages so far.",
            hint="Check base_url and profile under [service]. The service does not page as the profile says.",
        )

    def _keep(self, rows: Sequence[Observed]) -> None:
        self.found |= {row.remote_id: row for row in rows}
        self.chars += sum(len(value) for row in rows for value in row.fields.values() if isinstance(value, str))
        if len(self.found) > MAX_FOUND or self.chars > MAX_CHARS:
            raise Misbehaved(
                f"The list of categories is too large: more than {MAX_FOUND:,} categories, "
                f"or {MAX_CHARS:,} characters in their names and descriptions.",
                hint="Check [service] base_url and profile.",
            )

    def _expected(self, filters: Filters) -> int | None:
        if self.counts is None:
            return None
        return self.counts.by_locale.get(filters["locale"]) if filters else self.counts.total

    def _show(self, remote_id: RemoteId) -> None:
        if self.denied:
            return
        try:
            seen = self.show(remote_id)
        except Denied as exc:
            self.denied = exc
            return
        if seen is None:
            self.absent.add(remote_id)
        else:
            self.found[seen.remote_id] = seen


def holes(found: Collection[RemoteId]) -> Iterator[int]:
    """The numbers missing between ids, from the smallest gap on; then those just outside."""
    numbers = sorted(number for number in found if isinstance(number, int))
    gaps = sorted((after - before, before) for before, after in pairwise(numbers))
    for length, before in gaps:
        yield from range(before + 1, before + length)
    if numbers:
        yield from range(numbers[-1] + 1, numbers[-1] + 1 + BEYOND)
        yield from range(numbers[0] - 1, max(numbers[0] - 1 - BEYOND, 0), -1)
