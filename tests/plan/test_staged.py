"""An edit that a person has pending in the panel: never lost without a word (docs/service.md, S105 to S116)."""

import pytest
from msgspec.structs import replace as replace_item

from kbsync.model import Action, Observed, Pending, Plan, Reason, Status
from kbsync.plan.recover import settle_pending

from .items import EFFECTS, Item, an_article, plan_of

LIVE = an_article(position=10).but(status=Status.PUBLISHED)
STAGED = {"title": "Refunds, new", "content": "their text"}
PATH = "en/refunds.md"


def plan_with(desired: list[Item], staged: dict[str, str] = STAGED, **policy: object) -> Plan:
    seen: Observed = replace_item(LIVE.observed(), staged=staged)
    return plan_of(desired, [seen], [LIVE], **policy)


def test_what_does_not_touch_it_goes_out_and_says_nothing_of_it():
    assert plan_with([LIVE]).held == plan_with([LIVE]).changes == ()
    (change,) = plan_with([LIVE.but(position=20)]).changes
    assert change.after == {"position": 20} and change.staged == {}


@pytest.mark.parametrize("touched", [{"title": "Money back"}, {"content": "our text"}])
def test_an_update_of_title_or_body_is_held_with_both_sides_words_and_the_rest_is_sent(touched):
    plan = plan_with([LIVE.but(position=20, **touched)])
    assert [change.after for change in plan.changes] == [{"position": 20}]
    (held,) = plan.held
    assert (held.reason, held.fields, held.path) == (Reason.STAGED, ("title", "content"), PATH)
    ours = {"title": "Refunds", "content": "text"} | touched
    assert [(value.before, value.after) for value in held.values] == [(STAGED[name], ours[name]) for name in ours]
    assert f"kbsync push {PATH} --overwrite {PATH}" in held.hint


def test_an_overwrite_that_has_nothing_to_send_says_that_an_edit_waits():
    plan = plan_with([LIVE], overwrite=frozenset({PATH}))
    (held,) = plan.held
    assert (held.reason, held.fields, plan.changes, plan.panel_edits) == (Reason.STAGED, ("title", "content"), (), ())
    assert "Publish or discard the edit in the panel." in held.hint and f"`kbsync resolve {PATH}`" in held.hint
    assert [edit.path for edit in plan_with([LIVE]).panel_edits] == [PATH]


def test_a_text_that_is_pending_as_our_file_has_it_is_no_difference():
    plan = plan_with([LIVE.but(content="our text")], {"title": "Refunds", "content": "their text"})
    assert [held.fields for held in plan.held] == [("content",)]


def test_an_edit_that_is_pending_beside_another_difference_is_shown_too():
    seen = replace_item(LIVE.but(content="edited in the panel").observed(), staged=STAGED)
    plan = plan_of([LIVE.but(content="our text")], [seen], [LIVE])
    assert {(held.reason, held.fields) for held in plan.held} == {
        (Reason.CONFLICT, ("content",)),
        (Reason.STAGED, ("title", "content")),
    }


def test_an_empty_pending_text_is_pending_too():
    assert [held.fields for held in plan_with([LIVE.but(title="x")], {"content": ""}).held] == [("content",)]


def test_overwriting_sends_ours_and_discards_exactly_what_was_seen():
    plan = plan_with([LIVE.but(content="our text")], overwrite=frozenset({PATH}))
    (change,) = plan.changes
    discarded = {"draft_title": None, "draft_content": None}
    assert (change.after, change.staged, plan.held) == ({"content": "our text"} | discarded, STAGED, ())


@pytest.mark.parametrize("status", [Status.DRAFT, Status.ARCHIVED])
def test_hiding_the_page_is_held_and_the_commands_for_it_look_at_statuses(status):
    plan = plan_with([LIVE.but(status=status)], publish=True)
    (held,) = plan.held
    assert (plan.changes, held.reason) == ((), Reason.STAGED)
    assert f"`kbsync push {PATH} --publish --overwrite {PATH}`" in held.hint
    assert f"`kbsync resolve {PATH} --publish`" in held.hint


@pytest.mark.parametrize("removed", ["archive", "delete"])
def test_removing_the_article_is_held(removed):
    plan = plan_with([], removed=removed)
    assert plan.changes == ()
    (held,) = plan.held
    assert (held.reason, held.path, held.values) == (Reason.STAGED, PATH, ())
    assert held.hint.startswith(f"The file is gone, and to {removed} the article would lose this edit.")
    assert f"`kbsync resolve {PATH}`" in held.hint


def test_without_a_pending_edit_all_of_this_goes_out():
    assert [c.action for c in plan_with([], {}, removed="delete").changes] == [Action.DELETE]
    assert [c.after for c in plan_with([LIVE.but(title="x")], {}).changes] == [{"title": "x"}]


@pytest.mark.parametrize(
    ("pending", "staged"),
    [({"title": "Refunds", "content": "ours"}, True), ({"title": "Refunds", "content": "theirs"}, False), ({}, False)],
)
def test_of_an_edit_whose_answer_was_lost_all_of_it_has_to_be_there(pending, staged):
    after = {"draft_title": "Refunds", "draft_content": "ours"}
    names = {"kind": "article", "locale": "en", "slug": "refunds", "path": PATH}
    sent = Pending(entry=1, action="update", remote_id=7, before=dict.fromkeys(after), after=after, **names)
    seen = replace_item(LIVE.observed(), staged=pending, stages=True)
    recovery = settle_pending([sent], [LIVE.base()], [seen], complete=True, effects=EFFECTS)
    assert recovery.bases[0].staged == (pending if staged else {})
