"""An article that a run moved to another category or locale goes back to where it was, and to its place there."""

import pytest

from cli.conftest import Project
from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

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
    remote.push({"content/fr/other/four.md": text("four")}, KBSYNC_PACE__CONCURRENCY="1")
    return remote


def place(portal: Sandbox, slug: str) -> tuple[str, str | None, str | None, int | None]:
    found = portal.panel.article(slug)
    return found.locale, found.category.locale, found.category.slug, found.position


def move(project: Project, to: str, more: str = "") -> None:
    """Move `two` to another file and push that."""
    (project.folder / FR / "two.md").unlink()
    project.push({to: text("two", more)})


OTHER = "content/fr/other/two.md"


@pytest.mark.parametrize(
    ("to", "more", "there"),
    [
        pytest.param(OTHER, "", ("fr", "fr", "other"), id="another category"),
        pytest.param("content/en/billing/two.md", "", ("en", "en", "billing"), id="another locale"),
        pytest.param("content/en/other/two.md", "", ("en", "en", "other"), id="both"),
        pytest.param(f"{FR}two.md", "category: other\n", ("fr", "fr", "other"), id="by its front matter alone"),
        pytest.param(OTHER, "position: 5\n", ("fr", "fr", "other", 5), id="with a position before the others"),
        pytest.param(OTHER, "position: 500\n", ("fr", "fr", "other", 500), id="with a position behind the others"),
    ],
)
def test_it_is_back_in_its_category_of_its_locale_at_its_place(moved: Project, portal: Sandbox, to, more, there):
    before = place(portal, "two")
    assert before[:3] == ("fr", "fr", "billing")
    move(moved, to, more)
    assert place(portal, "two")[: len(there)] == there
    assert moved.run("undo", "2", "--yes").code == 0
    assert place(portal, "two") == before
    assert moved.run("undo", "2", "--yes").out == "Run 2 has nothing left to undo.\n"


def test_a_position_that_stayed_the_same_through_the_move_is_there_again(moved: Project, portal: Sandbox):
    moved.push({f"{FR}two.md": text("two", "position: 20\n")})
    before = place(portal, "two")
    move(moved, OTHER, "position: 20\n")
    assert moved.run("undo", "3", "--yes").code == 0
    assert place(portal, "two") == before == ("fr", "fr", "billing", 20)


def test_a_position_that_somebody_gave_it_since_in_its_new_category_is_nobodys_loss(moved: Project, portal: Sandbox):
    before = place(portal, "two")
    move(moved, OTHER)
    portal.panel.edit("two", position=1)
    assert moved.run("undo", "2", "--yes").code == 0
    assert place(portal, "two") == before


def test_after_an_undo_and_a_revert_nothing_is_left_to_do(moved: Project):
    move(moved, "content/en/other/two.md")
    moved.run("undo", "2", "--yes")
    (moved.folder / "content/en/other/two.md").unlink()
    moved.write(f"{FR}two.md", text("two"))
    assert moved.run("plan", "--check").code == 0


def test_an_undone_undo_is_the_move_again(moved: Project, portal: Sandbox):
    move(moved, "content/en/other/two.md")
    there = place(portal, "two")
    moved.run("undo", "2", "--yes")
    assert moved.run("undo", "3", "--yes").code == 0
    assert place(portal, "two") == there


def test_somebody_who_moved_it_on_since_keeps_it_there(moved: Project, portal: Sandbox):
    move(moved, "content/en/other/two.md")
    portal.panel.edit("two", category_id=portal.panel.article("refunds").category.id)
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
    assert "category: billing (en) -> billing (fr)" in moved.run("undo", "2").err
