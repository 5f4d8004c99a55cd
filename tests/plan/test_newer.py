"""What a checkout would put back to an older version, because it lacks what others published: held, row by row."""

from typing import Any

import pytest
from msgspec import structs

from kbsync.model import Action, Base, Plan, Status
from kbsync.plan.build import build_plan
from kbsync.plan.known import GitWord, Known, Newer
from kbsync.plan.resolve import resolve_fields

from .items import POLICY, TARGET, Item, actions, an_article, holds, sends

OLD = an_article(title="Refund a charge")
NEW = OLD.but(title="Refunds")
PATH, NODE = OLD.desired().path, ("article", OLD.observed().remote_id)
AWAY = "c" * 40
PUBLISHED = f"The portal has a newer version than your files, of commit {AWAY[:12]}, which is not part of this branch."


def planned(
    *desired: Item,
    base: Base | None = None,
    there: Item = NEW,
    changed_s: int = 0,
    proof: dict[str, bool] | None = None,
    newer: Newer | None = None,
    **policy: Any,
) -> Plan:
    known = Known(
        [structs.replace(there.observed(), updated_at=changed_s)],
        [base or there.base()],
        git=GitWord(proofs={(PATH, NODE[1]): proof or {}}),
        newer=newer or Newer({NODE: AWAY}),
    )
    return build_plan(TARGET, [item.desired() for item in desired], known, policy=structs.replace(POLICY, **policy))


def test_a_value_over_that_of_a_commit_that_is_not_here_is_held_with_the_ways_out():
    plan = planned(OLD)
    assert (plan.sent, holds(plan)) == ((), {"title": "behind"})
    overwrite = "or to send your version all the same, run `kbsync push content/en/refunds.md --overwrite"
    assert plan.held[0].hint.startswith(f"{PUBLISHED} Run `git pull`, or merge that commit. If that commit was amended")
    assert overwrite.split(" content", maxsplit=1)[0] in plan.held[0].hint
    assert plan.held[0].way == "Run `git pull`, or merge that commit."


def test_all_of_the_item_is_held_and_its_status_too():
    plan = planned(OLD.but(content="Ours.", status=Status.PUBLISHED), publish=True)
    assert plan.changes == () and [held.fields for held in plan.held] == [("title", "content", "status")]
    live = NEW.but(status=Status.PUBLISHED)
    hidden = planned(NEW.but(status=Status.DRAFT), there=live, publish=True)
    assert (hidden.changes, holds(hidden)) == ((), {"status": "behind"})


@pytest.mark.parametrize(
    ("proof", "is_sent"),
    [({"title": True}, True), ({"title": False}, False), ({"content": True}, False)],
    ids=["had it and nobody touched it since", "somebody touched it since", "had another one"],
)
def test_a_value_that_this_file_had_is_replaced(proof: dict[str, bool], is_sent: bool):
    """The commit that was published has another name here, as after a squash or a rebase."""
    assert bool(planned(OLD, proof=proof).sent) is is_sent


def test_of_two_fields_one_that_the_file_never_had_holds_both():
    plan = planned(OLD.but(content="Ours."), proof={"title": True})
    assert plan.sent == () and [held.fields for held in plan.held] == [("title", "content")]


def test_it_is_sent_on_request_and_after_a_decision_for_this_very_text():
    assert sends(planned(OLD, overwrite=frozenset({PATH}))) == {"title": "Refund a charge"}
    decided = resolve_fields(OLD.desired(), NEW.base(), NEW.observed(), ["title"], "ours")
    plan = planned(OLD, base=decided)
    assert sends(plan) == {"title": "Refund a charge"}
    assert [item.fields for item in plan.overruled] == [("title",)]


def test_what_is_held_keeps_its_row_also_where_a_part_of_it_came_out_equal():
    """Else the row would have the commit of these older files, and the next push would send the rest."""
    there = NEW.but(content="Edited on both sides.")
    plan = planned(OLD.but(content="Edited on both sides."), base=NEW.base(), there=there)
    assert (plan.sent, holds(plan), [*plan.settled]) == ((), {"title": "behind"}, [])
    alone = planned(NEW.but(content="Edited on both sides."), base=NEW.base(), there=there)
    # Nor does that a newer commit's files may say otherwise by now.
    assert alone.settled == ()


@pytest.mark.parametrize("deleted_s", [{}, {PATH: 100.0}], ids=["never here", "deleted here"])
def test_what_has_its_file_in_a_newer_commit_alone_is_not_forgotten(deleted_s: dict[str, float]):
    known = Known([], [NEW.base()], newer=Newer({NODE: AWAY}, deleted_s=deleted_s))
    plan = build_plan(TARGET, [], known, policy=POLICY)
    assert [base.path for base in plan.forgotten] == [*deleted_s]


def test_a_slug_that_is_held_is_given_to_no_other_article():
    fees = NEW.but(path="en/fees.md", slug="fees", remote_id=9)
    known = Known([NEW.observed(), fees.observed()], [NEW.base(), fees.base()], newer=Newer({NODE: AWAY}))
    wanted = [NEW.but(path=PATH, slug="refund").desired(), fees.but(slug="refunds", content="Fees.").desired()]
    plan = build_plan(TARGET, wanted, known, policy=POLICY)
    assert [(held.path, held.fields, str(held.reason)) for held in plan.held] == [
        (PATH, ("slug",), "behind"),
        ("en/fees.md", ("slug",), "conflict"),
    ]
    assert plan.held[1].hint.endswith("whose new slug needs your decision first.")
    assert [(sent.path, [*sent.after]) for sent in plan.sent] == [("en/fees.md", ["content"])]


def test_an_article_whose_file_is_there_is_not_removed_here():
    plan = planned(removed="delete", max_fraction=1.0)
    assert (plan.changes, [item.reason for item in plan.held]) == ((), ["behind"])
    kept = planned(removed="report")
    assert [finding.hint for finding in kept.warnings] == [f"{PUBLISHED} Run `git pull`, or merge that commit."]
    assert "is not in this branch" in kept.warnings[0].message and kept.not_here.keys() == {PATH}
    other = Newer({("article", 98): AWAY})
    assert actions(planned(newer=other, removed="delete", max_fraction=1.0)) == ["delete article refunds"]


@pytest.mark.parametrize(("changed_s", "is_sent"), [(99, True), (100, True), (101, False), (0, False)])
def test_a_file_that_this_branch_deleted_after_the_article_was_last_changed_is_gone(changed_s: int, is_sent: bool):
    """The commit that was published has another name here, as after a squash."""
    newer = Newer({NODE: AWAY}, deleted_s={PATH: 100.0})
    plan = planned(newer=newer, changed_s=changed_s, removed="delete", max_fraction=1.0)
    assert (actions(plan) == ["delete article refunds"]) is is_sent
    assert bool(plan.held) is not is_sent
    assert bool(planned(newer=newer, changed_s=changed_s, removed="report").not_here) is not is_sent


def test_a_file_whose_article_was_deleted_or_renamed_there_is_not_made_again():
    old = an_article(path="en/old.md", slug="old", title="Old", remote_id=None, status=Status.PUBLISHED)
    newer = Newer(left={"en/old.md": AWAY})
    plan = planned(NEW, old, newer=newer, publish=True)
    assert (actions(plan), [item.reason for item in plan.held]) == ([], ["behind"])
    again = planned(NEW, old, newer=newer, recreate=True)
    assert [change.action for change in again.changes] == [Action.CREATE]


def test_where_git_cannot_tell_it_says_so():
    plan = planned(OLD, newer=Newer({NODE: AWAY}, is_blind=True))
    assert "which git cannot compare with your files. Run kbsync in a git clone" in plan.held[0].hint


@pytest.mark.parametrize(("made_s", "is_sent"), [(90, True), (100, False), (110, False)])
def test_a_value_that_this_file_had_until_after_that_commit_is_that_commit_s_whoever_was_there_since(made_s, is_sent):
    """A squash has another id and the same text; a revert was made after this file had the value."""
    there = NEW.but(description="By a colleague.")
    git = GitWord(proofs={(PATH, NODE[1]): {"title": False}}, ended_s={(PATH, NODE[1]): {"title": 100}})
    newer = Newer({NODE: AWAY}, {NODE: made_s})
    known = Known([structs.replace(there.observed(), updated_at=999)], [NEW.base()], git=git, newer=newer)
    plan = build_plan(TARGET, [OLD.desired()], known, policy=POLICY)
    assert [change.after for change in plan.changes] == ([{"title": "Refund a charge"}] if is_sent else [])
