"""A list whose rows move while it is read, page by page, on a desk where every step can be told."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from kbsync.service.article_lister import Lister, Page
from kbsync.service.endpoint import Endpoint
from kbsync.service.portal_reader import PortalReader
from kbsync.service.profile import read_profile
from kbsync.service.snapshot import LocaleRows, Row
from patience import GIVE_UP_S

from .world import HERE, PORTAL, a_sandbox, a_server, a_service, a_transport, fill, reply


class Desk:
    """A list in memory, with a newest row first, that something may happen to before a page is read."""

    def __init__(self, number, *, events=None, server_time_s=10_000, count=True):
        self.stamp = 0
        self.rows = []
        self.events = events or {}
        self.reads = 0
        self.server_time_s = server_time_s
        self.counts = count
        for place in range(number):
            self.write(f"a{place}")

    def write(self, name, title="old"):
        self.delete(name)
        self.stamp += 10
        self.rows.insert(0, (name, self.stamp, title))

    def delete(self, name):
        self.rows = [row for row in self.rows if row[0] != name]

    def read(self, filters, number):
        self.reads += 1
        for work, name in self.events.pop(self.reads, ()):
            getattr(self, work)(name)
        rows = tuple(
            Row(name, at, name, None, "draft", (title, "", "", None, None, (), "", ""))
            for name, at, title in self.rows[number * 25 - 25 : number * 25]
        )
        return Page(rows, len(self.rows) if self.counts else None, self.server_time_s)

    def listing(self, known=None, parts=()):
        with ThreadPoolExecutor(1) as pool:
            return Lister(self.read, "en", pool, parts).list(known)

    def names(self):
        return {name for name, *_ in self.rows}


@pytest.mark.parametrize(
    "events",
    [
        # Read already, deleted; the row after the page's edge slips through, and the number still fits.
        {2: [("delete", "a59")]},
        {3: [("delete", "a59")]},
        # An unread row moves to the front while a read one goes: nothing doubled, one hidden, one too many.
        {2: [("delete", "a59"), ("write", "a2")]},
        {2: [("write", "a2")], 3: [("delete", "a58"), ("delete", "a57")]},
    ],
)
def test_a_deletion_between_two_pages_hides_no_article_and_leaves_none_that_is_gone(events):
    desk = Desk(60, events=events)
    found = desk.listing()
    assert found.complete
    assert set(found.found.rows) == desk.names()


def test_a_deletion_between_the_pages_of_what_is_new_hides_nothing_for_ever():
    desk = Desk(60)
    known = desk.listing().found
    for place in range(60):
        desk.write(f"new{place}")
    # The one that slips over the edge of the second page is where the next listing would not look.
    desk.events = {desk.reads + 3: [("delete", "new59")]}
    first = desk.listing(known).found
    assert set(desk.listing(first).found.rows) == desk.names()


def test_a_row_that_was_still_being_written_when_the_last_listing_looked_is_seen():
    desk = Desk(60, server_time_s=10_000)
    desk.rows = [(name, 10_000, title) for name, _, title in desk.rows]
    known = desk.listing().found
    desk.rows[40] = (desk.rows[40][0], 10_000, "new")
    desk.server_time_s = 10_050
    assert desk.listing(known).found.rows[desk.rows[40][0]].values[0] == "new"


def test_what_changed_during_the_first_pass_and_was_hidden_from_the_second_is_seen_by_the_next_listing():
    # Page 2 of the first pass is read after a59 moved; the edit of a59 hides behind the edits of later passes.
    desk = Desk(60, events={2: [("write", "a1")], 5: [("write", "a2")], 8: [("write", "a3")]})
    found = desk.listing()
    again = desk.listing(found.found if found.complete else None)
    assert {row.id: row.updated_at for row in again.found.rows.values()} == {name: at for name, at, _ in desk.rows}


def test_a_portal_that_loses_articles_all_the_time_is_not_read_as_empty():
    events = {number: [("delete", f"a{number}")] for number in range(2, 100)}
    found = Desk(120, events=events).listing(parts=({"status": 0},))
    assert not found.complete
    assert len(found.found.rows) > 50
    assert found.found.read_at == 0


def test_without_a_count_the_pages_are_read_to_the_end_and_nobody_says_that_it_is_all():
    found = Desk(60, count=False).listing()
    assert (len(found.found.rows), found.complete, found.found.read_at) == (60, False, 0)


def test_a_clock_that_was_set_back_settles_nothing():
    desk = Desk(60, server_time_s=10_000)
    known = desk.listing().found
    desk.server_time_s = 100
    desk.rows = [(name, at, "new" if name == "a0" else title) for name, at, title in desk.rows]
    assert desk.listing(known).found.rows["a0"].values[0] == "new"


def test_without_a_date_in_the_answers_a_listing_is_incremental_all_the_same():
    desk = Desk(60, server_time_s=None)
    known = desk.listing().found
    desk.reads = 0
    assert len(desk.listing(known).found.rows) == 60
    assert desk.reads == 1


def test_surprise_18_a_service_that_ignores_the_page_is_asked_a_few_times_and_no_more():
    desk = Desk(25)
    desk.rows = [(f"a{place}", 1000, "x") for place in range(25)]
    desk.counts = False
    reads = []

    def read(filters, number):
        reads.append(number)
        return Page(desk.read(filters, 1).rows, 10**9, 5)

    with ThreadPoolExecutor(2) as pool:
        for known in (None, LocaleRows(1000, {})):
            found = Lister(read, "en", pool).list(known)
            assert (len(found.found.rows), found.complete) == (25, False)
    assert len(reads) < 40


def test_surprise_18_categories_whose_page_is_ignored_come_to_an_end():
    body = '{"payload": [{"id": "1", "slug": "a", "name": "A", "locale": "en", "new": {}}]}'
    with a_server(reply(body)) as server, a_service(server.base_url) as service:
        assert service.reader.find_category("a", locale="en").remote_id == 1
        assert len(server.requests) == 1
        assert service.reader.find_category("b", locale="en") is None
    assert len(server.requests) == 1 + 2


class LastFirst:
    """Reads the pages that are asked for together in the worst order."""

    def map(self, read, numbers):
        answers = {number: read(number) for number in reversed(numbers)}
        return [answers[number] for number in numbers]


def test_pages_behind_the_end_that_answer_first_hide_no_earlier_page():
    desk = Desk(135)
    first_50 = {name for name, *_ in desk.rows[:50]}

    def read(filters, number):
        page = desk.read(filters, number)
        if "status" in filters:  # Counts the whole, as the service does, and has two pages.
            return replace(page, rows=tuple(row for row in page.rows if row.id in first_50))
        # The last row of the second page comes on none: it ties, and the list has no order for it.
        return replace(page, rows=tuple(row for row in page.rows if row.id != "a85"))

    found = Lister(read, "en", LastFirst(), ({"status": 0},)).list(None)
    assert "a85" in first_50
    assert (len(found.found.rows), found.complete) == (135, True)


# --- several threads that look up articles in one list ---------------------------------------------------------------


class SlowFirst:
    """An endpoint whose first answer about articles arrives when somebody lets it through."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.lock, self.first = threading.Lock(), True
        self.answered, self.let_through = threading.Event(), threading.Event()

    def __getattr__(self, name):
        return getattr(self.endpoint, name)

    def ask(self, operation, **details):
        with self.lock:
            is_first = self.first and operation == "list_articles"
            self.first = self.first and not is_first
        answer = self.endpoint.ask(operation, **details)
        if is_first:
            self.answered.set()
            assert self.let_through.wait(GIVE_UP_S)
        return answer


def test_of_two_looks_at_a_list_the_later_one_is_remembered_whichever_ends_last(tmp_path):
    with a_sandbox(tmp_path) as sandbox, a_transport(sandbox.base_url) as transport:
        fill(sandbox, 3, locale="en")
        endpoint = SlowFirst(Endpoint(read_profile("chatwoot", folder=HERE), transport, 1, PORTAL))
        reader = PortalReader(endpoint)
        with ThreadPoolExecutor(2) as threads:
            early = threads.submit(reader.find_in_list, "a-001", "en")
            assert endpoint.answered.wait(GIVE_UP_S)
            try:
                sandbox.panel.edit("a-002", title="Edited meanwhile")
                late = threads.submit(reader.find_in_list, "a-002", "en").result(GIVE_UP_S)
            finally:
                endpoint.let_through.set()
            assert early.result(GIVE_UP_S) is not None
        assert late.title == "Edited meanwhile"
        assert "Edited meanwhile" in {article.title for article in reader.observed(("en",))}
