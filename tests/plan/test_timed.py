"""When an article is published that names a date or a release: the table at the head of `plan/statuses.py`, row by row."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace as replace_item

from kbsync.model import Action, Manage, Observed, Plan, Reason, Status
from kbsync.plan.assembled import requests_of

from .items import Item, an_article, came_of, plan_of

PUBLISHED, DRAFT, ARCHIVED = Status.PUBLISHED, Status.DRAFT, Status.ARCHIVED
DATE = "2026-12-01T09:00:00+01:00"
DATE_S = datetime(2026, 12, 1, 8, tzinfo=UTC).timestamp()
BEFORE, AFTER = {"now_s": DATE_S - 1}, {"now_s": DATE_S}
ARTICLE = an_article(position=10)


def timed(item: Item = ARTICLE, *, status: Status = PUBLISHED, publish_on: str = "", release: str = ""):
    return replace_item(item.but(status=status).desired(), publish_on=publish_on, release=release)


def plan_with(desired, there: Item | None = ARTICLE, base: Item | None = ARTICLE, **policy: object) -> Plan:
    return plan_of([desired], [there] if there else [], [base] if base else [], **policy)


PUBLISH, NAMED = {"publish": True}, {"publish": True, "release": "5.2"}
LIVE, SHELVED = ARTICLE.but(status=PUBLISHED), ARTICLE.but(status=ARCHIVED)
DATED, RELEASED, BOTH = timed(publish_on=DATE), timed(release="5.2"), timed(publish_on=DATE, release="5.2")
SEED = timed(ARTICLE.but(manage=Manage.SEED, content="new"), release="5.2")
FOR_DATE, FOR_RELEASE = f"waits en/refunds.md {DATE}|", "waits en/refunds.md |5.2"

# By what is promised: the source, the portal, the ledger, the policy; and what comes of it.
TIMES = {
    "before its date a new article is created as a draft and the plan says until when it waits": (
        DATED, None, None, PUBLISH | BEFORE, ["create article refunds", FOR_DATE]),
    "at its date it is published as any other": (
        DATED, None, None, PUBLISH | AFTER, ["create article refunds", "publish article refunds"]),
    "an edit of a draft that waits goes into the draft": (
        timed(ARTICLE.but(content="new"), publish_on=DATE), ARTICLE, ARTICLE, PUBLISH | BEFORE,
        ["update article refunds content=new", FOR_DATE]),
    "where statuses are the panel's it waits before its date": (DATED, ARTICLE, ARTICLE, BEFORE, [FOR_DATE]),
    "where statuses are the panel's a date that is reached only says so": (
        DATED, ARTICLE, ARTICLE, AFTER, ["unpublished en/refunds.md"]),
    "a release is not published where statuses are the panel's": (RELEASED, ARTICLE, ARTICLE, {}, [FOR_RELEASE]),
    "a release is not published by a push without one": (RELEASED, ARTICLE, ARTICLE, PUBLISH, [FOR_RELEASE]),
    "a release is not published by the push of another": (
        RELEASED, ARTICLE, ARTICLE, PUBLISH | {"release": "5.20"}, [FOR_RELEASE]),
    "a release is published by its own push": (RELEASED, ARTICLE, ARTICLE, NAMED, ["publish article refunds"]),
    "a release does not publish before the date": (BOTH, ARTICLE, ARTICLE, NAMED | BEFORE, [FOR_DATE]),
    "a date does not publish before the release": (BOTH, ARTICLE, ARTICLE, PUBLISH | AFTER, [FOR_RELEASE]),
    "a release publishes after the date": (BOTH, ARTICLE, ARTICLE, NAMED | AFTER, ["publish article refunds"]),
    "a draft waits for nothing": (
        timed(status=DRAFT, publish_on=DATE, release="5.2"), ARTICLE, ARTICLE, PUBLISH | BEFORE, []),
    "what is to be archived waits for nothing": (
        timed(status=ARCHIVED, publish_on=DATE, release="5.2"), ARTICLE, ARTICLE, PUBLISH | BEFORE,
        ["archive article refunds"]),
    "the date of a live article is no news once it is reached": (DATED, LIVE, LIVE, PUBLISH | AFTER, []),
    "what somebody archived meanwhile is not published": (
        RELEASED, SHELVED, ARTICLE, NAMED, ["refunds status: conflict"]),
    "an article that needs a decision is not published and still waits": (
        timed(ARTICLE.but(title="Refund"), release="5.2"), ARTICLE.but(title="Money back"), ARTICLE, NAMED,
        ["refunds title: conflict", FOR_RELEASE]),
    "an article that somebody dragged is published all the same": (
        RELEASED, ARTICLE.but(position=30), ARTICLE, NAMED, ["publish article refunds", "refunds position: drift"]),
    "a clone without a ledger publishes a release that somebody names": (
        RELEASED, ARTICLE, None, NAMED, ["adopt article refunds", "publish article refunds"]),
    "a seed waits for its release": (SEED, ARTICLE, ARTICLE, PUBLISH, [FOR_RELEASE]),
    "a seed is published with its release": (SEED, ARTICLE, ARTICLE, NAMED, ["publish article refunds"]),
    "what comes back from the archive before its date comes back as a draft": (
        DATED, SHELVED, SHELVED, PUBLISH | BEFORE, ["unpublish article refunds", FOR_DATE]),
}  # fmt: skip


@pytest.mark.parametrize(("desired", "there", "base", "policy", "comes"), TIMES.values(), ids=TIMES)
def test_an_article_with_a_date_or_a_release_is_published_at_its_time(desired, there, base, policy, comes):
    assert came_of(plan_with(desired, there, base, **policy)) == comes


@pytest.mark.parametrize("keys", [{"publish_on": DATE}, {"release": "5.2"}])
def test_an_edit_of_an_article_that_is_live_goes_out_at_once(keys):
    live = ARTICLE.but(status=PUBLISHED)
    plan = plan_with(timed(ARTICLE.but(content="new"), **keys), live, live, publish=True, **BEFORE)
    assert [(change.action, change.live) for change in plan.changes] == [(Action.UPDATE, True)]
    assert plan.waiting == ()
    assert [finding.code for finding in plan.warnings] == (["KB507"] if "publish_on" in keys else [])


def test_what_somebody_unpublished_after_its_release_needs_a_decision_and_is_not_published_again():
    plan = plan_with(timed(release="5.2"), ARTICLE, ARTICLE.but(status=PUBLISHED), publish=True, release="5.2")
    assert (plan.changes, plan.waiting) == ((), ())
    (held,) = plan.held
    assert (held.reason, held.fields) == (Reason.DRIFT, ("status",))
    assert "kbsync push --release 5.2 --overwrite en/refunds.md" in held.hint
    assert "kbsync resolve en/refunds.md --release 5.2" in held.hint


def test_an_article_with_an_edit_pending_in_the_panel_is_not_published():
    seen: Observed = replace_item(ARTICLE.observed(), staged={"content": "their text"})
    plan = plan_with(timed(release="5.2"), seen, **NAMED)
    assert plan.changes == () and [held.reason for held in plan.held] == [Reason.STAGED]
    plan = plan_with(timed(release="5.2"), seen, overwrite=frozenset({"en/refunds.md"}), **NAMED)
    assert [change.staged for change in plan.changes] == [{"content": "their text"}]


@pytest.mark.parametrize(("touched_s", "is_published"), [(DATE_S - 1, True), (DATE_S, False), (0, False)])
def test_a_clone_without_a_ledger_publishes_at_a_date_what_was_not_touched_since(touched_s, is_published):
    seen = replace_item(ARTICLE.observed(), updated_at=int(touched_s))
    plan = plan_with(timed(publish_on=DATE), seen, None, publish=True, now_s=DATE_S + 60)
    assert [change.action for change in plan.sent] == [Action.PUBLISH] * is_published
    assert bool(plan.held) is not is_published


def test_a_seed_that_somebody_unpublished_after_its_release_is_left_alone():
    plan = plan_with(SEED, ARTICLE, LIVE, **NAMED)
    assert (plan.changes, plan.held, plan.waiting, plan.unchanged) == ((), (), (), 1)


def test_what_is_published_together_costs_two_looks_each_and_one_request_for_each_hundred():
    (change,) = plan_with(timed(release="5.2"), publish=True, release="5.2").changes
    assert change.together
    assert [requests_of([change] * number) for number in (1, 2, 100, 101)] == [2, 5, 201, 204]
