"""A fresh clone without a ledger: what git says was ours may go out, and nothing else may."""

import shutil
from collections.abc import Iterator

import pytest

from repo import Repo, a_repo, needs_git

from .world import World, a_category, a_world, an_article, without

pytestmark = needs_git
TREE = {
    "en/a/_category.md": a_category("a"),
    "en/a/x.md": an_article("X", "See [the other](y.md)."),
    "en/a/y.md": an_article("Y", "The other one."),
}


def commit(world: World, files: dict[str, str]) -> None:
    world.write(files)
    repo = Repo(world.project.root.parent)
    repo.git("add", "-A", "content")
    repo.git("commit", "-qm", "an edit")


@pytest.fixture
def world(tmp_path) -> Iterator[World]:
    """TREE, committed, pushed, and the ledger lost."""
    with a_world(tmp_path, {}) as world:
        a_repo(tmp_path)
        commit(world, TREE)
        world.push()
        world.forget()
        yield world


def test_an_edit_since_the_last_push_is_one_update_and_the_rest_is_adopted(world):
    commit(world, TREE | {"en/a/y.md": an_article("Y", "The other one, edited.")})
    assert [(c.slug, tuple(c.after)) for c in world.plan().sent] == [("y", ("content",))]
    assert world.push().words == {"done"}
    assert world.plan().changes == ()


def test_an_edit_in_the_panel_is_held_although_the_source_moved_too(world):
    world.sandbox.panel.edit("y", content="Theirs.")
    commit(world, TREE | {"en/a/y.md": an_article("Y", "Ours.")})
    plan = world.plan()
    assert [(held.slug, held.fields) for held in plan.held] == [("y", ("content",))]
    assert world.push().plan.sent == ()
    assert world.article("y").content == "Theirs."


def test_a_text_whose_link_got_another_address_since_is_known_by_the_one_it_had(world):
    commit(world, TREE | {"en/a/y.md": an_article("Y", "The other one.", slug="why", aliases=["y"])})
    plan = world.plan()
    assert {(c.slug, tuple(c.after)) for c in plan.sent} == {("why", ("slug",)), ("x", ("content",))}
    assert plan.held == ()


def test_a_file_that_was_renamed_since_is_the_article_that_it_was(world):
    before = world.article("y").id
    commit(
        world,
        without(TREE, "en/a/y.md")
        | {"en/a/why.md": TREE["en/a/y.md"], "en/a/x.md": an_article("X", "See [the other](why.md).")},
    )
    assert world.push().words == {"done"}
    assert world.article("why").id == before
    assert world.slugs() == ["why", "x"]
    assert world.plan().changes == ()


def test_a_draft_that_the_next_commit_publishes_goes_out_although_no_ledger_knows_it(world):
    world.project = world.project.but(publish=True)
    commit(world, TREE | {"en/a/y.md": an_article("Y", "The other one.", status="published")})
    assert world.push().of("y", "publish").outcome == "done"


def test_an_article_that_a_person_unpublished_since_is_held_and_the_hint_says_why(world):
    world.project = world.project.but(publish=True)
    commit(world, TREE | {"en/a/y.md": an_article("Y", "The other one.", status="published")})
    later = "UPDATE articles SET status = 0, updated_at = updated_at + 3600000000 WHERE slug = 'y'"
    assert world.sandbox.panel.sql(later) == 1
    (held,) = world.plan().held
    assert (held.slug, held.fields, held.reason) == ("y", ("status",), "drift") and "changed back" in held.hint
    assert world.push(overwrite=("en/a/y.md",)).of("y", "publish").outcome == "done"


def test_without_a_repository_what_differs_is_held_and_nothing_breaks(world, tmp_path):
    shutil.rmtree(tmp_path / ".git")
    world.write(TREE | {"en/a/y.md": an_article("Y", "Edited.")})
    (held,) = world.plan().held
    assert held.reason == "conflict" and "not in a git repository" in held.hint


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((10, 20, 30), (25, 20, 30)),
        ((10, 10, 20), (30, 10, 20)),
        ((10, 10, 20), (10, 10, 5)),
        ((20, 10, 10), (5, 10, 10)),
    ],
)
def test_an_article_that_a_commit_moved_goes_to_its_place_and_no_other_is_said_to_have_moved(tmp_path, before, after):
    def files(numbers: tuple[int, ...]) -> dict[str, str]:
        items = zip("xyz", numbers, strict=True)
        return {"en/a/_category.md": a_category("a")} | {
            f"en/a/{name}.md": an_article(name, position=number) for name, number in items
        }

    with a_world(tmp_path, {}) as world:
        a_repo(tmp_path)
        commit(world, files(before))
        world.push()
        world.forget()
        commit(world, files(after))
        plan = world.plan()
        (moved,) = [name for name, old, new in zip("xyz", before, after, strict=True) if old != new]
        assert plan.held == ()
        assert [(change.slug, tuple(change.after)) for change in plan.sent] == [(moved, ("position",))]


@pytest.mark.parametrize("edited", ["", "file", "panel"])
def test_two_articles_whose_slugs_a_commit_swapped_exchange_them_and_only_an_edit_in_the_panel_is_held(
    tmp_path, edited
):
    words = {name: " ".join(f"{name}{number}" for number in range(60)) for name in "xy"}

    def files(x: str, y: str, more: str = "") -> dict[str, str]:
        return {
            "en/a/_category.md": a_category("a"),
            "en/a/x.md": an_article("X", f"{words['x']}{more}", slug=x),
            "en/a/y.md": an_article("Y", words["y"], slug=y),
        }

    with a_world(tmp_path, {}) as world:
        a_repo(tmp_path)
        commit(world, files("one", "two"))
        world.push()
        world.forget()
        ids = (world.article("one").id, world.article("two").id)
        if edited == "panel":
            world.sandbox.panel.edit("one", content=f"{words['x']} A person's.")
        commit(world, files("two", "one", " One more sentence." * (edited == "file")))
        plan = world.push().plan
        assert [(held.path, held.fields) for held in plan.held] == [("en/a/x.md", ("content",))] * (edited == "panel")
        assert (world.article("two").id, world.article("one").id) == ids
        assert ("A person's." in world.article("two").content) is (edited == "panel")
