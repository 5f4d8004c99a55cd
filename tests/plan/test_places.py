"""New articles without a `position` stand in path order in their category, whichever request is answered first."""

import pytest
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


# By what is promised: new files, articles that are there, the policy; and the places of the new ones.
A, D, PANEL = article("a", 1, position=10), article("d", 2, position=12), article("p", 3, position=44).but(path="")
PLACES = {
    "on an empty portal the files of a category stand in path order": (
        [article("b"), article("c"), BARE.but(slug="x", path="en/x.md", category="other"), article("a")], [], {},
        {"a": 10, "b": 20, "c": 30, "x": 10}),
    "a position of a file stays what it is and the others come behind it": (
        [article("a"), article("z", position=5), article("b")], [], {}, {"a": 15, "b": 25, "z": 5}),
    "behind everything that is there where path order says so": (
        [article("c"), article("d")], [A.but(position=50), article("b", 2, position=60)], {}, {"c": 70, "d": 80}),
    "behind everything that is there where people arranged it": (
        [article("b")], [A.but(position=60), article("c", 2, position=50)], {}, {"b": 70}),
    "between those that are there in path order": (
        [article("b"), article("c"), article("e")], [A, D.but(position=20), article("f", 3, position=30)], {},
        {"b": 13, "c": 16, "e": 25}),
    "before those that are there in path order": (
        [article("0")], [A, D.but(position=20), article("f", 3, position=30)], {}, {"0": 5}),
    "behind all others where there is no room between, those of the panel included": (
        [article("b"), article("c")], [A, D, PANEL], {}, {"b": 54, "c": 64}),
    "behind all others where one of the panel is between": (
        [article("b")], [A, D, PANEL.but(position=11)], {}, {"b": 22}),
    "a service that keeps no positions is sent none": (
        [article("a")], [], {"keeps": {**POLICY.keeps, "article": POLICY.keeps["article"] - {"position"}}}, {"a": None}),
}  # fmt: skip


@pytest.mark.parametrize(("new", "there", "policy", "found"), PLACES.values(), ids=PLACES)
def test_new_files_get_a_place_once(new, there, policy, found):
    assert places(plan_for(new, there, **policy)) == found


def test_a_place_is_sent_once_and_never_drifts():
    moved = article("a", 1, position=99)
    plan = plan_for([], [moved])
    assert (plan.changes, plan.held) == ((), ())
    plan = plan_of([BILLING, article("a", 1)], [BILLING, moved], [BILLING, article("a", 1, position=10)])
    assert (plan.changes, plan.held) == ((), ())


def test_a_saved_plan_is_the_same_whatever_else_came_into_the_category():
    saved = plan_for([article("b")])
    again = replan(saved, Now(plan_for([article("b")], [PANEL]), []))
    assert (places(again.plan), again.refused) == ({"b": 54}, ())


def test_dragging_is_no_reason_to_keep_what_an_undo_would_delete():
    (made,) = [change for change in plan_for([article("a")]).changes if change.kind == "article"]
    entry = Entry(1, replace_change(made, remote_id=1), "done")
    dragged = article("a", 1, position=77, status=Status.DRAFT).observed()
    (change,) = build_undo(TARGET, [entry], [dragged], [], effects=EFFECTS).changes
    assert change.action is Action.DELETE
