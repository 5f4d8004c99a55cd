"""Decisions taken back, and overwrites undone, on plain values."""

import pytest
from msgspec.structs import replace as replace_base

from kbsync.ledger.values import Entry
from kbsync.model import Base, Change, Plan, Reason, Status
from kbsync.plan.resolve import resolve_fields
from kbsync.plan.result import hold_again
from kbsync.plan.undo import build_undo

from .items import EFFECTS, TARGET, Item, a_category, an_article, holds, plan_of, sends

BASE = an_article(title="Refunds")
THEIRS = BASE.but(title="Money back")
OURS = BASE.but(title="Refund a charge")
PATH = "en/refunds.md"


def with_base(desired: Item, observed: Item, base: Base, **policy: object) -> Plan:
    return plan_of([desired], [observed], [base], **policy)


def kept(plan: Plan) -> tuple[str, ...]:
    return tuple(name for item in plan.kept for name in item.fields)


# --- decisions -------------------------------------------------------------------------------------------------------


def left(desired: Item, observed: Item, *names: str) -> Base:
    """What the ledger says once somebody left these differences."""
    return resolve_fields(desired.desired(), BASE.base(), observed.observed(), names, "theirs")


def test_a_difference_that_was_left_is_named_by_the_plan_and_not_held():
    plan = with_base(BASE, THEIRS, left(BASE, THEIRS, "title"))
    assert (plan.held, plan.changes, kept(plan)) == ((), (), ("title",))
    assert [(field.before, field.after) for field in plan.kept[0].values] == [("Money back", "Refunds")]


def test_a_difference_that_was_left_goes_out_where_its_source_may_overwrite():
    plan = with_base(BASE, THEIRS, left(BASE, THEIRS, "title"), overwrite=frozenset({PATH}))
    assert (sends(plan), kept(plan)) == ({"title": "Refunds"}, ())


@pytest.mark.parametrize(
    ("name", "desired", "observed", "ours"),
    [
        ("title", BASE, THEIRS, "Refunds"),
        ("slug", BASE, BASE.but(slug="money-back"), "refunds"),
        ("locale", BASE, BASE.but(locale="fr"), "en"),
        ("status", BASE.but(status=Status.DRAFT), BASE.but(status=Status.PUBLISHED), Status.DRAFT),
    ],
)
def test_deciding_for_ours_takes_a_decision_for_theirs_back(name, desired, observed, ours):
    decided = left(desired, observed, name)
    assert kept(with_base(desired, observed, decided, publish=True)) == (name,)
    back = resolve_fields(desired.desired(), decided, observed.observed(), [name], "ours")
    assert back.kept == {}
    (change,) = with_base(desired, observed, back, publish=True).changes
    assert change.after[name] == ours


FOR_OURS, FOR_BASE = (
    resolve_fields(item.desired(), BASE.base(), THEIRS.observed(), ["title"], "ours") for item in (OURS, BASE)
)


@pytest.mark.parametrize(("decided", "name"), [(left(BASE, THEIRS, "title"), "kept"), (FOR_BASE, "overruled")])
def test_a_decision_is_over_once_both_sides_hold_the_same(decided, name):
    assert [getattr(base, name) for base in with_base(BASE, BASE, decided).settled] == [{}]
    assert with_base(BASE, THEIRS, decided).settled == ()


@pytest.mark.parametrize(("desired", "decided"), [(BASE, FOR_BASE), (OURS, FOR_OURS)])
def test_a_decision_for_ours_sends_over_the_value_it_was_about_and_over_no_other(desired, decided):
    assert decided.fields == BASE.base().fields, "what was agreed on stays known, so that an undo can come back to it"
    plan = with_base(desired, THEIRS, decided)
    assert (sends(plan), plan.held) == ({"title": desired.fields["title"]}, ())
    assert plan.changes[0].fields[0].agreed == ("Refunds",)
    assert [item.fields for item in plan.overruled] == [("title",)]
    later = with_base(desired, BASE.but(title="A third"), decided)
    assert (sends(later), later.overruled) == ({}, ()) and set(holds(later)) == {"title"}


def test_a_decision_for_a_merged_file_is_not_about_another_text_that_another_branch_has():
    plan = with_base(BASE, THEIRS, FOR_OURS)
    assert (sends(plan), plan.overruled, holds(plan)) == ({}, (), {"title": Reason.DRIFT})
    edited = with_base(OURS.but(title="Refund any charge"), THEIRS, FOR_OURS)
    assert (sends(edited), holds(edited)) == ({}, {"title": Reason.CONFLICT})
    assert sends(with_base(OURS, THEIRS, FOR_OURS)) == {"title": OURS.fields["title"]}


def test_a_decision_whose_answer_went_into_the_file_is_for_what_the_file_has_then():
    merged = OURS.but(title="Refund a charge, or ask")
    decided = resolve_fields(
        OURS.desired(), BASE.base(), THEIRS.observed(), ["title"], "ours", written=merged.desired().fields
    )
    assert sends(with_base(merged, THEIRS, decided)) == {"title": "Refund a charge, or ask"}
    before = with_base(OURS, THEIRS, decided)
    assert (sends(before), holds(before)) == ({}, {"title": Reason.CONFLICT})


def test_what_was_decided_for_goes_with_the_decision():
    theirs, ours = {"title": THEIRS.fields["title"]}, {"title": OURS.fields["title"]}
    assert (FOR_OURS.overruled, FOR_OURS.decided_for) == (theirs, ours)
    back = resolve_fields(OURS.desired(), FOR_OURS, THEIRS.observed(), ["title"], "theirs")
    assert (back.overruled, back.decided_for, back.kept) == ({}, {}, theirs)


def test_deciding_for_theirs_takes_a_decision_for_ours_back():
    back = resolve_fields(BASE.desired(), FOR_BASE, THEIRS.observed(), ["title"], "theirs")
    plan = with_base(BASE, THEIRS, back)
    assert (back.overruled, plan.changes, plan.held, kept(plan)) == ({}, (), (), ("title",))


# --- overwrites and their undo ---------------------------------------------------------------------------------------


def undone(change: Change, base: Base, observed: Item) -> Change:
    """The change that puts one of a run back."""
    entries = [Entry(1, change, "done")]
    (found,) = build_undo(TARGET, entries, [observed.observed()], {"text", "theirs"}, [base], effects=EFFECTS).changes
    return found


def overwrite(desired: Item, observed: Item, base: Base | None) -> Change:
    plan = plan_of([desired], [observed], [] if base is None else [base], overwrite=frozenset({PATH}))
    (change,) = plan.changes
    return change


def after(change: Change, known: Base) -> Base:
    """The base that a change leaves: what it sent, and what it leaves to be held."""
    return hold_again(replace_base(known, fields={**known.fields, **change.after}), known, change.leaves)


def test_an_overwrite_says_what_had_been_agreed_on_and_an_update_need_not():
    change = overwrite(OURS.but(content="new"), THEIRS, BASE.base())
    assert {field.name: field.agreed for field in change.fields} == {"title": ("Refunds",), "content": None}
    (unknown,) = overwrite(OURS, THEIRS, None).fields
    assert unknown.agreed == ()


@pytest.mark.parametrize(("desired", "reason"), [(OURS, "conflict"), (BASE, "drift")])
def test_what_an_overwrite_replaced_is_held_after_its_undo(desired, reason):
    change = overwrite(desired, THEIRS, BASE.base())
    back = undone(change, desired.base(), desired)
    assert (back.after, back.leaves) == ({"title": "Money back"}, {"title": ("Refunds",)})
    plan = with_base(desired, THEIRS, after(back, desired.base()))
    assert (plan.changes, holds(plan)) == ((), {"title": reason})


def test_an_overwrite_of_what_nobody_had_agreed_on_is_held_after_its_undo():
    back = undone(overwrite(OURS, THEIRS, None), OURS.base(), OURS)
    plan = with_base(OURS, THEIRS, after(back, OURS.base()))
    assert (plan.changes, holds(plan)) == ((), {"title": "conflict"})


def test_an_update_goes_out_again_after_its_undo():
    change = plan_of([OURS], [BASE], [BASE]).changes[0]
    back = undone(change, OURS.base(), OURS)
    assert back.leaves == {}
    assert sends(with_base(OURS, BASE, after(back, OURS.base()))) == {"title": "Refund a charge"}


def test_the_undo_of_an_undo_sends_ours_and_its_own_undo_holds_again():
    first = overwrite(OURS, THEIRS, BASE.base())
    second = undone(first, OURS.base(), OURS)
    held = after(second, OURS.base())
    third = undone(second, held, THEIRS)
    assert (third.after, third.leaves) == ({"title": "Refund a charge"}, {})
    agreed = after(third, held)
    assert with_base(OURS, OURS, agreed).changes == with_base(OURS, OURS, agreed).held == ()
    fourth = undone(third, agreed, OURS)
    assert holds(with_base(OURS, THEIRS, after(fourth, agreed))) == {"title": "conflict"}


def test_a_slug_that_steps_aside_on_its_way_says_at_first_what_had_been_agreed_on():
    one, two = an_article(slug="one", path="en/1.md", remote_id=1), an_article(slug="two", path="en/2.md", remote_id=2)
    swapped = [one.but(slug="two"), two.but(slug="one")]
    plan = plan_of(
        swapped, [one, two], [one.but(slug="x"), two.but(slug="y")], overwrite=frozenset({"en/1.md", "en/2.md"})
    )
    agreed = [(change.remote_id, field.after, field.agreed) for change in plan.changes for field in change.fields]
    assert agreed == [(1, "one--kbsync-moving", ("x",)), (2, "one", ("y",)), (1, "two", None)]


def test_a_base_keeps_what_a_change_leaves_of_slug_status_locale_and_the_rest():
    known = an_article().base()
    arrived = an_article(slug="theirs", title="Theirs", locale="fr", status=Status.PUBLISHED).base()
    leaves = {"slug": ("refunds",), "title": (), "locale": ("en",), "status": ("draft",)}
    base = hold_again(arrived, known, leaves)
    assert (base.slug, base.fields["slug"], base.locale, base.status) == ("refunds", "refunds", "en", Status.DRAFT)
    assert "title" not in base.fields
    nothing = hold_again(arrived, known, {"locale": (), "status": ()})
    assert (nothing.locale, nothing.status) == ("en", None)


def test_overwriting_covers_the_category_only_where_it_is_named():
    category, there = a_category(), a_category(name="Theirs")
    plan = plan_of([category, BASE], [there, THEIRS], [category, BASE], overwrite=frozenset({PATH}))
    assert (sends(plan), holds(plan)) == ({"title": "Refunds"}, {"name": "drift"})


def test_the_commands_that_a_hint_names_can_be_pasted():
    spaced = BASE.but(path="en/my refunds.md")
    (held,) = plan_of([spaced], [THEIRS], [spaced]).held
    assert "`kbsync push 'en/my refunds.md' --overwrite 'en/my refunds.md'`" in held.hint
    assert "`kbsync resolve 'en/my refunds.md'` shows both" in held.hint
