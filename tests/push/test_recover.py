"""Requests whose answer nobody recorded, judged by what the portal holds."""

from functools import partial

from msgspec.structs import replace as replace_base

from kbsync.fields import SideEffects
from kbsync.model import Base, Observed, Pending, Status
from kbsync.plan.recover import settle_pending

settled = partial(settle_pending, effects=SideEffects(renumbers_on=("category",), locale_follows="category"))

FIELDS = {"slug": "x", "title": "X", "content": "blake2b:1", "category": "a", "position": 35}
BASE = Base(kind="article", remote_id=7, locale="en", slug="x", path="en/a/x.md", fields=FIELDS, status=Status.DRAFT)
SEEN = Observed(kind="article", remote_id=7, locale="en", slug="x", fields=FIELDS, status=Status.DRAFT)


def seen(status: Status = Status.DRAFT, **fields: object) -> Observed:
    return Observed(kind="article", remote_id=7, locale="en", slug="x", fields={**FIELDS, **fields}, status=status)


def pending(action: str, after: dict[str, object], before: dict[str, object] | None = None, entry: int = 1) -> Pending:
    item = {"kind": "article", "locale": "en", "slug": "x", "path": "en/a/x.md"}
    remote_id = None if action == "create" else 7
    return Pending(entry=entry, action=action, **item, remote_id=remote_id, before=before or {}, after=after)


def test_a_create_that_is_there_as_sent_was_ours_and_its_base_is_a_draft():
    found = settled([pending("create", {"slug": "x", "title": "X"})], [], [SEEN], complete=True)
    assert found.bases == (BASE,)
    assert found.settled == {1: BASE}


def test_a_create_whose_slug_a_person_has_is_not_ours():
    found = settled([pending("create", {"slug": "x", "title": "Z"})], [], [SEEN], complete=True)
    assert (found.bases, found.settled) == ((), {1: None})


def test_a_create_that_was_dragged_since_is_still_ours_where_no_file_gave_its_place():
    entry = pending("create", {"slug": "x", "title": "X", "position": 10})
    placed = replace_base(entry, leaves={"position": ()})
    assert settled([placed], [], [seen(position=70)], complete=True).bases[0].fields["position"] == 70
    assert settled([entry], [], [seen(position=70)], complete=True).bases == ()


def test_an_update_that_was_decided_for_ours_ends_the_decision_where_it_arrived():
    decided = replace_base(BASE, overruled={"title": "Theirs", "content": "body:2"})
    entry = pending("update", {"title": "New"}, {"title": "Theirs"})
    arrived = settled([entry], [decided], [seen(title="New")], complete=True)
    assert arrived.bases[0].overruled == {"content": "body:2"}
    lost = settled([entry], [decided], [seen(title="Theirs")], complete=True)
    assert lost.bases[0].overruled == decided.overruled


def test_a_create_that_is_not_there_is_closed_so_that_it_is_sent_again():
    found = settled([pending("create", {"slug": "x"})], [], [], complete=True)
    assert (found.bases, found.settled, found.unknown) == ((), {1: None}, ())


def test_an_update_that_arrived_moves_the_base_and_one_that_did_not_leaves_it():
    entry = pending("update", {"title": "New"}, {"title": "X"})
    arrived = settled([entry], [BASE], [seen(title="New")], complete=True)
    assert arrived.bases[0].fields["title"] == "New"
    assert settled([entry], [BASE], [SEEN], complete=True).bases == (BASE,)
    assert settled([entry], [BASE], [seen(title="Theirs")], complete=True).bases == (BASE,)


def test_a_move_that_arrived_takes_along_the_position_that_the_service_gave():
    entry = pending("update", {"category": "b", "position": 35}, {"category": "a", "position": 35})
    found = settled([entry], [BASE], [seen(category="b", position=50)], complete=True)
    assert (found.bases[0].fields["category"], found.bases[0].fields["position"]) == ("b", 50)


def test_a_position_alone_that_did_not_arrive_is_not_taken_from_the_portal():
    entry = pending("update", {"position": 40}, {"position": 35})
    assert settled([entry], [BASE], [seen(position=50)], complete=True).bases == (BASE,)


def test_a_create_and_the_publishing_after_it_both_count():
    entries = [pending("create", {"slug": "x"}), pending("publish", {"status": "published"}, entry=2)]
    found = settled(entries, [], [seen(Status.PUBLISHED)], complete=True)
    assert [base.status for base in found.bases] == [Status.PUBLISHED]


def test_what_cannot_be_looked_at_stays_unknown_until_the_ledger_knows_the_item():
    entry = pending("create", {"slug": "x"})
    assert settled([entry], [], None, complete=False).unknown == (entry,)
    found = settled([entry], [BASE], None, complete=False)
    assert (found.unknown, found.settled) == ((), {1: None})


def test_an_undo_that_arrived_leaves_the_edit_that_it_gave_back_to_be_held():
    entry = replace_base(pending("update", {"title": "Theirs"}, {"title": "Ours"}), leaves={"title": ("X",)})
    base = replace_base(BASE, fields={**FIELDS, "title": "Ours"})
    found = settled([entry], [base], [seen(title="Theirs")], complete=True)
    assert found.bases[0].fields["title"] == "X"
    assert settled([entry], [base], [seen(title="Ours")], complete=True).bases == (base,)


def test_an_overwrite_that_arrived_ends_the_decision_to_leave_the_edit():
    base = replace_base(BASE, kept={"title": "Theirs", "position": 7})
    found = settled([pending("update", {"title": "X"})], [base], [SEEN], complete=True)
    assert found.bases[0].kept == {"position": 7}


def test_a_deletion_that_did_not_arrive_leaves_the_base_as_it_was():
    gone = pending("delete", dict.fromkeys((*FIELDS, "status")), {**FIELDS, "status": "draft"})
    found = settled([gone], [BASE], [SEEN], complete=True)
    assert (found.bases, found.settled) == ((BASE,), {1: None})
