"""New articles without a `position` stand in path order in their category, whichever request is answered first."""

from __future__ import annotations

from msgspec.structs import replace as replace_change

from kbsync.ledger.values import Entry
from kbsync.model import Action, Plan, Status
from kbsync.plan.replan import Now, replan
from kbsync.plan.undo import build_undo

from .items import EFFECTS, POLICY, TARGET, Item, a_category, an_article, plan_of

BILLING = a_category(slug="billing", remote_id=100)
BARE = an_article().without("position")


def article(name: str, number: int = 7, **fields: object) -> Item:
    return BARE.but(slug=name, path=f"en/billing/{name}.md", remote_id=number, category="billing", **fields)


def plan_for(new: list[Item], there: list[Item] = [], **policy: object) -> Plan:  # noqa: B006
    """The plan of these new files beside articles that are on the portal, each with its place there."""
    managed = [item for item in there if item.path]
    desired = [BILLING, *new, *(item.without("position") for item in managed)]
    observed = [BILLING, *there]
    return plan_of(desired, observed, [BILLING, *managed], **policy)


def places(plan: Plan) -> dict[str, object]:
    return {c.slug: c.after.get("position") for c in plan.changes if c.action is Action.CREATE and c.kind == "article"}


def test_on_an_empty_portal_the_files_of_a_category_stand_in_path_order():
    other = BARE.but(slug="x", path="en/x.md", category="other")
    found = places(plan_for([article("b"), article("c"), other, article("a")]))
    assert found == {"a": 10, "b": 20, "c": 30, "x": 10}


def test_a_position_of_a_file_stays_what_it_is_and_the_others_come_behind_it():
    assert places(plan_for([article("a"), article("z", position=5), article("b")])) == {"a": 15, "b": 25, "z": 5}


def test_new_files_come_behind_everything_that_is_there_where_path_order_says_so_or_people_arranged_it():
    there = [article("a", 1, position=50), article("b", 2, position=60)]
    assert places(plan_for([article("c"), article("d")], there)) == {"c": 70, "d": 80}
    dragged = [article("a", 1, position=60), article("c", 2, position=50)]
    assert places(plan_for([article("b")], dragged)) == {"b": 70}


def test_new_files_go_between_those_that_are_there_in_path_order():
    there = [article("a", 1, position=10), article("d", 2, position=20), article("f", 3, position=30)]
    assert places(plan_for([article("b"), article("c"), article("e")], there)) == {"b": 13, "c": 16, "e": 25}
    assert places(plan_for([article("0")], there)) == {"0": 5}


def test_where_there_is_no_room_between_they_come_behind_all_others_those_of_the_panel_included():
    there = [article("a", 1, position=10), article("d", 2, position=12)]
    panel = article("p", 3, position=44).but(path="")
    assert places(plan_for([article("b"), article("c")], [*there, panel])) == {"b": 54, "c": 64}
    assert places(plan_for([article("b")], [*there, panel.but(position=11)])) == {"b": 22}


def test_a_place_is_sent_once_and_never_drifts():
    moved = article("a", 1, position=99)
    plan = plan_for([], [moved])
    assert (plan.changes, plan.held) == ((), ())
    plan = plan_of([BILLING, article("a", 1)], [BILLING, moved], [BILLING, article("a", 1, position=10)])
    assert (plan.changes, plan.held) == ((), ())


def test_a_service_that_keeps_no_positions_is_sent_none():
    keeps = {**POLICY.keeps, "article": POLICY.keeps["article"] - {"position"}}
    assert places(plan_for([article("a")], keeps=keeps)) == {"a": None}


def test_a_saved_plan_is_the_same_whatever_else_came_into_the_category():
    saved = plan_for([article("b")])
    now = plan_for([article("b")], [article("p", 3, position=44).but(path="")])
    again = replan(saved, Now(now, []))
    assert (places(again.plan), again.refused) == ({"b": 54}, ())


def test_dragging_is_no_reason_to_keep_what_an_undo_would_delete():
    (made,) = [change for change in plan_for([article("a")]).changes if change.kind == "article"]
    entry = Entry(1, replace_change(made, remote_id=1), "done")
    dragged = article("a", 1, position=77, status=Status.DRAFT).observed()
    assert [change.action for change in build_undo(TARGET, [entry], [dragged], [], effects=EFFECTS).changes] == [
        Action.DELETE
    ]
