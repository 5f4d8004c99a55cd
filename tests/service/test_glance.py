"""A peek says yes only where reading on would find the very same rows."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kbsync.memory import Memory
from kbsync.service.article_lister import Lister, Page
from kbsync.service.peek import NEWEST, head_of, is_unmoved
from kbsync.service.snapshot import PUSH_MAX_AGE_S, LocaleRows, Row, Snapshot, Tag, load_snapshot, store_snapshot

READ_AT = 1000


def a_row(number: int, updated_at: int = 900, title: str = "Title") -> Row:
    return Row(number, updated_at, f"a-{number}", 1, "draft", (title, "blake2b:0", "", 1, 1, (), "", ""))


def known(*rows: Row, read_at: int = READ_AT) -> LocaleRows:
    return LocaleRows(read_at, {row.id: row for row in rows})


def a_page(*rows: Row, count: int | None, at: int | None = READ_AT + 60) -> Page:
    return Page(rows, count, at)


ONE, TWO, THREE = a_row(1), a_row(2), a_row(3, 500)


def test_the_same_rows_and_the_same_count_are_the_same_list():
    assert is_unmoved(head_of(known(ONE, TWO, THREE)), a_page(ONE, TWO, count=3))


def test_an_empty_locale_is_unmoved_while_it_is_empty():
    assert is_unmoved(head_of(known()), a_page(count=0))
    assert not is_unmoved(head_of(known()), a_page(ONE, count=1))
    assert not is_unmoved(head_of(known(ONE)), a_page(count=1))


@pytest.mark.parametrize(
    ("why", "page"),
    [
        ("another count", a_page(ONE, TWO, count=2)),
        ("no count", a_page(ONE, TWO, count=None)),
        ("a row that is new", a_page(a_row(9), ONE, count=3)),
        ("a row that changed", a_page(a_row(1, title="Other"), TWO, count=3)),
        ("a row twice: another may be hidden", a_page(ONE, ONE, count=3)),
        ("a clock that was set back", a_page(ONE, TWO, count=3, at=READ_AT - 1)),
    ],
)
def test_whatever_else_the_page_shows_is_not_taken_for_the_same(why: str, page: Page):
    assert not is_unmoved(head_of(known(ONE, TWO, THREE)), page), why


def test_rows_as_young_as_the_listing_are_not_settled():
    young = known(a_row(1, READ_AT), a_row(2, READ_AT - 1), THREE)
    assert not is_unmoved(head_of(young), a_page(a_row(1, READ_AT), a_row(2, READ_AT - 1), count=3))


def test_a_listing_with_holes_has_no_head_that_holds():
    assert not is_unmoved(head_of(known(ONE, read_at=0)), a_page(ONE, count=1))


def test_the_newest_rows_are_kept():
    rows = [a_row(number, number) for number in range(NEWEST + 50)]
    head = head_of(known(*rows))
    assert (head.count, len(head.newest), head.newest[0].id) == (NEWEST + 50, NEWEST, NEWEST + 49)


def test_a_head_knows_the_first_page_by_its_tag_where_it_has_all_of_its_rows():
    tag = Tag('"one"', 3, (1, 2))
    found = known(ONE, TWO, THREE)
    found.tags = {1: tag, 2: Tag('"two"', 3, (3,))}
    head = head_of(found)
    assert (head.tag, head.known.tag_of(1), head.known.rows[2]) == (tag, tag, TWO)
    assert head_of(known(ONE)).tag is None and head_of(known(ONE)).known.tag_of(1) is None
    crowd = known(*(a_row(number) for number in range(NEWEST + 1)))
    crowd.tags = {1: Tag('"crowd"', NEWEST + 1, (NEWEST,))}
    assert head_of(crowd).tag is None


def test_a_listing_from_what_was_known_knows_the_first_page_as_it_is_now():
    before = known(ONE, TWO, THREE)
    before.tags = {1: Tag('"old"', 3, (1, 2, 3))}
    page = Page((a_row(2, READ_AT + 5, "Edited"), ONE, THREE), 3, READ_AT + 60, '"new"')

    def ask(filters: object, number: int) -> Page:
        return page

    with ThreadPoolExecutor(1) as pool:
        listing = Lister(ask, "en", pool).list(before, page)
    assert listing.found.rows[2].updated_at == READ_AT + 5
    assert listing.found.tags == {1: Tag('"new"', 3, (2, 1, 3))}


rows = st.builds(a_row, st.integers(1, 6), st.integers(READ_AT - 3, READ_AT + 1), st.sampled_from(["Title", "Other"]))


@settings(max_examples=1000, deadline=None)
@given(
    st.lists(rows, max_size=6),
    st.lists(rows, max_size=4),
    st.none() | st.integers(0, 6),
    st.none() | st.integers(READ_AT - 1, READ_AT + 2),
    st.sampled_from([0, READ_AT]),
)
def test_where_it_says_yes_the_listing_asks_nothing_more_and_finds_the_same(before, now, count, at, read_at):
    found = known(*before, read_at=read_at)
    if not is_unmoved(head_of(found), page := a_page(*now, count=count, at=at)):
        return

    def ask(filters: object, number: int) -> Page:
        raise AssertionError("reading on was needed")

    with ThreadPoolExecutor(1) as pool:
        listing = Lister(ask, "en", pool).list(found, page)
    assert listing.complete
    assert listing.found.rows == found.rows


@given(st.lists(rows, min_size=1, max_size=6))
def test_it_does_say_yes_to_a_page_of_what_was_there(before):
    settled = known(*before, a_row(7, 10))
    newest = sorted(settled.rows.values(), key=lambda row: row.updated_at, reverse=True)
    assert is_unmoved(head_of(settled), a_page(*newest, count=len(settled.rows)))


def test_rows_that_were_read_hours_ago_are_good_for_a_push():
    rows = [a_row(number, READ_AT - 100 - number) for number in range(1, 31)]
    head = replace(head_of(known(*rows)), whole_at=READ_AT - 36_000)
    page = a_page(*rows[:25], count=30)
    assert not is_unmoved(head, page)
    assert is_unmoved(head, page, max_age_s=PUSH_MAX_AGE_S)


# --- what is kept of a portal ----------------------------------------------------------------------------------------


ROW = Row(1, 2, "slug", None, "draft", ("Title", "digest", "", 3, "ana", ("t",), "", ""))
TARGET = "https://help.example.com|1|handbook"


def a_snapshot():
    return Snapshot(TARGET, {"en": LocaleRows(100, {1: ROW, "x": ROW})})


def test_what_was_stored_comes_back_and_that_of_another_portal_is_none_of_ours(tmp_path):
    memory = Memory(tmp_path / "new")
    assert load_snapshot(memory, TARGET) == Snapshot(TARGET)
    store_snapshot(memory, a_snapshot())
    assert load_snapshot(memory, TARGET) == a_snapshot()
    assert load_snapshot(memory, "other") == Snapshot("other")
