"""Lists that never end: each is given up after a number of pages, with words, or read no further than it counts."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count

import msgspec
import pytest

from kbsync.errors import Misbehaved
from kbsync.model import Observed
from kbsync.service.article_lister import MAX_PAGES as MAX_PAGES_OF_ARTICLES
from kbsync.service.article_lister import MAX_UNCOUNTED_PAGES, PAGES_AHEAD, PASSES, Lister, Page
from kbsync.service.category_lister import MAX_ASKED, MAX_PAGES, CategoryLister, Counts
from kbsync.service.snapshot import LocaleRows, Row

PER_PAGE = 3


def row(number: int, at: int = 10) -> Row:
    return Row(number, at, f"a{number}", None, "draft", ("T", "", "", None, None, (), "", ""))


@dataclass
class Endless:
    """A list with rows on every page; `said` is how many there are by its own count, `fresh` whether they are new."""

    said: int | None
    fresh: bool = True
    pages: int = 0

    def read(self, filters, number):
        self.pages += 1
        first = PER_PAGE * (number if self.fresh else number % 2)
        return Page(tuple(row(first + place) for place in range(PER_PAGE)), self.said, 10_000)

    def listing(self, known=None, parts=()):
        with ThreadPoolExecutor(1) as pool:
            return Lister(self.read, "en", pool, parts).list(known)


# The rows, what was known, and how many pages are read at most.
COUNTED = {
    "a list is read no further than it counts": (Endless(100), None, 2 * PASSES * 100 - 1),
    "what is new since the last listing ends where the count does": (
        Endless(100), LocaleRows(5_000, {0: row(0)}), 3 * PASSES * 100 - 1),
    "pages that only repeat each other are left early whatever is counted": (
        Endless(60_000, fresh=False), None, PASSES * (PAGES_AHEAD + 2) + 3),
}  # fmt: skip


@pytest.mark.parametrize(("endless", "known", "most"), COUNTED.values(), ids=COUNTED)
def test_a_list_that_does_not_end_is_left_where_it_counts(endless, known, most):
    endless = replace(endless)
    assert not endless.listing(known).complete
    assert endless.pages <= most


@pytest.mark.parametrize(
    ("said", "words", "pages"),
    [
        (None, "The list of articles in `en` does not end: more than 4,000 pages", MAX_UNCOUNTED_PAGES),
        (1 << 60, "more than 40,000 pages", MAX_PAGES_OF_ARTICLES),
    ],
    ids=["without a count", "a count beyond all reason"],
)
def test_a_list_without_a_count_that_can_be_believed_is_given_up_in_words(said, words, pages):
    endless = Endless(said)
    with pytest.raises(Misbehaved, match=words):
        endless.listing()
    assert endless.pages == pages


def test_very_long_titles_are_not_kept_without_end():
    title = "T" * 100_000_000  # shared by all rows here; a portal would send each

    @dataclass
    class Wordy(Endless):
        def read(self, filters, number):
            page = super().read(filters, number)
            rows = (msgspec.structs.replace(row, values=(title, *row.values[1:])) for row in page.rows)
            return Page(tuple(rows), self.said, 10_000)

    for said in (None, 1_000):
        wordy = Wordy(said=said)
        with pytest.raises(Misbehaved, match="The list of articles in `en` is too large"):
            wordy.listing()
        assert wordy.pages < 2 * PAGES_AHEAD


def test_very_long_names_of_categories_are_not_kept_without_end():
    name = "n" * 100_000_000
    rows = (
        Observed(kind="category", remote_id=number, locale="en", slug=f"c-{number}", fields={"name": name})
        for number in count()
    )
    lister = CategoryLister(lambda filters, number: [next(rows)], lambda: None, lambda number: None)
    with pytest.raises(Misbehaved, match="The list of categories is too large"):
        lister.list(["en"])


def test_parts_that_count_more_than_the_whole_are_not_read():
    class Grown(Endless):
        def read(self, filters, number):
            self.said = 50_000 if "status" in filters else 100
            return super().read(filters, number)

    grown = Grown(said=100, fresh=False)
    parts = tuple({"status": number} for number in range(1_000))
    assert not grown.listing(parts=parts).complete
    assert grown.pages < 1_000


def endless_categories(locales):
    for number in count():
        yield Observed(kind="category", remote_id=number, locale=locales(number), slug=f"c-{number}", fields={})


@pytest.mark.parametrize("locales", [lambda number: "en", lambda number: f"l{number}"])
def test_categories_without_end_are_given_up_in_words(locales):
    rows = endless_categories(locales)
    lister = CategoryLister(lambda filters, number: [next(rows)], lambda: None, lambda number: None)
    with pytest.raises(Misbehaved, match="The list of categories does not end"):
        lister.list(["en"])
    assert lister.asked <= MAX_PAGES


def test_categories_in_locales_without_end_are_given_up_in_words():
    rows = endless_categories(lambda number: f"l{number}")

    def read(filters, number):
        return [next(rows) for _ in range(25)] if number < MAX_PAGES // 2 else []

    lister = CategoryLister(read, lambda: Counts(10**9, {}), lambda number: None, Counts(10**9, {}))
    with pytest.raises(Misbehaved, match="The list of categories does not end"):
        lister.list(["en"])
    assert lister.asked == MAX_ASKED + 1
