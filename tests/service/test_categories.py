"""All categories, through a list that hides some of them: nothing is missed that anything speaks for."""

from dataclasses import dataclass, field
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.errors import Denied
from kbsync.model import Observed
from kbsync.sandbox import V4_2
from kbsync.service.category_lister import MOST_PROBED, CategoryLister, Counts, Expected, holes
from kbsync.service.snapshot import Snapshot

from .world import AGENT, SETUP, a_sandbox, a_service, asked, create_category, fill, observe

HIDDEN = 26
"""What a list of more than 100 tied rows never shows: the first row of its second page."""


def a_category(number: int, locale: str = "en") -> Observed:
    return Observed(
        kind="category", remote_id=number, locale=locale, slug=f"c-{number}", fields={"slug": f"c-{number}"}
    )


@dataclass
class Desk:
    """A portal that shows some of its categories in its list, and what it was asked."""

    there: dict[int, Observed]
    hidden: frozenset[int] = frozenset()
    counts: bool = True
    forbids: bool = False
    asked: list[object] = field(default_factory=list)

    def read(self, filters, number):
        self.asked.append((dict(filters), number))
        rows = [row for key, row in self.there.items() if key not in self.hidden]
        rows = [row for row in rows if filters.get("locale") in (None, row.locale)]
        return rows[25 * (number - 1) : 25 * number]

    def count(self):
        self.asked.append("count")
        return self.now() if self.counts else None

    def now(self) -> Counts:
        locales = [row.locale for row in self.there.values()]
        return Counts(len(locales), {locale: locales.count(locale) for locale in locales})

    def show(self, number):
        self.asked.append(number)
        if self.forbids:
            raise Denied("no", status=401)
        return self.there.get(number)

    def lister(self, counts=None) -> CategoryLister:
        return CategoryLister(self.read, self.count, self.show, counts)


def a_desk(number, **more) -> Desk:
    return Desk({place: a_category(place, "fr" if place % 3 == 0 else "en") for place in range(1, number + 1)}, **more)


@pytest.mark.parametrize("number", [0, 1, 24, 25])
def test_as_many_as_are_counted_on_the_first_page_cost_one_request(number):
    desk = a_desk(number)
    lister = desk.lister(desk.now())
    lister.list(("en", "fr"), (1, 99))
    assert (lister.found, lister.is_whole, len(desk.asked)) == (desk.there, True, 1)


def test_a_count_of_before_a_deletion_is_asked_for_again():
    desk = a_desk(10)
    old = desk.now()
    del desk.there[7]
    lister = desk.lister(old)
    lister.list(("en", "fr"))
    assert (lister.found, lister.is_whole) == (desk.there, True)
    assert desk.asked == [({}, 1), ({}, 2), "count", ({}, 1)]


def test_what_was_deleted_between_two_pages_is_unlearned():
    desk = a_desk(60)

    def read(filters, number):
        rows = desk.read(filters, number)
        desk.there.pop(5, None)
        return rows

    lister = CategoryLister(read, desk.count, desk.show, desk.now())
    lister.list(("en", "fr"))
    assert lister.found == desk.there


def test_what_the_list_hides_is_found_by_an_id_that_is_known():
    desk = a_desk(60, hidden=frozenset({HIDDEN}))
    lister = desk.lister(desk.now())
    lister.list(("en", "fr"), (3, HIDDEN, 999))
    assert (lister.found, lister.is_whole) == (desk.there, True)
    assert [one for one in desk.asked if isinstance(one, int)] == [HIDDEN]


def test_what_nothing_speaks_for_is_found_between_its_neighbours_and_only_where_the_tree_wants_it():
    desk = a_desk(60, hidden=frozenset({HIDDEN}))
    lister = desk.lister(desk.now())
    lister.list(("en", "fr"))
    lister.probe({("en", "c-1")})
    assert not lister.is_whole
    assert [one for one in desk.asked if isinstance(one, int)] == []
    lister.probe({("en", f"c-{HIDDEN}")})
    assert (lister.found, lister.is_whole) == (desk.there, True)
    assert [one for one in desk.asked if isinstance(one, int)] == [HIDDEN]


def test_the_search_between_neighbours_ends():
    desk = Desk({1: a_category(1), 10**9: a_category(10**9), 5_000_000: a_category(5_000_000)}, frozenset({5_000_000}))
    lister = desk.lister(desk.now())
    lister.list(("en",))
    lister.probe({("en", "c-5000000")})
    assert sum(isinstance(one, int) for one in desk.asked) == MOST_PROBED


def test_a_managed_one_is_asked_for_whatever_the_count_says():
    desk = a_desk(10)
    lister = desk.lister(desk.now())
    lister.list(("en", "fr"))
    lister.look_up((1, 77), surely=True)
    lister.look_up((77,), surely=True)
    assert desk.asked[1:] == [77]


def test_who_may_not_look_at_single_ones_believes_the_count_and_nothing_else():
    desk = a_desk(10, forbids=True)
    lister = desk.lister(desk.now())
    lister.list(("en", "fr"))
    lister.look_up((77,), surely=True)
    desk = a_desk(60, hidden=frozenset({HIDDEN}), forbids=True)
    lister = desk.lister(desk.now())
    lister.list(("en", "fr"), (HIDDEN,))
    with pytest.raises(Denied):
        lister.look_up((HIDDEN,), surely=True)


def test_of_a_portal_that_does_not_count_each_locale_is_listed_too():
    desk = a_desk(60, counts=False)
    lister = desk.lister()
    lister.list(("en", "fr"))
    assert lister.found == desk.there
    assert ({"locale": "en"}, 1) in desk.asked and ({"locale": "fr"}, 1) in desk.asked


@given(st.sets(st.integers(1, 10**12), max_size=20))
def test_holes_are_never_ids_that_are_known_and_come_without_end_of_the_largest_gap(found):
    some = list(islice(holes(found), 500))
    assert found.isdisjoint(some)
    assert len(set(some)) == len(some)
    assert all(number > 0 for number in some)


# --- against the sandbox ---------------------------------------------------------------------------------------------


@pytest.fixture
def old(tmp_path):
    with a_sandbox(tmp_path, SETUP, V4_2) as sandbox, a_service(sandbox.base_url) as service:
        yield sandbox, service


def test_surprise_19_what_tied_rows_hide_in_every_list_is_found_through_an_article(old):
    sandbox, service = old
    made = [create_category(service, f"c-{place:03}") for place in range(120)]
    assert len(observe(service).categories) == 119
    fill(sandbox, 1, category_id=made[HIDDEN - 1].remote_id)
    seen = observe(service)
    assert len(seen.categories) == 120
    assert [article.fields["category"] for article in seen.articles] == ["c-025"]


def test_surprise_19_what_was_found_once_is_known_the_next_time(old):
    sandbox, service = old
    for place in range(120):
        create_category(service, f"c-{place:03}")
    known = Snapshot()
    wanted = Expected(wanted={("en", "c-025")})
    assert len(observe(service, known, expected=wanted).categories) == 120
    before = len(sandbox.requests)
    assert len(observe(service, known).categories) == 120
    # Five pages and the empty one, the count, the hidden one, and the first page of each locale's articles.
    assert len(sandbox.requests) - before == 6 + 1 + 1 + 2


@pytest.mark.parametrize("filled", [True, False])
def test_surprise_19_a_category_is_looked_up_although_no_list_shows_it(old, filled):
    sandbox, service = old
    made = [create_category(service, f"c-{place:03}") for place in range(120)]
    if filled:
        fill(sandbox, 1, category_id=made[HIDDEN - 1].remote_id)
    service.reader.categories = {}
    assert service.reader.find_category("c-025", locale="en") == made[HIDDEN - 1]
    assert service.reader.category_id("c-025", locale="en") == made[HIDDEN - 1].remote_id
    assert service.reader.find_category("c-025", locale="fr") is None
    assert not filled or not asked(sandbox, part="/categories/27")


def test_surprise_16_an_agent_lists_what_can_be_listed(old):
    sandbox, service = old
    made = [create_category(service, f"c-{place:03}") for place in range(120)]
    with a_service(sandbox.base_url, token=AGENT) as agent:
        assert len(observe(agent).categories) == 119
        with pytest.raises(Denied):
            observe(agent, expected=Expected(managed=[item.remote_id for item in made]))


class Arriving(str):
    """A slug; whoever compares it is interrupted by another thread that comes to know one more category."""

    __hash__ = str.__hash__

    def __init__(self, words: str) -> None:
        self.known: dict[int, Observed] = {}

    def __eq__(self, other):
        number = 1 + len(self.known)
        self.known[number] = a_category(number)
        return str.__eq__(self, other)


def test_a_category_is_looked_for_while_another_thread_comes_to_know_one_more():
    with a_service("http://127.0.0.1:9") as service:
        service.reader.categories = {number: a_category(number) for number in (1, 2, 3)}
        slug = Arriving("c-3")
        slug.known = service.reader.categories
        assert service.reader.category_id(slug, locale="en") == 3
