"""Slugs, names, locales and translations that move, on a portal that knows neither redirects nor transactions."""

import pytest

from kbsync.model import Action
from kbsync.report.style import Style
from kbsync.report.text import plan_text
from kbsync.sandbox import Fault

from .world import a_category, a_pushed_world, an_article, without

TEXT = "To refund a charge open the payment, choose refund, and confirm. The money arrives within five days."
TREE = {
    "en/a/_category.md": a_category("a"),
    "fr/a/_category.md": a_category("a"),
    "en/a/x.md": an_article("X", "The first text.", slug="x"),
    "en/a/y.md": an_article("Y", "The second text.", slug="y"),
    "en/a/z.md": an_article("Z", TEXT, slug="z"),
    "fr/a/x.md": an_article("X en français", "Le premier texte."),
}
SWAPPED = TREE | {
    "en/a/x.md": an_article("X", "The first text.", slug="y"),
    "en/a/y.md": an_article("Y", "The second text.", slug="x"),
}


def roots(world) -> dict[str, str | None]:
    """By slug: the slug of what it is linked to."""
    articles = world.sandbox.panel.articles("handbook")
    slugs = {item.id: item.slug for item in articles}
    return {item.slug: slugs.get(item.associated_article_id) for item in articles if item.associated_article_id}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_two_articles_swap_their_slugs_and_keep_their_ids(world, concurrency):
    ids = {slug: world.article(slug).id for slug in "xy"}
    world.write(SWAPPED)
    assert world.push(concurrency=concurrency).words == {"done"}
    assert (world.article("x").id, world.article("y").id) == (ids["y"], ids["x"])
    assert world.article("y").content.strip() == "The first text."
    world.assert_settled()


def test_a_swap_that_is_stopped_half_way_is_finished_by_the_next_push(world):
    ids = {slug: world.article(slug).id for slug in "xy"}
    world.write(SWAPPED)
    done: list[object] = []
    world.push(after_each=done.append, stopping=lambda: len(done) >= 1, concurrency=1)
    assert len(world.slugs()) == 4
    for _ in range(2):
        world.push()
    assert (world.article("x").id, world.article("y").id) == (ids["y"], ids["x"])
    world.assert_settled()


def test_a_file_renamed_and_edited_stays_its_article_under_a_new_slug(world):
    before = world.article("z").id
    world.write(
        without(TREE, "en/a/z.md") | {"en/a/money-back.md": an_article("Z", TEXT.replace("five days", "a week"))}
    )
    pushed = world.push()
    assert pushed.of("money-back").change.was == "en/a/z.md"
    assert world.article("money-back").id == before
    assert len(world.slugs()) == 4
    world.assert_settled()


def test_translations_are_made_with_a_link_to_their_original(world):
    assert roots(world) == {"x-fr": "x"}
    assert len(world.sent("POST")) == 6
    world.assert_settled()


def test_an_original_that_comes_later_is_linked_then(world):
    world.write(TREE | {"fr/a/new.md": an_article("Nouveau", "Un texte.")})
    world.push()
    world.write(TREE | {"fr/a/new.md": an_article("Nouveau", "Un texte."), "en/a/new.md": an_article("New", "A text.")})
    world.push()
    assert roots(world) == {"x-fr": "x", "new-fr": "new"}
    world.assert_settled()


def test_a_plan_names_the_originals_that_a_translation_changes_between(world):
    translation = an_article("X en français", "Le premier texte.", translation_of="en/a/y.md")
    world.write(TREE | {"fr/a/x.md": translation})
    assert "      translation of: en/a/x.md -> en/a/y.md\n" in plan_text(world.plan(), Style())
    world.push()
    assert roots(world) == {"x-fr": "y"}


def test_translations_of_an_original_that_was_made_again_are_linked_again(world):
    world.sandbox.panel.delete("x")
    assert world.push(recreate=True).words == {"done"}
    assert roots(world) == {"x-fr": "x"}
    world.assert_settled()


def test_without_a_ledger_links_that_are_there_are_not_sent_again(world, tmp_path):
    (tmp_path / "ledger.db").unlink()
    before = len(world.sent("PATCH"))
    assert world.push().words == {"done"}
    assert len(world.sent("PATCH")) == before
    world.assert_settled()


def test_a_category_whose_locale_gets_another_name_takes_its_articles_along(world):
    ids = {article.slug: article.id for article in world.sandbox.panel.articles("handbook")}
    moved = {path.replace("fr/", "ja/", 1): text for path, text in TREE.items()}
    moved["ja/a/x.md"] = an_article("X en français", "Le premier texte.", slug="x-fr")
    world.sandbox.panel.sql("UPDATE portals SET config = replace(config, '\"fr\"', '\"ja\"')")
    world.project.settings.content.locales[:] = ["en", "ja"]
    world.write(moved)
    assert world.push().words == {"done"}
    assert {article.slug: article.id for article in world.sandbox.panel.articles("handbook")} == ids
    assert world.article("x-fr").locale == "ja"
    world.assert_settled()


def test_a_locale_that_gets_another_name_keeps_its_articles_although_their_slugs_end_with_it(tmp_path):
    body = "Ouvrez le paiement, choisissez remboursement, puis confirmez. [Premier texte](x.md)."
    tree = TREE | {"fr/a/z.md": an_article("Z en français", body)}
    with a_pushed_world(tmp_path, tree) as world:
        ids = {article.title: article.id for article in world.sandbox.panel.articles("handbook")}
        world.sandbox.panel.sql("UPDATE portals SET config = replace(config, '\"fr\"', '\"ja\"')")
        world.project.settings.content.locales[:] = ["en", "ja"]
        world.write({path.replace("fr/", "ja/", 1): text for path, text in tree.items()})
        plan = world.plan()
        assert {change.action for change in plan.changes} == {Action.UPDATE}
        assert "      category: a (fr) -> a (ja)\n" in plan_text(plan, Style())
        assert {change.was for change in plan.changes} >= {"fr/a/x.md", "fr/a/z.md"}
        assert world.push().words == {"done"}
        assert {article.title: article.id for article in world.sandbox.panel.articles("handbook")} == ids
        assert world.article("z-ja").locale == "ja" and "/articles/x-ja" in world.article("z-ja").content
        world.assert_settled()


def test_an_article_moved_to_a_category_of_another_locale_goes_there(world):
    before = world.article("y").id
    world.write(without(TREE, "en/a/y.md") | {"fr/a/y.md": TREE["en/a/y.md"]})
    assert world.push().words == {"done"}
    article = world.article("y")
    assert (article.id, article.locale) == (before, "fr")
    world.assert_settled()


def test_an_article_that_a_person_moved_to_another_locale_is_held(world):
    world.sandbox.panel.edit("y", category_id=world.article("x-fr").category_id)
    (held,) = world.plan().held
    assert (held.slug, held.fields) == ("y", ("locale",))
    assert [(value.before, value.after) for value in held.values] == [("fr", "en")]


def test_a_source_that_comes_back_brings_its_archived_article_back_as_a_draft(tmp_path):
    with a_pushed_world(tmp_path, TREE, removed="archive") as world:
        before = world.article("z").id
        world.write(without(TREE, "en/a/z.md"))
        world.push()
        assert world.article("z").status == 2
        world.write(TREE)
        assert world.push().words == {"done"}
        assert (world.article("z").id, world.article("z").status) == (before, 0)
        world.assert_settled()


def test_a_slug_that_was_given_up_and_whose_answer_was_lost_costs_no_article_its_row(world):
    ids = {slug: world.article(slug).id for slug in "xy"}
    world.write(SWAPPED)
    path = f"articles/{ids['x']}"

    def lose_the_looks_after_the_write(number: int) -> Fault | None:
        last = world.sandbox.requests[-1] if number > first else None
        if last is None or not last.path.endswith(path) or all(r.method != "PATCH" for r in world.sandbox.requests):
            return None
        return Fault("status", status=502)

    world.sandbox.requests.clear()
    first = world.sandbox.faults.number + 1
    world.sandbox.faults.add(Fault("reset", when="after", method="PATCH", path=f"{path}$"))
    world.sandbox.faults.follow(lose_the_looks_after_the_write)
    world.push(concurrency=1)
    assert world.pending()
    world.sandbox.faults.clear()
    for _ in range(2):
        world.push()
    assert (world.article("x").id, world.article("y").id) == (ids["y"], ids["x"])
    assert len(world.slugs()) == 4
    world.assert_settled()
