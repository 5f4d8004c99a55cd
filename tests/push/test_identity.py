"""One source, one article, whatever the clone knows: slugs that change hands, in clones that know all, some or nothing."""

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from kbsync.model import Action
from kbsync.sandbox import Fault
from repo import Repo, a_repo, needs_git

from .test_history import commit
from .world import World, a_category, a_pushed_world, a_world, an_article, without

pytestmark = [pytest.mark.slow, needs_git]

WORDS = {
    "a": "Open the payment, choose refund, and confirm it twice before the money goes back to the customer.",
    "b": "Invoices are made on the first day of each month and sent by mail to the address of the account.",
    "c": "A colleague can be invited from the settings page, where the role decides what she may change.",
}
EDITED = {name: text.replace(" the ", " the very ", 1) for name, text in WORDS.items()}


def article(name: str, slug: str, *, edited: bool = False, **keys: object) -> str:
    return an_article(f"Title {name}", (EDITED if edited else WORDS)[name], slug=slug, **keys)


FOLDERS = {
    "en/k/_category.md": a_category("k"),
    "en/l/_category.md": a_category("l"),
    "fr/k/_category.md": a_category("k"),
}
TREE = FOLDERS | {f"en/k/{name}.md": article(name, f"slug-{name}") for name in WORDS}
WITHOUT_B = without(TREE, "en/k/b.md")


@pytest.fixture
def world(tmp_path) -> Iterator[World]:
    """TREE, committed and pushed, with the whole ledger."""
    with a_world(tmp_path, {}) as world:
        a_repo(tmp_path)
        commit(world, TREE)
        world.push()
        yield world


def only_knows(world: World, knows: str) -> None:
    """What the ledger knows: `all`, `none`, or the articles of some letters."""
    if knows == "all":
        return
    world.forget()
    for name in "" if knows == "none" else knows:
        world.push(selectors=(str(world.project.root / f"en/k/{name}.md"),))


def ids(world: World) -> dict[str, int]:
    """The id of each article by what its text is about."""
    found = {}
    for number, text in texts(world).items():
        names = [name for name in WORDS if text in (WORDS[name], EDITED[name])]
        assert len(names) == 1, text
        assert names[0] not in found, f"{names[0]} is there twice"
        found[names[0]] = number
    return found


def texts(world: World) -> dict[int, str]:
    return {item.id: item.content.strip() for item in world.sandbox.panel.articles("handbook")}


def slugs(world: World) -> dict[str, str]:
    by_id = {item.id: item.slug for item in world.sandbox.panel.articles("handbook")}
    return {name: by_id[number] for name, number in ids(world).items()}


def categories(world: World) -> dict[tuple[str, str], int]:
    """The id of each category by locale and slug."""
    world.service.reader.list_categories()
    return {(item.locale, item.slug): number for number, item in world.service.reader.categories.items()}


KNOWN = ["all", "none", "a", "bc"]
PERMUTATIONS = [order for order in itertools.permutations("abc") if order != ("a", "b", "c")]


@pytest.mark.parametrize("knows", KNOWN)
@pytest.mark.parametrize("edited", ["", "b", "abc"])
@pytest.mark.parametrize("order", PERMUTATIONS, ids="".join)
def test_slugs_that_are_traded_in_one_commit_go_to_the_articles_of_the_files(world, order, edited, knows):
    before = ids(world)
    only_knows(world, knows)
    wanted = dict(zip("abc", order, strict=True))
    commit(world, FOLDERS | {f"en/k/{n}.md": article(n, f"slug-{wanted[n]}", edited=n in edited) for n in "abc"})
    pushed = world.push()
    assert pushed.words <= {"done"}, pushed.told
    assert ids(world) == before
    assert slugs(world) == {name: f"slug-{slug}" for name, slug in wanted.items()}
    world.assert_settled()


@pytest.mark.parametrize("knows", KNOWN)
@pytest.mark.parametrize("edited", ["", "ab"])
def test_a_chain_of_slugs_moves_on_by_one(world, edited, knows):
    before = ids(world)
    only_knows(world, knows)
    wanted = {"a": "slug-b", "b": "slug-c", "c": "slug-new"}
    commit(world, FOLDERS | {f"en/k/{n}.md": article(n, wanted[n], edited=n in edited) for n in "abc"})
    assert world.push().words == {"done"}
    assert (ids(world), slugs(world)) == (before, wanted)
    world.assert_settled()


@pytest.mark.parametrize("knows", KNOWN)
def test_a_changed_slug_whose_update_failed_once_is_no_second_article(world, knows):
    before = ids(world)
    only_knows(world, knows)
    commit(world, TREE | {"en/k/b.md": article("b", "other")})
    world.sandbox.faults.add(Fault("status", status=422, method="PATCH", path=f"articles/{before['b']}$"))
    assert "failed" in world.push().words
    world.sandbox.faults.clear()
    world.push()
    assert (ids(world), slugs(world)["b"]) == (before, "other")
    world.assert_settled()


@pytest.mark.parametrize("knows", KNOWN)
def test_a_changed_slug_after_one_other_file_was_pushed_alone_is_no_second_article(world, knows):
    before = ids(world)
    only_knows(world, knows)
    commit(world, TREE | {"en/k/b.md": article("b", "other"), "en/k/a.md": article("a", "slug-a", edited=True)})
    world.push(selectors=(str(world.project.root / "en/k/a.md"),))
    assert world.push().words == {"done"}
    assert (ids(world), slugs(world)["b"]) == (before, "other")
    world.assert_settled()


@pytest.mark.parametrize("knows", KNOWN)
@pytest.mark.parametrize(
    ("path", "text", "slug", "locale"),
    [
        pytest.param(
            "en/l/bills.md", article("b", "bills", edited=True), "bills", "en", id="with another slug and another text"
        ),
        pytest.param("fr/k/b.md", article("b", "slug-b"), "slug-b", "fr", id="to another locale"),
    ],
)
def test_a_file_that_moves_takes_its_article_along(world, path, text, slug, locale, knows):
    before = ids(world)
    only_knows(world, knows)
    commit(world, WITHOUT_B | {path: text})
    assert world.push().words == {"done"}
    assert (ids(world), slugs(world)["b"], world.article(slug).locale) == (before, slug, locale)
    world.assert_settled()


@pytest.mark.parametrize("knows", KNOWN)
def test_a_renamed_file_and_a_new_one_under_its_old_name_are_two_articles(world, knows):
    before = ids(world)
    only_knows(world, knows)
    Repo(world.project.root.parent).git("mv", "content/en/k/b.md", "content/en/k/bills.md")
    Repo(world.project.root.parent).git("commit", "-qam", "renamed")
    files = {"en/k/bills.md": article("b", "bills")}
    commit(world, TREE | files | {"en/k/b.md": an_article("New", "Nothing that was here.", slug="slug-b")})
    assert world.push().words == {"done"}
    assert world.article("bills").id == before["b"]
    assert world.article("slug-b").content.strip() == "Nothing that was here."
    assert len(world.slugs()) == 4
    world.assert_settled()


@pytest.mark.parametrize("knows", KNOWN)
def test_a_category_whose_slug_changed_is_no_second_category(world, knows):
    before = categories(world)
    only_knows(world, knows)
    commit(world, TREE | {"en/k/_category.md": a_category("kay")})
    world.push()
    assert categories(world) == {("en", "kay") if key == ("en", "k") else key: number for key, number in before.items()}
    world.assert_settled()


@pytest.mark.parametrize("knows", KNOWN)
@pytest.mark.parametrize(("removed", "left"), [("report", 3), ("delete", 2)])
def test_a_deleted_file_is_an_orphan_like_any_other(world, knows, removed, left):
    only_knows(world, knows)
    commit(world, WITHOUT_B)
    world.project = world.project.but(removed=removed)
    plan = world.plan()
    if removed == "report":
        assert [(finding.code, finding.path) for finding in plan.warnings] == [("KB501", "en/k/b.md")]
    else:
        assert [(change.action, change.was) for change in plan.sent] == [(Action.DELETE, "en/k/b.md")]
    world.push()
    assert len(world.slugs()) == left


@pytest.mark.parametrize("knows", ["none", "a"])
def test_the_article_of_a_deleted_file_that_a_person_edited_is_held_and_not_removed(world, knows):
    only_knows(world, knows)
    world.sandbox.panel.edit("slug-b", content="A person's words.")
    commit(world, WITHOUT_B)
    world.project = world.project.but(removed="delete")
    (held,) = world.plan().held
    assert (held.reason, held.path, held.fields) == ("drift", "en/k/b.md", ("content",))
    world.push()
    assert world.article("slug-b").content == "A person's words."


@pytest.mark.parametrize("knows", [*KNOWN, "after all"])
def test_the_article_of_a_deleted_file_whose_status_a_person_changed_is_held_and_not_removed(world, knows):
    commit(world, TREE | {"en/k/b.md": article("b", "slug-b", status="draft")})
    world.project = world.project.but(publish=True, removed="delete")
    world.push()
    only_knows(world, knows)
    world.sandbox.panel.edit("slug-b", status=1)
    if knows == "after all":
        # The edit was held already when the clone saw the article for the first time.
        world.forget()
        assert [(held.path, held.fields) for held in world.push().plan.held] == [("en/k/b.md", ("status",))]
    commit(world, WITHOUT_B)
    (held,) = world.plan().held
    assert (held.reason, held.path, held.fields) == ("drift", "en/k/b.md", ("status",))
    world.push()
    assert "slug-b" in world.slugs()


OTHER = "Labels are printed on the small machine beside the door, which takes paper of any width and size."
NEW = "Nothing that was here before: how to print labels, on which paper, and with which of the printers."


@pytest.mark.parametrize("knows", KNOWN)
@pytest.mark.parametrize("edited", [False, True], ids=["as it was", "a word edited"])
@pytest.mark.parametrize("moved_on", [False, True], ids=["under the old name", "moved on"])
def test_one_commit_that_renames_a_file_and_puts_a_new_one_in_its_place_gives_no_article_the_other_text(
    world, knows, edited, moved_on
):
    before = ids(world)
    files = TREE | {
        "en/k/bills.md": article("b", "bills", edited=edited),
        "en/k/b.md": an_article("New", NEW, slug="slug-b"),
    }
    only_knows(world, knows)
    commit(world, files)
    if moved_on:
        files["en/l/b.md"] = files.pop("en/k/b.md")
        commit(world, files)
    world.push()
    plan = world.plan()
    assert plan.sent == ()
    assert plan.held or world.article("bills").id == before["b"]
    assert ids_but_new(world) == before


def ids_but_new(world: World) -> dict[str, int]:
    world.sandbox.panel.sql("DELETE FROM articles WHERE title = 'New'")
    return ids(world)


@pytest.mark.parametrize("knows", ["all", "bc"])
def test_a_new_file_that_takes_the_slug_of_one_that_is_written_anew_is_not_told_from_it(world, knows):
    only_knows(world, knows)
    files = {"en/k/b.md": an_article("New", NEW, slug="new"), "en/k/x.md": an_article("X", OTHER, slug="slug-b")}
    commit(world, TREE | files)
    plan = world.plan()
    assert {held.path for held in plan.held if held.reason == "unknown"} == {"en/k/b.md", "en/k/x.md"}


@pytest.mark.parametrize("removed", ["archive", "delete"])
def test_an_article_that_a_held_file_may_be_is_not_removed(world, removed):
    world.project = world.project.but(removed=removed)
    # b was renamed and written anew, and has a's slug now; a has b's.
    commit(
        world, WITHOUT_B | {"en/k/bills.md": an_article("New", NEW, slug="slug-a"), "en/k/a.md": article("a", "slug-b")}
    )
    plan = world.plan()
    assert [held.reason for held in plan.held if held.path == "en/k/bills.md"] == ["unknown"]
    world.push()
    assert set(ids(world)) == {"a", "b", "c"}
    assert all(item.status == 0 for item in world.sandbox.panel.articles("handbook"))
    world.push(recreate=True)
    world.push()
    assert "b" not in ids_but_new(world) or removed == "archive"


STATUSES = {"draft": "draft", "published": "published", "archived": "archived", None: "draft"}


@pytest.mark.parametrize("knows", ["all", "none", "a"])
@pytest.mark.parametrize(("before", "after"), [("draft", "published"), ("published", "archived"), (None, "published")])
def test_a_status_that_changed_in_the_file_is_sent(tmp_path, before, after, knows):
    def tree(status: str | None) -> dict[str, str]:
        return TREE | {"en/k/b.md": article("b", "slug-b", **({"status": status} if status else {}))}

    with a_world(tmp_path, {}, publish=True) as world:
        a_repo(tmp_path)
        commit(world, tree(before))
        world.push()
        only_knows(world, knows)
        commit(world, tree(after))
        assert world.push().words == {"done"}
        assert world.article("slug-b").status == list(STATUSES.values()).index(after)
        world.assert_settled()


def test_a_person_who_went_back_to_an_older_text_is_not_overwritten(world):
    a_person_goes_back(world)
    (held,) = world.plan().held
    assert (held.reason, held.fields) == ("drift", ("content",)) and "changed back" in held.hint
    world.push()
    assert world.article("slug-b").content.strip() == WORDS["b"]


def a_person_goes_back(world: World) -> None:
    """To the first text of b, after the second was pushed; the clone has no ledger."""
    commit(world, TREE | {"en/k/b.md": article("b", "slug-b", edited=True)})
    world.push()
    world.forget()
    world.sandbox.panel.edit("slug-b", content=WORDS["b"] + "\n")
    # An hour from now: the service's clock counts seconds, and so does git's.
    world.sandbox.panel.sql("UPDATE articles SET updated_at = updated_at + 3600000000 WHERE slug = 'slug-b'")


def test_two_clones_with_ledgers_of_their_own_and_a_slug_that_changed_in_one(world, tmp_path):
    before = ids(world)
    mine = world.project.settings.folder / "ledger.db"
    only_knows(world, "a")
    shutil.copy(mine, tmp_path / "mine.db")
    world.forget()
    commit(world, TREE | {"en/k/b.md": article("b", "slug-b", edited=True)})
    world.push()
    world.forget()
    shutil.copy(tmp_path / "mine.db", mine)
    commit(world, TREE | {"en/k/b.md": article("b", "other", edited=True)})
    assert world.push().words == {"done"}
    assert (ids(world), slugs(world)["b"]) == (before, "other")
    world.assert_settled()


def test_a_stale_ledger_takes_what_another_clone_pushed_for_what_it_is(world, tmp_path):
    mine: Path = world.project.settings.folder / "ledger.db"
    with world.project.ledger() as ledger:
        assert ledger.bases(world.project.target)
    shutil.copy(mine, tmp_path / "stale.db")
    commit(world, TREE | {"en/k/b.md": article("b", "slug-b2", edited=True)})
    world.push()
    before = ids(world)
    world.forget()
    shutil.copy(tmp_path / "stale.db", mine)
    again = EDITED["b"].replace(" of ", " of almost ", 1)
    commit(world, TREE | {"en/k/b.md": an_article("Title b", again, slug="slug-b3")})
    assert world.push().words == {"done"}
    assert (world.article("slug-b3").id, world.article("slug-b3").content.strip()) == (before["b"], again)
    world.assert_settled()


@pytest.mark.parametrize("knows", KNOWN)
def test_two_files_that_trade_their_names_and_keep_slugs_and_texts_need_nothing_sent(world, knows):
    before = ids(world)
    only_knows(world, knows)
    commit(world, TREE | {"en/k/a.md": article("b", "slug-b"), "en/k/b.md": article("a", "slug-a")})
    assert world.plan().sent == ()
    world.push()
    assert (ids(world), slugs(world)["b"]) == (before, "slug-b")
    world.assert_settled()


@pytest.mark.parametrize("knows", KNOWN)
def test_a_slug_that_a_person_changed_in_the_panel_makes_no_second_article(world, knows):
    only_knows(world, knows)
    world.sandbox.panel.sql("UPDATE articles SET slug = 'nicer' WHERE slug = 'slug-b'")
    plan = world.plan()
    assert [change for change in plan.sent if change.action is Action.CREATE] == []
    assert [(held.path, held.fields) for held in plan.held] == [("en/k/b.md", ("slug",))]
    world.push()
    assert world.slugs() == ["nicer", "slug-a", "slug-c"]


@pytest.mark.parametrize("knows", KNOWN)
def test_a_category_whose_folder_slug_and_name_changed_is_no_second_category(world, knows):
    before = categories(world)
    only_knows(world, knows)
    moved = {path.replace("en/k/", "en/money/"): text for path, text in TREE.items()}
    commit(world, moved | {"en/money/_category.md": "---\nname: Cash\nslug: cash\n---\n"})
    world.push()
    world.push()
    assert sorted(categories(world).values()) == sorted(before.values())


def test_a_text_whose_article_a_person_deleted_is_not_made_again_where_another_file_took_its_name(world):
    world.sandbox.panel.sql("DELETE FROM articles WHERE slug = 'slug-b'")
    files = {"en/k/bills.md": article("b", "bills"), "en/k/b.md": an_article("New", NEW, slug="slug-b")}
    commit(world, TREE | files)
    plan = world.plan()
    assert [(held.reason, held.path) for held in plan.held] == [("gone", "en/k/bills.md")]
    assert [(change.action, change.path) for change in plan.sent] == [(Action.CREATE, "en/k/b.md")]
    world.push()
    plan = world.plan()
    assert [(held.reason, held.path) for held in plan.held] == [("gone", "en/k/bills.md")]
    assert plan.sent == ()


def test_an_article_whose_file_moves_to_another_locale_stays_where_a_person_put_it_in_another_category(world):
    world.sandbox.panel.sql("UPDATE articles SET category_id = ? WHERE slug = 'slug-b'", categories(world)["en", "l"])
    commit(world, WITHOUT_B | {"fr/k/b.md": article("b", "slug-b", edited=True)})
    (held,) = world.plan().held
    assert (held.reason, held.path, held.fields) == ("drift", "fr/k/b.md", ("category", "locale"))
    world.push()
    assert world.article("slug-b").category_id == categories(world)["en", "l"]


def leave_to_the_panel(world: World, path: str, **kept: str) -> None:
    """What `kbsync resolve --theirs` leaves in the ledger."""
    with world.project.ledger() as ledger:
        (base,) = (base for base in ledger.bases(world.project.target) if base.path == path)
        ledger.record(world.project.target, [structs.replace(base, kept=kept)])


@pytest.mark.parametrize("decided", [False, True], ids=["held", "left to the panel"])
def test_a_new_article_goes_into_a_category_whose_slug_a_person_changed(world, decided):
    world.sandbox.panel.sql("UPDATE categories SET slug = 'kay' WHERE slug = 'k' AND locale = 'en'")
    commit(world, TREE | {"en/k/x.md": an_article("X", NEW, slug="x")})
    assert [(held.path, held.fields) for held in world.plan().held] == [("en/k/_category.md", ("slug",))]
    world.push()
    assert world.article("x").category_id == categories(world)["en", "kay"]
    assert world.plan().sent == ()
    if decided:
        leave_to_the_panel(world, "en/k/_category.md", slug="kay")
        world.assert_settled()
    world.sandbox.panel.sql("UPDATE categories SET slug = 'k' WHERE slug = 'kay'")
    world.assert_settled()


def test_in_a_shallow_clone_a_text_that_moved_to_another_locale_is_not_made_again(world, tmp_path):
    """Nothing says what the file was before, but the text is there, and no file has it."""
    commit(world, WITHOUT_B | {"fr/k/b.md": article("b", "slug-b-fr")})
    world.forget()
    shutil.rmtree(tmp_path / ".git")
    plan = world.plan()
    assert Action.CREATE not in {change.action for change in plan.changes}
    assert "fr/k/b.md" in {held.path for held in plan.held} | {change.path for change in plan.changes}


@pytest.mark.parametrize("removed", ["archive", "delete"])
def test_what_a_clone_without_a_ledger_sent_in_part_is_known_as_a_whole(world, removed):
    world.forget()
    commit(world, WITHOUT_B | {"en/l/b.md": article("b", "slug-b")})
    assert world.push().words == {"done"}
    world.sandbox.panel.edit("slug-b", content="A person's words.")
    world.project = world.project.but(removed=removed)
    commit(world, WITHOUT_B)
    assert [(held.reason, held.fields) for held in world.plan().held] == [("drift", ("content",))]
    world.push()
    assert world.article("slug-b").content == "A person's words."


def test_a_status_that_a_person_set_stays_where_the_file_came_back_under_another_name(world):
    """git says that the one was deleted and the other made; the slug is the same."""
    commit(world, TREE | {"en/k/b.md": article("b", "slug-b", status="draft")})
    world.project = world.project.but(publish=True)
    world.push()
    world.sandbox.panel.edit("slug-b", status=2)
    world.forget()
    commit(
        world, without(WITHOUT_B, "en/k/c.md") | {"en/k/x.md": an_article("New", NEW, slug="slug-b", status="draft")}
    )
    assert ("en/k/x.md", ("status",)) in [(held.path, held.fields) for held in world.plan().held]
    world.push()
    assert world.article("slug-b").status == 2


def test_an_article_that_a_person_made_again_under_the_same_slug_is_called_that(world):
    world.sandbox.panel.sql("DELETE FROM articles WHERE slug = 'slug-b'")
    world.sandbox.panel.create("handbook", "Theirs", "Other words.", slug="slug-b")
    (held,) = world.plan().held
    assert held.hint.startswith("The article was deleted in the panel, and a new one was made with the same slug")


def test_in_a_clone_without_a_ledger_a_person_s_new_article_with_our_old_title_keeps_it(world):
    """Its text was never ours, so that its title is a person's too, though an older version of the file had it."""
    world.sandbox.panel.sql("DELETE FROM articles WHERE slug = 'slug-b'")
    world.sandbox.panel.create("handbook", "Title b", "A person's words.", slug="slug-b")
    world.forget()
    commit(world, without(WITHOUT_B, "en/k/c.md") | {"en/k/x.md": an_article("New", NEW, slug="slug-b")})
    world.push()
    assert (world.article("slug-b").title, world.article("slug-b").content) == ("Title b", "A person's words.")


def test_in_a_clone_without_a_ledger_a_text_that_a_person_edited_is_found_though_its_file_has_another_name(world):
    """The old name was taken by a new file, which moved on: git knows nothing of the one with the text."""
    commit(world, TREE | {"en/k/bills.md": article("b", "bills"), "en/k/b.md": an_article("New", NEW, slug="slug-b")})
    commit(world, WITHOUT_B | {"en/k/bills.md": article("b", "bills"), "en/l/x.md": an_article("Y", OTHER, slug="y")})
    world.sandbox.panel.edit("slug-b", title="A person's title", content=EDITED["b"])
    world.forget()
    assert {change.path for change in world.plan().changes if change.action is Action.CREATE} == {"en/l/x.md"}


@pytest.mark.parametrize("knows", KNOWN)
@pytest.mark.parametrize("edited", [False, True], ids=["as it was", "a word edited"])
def test_a_file_renamed_to_the_name_of_a_deleted_one_takes_no_article_away(world, knows, edited):
    """Path and slug say that it is the deleted one's article, text and title that it is its own."""
    before = ids(world)
    only_knows(world, knows)
    world.project = world.project.but(removed="delete")
    commit(world, WITHOUT_B | {"en/k/c.md": article("b", "slug-c", edited=edited)})
    world.push()
    found = texts(world)
    assert found.get(before["b"]) in (WORDS["b"], EDITED["b"])
    if before["c"] in found:
        assert found[before["c"]] == WORDS["c"]


@pytest.mark.parametrize("knows", ["none", "a"])
def test_an_alias_in_the_commit_that_renames_is_believed_in_a_clone_without_a_ledger(world, knows):
    before = ids(world)
    only_knows(world, knows)
    files = {
        "en/k/bills.md": article("b", "bills", aliases=["slug-b"]),
        "en/k/b.md": an_article("New", NEW, slug="slug-b"),
    }
    commit(world, TREE | files)
    world.push()
    assert world.article("bills").id == before["b"]
    assert world.article("slug-b").content.strip() == NEW
    world.assert_settled()


def test_a_text_that_a_person_went_back_to_is_not_removed_with_its_file(world):
    a_person_goes_back(world)
    world.project = world.project.but(removed="delete")
    commit(world, WITHOUT_B)
    (held,) = world.plan().held
    assert (held.reason, held.path) == ("drift", "en/k/b.md") and "content" in held.fields


def test_a_new_page_of_a_template_does_not_take_the_article_of_a_file_that_went_before(world):
    """The text is nearly the same, but git knows that the one file was deleted before the other was made."""
    notes = "Release {0} brings faster lists, a calmer editor and fixes of {0} days. Read here what changed, and what to do."
    commit(world, TREE | {"en/k/r12.md": an_article("Release 1.2", notes.format("1.2"), slug="r12")})
    world.push()
    commit(world, TREE)
    world.push()
    commit(world, TREE | {"en/k/r13.md": an_article("Release 1.3", notes.format("1.3"), slug="r13")})
    (held,) = world.plan().held
    assert (held.reason, held.path) == ("unknown", "en/k/r13.md")
    assert "aliases: [r12]" in held.hint and "--recreate" in held.hint
    world.push()
    assert {"r12"} == {slug for slug in world.slugs() if slug.startswith("r1")}
    world.push(recreate=True)
    assert {"r12", "r13"} == {slug for slug in world.slugs() if slug.startswith("r1")}
    world.assert_settled()


@pytest.mark.parametrize("first", [(), ("en/k/a.md",)], ids=["all", "one file"])
def test_an_article_moves_on_after_its_category_got_another_slug(tmp_path, first):
    """Without git: the ledger alone knows what the category was called."""
    with a_pushed_world(tmp_path, TREE) as world:
        renamed = TREE | {"en/k/_category.md": a_category("kay"), "en/k/a.md": article("a", "slug-a", edited=True)}
        world.write(renamed)
        world.push(selectors=tuple(str(world.project.root / path) for path in first))
        world.write(without(renamed, "en/k/b.md") | {"en/l/b.md": article("b", "slug-b")})
        assert world.push().words == {"done"}
        assert world.article("slug-b").category_id == categories(world)["en", "l"]
        world.assert_settled()


def test_what_a_person_edited_elsewhere_in_the_article_keeps_no_field_from_being_sent(world):
    world.sandbox.panel.edit("slug-b", title="A person's title")
    commit(world, TREE | {"en/k/b.md": article("b", "slug-b", edited=True)})
    assert [(held.path, held.fields) for held in world.plan().held] == [("en/k/b.md", ("title",))]
    world.push()
    assert (world.article("slug-b").title, world.article("slug-b").content.strip()) == ("A person's title", EDITED["b"])


def test_an_article_of_a_deleted_file_is_not_that_of_a_file_which_had_its_slug_long_ago(world):
    before = ids(world)
    commit(world, TREE | {"en/k/a.md": article("a", "slug-b"), "en/k/b.md": article("b", "slug-a")})
    world.push()
    world.sandbox.panel.sql("DELETE FROM articles WHERE slug = 'slug-b'")
    # b has a's old slug, and its file goes; a's own article is gone.
    commit(world, FOLDERS | {"en/k/a.md": article("a", "slug-b"), "en/k/c.md": article("c", "slug-c")})
    world.forget()
    world.push()
    assert texts(world)[before["b"]] == WORDS["b"]


def test_what_a_person_deleted_and_made_again_and_deleted_is_not_made_by_the_next_push(world):
    world.sandbox.panel.sql("DELETE FROM articles WHERE slug = 'slug-b'")
    world.sandbox.panel.create("handbook", "Theirs", "Other words.", slug="slug-b")
    world.push()
    world.sandbox.panel.sql("DELETE FROM articles WHERE slug = 'slug-b'")
    assert [(held.reason, held.path) for held in world.plan().held] == [("gone", "en/k/b.md")]
    world.push()
    assert world.slugs() == ["slug-a", "slug-c"]


@pytest.mark.parametrize("knows", KNOWN)
def test_a_text_that_is_edited_with_its_title_while_it_moves_and_its_place_is_taken_loses_no_article(world, knows):
    before = ids(world)
    only_knows(world, knows)
    commit(world, WITHOUT_B | {"en/k/was.md": article("b", "was")})
    files = {"en/k/bills.md": an_article("Another title", EDITED["b"], slug="bills")}
    world.write(WITHOUT_B | files | {"en/k/was.md": an_article("New", NEW, slug="was")})
    world.push()
    assert texts(world)[before["b"]] in (WORDS["b"], EDITED["b"])


def test_a_renamed_file_whose_old_slug_was_handed_on_finds_its_article_by_the_text(world):
    before = ids(world)
    commit(world, TREE | {"en/k/b.md": article("b", "slug-a"), "en/k/a.md": article("a", "slug-b")})
    world.push()
    world.forget()
    # Of the trade git tells nothing: it was squashed away.
    Repo(world.project.root.parent).git("reset", "--soft", "HEAD~1")
    commit(
        world, WITHOUT_B | {"en/k/a.md": article("a", "slug-b"), "fr/k/moved.md": article("b", "moved", edited=True)}
    )
    world.push()
    assert len(world.slugs()) == len(WORDS)
    assert texts(world).keys() == set(before.values())


def test_a_file_in_the_place_of_one_whose_first_name_it_once_had_does_not_hide_that_ones_article(world):
    before = ids(world)
    world.forget()
    commit(world, WITHOUT_B | {"en/k/second.md": article("b", "second", edited=True)})
    newcomer = {"en/k/second.md": an_article("New", NEW, slug="second")}
    commit(world, WITHOUT_B | newcomer | {"en/k/third.md": article("b", "third", edited=True)})
    world.push(selectors=(str(world.project.root / "en/k/second.md"),))
    world.push(selectors=(str(world.project.root / "en/k/a.md"),))
    world.sandbox.panel.edit("slug-b", title="A person's")
    world.push()
    assert [id_ for id_, text in texts(world).items() if text in (WORDS["b"], EDITED["b"])] == [before["b"]]


def test_a_file_that_once_had_a_slug_but_nothing_else_of_its_article_is_held(world):
    before = ids(world)
    world.forget()
    # Committed, and never pushed.
    commit(world, TREE | {"en/k/a.md": article("a", "slug-b"), "en/k/b.md": article("b", "slug-a")})
    anew = " ".join(reversed(NEW.split())) + " anew"
    files = {"en/k/a.md": an_article("New", NEW, slug="new"), "en/k/was-a.md": article("a", "was-a")}
    commit(world, WITHOUT_B | files | {"en/k/was-b.md": an_article("All else", anew, slug="was-b")})
    world.push()
    assert texts(world)[before["b"]] == WORDS["b"]


def test_a_file_that_was_deleted_and_brought_back_under_another_slug_is_the_article_that_it_was(world):
    before = ids(world)
    world.forget()
    commit(world, WITHOUT_B)
    commit(world, TREE | {"en/k/b.md": article("b", "slug-c"), "en/k/c.md": article("c", "slug-d")})
    world.sandbox.panel.edit("slug-b", content="A person wrote all of this anew, and nothing of the old text is left.")
    for _ in range(2):
        world.push()
    assert texts(world).keys() == set(before.values())


def test_a_text_that_moves_to_a_file_with_the_slug_of_a_deleted_one_is_not_sent_to_that_ones_article(world):
    before = ids(world)
    commit(
        world,
        without(WITHOUT_B, "en/k/a.md")
        | {"en/k/a.md": an_article("New", NEW, slug="new"), "en/k/was-a.md": article("a", "slug-b")},
    )
    world.push()
    found = texts(world)
    assert (found[before["b"]], found[before["a"]]) == (WORDS["b"], WORDS["a"])
