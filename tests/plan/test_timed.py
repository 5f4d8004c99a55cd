"""When an article is published that names a date or a release: the table at the head of `plan/timed.py`, row by row."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec import structs
from msgspec.structs import replace as replace_item

from kbsync.model import Action, Manage, Observed, Plan, Reason, Status
from kbsync.plan.build import build_plan
from kbsync.plan.cost import requests_of
from kbsync.plan.known import Known

from .items import POLICY, TARGET, Item, actions, an_article

PUBLISHED, DRAFT, ARCHIVED = Status.PUBLISHED, Status.DRAFT, Status.ARCHIVED
DATE = "2026-12-01T09:00:00+01:00"
DATE_S = datetime(2026, 12, 1, 8, tzinfo=UTC).timestamp()
BEFORE, AFTER = {"now_s": DATE_S - 1}, {"now_s": DATE_S}
ARTICLE = an_article(position=10)


def timed(item: Item = ARTICLE, *, status: Status = PUBLISHED, publish_on: str = "", release: str = ""):
    return replace_item(item.but(status=status).desired(), publish_on=publish_on, release=release)


def plan_with(desired, there: Item | None = ARTICLE, base: Item | None = ARTICLE, **policy: object) -> Plan:
    observed = [there.observed()] if there else []
    known = Known(observed, [base.base()] if base else [])
    return build_plan(TARGET, [desired], known, policy=structs.replace(POLICY, **policy))


def waits(plan: Plan) -> list[tuple[str, str, str]]:
    return [(item.path, item.until, item.release) for item in plan.waiting]


def test_before_its_date_a_new_article_is_created_as_a_draft_and_the_plan_says_until_when_it_waits():
    plan = plan_with(timed(publish_on=DATE), None, None, publish=True, **BEFORE)
    assert actions(plan) == ["create article refunds"]
    assert waits(plan) == [("en/refunds.md", DATE, "")]
    assert plan.unpublished == plan.held == ()


def test_at_its_date_it_is_published_as_any_other():
    plan = plan_with(timed(publish_on=DATE), None, None, publish=True, **AFTER)
    assert actions(plan) == ["create article refunds", "publish article refunds"]
    assert plan.waiting == ()


def test_an_edit_of_a_draft_that_waits_goes_into_the_draft():
    plan = plan_with(timed(ARTICLE.but(content="new"), publish_on=DATE), publish=True, **BEFORE)
    assert [change.after for change in plan.changes] == [{"content": "new"}]
    assert len(plan.waiting) == 1


def test_where_statuses_are_the_panels_a_date_that_is_reached_only_says_so():
    assert len(plan_with(timed(publish_on=DATE), **BEFORE).waiting) == 1
    plan = plan_with(timed(publish_on=DATE), **AFTER)
    assert (plan.changes, plan.waiting, [item.path for item in plan.unpublished]) == ((), (), ["en/refunds.md"])


def test_a_release_is_published_by_its_own_push_and_by_no_other():
    desired = timed(release="5.2")
    for policy in ({}, {"publish": True}, {"publish": True, "release": "5.20"}):
        plan = plan_with(desired, **policy)
        assert (plan.changes, waits(plan)) == ((), [("en/refunds.md", "", "5.2")])
    assert actions(plan_with(desired, publish=True, release="5.2")) == ["publish article refunds"]


def test_a_release_does_not_publish_before_the_date():
    desired = timed(publish_on=DATE, release="5.2")
    assert waits(plan_with(desired, publish=True, release="5.2", **BEFORE)) == [("en/refunds.md", DATE, "")]
    assert waits(plan_with(desired, publish=True, **AFTER)) == [("en/refunds.md", "", "5.2")]
    assert actions(plan_with(desired, publish=True, release="5.2", **AFTER)) == ["publish article refunds"]


@pytest.mark.parametrize("status", [DRAFT, ARCHIVED])
def test_a_file_that_is_not_to_be_published_waits_for_nothing(status):
    plan = plan_with(timed(status=status, publish_on=DATE, release="5.2"), publish=True, **BEFORE)
    assert plan.waiting == ()


@pytest.mark.parametrize("keys", [{"publish_on": DATE}, {"release": "5.2"}])
def test_an_edit_of_an_article_that_is_live_goes_out_at_once(keys):
    live = ARTICLE.but(status=PUBLISHED)
    plan = plan_with(timed(ARTICLE.but(content="new"), **keys), live, live, publish=True, **BEFORE)
    assert [(change.action, change.live) for change in plan.changes] == [(Action.UPDATE, True)]
    assert plan.waiting == ()
    assert [finding.code for finding in plan.warnings] == (["KB507"] if "publish_on" in keys else [])


def test_the_date_of_a_live_article_is_no_news_once_it_is_reached():
    live = ARTICLE.but(status=PUBLISHED)
    assert plan_with(timed(publish_on=DATE), live, live, publish=True, **AFTER).warnings == ()


def test_what_somebody_unpublished_after_its_release_needs_a_decision_and_is_not_published_again():
    plan = plan_with(timed(release="5.2"), ARTICLE, ARTICLE.but(status=PUBLISHED), publish=True, release="5.2")
    assert (plan.changes, plan.waiting) == ((), ())
    (held,) = plan.held
    assert (held.reason, held.fields) == (Reason.DRIFT, ("status",))
    assert "kbsync push --release 5.2 --overwrite en/refunds.md" in held.hint
    assert "kbsync resolve en/refunds.md --release 5.2" in held.hint


def test_what_somebody_archived_meanwhile_is_not_published():
    plan = plan_with(timed(release="5.2"), ARTICLE.but(status=ARCHIVED), publish=True, release="5.2")
    assert plan.changes == () and [held.fields for held in plan.held] == [("status",)]


def test_an_article_that_needs_a_decision_is_not_published_and_still_waits():
    there = ARTICLE.but(title="Money back")
    plan = plan_with(timed(ARTICLE.but(title="Refund"), release="5.2"), there, publish=True, release="5.2")
    assert plan.changes == () and [held.fields for held in plan.held] == [("title",)]
    assert waits(plan) == [("en/refunds.md", "", "5.2")]


def test_an_article_that_somebody_dragged_is_published_all_the_same():
    plan = plan_with(timed(release="5.2"), ARTICLE.but(position=30), publish=True, release="5.2")
    assert [held.fields for held in plan.held] == [("position",)]
    assert actions(plan) == ["publish article refunds"] and plan.waiting == ()


def test_an_article_with_an_edit_pending_in_the_panel_is_not_published():
    seen: Observed = replace_item(ARTICLE.observed(), staged={"content": "their text"})
    known = Known([seen], [ARTICLE.base()])
    policy = structs.replace(POLICY, publish=True, release="5.2")
    plan = build_plan(TARGET, [timed(release="5.2")], known, policy=policy)
    assert plan.changes == () and [held.reason for held in plan.held] == [Reason.STAGED]
    plan = build_plan(
        TARGET, [timed(release="5.2")], known, policy=structs.replace(policy, overwrite=frozenset({"en/refunds.md"}))
    )
    assert [change.staged for change in plan.changes] == [{"content": "their text"}]


def test_a_clone_without_a_ledger_publishes_a_release_that_somebody_names():
    plan = plan_with(timed(release="5.2"), base=None, publish=True, release="5.2")
    assert actions(plan) == ["adopt article refunds", "publish article refunds"] and plan.held == ()


@pytest.mark.parametrize(("touched_s", "is_published"), [(DATE_S - 1, True), (DATE_S, False), (0, False)])
def test_a_clone_without_a_ledger_publishes_at_a_date_what_was_not_touched_since(touched_s, is_published):
    known = Known([replace_item(ARTICLE.observed(), updated_at=int(touched_s))], [])
    policy = structs.replace(POLICY, publish=True, now_s=DATE_S + 60)
    plan = build_plan(TARGET, [timed(publish_on=DATE)], known, policy=policy)
    assert [change.action for change in plan.sent] == [Action.PUBLISH] * is_published
    assert bool(plan.held) is not is_published


def test_a_seed_is_published_with_its_release_and_its_text_is_left_alone():
    seed = ARTICLE.but(manage=Manage.SEED)
    edited = timed(seed.but(content="new"), release="5.2")
    assert waits(plan_with(edited, publish=True)) == [("en/refunds.md", "", "5.2")]
    assert actions(plan_with(edited, publish=True, release="5.2")) == ["publish article refunds"]
    published = ARTICLE.but(status=PUBLISHED)
    plan = plan_with(edited, ARTICLE, published, publish=True, release="5.2")
    assert (plan.changes, plan.held, plan.waiting, plan.unchanged) == ((), (), (), 1)


def test_what_comes_back_from_the_archive_before_its_date_comes_back_as_a_draft():
    archived = ARTICLE.but(status=ARCHIVED)
    plan = plan_with(timed(publish_on=DATE), archived, archived, publish=True, **BEFORE)
    assert actions(plan) == ["unpublish article refunds"] and len(plan.waiting) == 1


def test_what_is_published_together_costs_two_looks_each_and_one_request_for_each_hundred():
    (change,) = plan_with(timed(release="5.2"), publish=True, release="5.2").changes
    assert change.together
    assert [requests_of([change] * number) for number in (1, 2, 100, 101)] == [2, 5, 201, 204]
