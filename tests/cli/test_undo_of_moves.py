"""An article that a run moved to another category or locale goes back to where it was, and to its place there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from conftest import Project

FR = "content/fr/billing/"
ARTICLE = "---\ntitle: {title}\nslug: {slug}\n{more}---\nTexte {slug}.\n"


def text(slug: str, more: str = "") -> str:
    return ARTICLE.format(title=slug.title(), slug=slug, more=more)


@pytest.fixture
def moved(remote: Project, portal: Sandbox) -> Project:
    """Three articles in fr/billing, one in fr/other; `two` is about to be moved. en has the same two categories."""
    for locale in ("en", "fr"):
        remote.write(f"content/{locale}/other/_category.md", f"---\nname: Other {locale}\n---\n")
    for slug in ("one", "two", "three"):
        remote.write(f"{FR}{slug}.md", text(slug))
    remote.write("content/fr/other/four.md", text("four"))
    assert remote.run("push", KBSYNC_PACE__CONCURRENCY="1").code == 0
    return remote


def place(portal: Sandbox, slug: str) -> tuple[str, str | None, str | None, int | None]:
    found = portal.panel.article(slug)
    assert found is not None
    return found.locale, found.category.locale, found.category.slug, found.position


def move(project: Project, to: str, more: str = "") -> None:
    (project.folder / FR / "two.md").unlink()
    project.write(to, text("two", more))


@pytest.mark.parametrize(
    "to",
    [
        "content/fr/other/two.md",
        "content/en/billing/two.md",
        "content/en/other/two.md",
    ],
)
def test_it_is_back_in_its_category_of_its_locale_at_its_place(moved: Project, portal: Sandbox, to: str):
    before = place(portal, "two")
    assert before[:3] == ("fr", "fr", "billing")
    move(moved, to)
    assert moved.run("push").code == 0
    _, locale, category, _ = to.split("/")
    assert place(portal, "two")[:3] == (locale, locale, category)
    assert moved.run("undo", "2", "--yes").code == 0
    assert place(portal, "two") == before
    assert moved.run("undo", "2", "--yes").out == "Run 2 has nothing left to undo.\n"


def test_a_category_named_in_the_front_matter_alone_is_put_back_too(moved: Project, portal: Sandbox):
    before = place(portal, "two")
    moved.write(f"{FR}two.md", text("two", "category: other\n"))
    assert moved.run("push").code == 0
    assert place(portal, "two")[:3] == ("fr", "fr", "other")
    assert moved.run("undo", "2", "--yes").code == 0
    assert place(portal, "two") == before


@pytest.mark.parametrize("position", [5, 500])
def test_a_move_that_also_set_a_position_is_put_back_to_the_former_one(moved: Project, portal: Sandbox, position: int):
    before = place(portal, "two")
    move(moved, "content/fr/other/two.md", f"position: {position}\n")
    assert moved.run("push").code == 0
    assert place(portal, "two") == ("fr", "fr", "other", position)
    assert moved.run("undo", "2", "--yes").code == 0
    assert place(portal, "two") == before


def test_a_position_that_stayed_the_same_through_the_move_is_there_again(moved: Project, portal: Sandbox):
    moved.write(f"{FR}two.md", text("two", "position: 20\n"))
    moved.run("push")
    before = place(portal, "two")
    move(moved, "content/fr/other/two.md", "position: 20\n")
    assert moved.run("push").code == 0
    assert moved.run("undo", "3", "--yes").code == 0
    assert place(portal, "two") == before == ("fr", "fr", "billing", 20)


def test_a_position_that_somebody_gave_it_since_in_its_new_category_is_nobodys_loss(moved: Project, portal: Sandbox):
    before = place(portal, "two")
    move(moved, "content/fr/other/two.md")
    moved.run("push")
    portal.panel.edit("two", position=1)
    assert moved.run("undo", "2", "--yes").code == 0
    assert place(portal, "two") == before


def test_after_an_undo_and_a_revert_nothing_is_left_to_do(moved: Project, portal: Sandbox):
    move(moved, "content/en/other/two.md")
    moved.run("push")
    moved.run("undo", "2", "--yes")
    (moved.folder / "content/en/other/two.md").unlink()
    moved.write(f"{FR}two.md", text("two"))
    assert moved.run("plan", "--check").code == 0


def test_an_undone_undo_is_the_move_again(moved: Project, portal: Sandbox):
    move(moved, "content/en/other/two.md")
    moved.run("push")
    there = place(portal, "two")
    moved.run("undo", "2", "--yes")
    assert moved.run("undo", "3", "--yes").code == 0
    assert place(portal, "two") == there


def test_somebody_who_moved_it_on_since_keeps_it_there(moved: Project, portal: Sandbox):
    move(moved, "content/en/other/two.md")
    moved.run("push")
    article = portal.panel.article("refunds")
    assert article is not None
    portal.panel.edit("two", category_id=article.category.id)
    assert moved.run("undo", "2", "--yes").code == 4
    assert place(portal, "two")[:3] == ("en", "en", "billing")


def test_an_article_that_was_deleted_is_made_again_in_its_own_category(moved: Project, portal: Sandbox):
    before = place(portal, "two")
    (moved.folder / FR / "two.md").unlink()
    environ = {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__MAX_REMOVALS": "100%"}
    assert "1 article deleted" in moved.run("push", **environ).out
    assert moved.run("undo", "2", "--yes").code == 0
    assert place(portal, "two") == before


def test_what_undo_shows_names_both_locales_of_a_category_of_one_name(moved: Project):
    move(moved, "content/en/billing/two.md")
    moved.run("push")
    assert "category: billing (en) -> billing (fr)" in moved.run("undo", "2").err
