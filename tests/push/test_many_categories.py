"""More categories than a page of 4.2 holds, all without a position: the list repeats some and never shows others.

Rows are lost where more than four pages tie: PostgreSQL sorts these otherwise than fewer.
"""

import pytest

from kbsync.model import Action, Reason
from kbsync.sandbox import V4_2
from kept import forget, knows

from .test_after_a_kill import Shell
from .world import World, a_category, a_pushed_world, a_world, an_article, without, write_config

pytestmark = pytest.mark.slow

EACH = 120
EMPTY = {
    f"{locale}/c{number:03}/_category.md": a_category(f"c{number:03}")
    for locale in ("en", "fr")
    for number in range(EACH)
}
FILLED = EMPTY | {
    f"{locale}/c{number:03}/a.md": an_article(f"A {number} {locale}", slug=f"a{number:03}-{locale}")
    for locale in ("en", "fr")
    for number in range(EACH)
}


def lose_the_ledger(world: World) -> None:
    folder = world.project.settings.folder
    for path in folder.glob("ledger.db*"):
        path.unlink()
    forget(folder, "portal")


def category_ids(world: World) -> dict[tuple[str, str], int]:
    rows = world.sandbox.panel.run(lambda inside: inside.store.rows("SELECT locale, slug, id FROM categories"))
    return {(locale, slug): number for locale, slug, number in rows}


@pytest.fixture(params=["with articles", "without articles"])
def tree(request):
    return FILLED if request.param == "with articles" else EMPTY


def test_after_a_push_nothing_is_left_to_do(tmp_path, tree):
    with a_pushed_world(tmp_path, tree, behaviour=V4_2) as world:
        world.assert_settled()
        assert knows(tmp_path, "portal")
        forget(tmp_path, "portal")
        world.assert_settled()


def test_without_its_ledger_a_push_adopts_everything_and_creates_nothing(tmp_path, tree):
    with a_pushed_world(tmp_path, tree, behaviour=V4_2) as world:
        before = category_ids(world)
        lose_the_ledger(world)
        plan = world.plan()
        assert {change.action for change in plan.changes} == {Action.ADOPT}
        assert (len(plan.changes), plan.held) == (len(tree), ())
        assert world.push().words == {"done"}
        assert category_ids(world) == before
        world.assert_settled()


@pytest.mark.parametrize("slug", ["c000", "c025", "c119"])
def test_one_that_was_deleted_in_the_panel_is_held_as_gone_and_only_that_one(tmp_path, slug):
    with a_pushed_world(tmp_path, EMPTY, behaviour=V4_2) as world:
        world.service.delete("category", category_ids(world)["fr", slug])
        plan = world.plan()
        assert [(held.reason, held.locale, held.slug) for held in plan.held] == [(Reason.GONE, "fr", slug)]
        assert plan.changes == ()


def test_a_category_that_the_list_never_shows_is_said_to_be_gone_only_when_it_is(tmp_path):
    with a_pushed_world(tmp_path, EMPTY, behaviour=V4_2) as world:
        world.plan()
        shown = [path for path in world.sent("GET") if "/categories/" in path]
        assert shown  # It was asked for by its id.
        assert all(request.status == 200 for request in world.sandbox.requests if "/categories/" in request.path)


@pytest.mark.parametrize("moment", [26, 27, 146])
def test_a_push_killed_after_some_categories_is_finished_by_the_next_one(tmp_path, moment):
    with a_world(tmp_path, FILLED, behaviour=V4_2) as world:
        write_config(tmp_path, world.sandbox, 'concurrency = 1\n[ledger]\nurl = "sqlite:ledger.db"\n')
        Shell(tmp_path, world.sandbox).kill_at("POST", moment)
        assert len(category_ids(world)) == moment
        assert world.push().words == {"done"}
        assert len(category_ids(world)) == 2 * EACH
        world.assert_settled()


def test_a_move_into_a_category_that_the_list_does_not_show_finds_it(tmp_path):
    with a_pushed_world(tmp_path, FILLED, behaviour=V4_2) as world:
        world.write(without(FILLED, "en/c000/a.md") | {"en/c025/b.md": an_article("A 0 en", slug="a000-en")})
        assert world.push().words == {"done"}
        assert world.article("a000-en").category_id == category_ids(world)["en", "c025"]
        world.assert_settled()


def test_one_that_nothing_finds_fails_with_what_to_do_and_that_helps(tmp_path):
    tree = {path: text for path, text in EMPTY.items() if path.startswith("en/")}
    with a_pushed_world(tmp_path, tree, behaviour=V4_2) as world:
        # As in an installation that many share: between two ids of ours there are thousands of others'.
        world.sandbox.panel.sql("UPDATE categories SET id = id * 5000")
        # The list never shows the 26th row; which slug that is depends on which of several requests came first.
        [hidden] = [slug for (_, slug), number in category_ids(world).items() if number == 26 * 5000]
        lose_the_ledger(world)
        pushed = world.push()
        failed = [outcome for outcome in pushed.outcomes if outcome.outcome == "failed"]
        assert [outcome.change.slug for outcome in failed] == [hidden]
        assert "The portal has this category but does not list it." in failed[0].error
        assert failed[0].hint == f"In the panel, put any article into `{hidden}` (en), then push again."
        world.sandbox.panel.create("handbook", "Any", "Text.", category_id=category_ids(world)["en", hidden])
        assert world.push().words == {"done"}
        world.assert_settled()


def test_in_4_10_a_listing_of_what_nobody_changed_asks_once_for_the_categories(tmp_path):
    with a_pushed_world(tmp_path, EMPTY) as world:
        before = len(world.sandbox.requests)
        world.assert_settled()
        asked = [request.path for request in world.sandbox.requests[before:]]
        assert sum("/categories" in path for path in asked) == 1
        assert sum(path.endswith("/portals") for path in asked) == 1
