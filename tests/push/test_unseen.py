"""What a newest-first list cannot show: the neighbors of a dragged article, and pending edits (S105 and S124)."""

import pytest

from kbsync.app.pushing.push import is_as_seen
from kbsync.app.sides import observe
from kbsync.model import Action, Reason
from kbsync.plan.unclear import HIDDEN_HINT
from kbsync.sandbox import Behaviour
from kbsync.service.snapshot import (
    FRESH_S,
    FRESH_S_OF_A_PAGE,
    PUSH_MAX_AGE_S,
    LocaleRows,
    Row,
    Snapshot,
    is_fresh,
    load_snapshot,
)

from .test_order import moved, names, position, tree
from .test_stale import aged, asked, edited
from .world import PORTAL, World, a_category, a_pushed_world, a_world, an_article

NUMBER = 60


def in_order(order: list[str]) -> dict[str, str]:
    """A category in some order, and another one."""
    others = {f"en/b/y{n:02}.md": an_article(f"Y{n}", status="published") for n in range(1, 31)}
    return tree(order, status="published") | {"en/b/_category.md": a_category("b")} | others


@pytest.fixture
def world(tmp_path):
    """A category that the first page of the list does not show, listed long since."""
    with a_pushed_world(tmp_path, in_order(names(NUMBER)), publish=True) as world:
        world.sandbox.panel.sql("UPDATE articles SET updated_at = updated_at - 3600000000")
        world.sandbox.panel.sql("UPDATE articles SET updated_at = updated_at - 3600000000 WHERE slug LIKE 'x%'")
        world.plan(full=True)
        yield world


def assert_the_category_is_read_again(world: World) -> None:
    """A plan reads its three pages, and knows then what one knows that reads all."""
    pages = asked(world, world.plan)
    assert len([path for path, _ in pages if "category_slug=a" in path]) == 3
    assert world.plan().settled == world.plan(full=True).settled


def test_a_drag_moves_one_row_and_its_whole_category_is_read_again(world):
    world.sandbox.panel.drag("x050", position(world, "x005") - 1)
    assert_the_category_is_read_again(world)
    (held,) = world.plan().held
    assert (held.slug, held.reason) == ("x050", Reason.DRIFT)


def test_nothing_new_costs_one_page_of_each_locale(world):
    assert len(asked(world, world.plan)) == 2


def test_what_a_push_wrote_is_no_drag_for_the_next_listing(world):
    edited(world, "x050", "Ours.")
    assert world.push().words == {"done"}
    assert len(asked(world, world.plan)) == 2
    assert world.plan(full=True).changes == ()


def test_a_drag_of_what_a_push_wrote_is_found_by_the_next_listing(world):
    edited(world, "x050", "Ours.")
    world.push()
    world.sandbox.panel.drag("x050", position(world, "x005") - 1)
    assert_the_category_is_read_again(world)


def test_a_drag_between_the_listing_and_the_write_is_found_by_the_next_listing(world):
    edited(world, "x050", "Ours.")
    # To a place with the number that it has: only the time of the article shows it, and the push moves that again.
    number = position(world, "x050")

    def drag() -> None:
        world.sandbox.panel.drag("x050", position(world, "x002"))
        world.sandbox.panel.sql("UPDATE articles SET position = ? WHERE slug = 'x050'", number)

    assert world.push(before_sending=drag).words == {"done"}
    assert_the_category_is_read_again(world)


def test_a_reorder_that_moves_no_time_is_found_when_the_rows_are_not_fresh_any_more(world):
    world.sandbox.panel.drag("x050", position(world, "x050"))
    assert world.plan().settled == ()
    aged(world)
    assert {base.slug for base in world.plan().settled} == set(names(NUMBER))


def test_a_pending_edit_is_found_when_the_rows_are_not_fresh_any_more(world):
    edited(world, "x050", "Ours.")
    world.sandbox.panel.write("x050", content="Theirs, not published yet.\n")
    aged(world)
    assert [(held.slug, held.reason) for held in world.plan().held] == [("x050", Reason.STAGED)]


def test_pages_that_are_the_same_come_without_their_bodies(world):
    aged(world)
    assert [status for _, status in asked(world, world.plan)].count(304) >= 3
    before = world.plan(full=True)
    world.sandbox.panel.write("x050", content="Theirs, not published yet.\n")
    aged(world)
    statuses = [status for path, status in asked(world, world.plan) if "locale=en" in path]
    assert (statuses.count(304), statuses.count(200)) == (3, 1)
    assert world.plan(full=True).changes == before.changes == ()


def test_rows_that_changed_and_changed_back_are_not_taken_from_an_old_page(world):
    world.sandbox.panel.edit("x050", description="Theirs.")
    world.plan()
    world.sandbox.panel.sql("UPDATE articles SET description = NULL WHERE slug = 'x050'")
    aged(world)
    assert world.plan().changes == world.plan(full=True).changes
    known = load_snapshot(world.project.workspace().memory, world.project.target)
    assert all(row.values[2] == "" for row in known.locales["en"].rows.values())


def test_a_push_after_an_unseen_reorder_still_puts_an_article_where_its_file_has_it(world):
    world.sandbox.panel.drag("x050", position(world, "x050"))
    world.write(in_order(moved(names(NUMBER), "x009", "x002")))
    reading, workspace = world.project.read(), world.project.workspace()
    portal = observe(workspace, world.service, reading.desired, list(world.bases().values()), full=False)
    plan = world.plan()
    assert [change.slug for change in plan.changes] == ["x009"]
    assert not is_as_seen(workspace.memory, world.service, portal, plan)
    assert is_as_seen(workspace.memory, world.service, portal, plan)
    assert world.push().words == {"done"}
    assert not world.plan(full=True).held


@pytest.mark.parametrize(
    ("rows", "age_s", "fresh"),
    [
        (20, 10**6, True),
        (1000, FRESH_S, True),
        (1000, FRESH_S + 1, False),
        (10_000, int(400 * FRESH_S_OF_A_PAGE), True),
        (10_000, int(400 * FRESH_S_OF_A_PAGE) + 1, False),
    ],
)
def test_a_full_reading_takes_one_percent_of_the_time(rows: int, age_s: int, fresh: bool):
    assert is_fresh(1000, rows, 1000 + age_s, total=rows) is fresh


def test_a_push_goes_by_rows_of_a_day_and_knows_that_they_are_older_than_for_people_who_read():
    now_s = 10**9
    then_s = now_s - PUSH_MAX_AGE_S
    assert is_fresh(then_s, 1000, now_s, total=1000, max_age_s=PUSH_MAX_AGE_S)
    assert not is_fresh(then_s - 1, 1000, now_s, total=1000, max_age_s=PUSH_MAX_AGE_S)
    rows = {number: Row(number, 1, f"a-{number}", None, None, ()) for number in range(1, 31)}
    assert Snapshot(locales={"en": LocaleRows(now_s, rows, then_s)}).is_overdue
    assert not Snapshot(locales={"en": LocaleRows(now_s, rows, now_s - FRESH_S)}).is_overdue
    assert not Snapshot(locales={"en": LocaleRows(now_s, rows)}).is_overdue


# --- many articles with one `updated_at` -----------------------------------------------------------------------------


def an_import(world: World, *, ids_apart: int = 1) -> None:
    """200 articles of one category, written to the database at one instant and without an order."""
    world.push()
    (category,) = world.service.reader.list_categories().found.values()
    for place in range(200):
        slug = f"a-{place:03}"
        world.sandbox.panel.create(PORTAL, slug.title(), "Imported.\n", slug=slug, category_id=category.remote_id)
    at_once = "position = NULL, updated_at = 1700000000000000"
    world.sandbox.panel.sql(f"UPDATE articles SET id = id * {ids_apart}, {at_once}")


IMPORTED = {"en/a/_category.md": a_category("a")}
WRITTEN = (
    IMPORTED
    | {"en/a/new.md": an_article("New")}
    | {f"en/a/a-{place:03}.md": an_article(f"A-{place:03}", "Imported.") for place in range(200)}
)


@pytest.mark.parametrize("ties", ["lose", "random"])
def test_a_first_push_onto_an_import_of_one_instant_finds_every_article_and_creates_what_is_new(tmp_path, ties):
    with a_world(tmp_path, IMPORTED, behaviour=Behaviour(ties=ties)) as world:
        an_import(world)
        (tmp_path / "ledger.db").unlink()
        world.write(WRITTEN)
        plan = world.plan(full=True)
        assert not plan.held and [c.slug for c in plan.changes if c.action is Action.CREATE] == ["new"]
        assert world.push().words == {"done"}
        assert len(world.slugs()) == 201


def test_where_ids_of_others_are_in_between_the_hint_of_what_is_held_helps(tmp_path):
    with a_world(tmp_path, IMPORTED, behaviour=Behaviour(ties="lose")) as world:
        an_import(world, ids_apart=1000)
        (tmp_path / "ledger.db").unlink()
        world.write(WRITTEN)
        plan = world.plan(full=True)
        assert {held.hint for held in plan.held} == {HIDDEN_HINT}
        assert "new" in {held.slug for held in plan.held} and not any(c.action is Action.CREATE for c in plan.changes)
        world.sandbox.panel.drag("a-007", 5)
        assert not world.plan().held
        assert world.push().words == {"done"}
        assert len(world.slugs()) == 201
