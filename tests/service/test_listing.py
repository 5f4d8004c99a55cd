"""All articles, through a list that is no snapshot: nothing is lost, nothing stays that is gone, at a small cost."""

import pytest

from kbsync.sandbox import Behaviour, Fault
from kbsync.service.article_lister import MOST_ASKED
from kbsync.service.snapshot import Snapshot

from .world import (
    AGENT,
    PORTAL,
    SETUP,
    VERSIONS,
    MovedClock,
    a_sandbox,
    a_service,
    create_category,
    fill,
    observe,
    slugs,
    update,
)

LONG_AGO_S = 10_000.0


@pytest.fixture
def clock():
    return MovedClock(LONG_AGO_S)


@pytest.fixture
def sandbox(tmp_path, clock):
    """One whose articles were all written long ago, until `clock` says otherwise."""
    with a_sandbox(tmp_path, clock=clock) as running:
        yield running


class Counted:
    """How many requests some work took."""

    def __init__(self, service):
        self.service = service

    def __enter__(self):
        self.begin = self.service.transport.requests
        return self

    def __exit__(self, *_):
        self.requests = self.service.transport.requests - self.begin


@pytest.mark.parametrize("number", [0, 1, 24, 25, 26, 50, 130])
def test_a_full_listing_finds_every_article(sandbox, service, number):
    fill(sandbox, number)
    seen = observe(service)
    assert seen.complete
    assert slugs(seen) == sorted(f"a-{place:03}" for place in range(number))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_listing_of_what_nobody_changed_costs_one_page_a_locale(tmp_path, version):
    with (
        a_sandbox(tmp_path, behaviour=VERSIONS[version], clock=MovedClock(LONG_AGO_S)) as sandbox,
        a_service(sandbox.base_url) as service,
    ):
        fill(sandbox, 80)
        create_category(service, "billing")
        known = Snapshot()
        first = observe(service, known)
        with Counted(service) as cost:
            service.fetch_portal()
            again = observe(service, known)
        assert again == first
        # The portal, two pages of categories, and one page for each of two locales.
        assert cost.requests == 3 + 2


def test_a_listing_straight_after_many_writes_costs_no_more_the_second_time(tmp_path):
    with a_sandbox(tmp_path) as sandbox, a_service(sandbox.base_url) as service:
        fill(sandbox, 30)
        known = Snapshot()
        observe(service, known)
        with Counted(service) as cost:
            observe(service, known)
        assert cost.requests <= 2 + 2 * 2


@pytest.fixture
def known(sandbox, service):
    """What a listing of eighty articles found."""
    fill(sandbox, 80)
    found = Snapshot()
    observe(service, found)
    return found


def test_one_edit_is_seen_with_one_page(sandbox, service, clock, known):
    clock.ago_s = 0
    sandbox.panel.edit("a-003", title="Edited")
    with Counted(service) as cost:
        seen = observe(service, known)
    assert [a.fields["title"] for a in seen.articles if a.slug == "a-003"] == ["Edited"]
    assert (len(seen.articles), seen.complete, cost.requests) == (80, True, 3)


def test_a_new_article_is_seen_with_one_page(sandbox, service, clock, known):
    clock.ago_s = 0
    fill(sandbox, 1, prefix="new")
    with Counted(service) as cost:
        seen = observe(service, known)
    assert "new-000" in slugs(seen)
    assert (len(seen.articles), cost.requests) == (81, 3)


def test_a_deletion_by_somebody_else_makes_the_counts_disagree_and_everything_is_read(sandbox, service, known):
    sandbox.panel.delete("a-040")
    seen = observe(service, known)
    assert (len(seen.articles), seen.complete) == (79, True)
    assert "a-040" not in slugs(seen)


def test_a_deletion_and_a_new_article_keep_the_count_and_are_both_seen(sandbox, service, clock, known):
    clock.ago_s = 0
    sandbox.panel.delete("a-040")
    fill(sandbox, 1, prefix="new")
    seen = slugs(observe(service, known))
    assert len(seen) == 80
    assert "a-040" not in seen
    assert "new-000" in seen


def test_an_edit_in_the_second_of_the_last_listing_is_seen(tmp_path):
    with a_sandbox(tmp_path) as sandbox, a_service(sandbox.base_url) as service:
        fill(sandbox, 30)
        known = Snapshot()
        for turn in range(5):
            observe(service, known)
            sandbox.panel.edit("a-003", title=f"Edited {turn}")
            seen = {a.slug: a.fields["title"] for a in observe(service, known).articles}
            assert seen["a-003"] == f"Edited {turn}"


def test_an_article_that_moves_to_another_locale_is_in_one_of_them(sandbox, service, clock):
    fill(sandbox, 30, locale="en")
    fill(sandbox, 30, locale="fr", prefix="f")
    known = Snapshot()
    observe(service, known)
    clock.ago_s = 0
    sandbox.panel.edit("a-003", locale="fr")
    seen = observe(service, known)
    assert [a.locale for a in seen.articles if a.slug == "a-003"] == ["fr"]
    assert len(seen.articles) == 60


@pytest.mark.parametrize("ahead_s", [0.0, 3600.0, -3600.0])
def test_edits_of_more_than_a_page_are_all_seen_also_where_the_clock_of_the_database_is_another(
    sandbox, service, clock, ahead_s
):
    fill(sandbox, 80)
    clock.ago_s = -ahead_s
    sandbox.panel.edit("a-000", title="First")
    known = Snapshot()
    observe(service, known)
    for place in range(40):
        sandbox.panel.edit(f"a-{place:03}", title="Edited")
    assert sum(a.fields["title"] == "Edited" for a in observe(service, known).articles) == 40


def test_a_row_from_the_future_does_not_hide_what_is_edited_until_then(sandbox, service, clock):
    fill(sandbox, 30)
    sandbox.panel.sql("UPDATE articles SET updated_at = updated_at + 864000000000 WHERE slug = 'a-020'")
    known = Snapshot()
    observe(service, known)
    clock.ago_s = -5
    sandbox.panel.edit("a-003", title="Edited")
    assert {a.slug: a.fields["title"] for a in observe(service, known).articles}["a-003"] == "Edited"


# --- while others edit ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [1, 2, 3])
def test_surprise_06_an_edit_between_two_pages_loses_a_row_and_a_second_pass_finds_it(sandbox, service, page):
    fill(sandbox, 60)
    sandbox.faults.add(Fault("shift", path=rf"articles\?locale=en&page={page}$"))
    seen = observe(service)
    assert (len(seen.articles), seen.complete) == (60, True)


def test_surprise_06_a_portal_that_moves_during_every_pass_is_read_as_well_as_can_be(sandbox, service):
    fill(sandbox, 60)
    sandbox.faults.add(Fault("shift", path=r"articles\?locale=en&page=", times=None))
    known = Snapshot()
    assert len(observe(service, known).articles) >= 59
    sandbox.faults.clear()
    seen = observe(service, known)
    assert (len(seen.articles), seen.complete) == (60, True)


# --- ties ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def tied(tmp_path):
    with (
        a_sandbox(tmp_path, SETUP, Behaviour(ties="lose", categories_per_page=25)) as sandbox,
        a_service(sandbox.base_url) as service,
    ):
        yield sandbox, service


def tie(sandbox):
    sandbox.panel.sql("UPDATE articles SET updated_at = 1700000000000000")


def test_surprise_06_rows_that_tie_are_lost_in_a_quiet_portal_and_found_by_their_ids(tied):
    sandbox, service = tied
    fill(sandbox, 200)
    tie(sandbox)
    known = Snapshot()
    seen = observe(service, known)
    assert (len(seen.articles), seen.complete) == (200, True)
    with Counted(service) as cost:
        assert len(observe(service, known).articles) == 200
    assert cost.requests <= 2 + 2 + 1


@pytest.mark.parametrize("behaviour", [Behaviour(ties="lose"), Behaviour(ties="random")], ids=["lose", "random"])
def test_surprise_06_an_import_of_all_locales_at_one_instant_is_found_whole(tmp_path, behaviour):
    with a_sandbox(tmp_path, SETUP, behaviour) as sandbox, a_service(sandbox.base_url) as service:
        ids = {
            locale: create_category(service, f"imported-{locale}", locale=locale).remote_id for locale in ("en", "fr")
        }
        for place in range(200):
            locale = "fr" if place % 3 else "en"
            fill(sandbox, 1, prefix=f"i{place}", category_id=ids[locale])
        sandbox.panel.sql("UPDATE articles SET position = NULL")
        tie(sandbox)
        known = Snapshot()
        seen = observe(service, known)
        assert (len(seen.articles), seen.complete) == (200, True)
        assert {article.slug: article.locale for article in seen.articles} == {
            article.slug: article.locale for article in sandbox.panel.articles(PORTAL)
        }
        assert observe(service, known) == seen


def test_surprise_06_ids_of_others_in_between_are_asked_for_up_to_an_end_and_the_listing_admits_it(tied):
    sandbox, service = tied
    fill(sandbox, 200)
    sandbox.panel.sql("UPDATE articles SET id = id * 1000")
    tie(sandbox)
    with Counted(service) as cost:
        seen = observe(service)
    assert (len(seen.articles), seen.complete) == (198, False)
    assert MOST_ASKED < cost.requests < MOST_ASKED + 60


def test_surprise_06_an_agent_whose_token_shows_no_article_gets_the_list_as_far_as_it_goes(tied):
    sandbox, _ = tied
    fill(sandbox, 200)
    tie(sandbox)
    with a_service(sandbox.base_url, token=AGENT) as service:
        seen = observe(service)
    assert (len(seen.articles), seen.complete) == (198, False)


def test_surprise_06_rows_that_tie_are_found_in_the_lists_of_their_categories(tied):
    sandbox, service = tied
    for slug in ("billing", "account"):
        category = create_category(service, slug)
        fill(sandbox, 100, prefix=slug, category_id=category.remote_id)
    tie(sandbox)
    known = Snapshot()
    seen = observe(service, known)
    assert (len(seen.articles), seen.complete) == (200, True)
    with Counted(service) as cost:
        observe(service, known)
    assert cost.requests <= 2 + 2 + 50


def test_surprise_06_rows_that_tie_are_found_in_the_lists_of_their_status(tied):
    sandbox, service = tied
    for status in (0, 1, 2):
        fill(sandbox, 45, prefix=f"s{status}", status=status)
    tie(sandbox)
    seen = observe(service)
    assert (len(seen.articles), seen.complete) == (135, True)


def test_surprise_06_an_edit_of_many_at_one_instant_is_not_half_seen(tied):
    sandbox, service = tied
    fill(sandbox, 200)
    known = Snapshot()
    observe(service, known)
    sandbox.panel.sql("UPDATE articles SET title = 'New', updated_at = updated_at / 1000000 * 1000000 + 60000000")
    tie(sandbox)
    sandbox.panel.sql("UPDATE articles SET updated_at = 1900000000000000")
    seen = observe(service, known)
    assert {article.fields["title"] for article in seen.articles} == {"New"}
    assert (len(seen.articles), seen.complete) == (200, True)


def test_surprise_19_categories_that_tie_are_found_in_the_lists_of_their_locales(tied):
    _, service = tied
    for place in range(100):
        create_category(service, f"c-{place:03}", locale="en" if place % 3 else "fr")
    assert len(observe(service).categories) == 100


def test_an_edit_between_a_write_and_a_look_into_the_list_is_found_by_the_next_listing(sandbox, service, clock):
    fill(sandbox, 60)
    known = Snapshot()
    before = next(article for article in observe(service, known).articles if article.slug == "a-000")
    service.read_article(before.remote_id, locale="en")
    update(service, before, title="Ours")
    sandbox.panel.edit("a-000", title="By a colleague")
    for place in range(1, 31):
        sandbox.panel.edit(f"a-{place:03}", title="Newer, and on the first page")
    clock.ago_s -= 10
    # The public page cannot be asked for a slug with a dot, so the list is.
    assert service.find_article("no.such", locale="en") is None
    service.reader.keep_written()
    found = observe(service, known)
    assert next(article for article in found.articles if article.slug == "a-000").fields["title"] == "By a colleague"
