"""`push --stage`: edits of live articles that readers see only after somebody publishes them (S105 to S116)."""

from functools import partial

import pytest

from kbsync.model import Action, Reason
from kbsync.push.runner import phase_of
from kbsync.sandbox import V4_10

from .world import a_category, a_project, a_pushed_world, an_article, without

OLD, NEW, NEWER = "The first text.\n", "Our new text.\n", "Our newer text.\n"
THEIRS = "The first text, seen by a colleague.\n"
X = "en/a/x.md"


def tree(body: str = OLD, title: str = "X", **keys: object) -> dict[str, str]:
    """Two articles that are live; `x` is the one that tests edit."""
    return {
        "en/a/_category.md": a_category("a"),
        X: an_article(title, body.removesuffix("\n"), **({"status": "published"} | keys)),
        "en/a/y.md": an_article("Y", "The second text.", status="published"),
    }


@pytest.fixture
def world(tmp_path):
    """Two live articles; a push of either stages its edits."""
    with a_pushed_world(tmp_path, tree(), publish=True, live="stage") as world:
        yield world


@pytest.fixture
def staged(world):
    """The first of them has an edit of ours staged."""
    world.write(tree(NEW, "X, new"))
    assert world.push().words == {"done"}
    return world


def texts(world) -> tuple[str, str | None]:
    """What readers see of the body, and what is pending."""
    article = world.article("x")
    return article.content, article.draft_content


def reasons(plan) -> list[tuple[str, Reason]]:
    return [(held.path, held.reason) for held in plan.held]


def is_idle(plan) -> bool:
    return not plan.changes and not plan.held


def sends(world, **options) -> None:
    """Carry out what is planned; all of it works."""
    assert world.push(**options).words == {"done"}


# --- staging ---------------------------------------------------------------------------------------------------------


def test_an_edit_of_a_live_article_is_staged_whole_and_readers_see_nothing_of_it(world):
    world.write(tree(NEW))
    (change,) = world.plan().changes
    assert (change.action, change.live, change.stages) == (Action.UPDATE, False, True)
    sends(world)
    article = world.article("x")
    assert (article.title, article.content) == ("X", OLD)
    assert (article.draft_title, article.draft_content) == ("X", NEW)


def test_it_then_waits_for_publication_and_is_neither_a_change_nor_held(staged):
    plan = staged.plan()
    assert is_idle(plan) and [item.path for item in plan.staged_edits] == [X]
    assert staged.push().outcomes == []


def test_other_fields_and_articles_that_are_not_live_go_out_as_usual(world):
    world.write(tree(NEW, description="Described.") | {"en/a/z.md": an_article("Z")})
    sends(world)
    assert texts(world) == (OLD, NEW)
    assert (world.article("x").description, world.article("z").status) == ("Described.", 0)
    world.write(tree(NEW, description="Described.") | {"en/a/z.md": an_article("Z", "Longer.")})
    sends(world)
    assert (world.article("z").content, world.article("z").draft_content) == ("Longer.\n", None)


def test_a_newer_edit_is_staged_in_place_of_ours(staged):
    staged.write(tree(NEWER))
    sends(staged)
    assert texts(staged) == (OLD, NEWER) and is_idle(staged.plan())


def test_a_file_that_goes_back_takes_its_staged_edit_along(staged):
    staged.write(tree())
    sends(staged)
    assert texts(staged) == (OLD, None)
    assert is_idle(staged.plan()) and staged.plan().staged_edits == ()


def test_without_staging_the_edit_goes_live_and_ours_is_cleared_in_one_request(staged):
    project, before = staged.project.but(live="update"), len(staged.sent("PATCH"))
    (change,) = project.plan(staged.service).changes
    assert change.live and not change.stages
    assert project.push(staged.service).words == {"done"}
    assert texts(staged) == (NEW, None) and len(staged.sent("PATCH")) == before + 1
    assert is_idle(staged.plan())


def test_an_article_with_consent_is_sent_to_readers_at_once(world):
    world.write(tree(NEW))
    sends(world, live=(X,))
    assert texts(world) == (NEW, None)


def test_where_live_articles_are_held_what_is_staged_waits(staged):
    project = staged.project.but(live="hold")
    plan = project.plan(staged.service)
    assert is_idle(plan) and [item.path for item in plan.staged_edits] == [X]


def test_where_live_articles_are_held_staging_sends_readers_nothing_else(world):
    world.write(tree(NEW, description="Described.") | {"en/a/y.md": an_article("Y", "The second text.", tags="[new]")})
    project = world.project.but(live="hold")
    plan = project.plan(world.service, stage=True)
    assert [change.stages for change in plan.changes] == [True]
    assert [(held.path, held.reason, held.fields) for held in plan.held] == [
        ("en/a/y.md", Reason.LIVE, ("tags",)),
        (X, Reason.LIVE, ("description",)),
    ]
    project.push(world.service, stage=True)
    assert texts(world) == (OLD, NEW) and not world.article("x").description


def test_hiding_an_article_sends_its_edit_with_the_status(world):
    world.write(tree(NEW, status="draft"))
    sends(world)
    article = world.article("x")
    assert (article.status, article.content, article.draft_content) == (0, NEW, None)
    assert is_idle(world.plan())


@pytest.mark.parametrize("keys", [{"description": "Described."}, {"slug": "z"}, {"position": 7}])
def test_a_discard_and_another_change_of_the_article_are_never_sent_side_by_side(staged, keys):
    staged.write(tree(**keys))
    changes = [change for change in staged.plan().changes if change.path == X]
    assert len(changes) == 2 and len({phase_of(change) for change in changes}) == 2
    assert changes[0].discards_staged != changes[1].discards_staged
    sends(staged)
    base = next(base for base in staged.bases().values() if base.path == X)
    # Each result builds on the base that the last one left: neither forgets the other.
    assert base.staged == {} and {name: base.fields[name] for name in keys} == keys
    assert is_idle(staged.plan(full=True))


def test_hiding_an_article_discards_what_was_staged_before(staged):
    staged.write(tree(NEWER, status="draft"))
    sends(staged)
    article = staged.article("x")
    assert (article.status, article.content, article.draft_content) == (0, NEWER, None)


@pytest.mark.parametrize("removed", ["archive", "delete"])
def test_what_we_staged_keeps_no_article_from_being_removed(staged, removed):
    staged.write(without(tree(), X))
    project = staged.project.but(removed=removed)
    assert project.push(staged.service).words == {"done"}
    left = staged.sandbox.panel.article("x")
    assert left is None if removed == "delete" else (left.status, left.draft_content) == (2, None)


def test_before_4_16_the_edit_is_held_and_the_rest_goes_out(tmp_path):
    with a_pushed_world(tmp_path, tree(), behaviour=V4_10, publish=True, live="stage") as world:
        world.write(tree(NEW, description="Described."))
        assert reasons(world.plan()) == [(X, Reason.UNSUPPORTED)]
        (held,) = world.plan().held
        assert held.needs == "4.16" and "This portal runs version 4.10.0, which has no staged edits." in held.hint
        assert f"run `kbsync push {X} --live {X}`" in held.hint
        world.push()
        assert (world.article("x").content, world.article("x").description) == (OLD, "Described.")


def test_a_staged_edit_that_the_service_refuses_fails_with_its_words(world):
    world.sandbox.panel.sql("UPDATE articles SET author_id = 77 WHERE slug = 'x'")
    world.write(tree(NEW))
    outcome = world.push().of("x")
    assert (outcome.outcome, "Author must exist" in outcome.error) == ("failed", True)
    assert texts(world) == (OLD, None)


# --- publishing ------------------------------------------------------------------------------------------------------


def test_publishing_shows_readers_what_was_staged_and_nothing_else(staged):
    staged.write(tree(NEWER, "X, newer", description="Not yet.") | {"en/a/z.md": an_article("Z")})
    (change,) = staged.plan(publish_staged=True).changes
    assert change.live and change.publishes_staged
    sends(staged, publish_staged=True)
    article = staged.article("x")
    assert (article.title, article.content, article.draft_title, article.draft_content) == ("X, new", NEW, None, None)
    assert not article.description and staged.slugs() == ["x", "y"]
    # The file went on: its newer text is staged next.
    sends(staged)
    assert texts(staged) == (NEW, NEWER)


def test_publishing_again_has_nothing_to_do(staged):
    sends(staged, publish_staged=True)
    assert is_idle(staged.plan(publish_staged=True)) and is_idle(staged.plan())


def test_only_what_is_selected_is_published(staged):
    staged.write(tree(NEW, "X, new") | {"en/a/y.md": an_article("Y", NEWER.strip(), status="published")})
    sends(staged)
    sends(staged, publish_staged=True, selectors=("en/a/y.md",), here=staged.project.root)
    assert (staged.article("y").content, staged.article("x").content) == (NEWER, OLD)


def test_a_staged_edit_that_a_person_changed_is_not_published(staged):
    staged.sandbox.panel.write("x", content=THEIRS)
    plan = staged.plan(publish_staged=True)
    assert (plan.changes, reasons(plan)) == ((), [(X, Reason.STAGED)])
    values = {value.name: (value.before, value.after) for value in plan.held[0].values}
    assert values["content"][0] != values["content"][1]


def test_nothing_is_published_over_an_edit_that_readers_see(staged):
    staged.sandbox.panel.edit("x", content=THEIRS)
    plan = staged.plan(publish_staged=True)
    assert (plan.changes, reasons(plan)) == ((), [(X, Reason.CONFLICT)])


@pytest.mark.parametrize(
    ("does", "after"),
    [
        ("write", (OLD, THEIRS)),
        ("discard_staged", (OLD, None)),
        ("publish_staged", (NEW, None)),
        ("edit", (THEIRS, NEW)),
    ],
)
def test_what_a_person_does_between_plan_and_publication_wins(staged, does, after):
    their_text = {"content": THEIRS} if does in {"write", "edit"} else {}
    person = partial(getattr(staged.sandbox.panel, does), "x", **their_text)
    pushed = staged.push(publish_staged=True, before_sending=person)
    assert texts(staged) == after
    assert pushed.of("x").outcome == ("done" if does == "publish_staged" else "skipped")


# --- people in the panel ---------------------------------------------------------------------------------------------


def test_a_person_publishes_our_staged_edit(staged):
    staged.sandbox.panel.publish_staged("x")
    plan = staged.plan()
    assert is_idle(plan) and plan.staged_edits == ()
    staged.push()
    # What readers see is agreed on: the next edit is ours alone.
    staged.write(tree(NEWER, "X, new"))
    assert [change.stages for change in staged.plan().changes] == [True]


def test_a_person_publishes_our_staged_edit_while_the_file_goes_on(staged):
    staged.sandbox.panel.publish_staged("x")
    staged.write(tree(NEWER, "X, new"))
    assert reasons(staged.plan()) == []
    sends(staged)
    assert texts(staged) == (NEW, NEWER)


def test_a_person_edits_our_staged_edit_and_it_is_theirs_from_then_on(staged):
    staged.sandbox.panel.write("x", content=THEIRS)
    assert reasons(staged.plan()) == [(X, Reason.STAGED)]
    staged.write(tree(NEWER))
    assert reasons(staged.plan()) == [(X, Reason.STAGED)]
    staged.push()
    assert texts(staged) == (OLD, THEIRS)
    sends(staged, overwrite=(X,), here=staged.project.root)
    assert texts(staged) == (OLD, NEWER)


def test_a_person_publishes_their_version_of_our_staged_edit(staged):
    staged.sandbox.panel.write("x", content=THEIRS)
    staged.sandbox.panel.publish_staged("x")
    assert reasons(staged.plan()) == [(X, Reason.CONFLICT)]
    staged.push()
    assert texts(staged) == (THEIRS, None)


def test_a_person_discards_our_staged_edit_and_that_is_a_decision(staged):
    staged.sandbox.panel.discard_staged("x")
    plan = staged.plan()
    assert reasons(plan) == [(X, Reason.DRIFT)] and plan.held[0].fields == ("draft_title", "draft_content")
    assert "discarded" in plan.held[0].hint
    staged.push()
    assert texts(staged) == (OLD, None)
    # Neither does it go live unasked.
    assert reasons(staged.project.but(live="update").plan(staged.service)) == [(X, Reason.DRIFT)]


@pytest.mark.parametrize("asked", [{"overwrite": (X,)}, {"stage": True, "selectors": (X,)}])
def test_a_discarded_edit_is_staged_again_on_request(staged, asked):
    staged.sandbox.panel.discard_staged("x")
    sends(staged, here=staged.project.root, **asked)
    assert texts(staged) == (OLD, NEW) and is_idle(staged.plan())


def test_a_new_edit_is_staged_although_the_last_one_was_discarded(staged):
    staged.sandbox.panel.discard_staged("x")
    staged.write(tree(NEWER))
    sends(staged)
    assert texts(staged) == (OLD, NEWER)


def test_a_person_who_types_while_we_stage_loses_nothing(world):
    world.write(tree(NEW))
    pushed = world.push(before_sending=lambda: world.sandbox.panel.write("x", content=THEIRS))
    assert pushed.of("x").outcome == "skipped" and texts(world) == (OLD, THEIRS)


def test_a_title_that_a_person_changed_for_readers_stays_when_the_body_is_staged(world):
    world.sandbox.panel.edit("x", title="Their title")
    world.write(tree(NEW))
    world.push()
    article = world.article("x")
    assert (article.draft_title, article.draft_content) == ("Their title", NEW)


def test_unpublished_by_a_person_it_goes_out_as_any_draft(staged):
    staged.sandbox.panel.edit("x", status="draft")
    project = staged.project.but(publish=False)
    assert project.push(staged.service).words == {"done"}
    assert texts(staged) == (NEW, None)


def test_a_category_stays_with_an_article_that_a_person_is_editing(world):
    world.sandbox.panel.write("x", content=THEIRS)
    world.write({})
    project = world.project.but(removed="delete", max_removals="100%")
    project.push(world.service, full=True)
    assert world.article("x").draft_content == THEIRS
    assert world.article("x").category_id is not None
    assert world.service.reader.find_category("a", locale="en") is not None


def test_on_a_large_portal_a_person_who_changes_our_staged_edit_is_seen(tmp_path):
    # Staging moves no `updated_at`, so a listing that stops at known rows does not show it (S105).
    def large(description: str) -> dict[str, str]:
        others = {f"en/a/n{n}.md": an_article(f"N {n}", description=description) for n in range(40)}
        return tree(NEW, "X, new") | others

    with a_pushed_world(tmp_path, tree(), publish=True, live="stage") as world:
        world.write(large("Old."))
        sends(world)
        world.write(large("New."))
        sends(world)
        assert [item.path for item in world.plan().staged_edits] == [X]
        world.sandbox.panel.write("x", content=THEIRS)
        assert reasons(world.plan()) == [(X, Reason.STAGED)]
        world.sandbox.panel.discard_staged("x")
        assert reasons(world.plan()) == [(X, Reason.DRIFT)]


# --- other clones ----------------------------------------------------------------------------------------------------


@pytest.fixture
def clone(staged, tmp_path):
    """Another clone with the same files and no record."""
    other = tmp_path / "clone"
    other.mkdir()
    return a_project(other, staged.sandbox.base_url, tree(NEW, "X, new"), publish=True, live="stage")


def test_a_clone_without_a_record_takes_nothing_for_a_change_of_readers(staged, clone):
    assert [change.stages for change in clone.plan(staged.service).changes if change.action is Action.UPDATE] == []
    clone.push(staged.service)
    assert texts(staged) == (OLD, NEW)
