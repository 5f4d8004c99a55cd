"""Order against the sandbox: a person who drags articles in the panel, which numbers a whole category anew."""

import pytest

from kbsync.model import Action, Reason
from kbsync.sandbox import V4_10, V4_16

from .world import PORTAL, World, a_category, a_pushed_world, an_article, without

NUMBER = 100
VERSIONS = pytest.mark.parametrize("behaviour", [V4_10, V4_16], ids=["4.10", "4.16"])


def names(number: int = NUMBER) -> list[str]:
    return [f"x{place:03}" for place in range(1, number + 1)]


def tree(order: list[str], step: int = 3, **keys: object) -> dict[str, str]:
    """A category in this order, by numbers that the panel would not choose."""
    found = {"en/a/_category.md": a_category("a")}
    for place, name in enumerate(order, 1):
        found[f"en/a/{name}.md"] = an_article(name.upper(), position=place * step, **keys)
    return found


TREE = tree(names())


def on_portal(world: World) -> list[str]:
    """The articles of the category as readers see them."""
    found = [article for article in world.sandbox.panel.articles(PORTAL) if article.category]
    return [article.slug for article in sorted(found, key=lambda article: (article.position, article.id))]


def moved(order: list[str], name: str, before: str) -> list[str]:
    rest = [other for other in order if other != name]
    place = rest.index(before)
    return [*rest[:place], name, *rest[place:]]


def position(world: World, name: str) -> int:
    return world.article(name).position


def test_a_category_that_the_panel_numbered_anew_has_nothing_to_do(world):
    # A drag to where it is already: all positions change, and the order does not.
    world.sandbox.panel.drag("x050", position(world, "x050"))
    assert position(world, "x100") == 1000
    world.assert_settled(full=True)
    writes = len(world.sent("PATCH"))
    world.push(full=True)
    assert len(world.sent("PATCH")) == writes
    assert world.bases()["x100"].fields["position"] == 1000
    assert world.plan(full=True).settled == ()


def test_one_drag_among_a_hundred_is_one_line_and_a_few_requests_put_it_back(world):
    world.sandbox.panel.drag("x090", position(world, "x005") - 1)
    assert on_portal(world) == moved(names(), "x090", "x005")
    (held,) = world.plan().held
    assert (held.slug, held.reason, held.fields) == ("x090", Reason.DRIFT, ("position",))
    assert held.hint.startswith("In the panel, `x090` now comes before `x005`. ")
    before = len(world.sandbox.requests)
    pushed = world.push(overwrite=(str(world.project.root / "en/a/x090.md"),))
    assert [o.outcome for o in pushed.outcomes if o.change.action is not Action.ADOPT] == ["done"]
    sending = [r for r in world.sandbox.requests[before:] if r.method != "GET" or "/articles/" in r.path]
    assert len(sending) <= 10
    assert on_portal(world) == names()
    assert not world.plan(full=True).held and not world.plan(full=True).changes


@VERSIONS
def test_a_moved_position_is_one_request_that_writes_after_any_number_of_drags(tmp_path, behaviour):
    with a_pushed_world(tmp_path, tree(names(10)), behaviour=behaviour) as world:
        world.sandbox.panel.drag("x003", position(world, "x003"))
        wanted = moved(names(10), "x009", "x002")
        world.write(tree(wanted))
        before = len(world.sent("PATCH"))
        assert world.push(full=True).words == {"done"}
        assert len(world.sent("PATCH")) == before + 1 and on_portal(world) == wanted
        assert not world.plan(full=True).changes


@VERSIONS
def test_a_drag_during_the_push_is_not_lost(tmp_path, behaviour):
    with a_pushed_world(tmp_path, tree(names(10), step=10), behaviour=behaviour) as world:
        world.write(tree(moved(names(10), "x009", "x002"), step=10))
        pushed = world.push(before_sending=lambda: world.sandbox.panel.drag("x004", 75))
        assert pushed.error is None
        order = on_portal(world)
        assert order.index("x004") > order.index("x006")
        after = world.push(full=True)
        order = on_portal(world)
        assert order.index("x004") > order.index("x006") and order.index("x009") < order.index("x002")
        assert [item.slug for item in after.plan.held] == ["x004"]


def test_the_dragged_article_itself_is_looked_at_before_it_is_written(world):
    world.write(tree(moved(names(), "x090", "x002")))
    pushed = world.push(before_sending=lambda: world.sandbox.panel.drag("x090", 100))
    assert pushed.of("x090").outcome == "skipped" and "Changed on the portal" in pushed.of("x090").error


def test_a_kill_between_the_answer_and_the_record_leaves_nothing_to_decide(world):
    wanted = moved(names(), "x090", "x002")
    world.write(tree(wanted))
    (change,) = world.plan().changes
    # As if a push had sent it and died: the portal has it, the ledger does not.
    world.sandbox.panel.edit("x090", position=change.after["position"])
    world.assert_settled(full=True)


def test_articles_that_come_into_a_category_get_their_place_among_the_others(tmp_path):
    files = tree(names(5)) | {"en/b/_category.md": a_category("b"), "en/b/y.md": an_article("Y", position=7)}
    with a_pushed_world(tmp_path, files) as world:
        world.sandbox.panel.drag("x003", position(world, "x003"))
        world.write(
            without(files, "en/b/y.md")
            | {"en/a/y.md": an_article("Y", position=7), "en/a/z.md": an_article("Z", position=1)}
        )
        assert world.push(full=True).words == {"done"}
        assert on_portal(world) == ["z", "x001", "x002", "y", "x003", "x004", "x005"]
        world.assert_settled(full=True)


def test_without_a_ledger_a_category_that_was_numbered_anew_is_adopted(world, tmp_path):
    world.sandbox.panel.drag("x050", position(world, "x050"))
    (tmp_path / "ledger.db").unlink()
    assert {change.action for change in world.plan(full=True).changes} == {Action.ADOPT}
    world.push(full=True)
    plan = world.plan(full=True)
    assert (plan.changes, plan.held, plan.settled) == ((), (), ())
