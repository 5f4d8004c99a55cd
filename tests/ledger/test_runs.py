"""What every ledger can do for a run that several take part in."""

import threading
from functools import partial

import pytest
from msgspec.structs import replace

from kbsync.config import LedgerSettings
from kbsync.errors import ConfigError, LedgerError
from kbsync.ledger import Ledger, open_ledger
from kbsync.ledger.values import EntryResult, Turn
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Action, FieldChange

from .makers import ANA, BEN, LEDGERS, OTHER, PORTAL, a_base, a_change, all_at_once, begin, opener_of

SLUGS = "abcdef"


def a_run(ledger: Ledger, *, action: Action = Action.CREATE) -> tuple[int, list[int]]:
    """Six changes of one phase, that nobody has taken yet."""
    run = ledger.begin_run(PORTAL, command="push", now=1.0, owner=ANA, digest="tree")
    ids = range(len(SLUGS)) if action is not Action.CREATE else [None] * len(SLUGS)
    changes = (a_change(action, slug, number, title=("Old", "New")) for slug, number in zip(SLUGS, ids, strict=True))
    return run, ledger.offer(PORTAL, run, [(7, change) for change in changes])


def take(ledger: Ledger, run: int, owner=ANA, most: int = 2, phase: int = 7):
    return ledger.turn(PORTAL, run, owner, Turn(phase=phase, most=most), now=2.0)


def states(ledger: Ledger, run: int) -> list[str]:
    return [entry.state for entry in ledger.entries(run)]


def test_changes_are_taken_in_their_order_and_only_of_the_phase_that_is_asked_for(ledger):
    run, entries = a_run(ledger)
    assert take(ledger, run, phase=8).taken == ()
    assert take(ledger, run).taken == tuple(entries[:2])
    assert take(ledger, run, BEN, 10).taken == tuple(entries[2:])
    assert take(ledger, run).taken == ()


def test_a_create_may_be_sent_as_soon_as_it_is_taken_and_an_update_only_when_that_is_said(ledger):
    run, entries = a_run(ledger)
    take(ledger, run)
    assert [entry.entry for entry in ledger.pending(PORTAL)] == entries[:2]
    other, updates = a_run(ledger, action=Action.UPDATE)
    take(ledger, other)
    assert len(ledger.pending(PORTAL)) == 2
    ledger.turn(PORTAL, other, ANA, Turn(sending={updates[0]: ("the body before",)}), now=3.0)
    assert [entry.entry for entry in ledger.pending(PORTAL)] == [*entries[:2], updates[0]]


def test_the_body_that_was_there_before_is_kept_by_the_name_of_its_content(ledger):
    run, entries = a_run(ledger, action=Action.UPDATE)
    take(ledger, run)
    ledger.turn(PORTAL, run, ANA, Turn(sending={entries[0]: ("Zażółć\r\n",), entries[1]: ("Zażółć\r\n",)}), now=3.0)
    assert ledger.text(body_digest("Zażółć\r\n")) == "Zażółć\r\n"
    assert ledger.text(body_digest("another")) is None


def test_what_an_overwrite_had_replaced_and_what_its_undo_leaves_are_in_the_journal(ledger):
    fields = (
        FieldChange("title", "Theirs", "Ours", agreed=("Old",), leaves=()),
        FieldChange("tags", ("a",), (), agreed=(("b", "c"),), leaves=(None,)),
    )
    change = replace(a_change(Action.UPDATE, "x", 7), fields=fields)
    begin(ledger, change)
    (entry,) = ledger.pending(PORTAL)
    assert entry.leaves == {"title": (), "tags": (None,)}
    assert ledger.entries(1)[0].change == change


def test_what_others_have_may_not_be_sent(ledger):
    run, entries = a_run(ledger, action=Action.UPDATE)
    take(ledger, run)
    granted = ledger.turn(PORTAL, run, BEN, Turn(sending={entries[0]: ()}), now=3.0)
    assert granted.refused == {entries[0]}


def test_many_who_take_at_once_never_get_the_same_change(opened):
    first = opened()
    run, entries = a_run(first)
    taken: list[int] = []
    barrier = threading.Barrier(3)

    def work(ledger: Ledger, owner) -> None:
        barrier.wait()
        while found := take(ledger, run, owner, 1).taken:
            taken.extend(found)

    all_at_once(*(partial(work, opened(), owner) for owner in (ANA, BEN, BEN)))
    assert sorted(taken) == entries


def test_a_runner_joins_the_run_that_is_under_way_and_none_when_none_is(ledger):
    assert ledger.join(PORTAL, BEN, now=2.0) is None
    run, _ = a_run(ledger)
    info = ledger.join(PORTAL, BEN, now=2.0)
    assert info is not None and (info.number, info.digest) == (run, "tree")
    assert {owner.user for owner in ledger.runners(run)} == {"ana", "ben"}
    assert ledger.join(OTHER, BEN, now=2.0) is None


def test_who_holds_the_lock_and_who_takes_part_come_back_as_they_came(ledger):
    cat = replace(ANA, boot="b2c4", namespace="pid:[4026531836]", born=2**40)
    assert ledger.lock(PORTAL, cat, now=100.0) is None
    run = ledger.begin_run(PORTAL, command="push", now=100.0, owner=cat)
    assert ledger.holder(PORTAL) == cat
    assert ledger.runners(run) == [cat]
    ledger.unlock(PORTAL, cat)
    assert ledger.lock(PORTAL, BEN, now=101.0) == cat


def test_what_a_dead_runner_had_goes_to_the_others_who_know_what_it_may_have_sent(ledger):
    run, entries = a_run(ledger)
    ledger.join(PORTAL, BEN, now=2.0)
    take(ledger, run, BEN)
    ledger.reap(PORTAL, run, BEN)
    assert [entry.entry for entry in ledger.pending(PORTAL)] == entries[:2]
    granted = take(ledger, run, ANA, 3)
    assert granted.taken == tuple(entries[:3])
    assert granted.again == set(entries[:2])
    assert not ledger.beat(PORTAL, BEN, now=5.0)


def test_the_last_who_leaves_closes_the_run_and_what_it_had_not_sent_waits(ledger):
    run, _ = a_run(ledger, action=Action.UPDATE)
    ledger.join(PORTAL, BEN, now=2.0)
    take(ledger, run, BEN)
    ledger.leave(PORTAL, run, BEN, now=3.0)
    assert states(ledger, run) == ["waiting"] * 6
    assert ledger.runs(PORTAL)[0].ended_at is None
    ledger.leave(PORTAL, run, ANA, now=4.0)
    assert ledger.runs(PORTAL)[0].ended_at == 4.0


def test_the_lock_is_not_free_while_anybody_is_at_work_on_the_run(ledger):
    ledger.lock(PORTAL, ANA, now=1.0)
    run, entries = a_run(ledger)
    ledger.join(PORTAL, BEN, now=2.0)
    ledger.leave(PORTAL, run, ANA, now=3.0)
    ledger.unlock(PORTAL, ANA)
    assert ledger.lock(PORTAL, ANA, now=4.0).user == "ben"
    take(ledger, run, BEN, 1)
    assert ledger.lock(PORTAL, ANA, now=5.0, take_over=BEN) is None
    assert states(ledger, run) == ["pending", *["skipped"] * 5]
    assert [entry.entry for entry in ledger.pending(PORTAL)] == entries[:1]


def test_the_rest_is_given_up_with_its_reason_and_what_is_under_way_is_not(ledger):
    run, entries = a_run(ledger)
    take(ledger, run)
    assert ledger.open_entries(run, phase=7) == 6
    assert ledger.open_entries(run, phase=6) == 0
    assert ledger.skip_rest(run, "stopped", now=3.0) == entries[2:]
    assert ledger.open_entries(run, phase=7) == 2
    assert {entry.error for entry in ledger.entries(run)[2:]} == {"stopped"}


def test_what_nobody_knows_the_end_of_is_pending_for_the_next_run_until_it_is_settled(ledger):
    run, entries = a_run(ledger)
    take(ledger, run)
    ledger.turn(PORTAL, run, ANA, Turn([EntryResult(entries[0], "unknown", error="no answer")]), now=3.0)
    assert ledger.entries(run)[0].error == "no answer"
    ledger.settle(PORTAL, {entries[0]: None, entries[1]: a_base("b", 9)})
    assert ledger.pending(PORTAL) == []


def test_a_create_has_its_id_in_the_journal_when_it_is_done(ledger):
    run, entries = a_run(ledger)
    take(ledger, run)
    ledger.turn(PORTAL, run, ANA, Turn([EntryResult(entries[0], "done", a_base("a", "7a"), remote_id="7a")]), now=3.0)
    assert ledger.entries(run)[0].change.remote_id == "7a"
    assert ledger.runs(PORTAL)[0].states == {"done": 1, "pending": 1, "waiting": 4}


@pytest.mark.parametrize("other", LEDGERS)
def test_all_of_a_ledger_can_be_carried_into_another_that_is_empty(ledger, other, tmp_path, request):
    ledger.record(PORTAL, [a_base(kept={"title": "Theirs"})])
    begin(ledger, a_change(slug="y"))
    copy = opener_of(other, tmp_path / "copy", request)()
    copy.restore(ledger.dump())
    assert copy.dump() == ledger.dump()
    assert (copy.bases(PORTAL), copy.pending(PORTAL)) == (ledger.bases(PORTAL), ledger.pending(PORTAL))
    assert copy.begin_run(PORTAL, command="push", now=9.0) == 2
    with pytest.raises(LedgerError, match="not empty"):
        copy.restore(ledger.dump())
    copy.close()


@pytest.mark.parametrize("url", ["postgresql://ana:se krit@h/x", "postgress://ana:sekrit@h/x"])
def test_an_address_that_cannot_be_read_is_told_without_its_password(tmp_path, url):
    # A libpq before 17 takes the space, and finds no such host.
    with pytest.raises((ConfigError, LedgerError)) as told:
        open_ledger(url, folder=tmp_path)
    assert "krit" not in told.value.message + told.value.hint


def test_a_ledgers_place_is_shown_without_user_and_password():
    assert LedgerSettings("postgresql://ana:se@krit@h:5432/x?password=krit").place == "postgresql://h:5432/x"
    assert LedgerSettings("sqlite:.kbsync/ledger.db").place == "sqlite:.kbsync/ledger.db"
