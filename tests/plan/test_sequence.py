"""An order is compared as a sequence: the numbers of the portal and of the files say nothing by themselves."""

from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbsync.model import Action, Plan, Reason, Status
from kbsync.plan.build import build_plan
from kbsync.plan.known import GitWord, Known
from kbsync.plan.match import weigh
from kbsync.plan.sequence import Member, Slot, compare, number_slots, out_of_order

from .items import POLICY, TARGET, Item, a_category, an_article, carry_out, plan_of

BILLING = a_category(slug="billing", remote_id=100)


def articles(order: str, step: int = 10, **fields: Any) -> list[Item]:
    """Articles of one category, named by letters, in this order."""
    return [
        an_article(category="billing", position=place * step, **fields).but(
            slug=name, path=f"en/billing/{name}.md", remote_id=ord(name)
        )
        for place, name in enumerate(order, 1)
    ]


def plan_for(wanted: str, seen: str, base: str, *, steps: tuple[int, int, int] = (10, 10, 10), **policy: Any) -> Plan:
    """The plan of one category with its three orders."""
    sides = (articles(order, step) for order, step in zip((wanted, seen, base), steps, strict=True))
    return plan_of(*([BILLING, *side] for side in sides), **policy)


def sent(plan: Plan) -> dict[str, object]:
    return {change.slug: change.after["position"] for change in plan.changes if change.action is Action.UPDATE}


def held(plan: Plan) -> dict[str, Reason]:
    return {item.slug: item.reason for item in plan.held}


def after(plan: Plan, seen: list[Item]) -> str:
    """The order on the portal once a plan is carried out."""
    numbers = {item.slug: item.fields["position"] for item in seen} | sent(plan)
    return "".join(sorted(numbers, key=lambda slug: (numbers[slug], slug)))


# --- whole plans -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [(1, 10, 1), (7, 10, 3), (10, 1, 10)])
def test_a_portal_with_other_numbers_and_the_same_order_needs_nothing(steps: tuple[int, int, int]):
    plan = plan_for("abcd", "abcd", "abcd", steps=steps)
    assert (plan.changes, plan.held, plan.requests) == ((), (), 0)
    assert {base.slug: base.fields["position"] for base in plan.settled} == (
        {} if steps[1] == steps[2] else {name: place * steps[1] for place, name in enumerate("abcd", 1)}
    )


def test_one_drag_in_a_category_of_many_is_one_held_line_that_names_a_neighbor():
    names = "".join(chr(ord("a") + n) for n in range(26))
    dragged = "zabcdefghijklmnopqrstuvwxy"
    (item,) = plan_for(names, dragged, names).held
    assert (item.slug, item.reason, item.fields) == ("z", Reason.DRIFT, ("position",))
    assert item.hint.startswith("In the panel, `z` now comes before `a`. ")
    (value,) = item.values
    assert (value.before, value.after, value.shown) == (10, 260, ("before `a`", "after `y`"))


def test_one_position_that_moved_in_a_file_is_one_change_with_the_same_kind_of_words():
    (change,) = plan_for("dabc", "abcd", "abcd").changes
    (field,) = change.fields
    assert (change.slug, field.before, field.after, field.said) == ("d", 40, 5, ("after `c`", "before `a`"))


def test_what_is_sent_lies_between_the_neighbors_on_the_portal_and_not_where_the_file_has_it():
    moved = articles("abcd", 1)
    moved[3] = moved[3].but(position=1)  # Behind `a`, by its path.
    plan = plan_of([BILLING, *moved], [BILLING, *articles("abcd")], [BILLING, *articles("abcd", 1)])
    assert sent(plan) == {"d": 15}


@pytest.mark.parametrize("seen", ["eabcd", "aebcd", "abced"])
def test_where_both_sides_moved_the_whole_category_is_held(seen: str):
    plan = plan_for("bcdea", seen, "abcde")
    assert plan.changes == () and plan.settled == ()
    assert set(held(plan).values()) == {Reason.CONFLICT}


def test_what_is_overwritten_where_both_moved_goes_out_alone_and_the_rest_is_still_held():
    plan = plan_for("bcdea", "eabcd", "abcde", overwrite=frozenset({"en/billing/a.md"}))
    assert (sent(plan).keys(), held(plan)) == ({"a"}, {"e": Reason.DRIFT})
    again = carried_out(plan, ("bcdea", "eabcd", "abcde"), (10, 10, 10))
    assert (again.changes, held(again)) == ((), {"e": Reason.DRIFT})


def test_both_moved_the_same_article_elsewhere_is_the_only_conflict():
    plan = plan_for("bcdea", "bcade", "abcde")
    assert (sent(plan), held(plan)) == ({}, {"a": Reason.CONFLICT})
    assert (plan_for("bcdea", "bcdea", "abcde").changes, plan_for("bcdea", "bcdea", "abcde").held) == ((), ())


def test_files_without_a_position_never_drift_and_are_in_nobodys_way():
    loose = [item.without("position") for item in articles("abc")]
    plan = plan_of([BILLING, *loose], [BILLING, *articles("cab")], [BILLING, *articles("abc")])
    assert (plan.changes, plan.held) == ((), ())


def test_without_a_ledger_the_same_order_is_adopted_and_another_one_differs():
    plan = plan_of([BILLING, *articles("abcd", 1)], [BILLING, *articles("abcd")], [])
    assert {change.action for change in plan.changes} == {Action.ADOPT} and plan.held == ()
    assert all(base.fields["position"] for base in plan.settled if base.kind == "article")
    plan = plan_of([BILLING, *articles("abcd", 1)], [BILLING, *articles("dabc")], [])
    assert held(plan) == {"d": Reason.CONFLICT}


def test_new_articles_with_a_position_go_between_their_neighbors_on_the_portal():
    plan = plan_of([BILLING, *articles("abcd", 1)], [BILLING, *articles("ad")], [BILLING, *articles("ad", 1)])
    created = {change.slug: change.after["position"] for change in plan.changes if change.action is Action.CREATE}
    assert created == {"b": 13, "c": 16} and sent(plan) == {}


def test_where_there_is_no_room_the_category_is_numbered_in_tens():
    plan = plan_for("afbcde", "abcdef", "abcdef", steps=(10, 1, 1))
    assert sent(plan) == {"a": 10, "f": 20, "b": 30, "c": 40, "d": 50, "e": 60}
    room = next(change for change in plan.changes if change.slug == "a")
    assert room.fields[0].said == ("1", "10, to make room for `f`")


def test_what_readers_see_is_not_renumbered_to_make_room_where_it_is_held():
    wanted, there = articles("afbc"), articles("abcf", 1)
    live = [item.but(status=Status.PUBLISHED) if item.slug == "b" else item for item in there]
    plan = plan_of([BILLING, *wanted], [BILLING, *live], [BILLING, *there], live="hold")
    assert sent(plan) == {"f": 1}


def test_categories_are_ordered_by_sequence_too():
    def categories(order: str, step: int) -> list[Item]:
        return [a_category(position=n * step).but(slug=s, remote_id=ord(s)) for n, s in enumerate(order, 1)]

    same = plan_of(categories("abc", 1), categories("abc", 10), categories("abc", 1))
    assert (same.changes, same.held) == ((), ())
    plan = plan_of(categories("abc", 1), categories("cab", 10), categories("abc", 1))
    assert held(plan) == {"c": Reason.DRIFT}


def test_an_order_is_compared_whole_also_where_one_file_is_planned():
    base = [BILLING, *articles("abcd")]
    known = Known([item.observed() for item in base], [item.base() for item in base])
    tree = [item.desired() for item in (BILLING, *articles("dabc"))]
    plan = build_plan(TARGET, tree[1:2], known, policy=POLICY, weighed=weigh(tree, known))
    assert sent(plan) == {"d": 5}


@pytest.mark.parametrize(
    ("wanted", "seen", "base", "sends", "holds"),
    [
        (20, 40, 40, {"a": 20}, {}),  # The file has another number, or one for the first time.
        (20, 40, 20, {}, {}),  # Something else was dragged, or this one: nobody can tell.
        (20, 40, 30, {}, {"a": Reason.CONFLICT}),
        (20, 20, 40, {}, {}),
        (20, 40, None, {}, {}),
    ],
)
def test_the_only_article_with_a_position_goes_where_its_file_says_and_is_left_where_the_panel_has_it(
    wanted: int, seen: int, base: int | None, sends: dict[str, int], holds: dict[str, Reason]
):
    (a,) = articles("a")
    known = [] if base is None else [a.but(position=base)]
    plan = plan_of([BILLING, a.but(position=wanted)], [BILLING, a.but(position=seen)], [BILLING, *known])
    assert (sent(plan), held(plan)) == (sends, holds)
    if base is None:
        again = [item for item in plan.settled if item.kind == "article"]
        assert (
            plan_of([BILLING, a.but(position=wanted)], [BILLING, a.but(position=seen)], [BILLING, *again]).changes == ()
        )


# --- properties ------------------------------------------------------------------------------------------------------

LETTERS = "abcdef"
ORDERS = st.permutations(LETTERS).map("".join)
STEPS = st.tuples(*[st.sampled_from([1, 2, 10])] * 3)


def longest_common(one: str, other: str) -> int:
    return max(
        size
        for size in range(len(one) + 1)
        for some in combinations(one, size)
        if [c for c in other if c in some] == list(some)
    )


@given(ORDERS, ORDERS, STEPS)
def test_once_ours_is_sent_the_order_is_the_wanted_one_and_the_fewest_move(wanted, seen, steps):
    plan = plan_for(wanted, seen, seen, steps=steps)
    assert plan.held == ()
    assert after(plan, articles(seen, steps[1])) == wanted
    moved = [change for change in plan.changes if "to make room" not in str(change.fields[0].said)]
    assert len(moved) == len(LETTERS) - longest_common(wanted, seen)


@given(ORDERS, STEPS)
def test_no_request_where_the_order_agrees(order, steps):
    plan = plan_for(order, order, order, steps=steps)
    assert (plan.changes, plan.held) == ((), ())


@given(ORDERS, ORDERS, STEPS)
def test_what_only_people_moved_is_held_and_nothing_is_sent(wanted, seen, steps):
    plan = plan_for(wanted, seen, wanted, steps=steps)
    assert plan.changes == () and set(held(plan).values()) <= {Reason.DRIFT}
    assert len(plan.held) == len(LETTERS) - longest_common(wanted, seen)
    over = plan_for(wanted, seen, wanted, steps=steps, overwrite=frozenset(item.path for item in plan.held))
    assert after(over, articles(seen, steps[1])) == wanted
    moved = [change for change in over.changes if "to make room" not in str(change.fields[0].said)]
    assert (len(moved), over.held) == (len(plan.held), ())


@settings(max_examples=300)
@given(ORDERS, ORDERS, ORDERS, STEPS)
def test_what_a_person_alone_moved_keeps_its_number(wanted, seen, base, steps):
    plan = plan_for(wanted, seen, base, steps=steps)
    assert sent(plan).keys().isdisjoint(held(plan))


def carried_out(plan: Plan, sides: tuple[str, str, str], steps: tuple[int, int, int]) -> Plan:
    """The plan after a plan that was carried out."""
    wanted, seen, base = (articles(order, step) for order, step in zip(sides, steps, strict=True))
    portal = {item.remote_id: item.observed() for item in seen}
    ledger = {item.remote_id: item.base() for item in base}
    carry_out(plan, portal, ledger)
    return plan_of([BILLING, *wanted], [BILLING, *portal.values()], [BILLING, *ledger.values()])


def with_one_moved(order: str, draw: tuple[int, int]) -> str:
    name = order[draw[0]]
    rest = order.replace(name, "")
    return rest[: draw[1]] + name + rest[draw[1] :]


PLACES = st.tuples(st.integers(0, 5), st.integers(0, 5))


@settings(max_examples=500)
@given(PLACES, PLACES, STEPS)
def test_where_each_side_moved_one_the_next_plan_has_the_same_questions_and_nothing_to_send(ours, theirs, steps):
    sides = (with_one_moved(LETTERS, ours), with_one_moved(LETTERS, theirs), LETTERS)
    plan = plan_for(*sides, steps=steps)
    again = carried_out(plan, sides, steps)
    assert again.changes == ()
    assert held(again) == held(plan)
    assert not (plan.changes and plan.held)


@settings(max_examples=500)
@given(ORDERS, ORDERS, ORDERS, STEPS)
def test_what_is_held_is_not_sent_by_the_push_after_it_however_much_moved(wanted, seen, base, steps):
    plan = plan_for(wanted, seen, base, steps=steps)
    again = carried_out(plan, (wanted, seen, base), steps)
    assert held(plan).keys().isdisjoint(sent(again))


@given(st.permutations(range(7)))
def test_what_is_out_of_order_is_never_more_than_needed(ranks):
    left = [rank for place, rank in enumerate(ranks) if place not in out_of_order(ranks, [1] * 7)]
    assert all(one < two for one, two in pairwise(left))
    longest = max(len(some) for size in range(8) for some in combinations(ranks, size) if list(some) == sorted(some))
    assert len(left) == longest


@given(st.lists(st.none() | st.integers(-3, 3), max_size=8))
def test_numbers_rise_wherever_neighbors_may_make_room(gaps):
    number, slots = 0, []
    for place, gap in enumerate(gaps):
        number += abs(gap or 0)
        slots.append(Slot(str(place), None if gap is None else number, place, may_make_room=True))
    found = number_slots(slots)
    missing = [slot.path for slot in slots if slot.number is None]
    assert set(missing) <= found.keys()
    if all(one < two for one, two in pairwise(s.number for s in slots if s.number is not None)):
        numbers = [found.get(slot.path, slot.number) for slot in slots]
        assert all(one < two for one, two in pairwise(numbers))


# --- members ---------------------------------------------------------------------------------------------------------


def test_of_two_that_swapped_the_one_that_somebody_touched_is_the_one_that_moved():
    for touched in "ab":
        members = [
            Member(name, wanted, 30 - wanted, wanted, is_touched=name == touched)
            for name, wanted in (("a", 10), ("b", 20))
        ]
        found = compare(members)
        assert (found.moved, found.ours, found.theirs) == ({touched}, False, True)


def test_equal_numbers_on_the_portal_are_in_the_order_of_the_files():
    assert not compare([Member("a", 10, 5, 5), Member("b", 20, 5, 5)]).moved


@pytest.mark.parametrize("is_since", [False, True])
@pytest.mark.parametrize(("old", "number"), [("10 20 30", 25), ("10 30 10", 40), ("10 10 30", 40), ("20 10 10", 5)])
def test_without_a_ledger_what_git_saw_renumbered_is_what_moved_however_often_somebody_was_there(old, number, is_since):
    before = [article.but(position=int(n)) for article, n in zip(articles("xyz"), old.split(), strict=True)]
    after = [before[0].but(position=number), *before[1:]]
    git = GitWord(proofs={(after[0].desired().path, after[0].remote_id): {"position": not is_since}})
    plan = plan_of([BILLING, *after], [BILLING, *before], [], git=git)
    assert (held(plan), [*sent(plan)]) == (({"x": Reason.DRIFT}, []) if is_since else ({}, ["x"]))


def test_without_a_ledger_a_place_that_differs_is_not_called_a_value_that_the_file_never_had():
    two, three = ([item.but(position=10) for item in articles(names)] for names in ("xy", "xyz"))
    (item,) = plan_of([BILLING, *two], [BILLING, *articles("yx")], []).held
    assert (item.slug, item.fields) == ("x", ("position",)) and "has a value that this file never had" in item.hint
    (item,) = plan_of([BILLING, *three], [BILLING, *articles("zxy")], []).held
    assert item.hint.startswith("In the panel, `z` now comes before `x`. Neither the ledger nor git knows who")
