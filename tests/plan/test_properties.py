"""What holds for every plan, over sides that hypothesis makes up."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kbsync.model import Action, Base, Desired, Observed, Plan, Status

from .items import Item, carry_out, plan_of

SLUGS = [f"s{n}" for n in range(4)]
WORDS = st.sampled_from(["one", "two", "three"])


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[Desired], list[Observed], list[Base]]:
    desired, observed, bases = [], [], []
    for number, slug in enumerate(SLUGS):
        if draw(st.booleans()):
            fields = {"slug": slug, "title": draw(WORDS), "content": draw(WORDS)}
            if draw(st.booleans()):
                fields["description"] = draw(WORDS)
            desired.append(Item(slug=slug, fields=fields, status=draw(st.sampled_from(Status))).desired())
        everything = {"slug": slug, "title": draw(WORDS), "content": draw(WORDS), "description": draw(WORDS)}
        if draw(st.booleans()):
            status = draw(st.sampled_from(Status))
            observed.append(Item(slug=slug, remote_id=number, fields=everything, status=status).observed())
            if draw(st.booleans()):
                moved = {**everything, draw(st.sampled_from(["title", "content", "description"])): draw(WORDS)}
                agreed = draw(st.sampled_from(Status))
                bases.append(Item(slug=slug, remote_id=number, fields=moved, status=agreed).base())
    return desired, observed, bases


def make(three: tuple[list[Desired], list[Observed], list[Base]], **policy: object) -> Plan:
    desired, observed, bases = three
    return plan_of(desired, observed, bases, publish=True, **policy)


@given(sides())
def test_a_plan_never_sends_a_field_that_did_not_move_here(three):
    _, _, bases = three
    known = {base.remote_id: base for base in bases}
    for change in make(three).changes:
        base = known.get(change.remote_id)
        if change.action is Action.UPDATE:
            assert base is not None
            assert all(base.fields[name] != after for name, after in change.after.items())


@given(sides())
def test_a_plan_never_sends_over_a_value_that_a_person_moved(three):
    _, observed, bases = three
    there = {item.remote_id: item for item in observed}
    known = {base.remote_id: base for base in bases}
    for change in make(three).changes:
        if change.action is Action.UPDATE:
            assert all(there[change.remote_id].fields[n] == known[change.remote_id].fields[n] for n in change.after)


@given(sides())
def test_every_desired_article_is_created_changed_adopted_held_or_unchanged_and_none_twice(three):
    desired, _, _ = three
    plan = make(three)
    creates = [change.slug for change in plan.changes if change.action is Action.CREATE]
    assert len(creates) == len(set(creates))
    spoken_of = {change.path for change in plan.changes} | {held.path for held in plan.held}
    assert len({item.path for item in desired} - spoken_of) <= plan.unchanged


@settings(max_examples=200)
@given(sides())
def test_after_a_plan_is_carried_out_only_questions_for_people_remain(three):
    desired, observed, bases = three
    first = make(three)
    portal, ledger = ({item.remote_id: item for item in side} for side in (observed, bases))
    carry_out(first, portal, ledger)
    second = make((desired, [*portal.values()], [*ledger.values()]))
    assert second.changes == ()
    assert {(held.path, held.fields) for held in second.held} == {(held.path, held.fields) for held in first.held}
