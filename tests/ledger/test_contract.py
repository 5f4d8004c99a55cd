"""What every ledger can do."""

import threading
from contextlib import closing
from functools import partial

import pytest
from msgspec.structs import replace

from kbsync.ledger import Ledger, open_ledger
from kbsync.ledger.database import AT_ONCE
from kbsync.ledger.values import EntryResult, Source, Turn
from kbsync.model import Action, Status

from .makers import ANA, BEN, OTHER, PORTAL, a_base, a_change, all_at_once, begin

FIRST, SECOND = Source("a" * 40, 1_700_000_000), Source("b" * 40, 1_700_000_060)


def complete(ledger: Ledger, *results: EntryResult) -> None:
    ledger.turn(PORTAL, 1, ANA, Turn(results), now=3.0)


def test_a_new_ledger_knows_nothing(ledger):
    assert ledger.is_empty(PORTAL)
    assert (ledger.bases(PORTAL), ledger.pending(PORTAL)) == ([], [])


def test_after_a_run_it_is_not_empty_for_that_portal_alone_even_when_nothing_was_made(ledger):
    number = ledger.begin_run(PORTAL, command="push", now=1.0)
    ledger.end_run(number, outcome="done", now=2.0)
    assert not ledger.is_empty(PORTAL)
    assert ledger.is_empty(OTHER)
    assert ledger.begin_run(PORTAL, command="push", now=3.0) != number


def test_more_bases_than_are_read_or_written_at_once_come_back_as_they_went(ledger):
    bases = [a_base(slug=f"s-{number}", remote_id=number) for number in range(2 * AT_ONCE + 1)]
    ledger.record(PORTAL, iter(bases), source=FIRST)
    assert sorted(ledger.bases(PORTAL), key=lambda base: base.remote_id) == bases
    fewer = [replace(base, status=None) for base in bases[::2]]
    ledger.record(PORTAL, iter(fewer), forgotten=bases[1::2])
    assert sorted(ledger.bases(PORTAL), key=lambda base: base.remote_id) == fewer
    assert set(ledger.sources(PORTAL).values()) == {FIRST}


def test_each_row_has_the_commit_of_the_run_that_wrote_it(ledger):
    base, other = a_base(), a_base(slug="y", remote_id=8)
    ledger.record(PORTAL, [base, other], source=FIRST)
    assert ledger.sources(PORTAL) == {("article", 7): FIRST, ("article", 8): FIRST}
    edited = replace(base, fields={**base.fields, "title": "Edited"})
    ledger.record(PORTAL, [edited], source=SECOND)
    # Without a commit, as for an undo, that of the row stays.
    ledger.record(PORTAL, [base])
    ledger.record(PORTAL, [a_base(slug="z", remote_id=9)])
    assert ledger.sources(PORTAL) == {("article", 7): SECOND, ("article", 8): FIRST}
    assert ledger.sources(OTHER) == {}


def test_what_a_run_sent_came_with_its_commit_also_where_a_later_run_finds_out(opened, tmp_path):
    ledger, first, second = opened(), a_base(slug="x", remote_id=7), a_base(slug="y", remote_id=8)
    run = ledger.begin_run(PORTAL, command="push", now=1.0, owner=ANA, source=FIRST)
    sent, lost = ledger.offer(PORTAL, run, [(1, a_change(slug="x")), (1, a_change(slug="y"))])
    ledger.turn(PORTAL, run, ANA, Turn(phase=1, most=2), now=2.0)
    ledger.turn(PORTAL, run, ANA, Turn([EntryResult(sent, "done", first)]), now=3.0)
    later = ledger.begin_run(PORTAL, command="push", now=4.0, source=SECOND)
    assert ledger.sources_of([sent, lost]) == {sent: FIRST, lost: FIRST}
    ledger.settle(PORTAL, {lost: second})
    found = {("article", 7): FIRST, ("article", 8): FIRST}
    assert ledger.sources(PORTAL) == found
    assert ledger.pushes(PORTAL, most=2) == [(later, SECOND), (run, FIRST)]
    with closing(open_ledger("sqlite:other.db", folder=tmp_path)) as other:
        other.restore(opened().dump())
        assert other.sources(PORTAL) == found


@pytest.mark.parametrize(("name", "value"), [("version", "4.16.2"), ("who", "ana@laptop")])
def test_a_run_knows_the_service_and_who_began_it_also_in_another_ledger(opened, tmp_path, name, value):
    first = opened()
    first.begin_run(PORTAL, command="push", now=1.0, **{name: value})
    first.begin_run(PORTAL, command="undo 1", now=2.0)
    assert [getattr(run, name) for run in opened().runs(PORTAL)] == ["", value]
    with closing(open_ledger("sqlite:other.db", folder=tmp_path)) as other:
        other.restore(first.dump())
        assert [getattr(run, name) for run in other.runs(PORTAL)] == ["", value]


def test_many_who_open_a_new_ledger_at_once_all_get_one(opened):
    all_at_once(*[opened] * 8)


def test_the_journal_of_one_item_has_its_entries_of_all_runs_and_no_others(ledger):
    begin(ledger, a_change(slug="x"))
    begin(ledger, a_change(slug="y"))
    begin(ledger, a_change(slug="x"))
    found = ledger.entries_of_item(PORTAL, "article", None, a_change(slug="x").path)
    assert [entry.change.slug for _, entry in found] == ["x", "x"]
    assert [run for run, _ in found] == sorted((run for run, _ in found), reverse=True)
    assert ledger.entries_of_item(PORTAL, "article", None, "") == []
    assert ledger.entries_of_item(OTHER, "article", None, a_change(slug="x").path) == []


@pytest.mark.parametrize(
    "given",
    [
        *({"remote_id": remote_id} for remote_id in (7, "7", "7a", 2**60)),
        {"overruled": {"title": "Theirs"}, "decided_for": {"title": "Ours"}},
    ],
)
def test_a_base_comes_back_as_it_went_after_the_ledger_was_closed(opened, given):
    first = opened()
    first.record(PORTAL, [a_base(**given)])
    first.close()
    assert opened().bases(PORTAL) == [a_base(**given)]


def test_what_people_decided_comes_back_until_it_is_over(ledger):
    decided = a_base(kept={"title": "Theirs", "tags": ("a",)}, overruled={"content": "body:1", "position": None})
    ledger.record(PORTAL, [decided])
    ledger.record(PORTAL, [a_base("y", 8, overruled={"title": "Theirs"})])
    ledger.record(PORTAL, [a_base("y", 8)])
    assert sorted(ledger.bases(PORTAL), key=lambda base: base.slug) == [decided, a_base("y", 8)]


def test_two_portals_share_nothing(ledger):
    ledger.record(PORTAL, [a_base()])
    begin(ledger, a_change())
    assert (ledger.bases(OTHER), ledger.pending(OTHER)) == ([], [])
    ledger.record(OTHER, [a_base(status=Status.PUBLISHED)], forgotten=[a_base("y", 8)])
    assert [base.status for base in ledger.bases(PORTAL)] == [Status.DRAFT]


def test_what_one_connection_wrote_the_other_sees_at_once(opened):
    one, two = opened(), opened()
    one.record(PORTAL, [a_base()])
    assert two.bases(PORTAL) == [a_base()]
    two.record(PORTAL, [], forgotten=[a_base()])
    assert one.bases(PORTAL) == []


def test_two_connections_that_write_at_once_lose_nothing(opened):
    def write(ledger: Ledger, first: int) -> None:
        for number in range(first, first + 40):
            ledger.record(PORTAL, [a_base(f"s{number}", number)])

    all_at_once(*(partial(write, opened(), first) for first in (0, 100)))
    assert len(opened().bases(PORTAL)) == 80


# --- the journal -----------------------------------------------------------------------------------------------------


def test_an_intent_is_pending_with_all_it_was_to_change_until_its_result_is_written(opened):
    fields = {"title": ("Old", "New"), "tags": (None, ("a",)), "position": (None, 3)}
    (entry,) = begin(opened(), a_change(Action.UPDATE, "x", 7, **fields))
    again = opened()
    (pending,) = again.pending(PORTAL)
    assert (pending.entry, pending.action, pending.kind, pending.slug) == (entry, "update", "article", "x")
    assert (pending.locale, pending.path, pending.remote_id) == ("en", "en/a/x.md", 7)
    assert pending.before == {"title": "Old", "tags": None, "position": None}
    assert pending.after == {"title": "New", "tags": ("a",), "position": 3}
    complete(again, EntryResult(entry, "done", a_base()))
    assert again.pending(PORTAL) == []
    assert again.bases(PORTAL) == [a_base()]


def test_pending_entries_come_in_the_order_in_which_they_were_begun(ledger):
    entries = begin(ledger, *(a_change(slug=slug) for slug in "cab"))
    assert [(entry.entry, entry.slug) for entry in ledger.pending(PORTAL)] == list(zip(entries, "cab", strict=True))


def test_a_failed_entry_is_closed_and_leaves_no_base(ledger):
    (entry,) = begin(ledger, a_change())
    complete(ledger, EntryResult(entry, "failed", error="422"))
    assert (ledger.pending(PORTAL), ledger.bases(PORTAL)) == ([], [])


def test_a_removal_takes_the_row_of_its_item(ledger):
    ledger.record(PORTAL, [a_base(), a_base("y", 8)])
    (entry,) = begin(ledger, a_change(Action.DELETE, "x", 7, title=("X", None)))
    complete(ledger, EntryResult(entry, "done", removed=True))
    assert ledger.bases(PORTAL) == [a_base("y", 8)]


def test_results_and_what_is_taken_next_are_one_transaction(ledger):
    (entry,) = begin(ledger, a_change())

    class Broken(dict):
        def __iter__(self):
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        ledger.turn(PORTAL, 1, ANA, Turn([EntryResult(entry, "done", a_base())], Broken()), now=3.0)
    assert ledger.bases(PORTAL) == []
    assert [pending.slug for pending in ledger.pending(PORTAL)] == ["x"]


RESULTS = {
    "of different items": ([a_base("x", 7), a_base("y", 8), a_base("z", 9)], [7, 8, 9]),
    "of one item": ([a_base("x", 7), a_base("z", 7, path="en/a/x.md"), a_base("y", 8)], [7, 8]),
    "of one source, made again": ([a_base("x", 7), a_base("x", 8), a_base("y", 9)], [8, 9]),
    "a removal of what was just recorded": ([a_base("x", 7), None, a_base("y", 8)], [8]),
    "ids as numbers and as texts": ([a_base("x", 7), a_base("y", "7"), a_base("z", "7a")], [7, "7", "7a"]),
}
"""Bases of three results, None for a removal of the item 7; and the ids that stay."""


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_one_turn_end_as_they_do_one_by_one(opened, name: str):
    given, stays = RESULTS[name]
    found = []
    for at_once in (False, True):
        ledger = opened()
        target = f"{PORTAL}{at_once}"
        run = ledger.begin_run(target, command="push", now=1.0, owner=ANA, source=FIRST)
        changes = [a_change(Action.DELETE, slug, 7) for slug in "xyz"]
        entries = ledger.offer(target, run, [(1, change) for change in changes])
        ledger.turn(target, run, ANA, Turn(phase=1, most=3), now=2.0)
        results = [
            EntryResult(entry, "done", base, removed=base is None, remote_id=base.remote_id if base else 7)
            for entry, base in zip(entries, given, strict=True)
        ]
        for turn in [Turn(results)] if at_once else [Turn([result]) for result in results]:
            ledger.turn(target, run, ANA, turn, now=3.0)
        bases = sorted(ledger.bases(target), key=lambda base: (str(base.remote_id), base.slug))
        found.append((bases, ledger.sources(target), [entry.state for entry in ledger.entries(run)]))
    assert found[0] == found[1]
    assert [base.remote_id for base in found[0][0]] == stays


def test_settling_closes_entries_with_and_without_a_base(ledger):
    first, second, third = begin(ledger, *(a_change(slug=slug) for slug in "xyz"))
    ledger.settle(PORTAL, {first: a_base(), second: None})
    assert [pending.entry for pending in ledger.pending(PORTAL)] == [third]
    assert ledger.bases(PORTAL) == [a_base()]
    ledger.settle(PORTAL, {first: a_base()})


def test_a_result_of_an_entry_that_another_run_has_settled_is_dropped(ledger):
    (entry,) = begin(ledger, a_change())
    newer = a_base(fields={"title": "newer"})
    ledger.settle(PORTAL, {entry: newer})
    complete(ledger, EntryResult(entry, "done", a_base()))
    assert ledger.bases(PORTAL) == [newer]


# --- items -----------------------------------------------------------------------------------------------------------


A_CATEGORY = a_base("a", 1, kind="category", status=None)
MOVED = a_base(status=Status.PUBLISHED, path="fr/z.md")

# What is recorded, one transaction after the other; and what is there then, by kind and id.
RECORDED = {
    "an item recorded again replaces its row": ([[a_base()], [MOVED]], [MOVED]),
    "an article made again under its slug replaces the one that is gone, whatever its locale": (
        [[a_base(remote_id=7)], [a_base(remote_id=9, locale="fr")]], [a_base(remote_id=9, locale="fr")]),
    "categories of one slug in two locales are two": (
        [[A_CATEGORY, replace(A_CATEGORY, remote_id=2, locale="fr"), a_base("a", 1)]],
        [a_base("a", 1), A_CATEGORY, replace(A_CATEGORY, remote_id=2, locale="fr")]),
    "a category made again replaces the one of its locale": (
        [[A_CATEGORY, replace(A_CATEGORY, remote_id=2, locale="fr"), a_base("a", 1)],
         [replace(A_CATEGORY, remote_id=3)]],
        [a_base("a", 1), replace(A_CATEGORY, remote_id=2, locale="fr"), replace(A_CATEGORY, remote_id=3)]),
    "two articles may swap their slugs in one transaction without losing one": (
        [[a_base("x", 7), a_base("y", 8)], [a_base("y", 7), a_base("x", 8)]], [a_base("y", 7), a_base("x", 8)]),
    "a slug that another source took leaves the row of the one that gave it up": (
        [[a_base("x", 7), a_base("y", 8)], [a_base("x", 8, path="en/a/y.md")]],
        [a_base("x", 7), a_base("x", 8, path="en/a/y.md")]),
}  # fmt: skip


@pytest.mark.parametrize(("recorded", "there"), RECORDED.values(), ids=RECORDED)
def test_an_item_has_one_row_and_what_is_another_one_has_its_own(ledger, recorded, there):
    for bases in recorded:
        ledger.record(PORTAL, bases)
    assert sorted(ledger.bases(PORTAL), key=lambda base: (base.kind, base.remote_id)) == there


# --- the lock --------------------------------------------------------------------------------------------------------


def test_the_lock_is_one_for_each_portal(opened):
    one, two = opened(), opened()
    assert one.lock(PORTAL, ANA, now=100.0) is None
    holder = two.lock(PORTAL, BEN, now=105.0)
    assert holder is not None
    seen = (holder.user, holder.host, holder.pid, holder.started_at, holder.beat_at)
    assert seen == ("ana", "laptop", 11, 100.0, 100.0)
    assert two.lock(OTHER, BEN, now=105.0) is None


def test_a_beat_keeps_the_lock_young_and_only_for_its_owner(ledger):
    ledger.lock(PORTAL, ANA, now=100.0)
    assert ledger.beat(PORTAL, ANA, now=130.0)
    assert not ledger.beat(PORTAL, BEN, now=131.0)
    assert ledger.lock(PORTAL, BEN, now=140.0).beat_at == 130.0


def test_only_its_owner_gives_the_lock_back(ledger):
    ledger.lock(PORTAL, ANA, now=100.0)
    ledger.unlock(PORTAL, BEN)
    assert ledger.lock(PORTAL, BEN, now=101.0) is not None
    ledger.unlock(PORTAL, ANA)
    assert ledger.lock(PORTAL, BEN, now=102.0) is None


def test_a_lock_is_taken_over_from_the_owner_that_was_seen_and_from_no_other(opened):
    one, two = opened(), opened()
    one.lock(PORTAL, ANA, now=100.0)
    seen = two.lock(PORTAL, BEN, now=105.0)
    one.beat(PORTAL, ANA, now=106.0)
    assert two.lock(PORTAL, BEN, now=107.0, take_over=seen) is None
    assert not one.beat(PORTAL, ANA, now=108.0)
    assert one.lock(PORTAL, ANA, now=109.0, take_over=seen).pid == BEN.pid


def test_of_many_who_ask_at_once_one_gets_the_lock(opened):
    answers: list[object] = []
    ledgers = [opened() for _ in range(6)]
    barrier = threading.Barrier(6)

    def ask(number: int) -> None:
        barrier.wait()
        owner = ANA.__class__("x", "h", number, float(number), 0.0)
        answers.append(ledgers[number].lock(PORTAL, owner, now=1.0))

    all_at_once(*(partial(ask, number) for number in range(6)))
    assert answers.count(None) == 1
