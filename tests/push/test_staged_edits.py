"""A person who stages edits of live articles in the panel, before and through a push (docs/service.md, S105 to S116)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from kbsync.model import Reason
from kbsync.sandbox import V4_10, Fault
from patience import eventually

from .test_staging import reasons
from .world import a_category, a_pushed_world, an_article, without

TREE = {
    "en/a/_category.md": a_category("a"),
    "en/a/x.md": an_article("X", "The first text.", status="published"),
    "en/a/y.md": an_article("Y", "The second text.", status="published"),
}
EDITED = TREE | {"en/a/x.md": an_article("X", "Our new text.", status="published")}
THEIRS = "The first text, seen by a colleague.\n"


@pytest.fixture
def world(tmp_path):
    """Two live articles; a colleague has an edit of one of them pending."""
    with a_pushed_world(tmp_path, TREE, publish=True) as world:
        world.sandbox.panel.write("x", content=THEIRS)
        yield world


def test_a_pending_edit_is_no_difference_and_the_page_stays_as_it_is(world):
    plan = world.plan(full=True)
    assert (plan.changes, plan.held) == ((), ())
    assert world.article("x").content == "The first text.\n"


def test_our_edit_is_held_and_publishing_theirs_later_loses_nothing_of_ours(world):
    world.write(EDITED)
    plan = world.plan(full=True)
    assert (plan.changes, reasons(plan)) == ((), [("en/a/x.md", Reason.STAGED)])
    world.push(full=True)
    assert (world.article("x").content, world.article("x").draft_content) == ("The first text.\n", THEIRS)
    world.sandbox.panel.publish_staged("x")
    # Now it is an edit like any other: both sides moved.
    assert reasons(world.plan()) == [("en/a/x.md", Reason.CONFLICT)]
    assert world.article("x").content == THEIRS


def test_what_a_listing_does_not_show_is_seen_by_the_look_before_the_write(world):
    # Staging moves no `updated_at`: of a large portal, a listing that stops at known rows still has the row without it.
    world.sandbox.panel.discard_staged("x")
    world.write(EDITED)
    pushed = world.push(before_sending=lambda: world.sandbox.panel.write("x", content=THEIRS))
    assert pushed.of("x").outcome == "skipped" and "pending in the panel" in pushed.of("x").error
    assert (world.article("x").content, world.article("x").draft_content) == ("The first text.\n", THEIRS)


@pytest.mark.parametrize(
    ("keys", "body", "names_it"),
    [
        ({}, "Our new text.", True),
        ({"status": "draft"}, "The first text.", True),
        ({"description": "Described."}, "The first text.", False),
    ],
)
def test_an_edit_that_begins_between_the_look_and_the_write_is_held_where_it_would_lose_ours(
    world, keys, body, names_it
):
    world.sandbox.panel.discard_staged("x")
    world.write(TREE | {"en/a/x.md": an_article("X", body, **({"status": "published"} | keys))})
    world.sandbox.faults.add(Fault("hold", method="PATCH"))
    with ThreadPoolExecutor(1) as pool:
        push = pool.submit(world.push)
        eventually(lambda: world.sandbox.held == 1, "the push has looked and writes")
        world.sandbox.panel.write("x", content=THEIRS)
        world.sandbox.release()
    outcome = push.result().of("x")
    assert outcome.outcome == "done" and world.article("x").draft_content == THEIRS
    assert [(held.reason, held.fields) for held in [outcome.held] if held] == [
        (Reason.STAGED, ("content",)),
    ] * names_it


def test_overwriting_sends_ours_and_discards_theirs_in_one_request(world):
    world.write(EDITED)
    before = len(world.sent("PATCH"))
    pushed = world.push(overwrite=("en/a/x.md",), full=True)
    assert pushed.words == {"done"} and len(world.sent("PATCH")) == before + 1
    article = world.article("x")
    assert (article.content, article.draft_content, article.draft_title) == ("Our new text.\n", None, None)
    assert (world.plan(full=True).changes, world.plan(full=True).held) == ((), ())


def test_an_edit_that_goes_on_while_we_overwrite_another_is_not_discarded(world):
    world.write(EDITED)

    def types_on() -> None:
        world.sandbox.panel.write("x", content=THEIRS + "And more.\n")

    pushed = world.push(overwrite=("en/a/x.md",), full=True, before_sending=types_on)
    assert pushed.of("x").outcome == "skipped"
    assert world.article("x").draft_content == THEIRS + "And more.\n"


@pytest.mark.parametrize("status", ["draft", "archived"])
def test_hiding_the_page_is_held(world, status):
    world.write(TREE | {"en/a/x.md": an_article("X", "The first text.", status=status)})
    assert reasons(world.plan(full=True)) == [("en/a/x.md", Reason.STAGED)]
    world.push()
    assert (world.article("x").status, world.article("x").draft_content) == (1, THEIRS)


@pytest.mark.parametrize("removed", ["archive", "delete"])
def test_removing_the_article_is_held(world, removed):
    world.write(without(TREE, "en/a/x.md"))
    project = world.project.but(removed=removed)
    assert reasons(project.plan(world.service, full=True)) == [("en/a/x.md", Reason.STAGED)]
    project.push(world.service)
    assert world.article("x").draft_content == THEIRS and world.article("x").status == 1


def test_what_does_not_touch_it_goes_out_and_leaves_it_pending(world):
    world.write(TREE | {"en/a/x.md": an_article("X", "The first text.", status="published", description="New.")})
    assert world.push().words == {"done"}
    assert (world.article("x").description, world.article("x").draft_content) == ("New.", THEIRS)


def test_before_4_16_there_is_nothing_to_hold(tmp_path):
    with a_pushed_world(tmp_path, TREE, behaviour=V4_10, publish=True) as world:
        world.write(EDITED)
        assert world.push().words == {"done"}
