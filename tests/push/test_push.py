"""What a push does to the portal and to the ledger, change by change."""

import pytest

from kbsync.model import Action, Reason, Status
from kbsync.sandbox import V4_2, V4_10, V4_16, Fault

from .world import PORTAL, a_category, a_pushed_world, a_world, an_article, without

CATEGORY = {"en/a/_category.md": a_category("a")}
ALL = pytest.mark.parametrize("behaviour", [V4_10, V4_2, V4_16], ids=["4.10", "4.2", "4.16"])
MORE = {"en/b/_category.md": a_category("b")}
GONE = {"en/a/gone.md": an_article("Gone")}


def one(**keys: object) -> dict[str, str]:
    """A tree of one article."""
    return CATEGORY | {"en/a/x.md": an_article(**({"title": "X"} | keys))}


TREE = one()


@ALL
def test_a_tree_is_created_as_drafts_and_then_there_is_nothing_to_do(tmp_path, behaviour):
    tree = one(status="published", position=7, description="D", tags=["t"], meta_title="M", author="ada")
    with a_world(tmp_path, tree, behaviour=behaviour) as world:
        assert world.push().words == {"done"}
        article = world.article("x")
        assert (article.title, article.content, article.status, article.position) == ("X", "Some words.\n", 0, 7)
        assert (article.category.slug, article.meta) == ("a", {"title": "M", "tags": ["t"]})
        world.assert_settled()
        assert world.bases()["x"].remote_id == article.id


@ALL
def test_an_update_sends_only_what_the_source_changed(tmp_path, behaviour):
    with a_pushed_world(tmp_path, one(description="old"), behaviour=behaviour) as world:
        world.sandbox.panel.edit("x", meta={"title": "theirs"})
        world.write(one(description="new"))
        pushed = world.push()
        assert pushed.of("x").change.after == {"description": "new"}
        assert (world.article("x").description, world.article("x").meta) == ("new", {"title": "theirs"})
        world.assert_settled()


@ALL
def test_what_is_equal_on_both_sides_is_adopted_without_a_request_that_writes(tmp_path, behaviour):
    with a_pushed_world(tmp_path, one(), behaviour=behaviour) as world:
        (tmp_path / "ledger.db").unlink()
        writes = len(world.sent("POST")) + len(world.sent("PATCH"))
        assert {o.change.action for o in world.push().outcomes} == {Action.ADOPT}
        assert len(world.sent("POST")) + len(world.sent("PATCH")) == writes
        assert world.bases()["x"].remote_id == world.article("x").id
        world.assert_settled()


@ALL
def test_a_status_goes_the_way_of_the_source_when_publish_is_on(tmp_path, behaviour):
    with a_world(tmp_path, one(status="published"), behaviour=behaviour, publish=True) as world:
        for status, number in (("published", 1), ("archived", 2), ("draft", 0), ("published", 1)):
            world.write(one(status=status))
            assert world.push().words == {"done"}
            assert world.article("x").status == number
            assert world.bases()["x"].status == Status(status)
            world.assert_settled()


def test_an_update_and_its_publishing_in_one_push_leave_one_base_that_knows_both(tmp_path):
    with a_pushed_world(tmp_path, one(), publish=True) as world:
        world.write(one(body="two", status="published"))
        world.push()
        base = world.bases()["x"]
        world.write(one(body="three", status="published"))
        assert base.status is Status.PUBLISHED
        assert [change.before["content"] for change in world.plan().changes] == [base.fields["content"]]
        assert world.plan().held == ()


def test_an_edit_between_a_create_and_its_publishing_is_drift_and_not_ours_to_overwrite(tmp_path):
    def edit(outcome):
        if outcome.change.action is Action.CREATE and outcome.change.kind == "article":
            world.sandbox.panel.edit("x", title="Theirs")

    with a_world(tmp_path, one(status="published"), publish=True) as world:
        world.push(after_each=edit, concurrency=1)
        plan = world.plan()
        assert [(held.reason, held.fields) for held in plan.held] == [(Reason.DRIFT, ("title",))]
        assert plan.sent == ()


@ALL
def test_a_move_to_another_category_keeps_its_position(tmp_path, behaviour):
    tree = one(position=35) | MORE | {"en/b/y.md": an_article("Y", position=90)}
    with a_pushed_world(tmp_path, tree, behaviour=behaviour) as world:
        world.write(without(tree, "en/a/x.md") | {"en/b/x.md": tree["en/a/x.md"]})
        assert world.push().of("x").outcome == "done"
        assert (world.article("x").category.slug, world.article("x").position) == ("b", 35)
        world.assert_settled()


def test_articles_whose_category_cannot_be_made_are_skipped_with_the_reason_and_so_is_their_publishing(tmp_path):
    tree = one() | {"en/c/_category.md": a_category("c")}
    with a_pushed_world(tmp_path, tree, publish=True) as world:
        world.write(
            CATEGORY
            | {"en/c/_category.md": tree["en/c/_category.md"], "en/d/_category.md": a_category("d")}
            | {"en/d/x.md": an_article("X", status="published"), "en/d/new.md": an_article("New", status="published")}
            | {"en/c/fine.md": an_article("Fine")}
        )
        world.sandbox.faults.add(Fault("status", method="POST", path="categories$", status=422))
        pushed = world.push()
        assert [(o.change.action, o.outcome) for o in pushed.outcomes if o.change.slug == "x"] == [
            (Action.UPDATE, "skipped"),
            (Action.PUBLISH, "skipped"),
        ]
        assert {o.outcome for o in pushed.outcomes if o.change.slug == "new"} == {"skipped"}
        assert "category `d` could not be created" in pushed.of("x", "update").error
        assert pushed.of("fine").outcome == "done"
        assert world.article("x").status == 0
        assert {outcome.outcome for outcome in world.push().outcomes} == {"done"}
        world.assert_settled()


def test_nothing_is_removed_when_anything_else_failed(tmp_path):
    with a_pushed_world(tmp_path, one() | GONE, removed="delete") as world:
        world.write(one() | {"en/a/bad.md": an_article("Bad", author="ghost")})
        pushed = world.push()
        assert (pushed.of("bad").outcome, pushed.of("gone").outcome) == ("failed", "skipped")
        assert world.slugs() == ["gone", "x"]


@ALL
def test_an_orphan_is_deleted_after_everything_else_and_its_category_last(tmp_path, behaviour):
    tree = one() | MORE | {"en/b/gone.md": an_article("Gone")}
    with a_pushed_world(tmp_path, tree, behaviour=behaviour, removed="delete") as world:
        world.write(one(title="New"))
        pushed = world.push()
        assert [o.change.slug for o in pushed.outcomes] == ["x", "gone", "b"]
        assert (world.slugs(), pushed.words) == (["x"], {"done"})
        assert set(world.bases()) == {"a", "x"}
        world.assert_settled()


def test_an_orphan_is_archived_where_that_is_the_policy(tmp_path):
    with a_pushed_world(tmp_path, one() | GONE, removed="archive") as world:
        world.write(one())
        assert world.push().of("gone").outcome == "done"
        assert world.article("gone").status == 2
        world.assert_settled()


def test_a_delete_that_was_answered_and_not_done_is_a_failure_and_stays_in_the_ledger(tmp_path):
    with a_pushed_world(tmp_path, one() | GONE, removed="delete") as world:
        world.write(one())
        world.sandbox.faults.add(Fault("status", method="DELETE", status=200, times=None))
        assert world.push().of("gone").outcome == "failed"
        assert "gone" in world.bases()
        world.sandbox.faults.clear()
        assert world.push().of("gone").outcome == "done"
        world.assert_settled()


def test_phases_go_one_after_the_other(tmp_path):
    tree = one(status="published") | MORE | {"en/b/y.md": an_article("Y", status="published")}
    with a_world(tmp_path, tree, publish=True) as world:
        kinds = [(o.change.kind, o.change.action) for o in world.push().outcomes]
        assert kinds == [("category", "create")] * 2 + [("article", "create")] * 2 + [("article", "publish")] * 2


@ALL
def test_a_slug_that_a_stranger_has_is_told_with_the_strangers_name_and_theirs_stays(tmp_path, behaviour):
    with a_world(tmp_path, one(), behaviour=behaviour) as world:
        create = lambda: world.sandbox.panel.create(PORTAL, "Mine", "theirs", slug="x")  # noqa: E731
        pushed = world.push(before_sending=create)
        assert pushed.of("x").outcome == "failed"
        assert f'slug `x` is taken by article {world.article("x").id} "Mine"' in pushed.of("x").error
        assert world.article("x").content == "theirs"
        assert world.pending() == []
        assert [held.reason for held in world.plan().held] == [Reason.CONFLICT]


def test_a_rename_to_a_slug_that_a_stranger_has_is_told_with_the_strangers_name(world):
    world.write(one(slug="y"))
    create = lambda: world.sandbox.panel.create(PORTAL, "Mine", "theirs", slug="y")  # noqa: E731
    pushed = world.push(before_sending=create)
    assert 'slug `y` is taken by article 2 "Mine"' in pushed.of("y").error
    assert world.slugs() == ["x", "y"]


def test_an_unknown_author_is_what_the_service_says(tmp_path):
    with a_world(tmp_path, one(author="ghost") | {"en/a/y.md": an_article("Y")}) as world:
        pushed = world.push()
        assert (pushed.of("x").outcome, pushed.of("y").outcome) == ("failed", "done")
        assert "Author must exist" in pushed.of("x").error
        assert world.pending() == []


def test_an_edit_in_the_panel_between_plan_and_push_is_told_and_stays(world):
    world.write(one(title="Ours"))
    pushed = world.push(before_sending=lambda: world.sandbox.panel.edit("x", title="Theirs"))
    assert (pushed.of("x").outcome, world.article("x").title) == ("skipped", "Theirs")
    assert "Changed on the portal after the plan was made: title." in pushed.of("x").error
    assert world.pending() == []
    assert [held.reason for held in world.plan().held] == [Reason.CONFLICT]


def test_an_edit_of_another_field_between_plan_and_push_does_not_stop_ours_and_stays(world):
    world.write(one(title="Ours"))
    edit = lambda: world.sandbox.panel.edit("x", content="theirs")  # noqa: E731
    assert world.push(before_sending=edit).of("x").outcome == "done"
    assert (world.article("x").title, world.article("x").content) == ("Ours", "theirs")
    assert [(held.reason, held.fields) for held in world.plan().held] == [(Reason.DRIFT, ("content",))]


def test_an_orphan_edited_between_plan_and_push_is_not_deleted(tmp_path):
    with a_pushed_world(tmp_path, one() | GONE, removed="delete") as world:
        world.write(one())
        pushed = world.push(before_sending=lambda: world.sandbox.panel.edit("gone", title="Theirs"))
        assert pushed.of("gone").outcome == "skipped"
        assert world.article("gone").title == "Theirs"


def test_overwrite_sends_ours_where_the_panel_was_edited(world):
    world.sandbox.panel.edit("x", title="Theirs")
    assert world.push().outcomes == []
    selector = str(world.project.root / "en/a/x.md")
    assert world.push(overwrite=(selector,)).of("x").outcome == "done"
    assert world.article("x").title == "X"
    world.assert_settled()


def test_a_deleted_article_is_made_again_when_asked_for_and_the_ledger_knows_one(world):
    before = world.article("x").id
    world.sandbox.panel.delete("x")
    assert [held.reason for held in world.plan().held] == [Reason.GONE]
    world.push(recreate=True)
    assert world.bases()["x"].remote_id == world.article("x").id != before
    world.assert_settled()
