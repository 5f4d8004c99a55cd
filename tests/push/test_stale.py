"""A push whose rows were all read hours ago: what moved unseen since (S105 and S124) is still not overwritten."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec
import pytest
from msgspec import structs

from kbsync.app.options import PlanOptions
from kbsync.app.planning import cached
from kbsync.app.planning.plan_cache import REMEMBERED, YOUNG_NS
from kbsync.app.push_result import Pushed
from kbsync.app.pushing.cached import push
from kbsync.content.tree import RACY_NS
from kbsync.model import Action, Reason
from kbsync.service.peek import ListHead
from kbsync.service.snapshot import PUSH_MAX_AGE_S, load_snapshot, store_snapshot
from patience import eventually

from .test_order import names, position, tree
from .world import TOKEN, World, a_category, a_world, an_article

NUMBER, HOURS_S = 30, 10 * 3600
THEIRS = "Theirs, not published yet.\n"


def files() -> dict[str, str]:
    """A category of two pages, and a larger one."""
    others = {f"en/b/y{n:02}.md": an_article(f"Y{n}", position=n * 3, status="published") for n in range(1, 61)}
    return tree(names(NUMBER), status="published") | {"en/b/_category.md": a_category("b")} | others


@contextmanager
def a_settled_world(folder, **push: object) -> Iterator[World]:
    with a_world(folder, files(), **({"publish": True} | push)) as world:
        # One by one, so that a second world has the same ids.
        assert world.push(concurrency=1).words == {"done"}
        # As if that was an hour ago, and all rows were read since.
        world.sandbox.panel.sql("UPDATE articles SET updated_at = updated_at - 3600000000")
        world.plan(full=True)
        yield world


@pytest.fixture
def token(monkeypatch):
    monkeypatch.setenv("KBSYNC_TOKEN", TOKEN)


@pytest.fixture
def world(tmp_path, token):
    with a_settled_world(tmp_path) as world:
        yield world


def aged(world: World, seconds: int = HOURS_S) -> None:
    """As if every row had been read so long ago."""
    workspace = world.project.workspace()
    snapshot = load_snapshot(workspace.memory, workspace.target.key)
    for name, found in snapshot.locales.items():
        snapshot.locales[name] = structs.replace(found, whole_at=found.read_at - seconds)
    store_snapshot(workspace.memory, snapshot)


def pushed(world: World, **options: object) -> Pushed:
    """As `kbsync push` does it."""
    workspace, how = world.project.workspace(), {"first_push": False, "wait": False, "break_lock": False}
    return push(workspace, PlanOptions(**options), saved=None, **how)


def asked(world: World, work: Callable[[], object]) -> list[tuple[str, int]]:
    """The pages of articles that were asked for meanwhile, each with its status."""
    before = len(world.sandbox.requests)
    work()
    requests = world.sandbox.requests[before:]
    return [(done.path.split("?")[1], done.status) for done in requests if "/articles?" in done.path]


def pages(world: World, work: Callable[[], object]) -> list[str]:
    return [page for page, _ in asked(world, work)]


def written(world: World, path: str, text: str | None) -> None:
    """A writer gives one file another text, or deletes it."""
    file = world.project.root / path
    file.unlink() if text is None else file.write_text(text, "utf-8")


def edited(world: World, slug: str = "x020", body: str = "Ours.", *, title: str = "", **keys: object) -> None:
    keys = {"position": int(slug[1:]) * 3, "status": "published"} | keys
    written(world, f"en/{'a' if slug[0] == 'x' else 'b'}/{slug}.md", an_article(title or slug.upper(), body, **keys))


def in_order(world: World) -> list[str]:
    return [article.slug for article in sorted(world.sandbox.panel.articles("handbook"), key=lambda a: a.position)]


# What a writer does to the article, with which options it is pushed, and what [push] says.
ACTIONS: dict[str, tuple[Callable[[World], None], dict[str, object], dict[str, object]]] = {
    "update": (edited, {}, {}),
    "retitle": (lambda world: edited(world, title="Another title", body="Some words."), {}, {}),
    "stage": (edited, {"stage": True}, {}),
    "unpublish": (lambda world: edited(world, body="Some words.", status="draft"), {}, {}),
    "archive in the file": (lambda world: edited(world, body="Some words.", status="archived"), {}, {}),
    "archive": (lambda world: written(world, "en/a/x020.md", None), {}, {"removed": "archive"}),
    "delete": (lambda world: written(world, "en/a/x020.md", None), {}, {"removed": "delete"}),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_an_edit_that_a_stale_list_does_not_show_is_held_by_every_action_that_would_lose_it(tmp_path, token, name):
    act, options, settings = ACTIONS[name]
    with a_settled_world(tmp_path, **settings) as world:
        world.sandbox.panel.write("x020", content=THEIRS)
        before = world.article("x020")
        act(world)
        aged(world)
        result = pushed(world, **options)
        assert [held.reason for held in result.plan.held if held.slug == "x020"] == [Reason.STAGED]
        assert [outcome for outcome in result.outcomes if outcome.outcome != "skipped"] == []
        assert world.article("x020") == before
        assert before.draft_content == THEIRS


def test_a_change_that_loses_nothing_of_a_pending_edit_leaves_it_where_it_is(world):
    world.sandbox.panel.write("x020", content=THEIRS)
    edited(world, body="Some words.", description="Ours.")
    aged(world)
    (outcome,) = pushed(world).outcomes
    assert outcome.outcome == "done"
    assert (world.article("x020").description, world.article("x020").draft_content) == ("Ours.", THEIRS)


def test_an_edit_that_was_discarded_since_holds_nothing_any_more(world):
    world.sandbox.panel.write("x020", content=THEIRS)
    world.plan(full=True)
    world.sandbox.panel.discard_staged("x020")
    edited(world)
    aged(world)
    assert [outcome.outcome for outcome in pushed(world).outcomes] == ["done"]
    assert world.article("x020").content == "Ours.\n"


def test_an_order_that_somebody_changed_unseen_is_not_changed_back(world):
    world.sandbox.panel.drag("x005", position(world, "x020"))
    world.sandbox.panel.sql("UPDATE articles SET updated_at = updated_at - 3600000000 WHERE slug = 'x005'")
    order = in_order(world)
    edited(world, "x020", body="Some words.", position=2)
    aged(world)
    result = pushed(world)
    # Both sides moved something: nothing of the order is sent, and the text is.
    assert [held.slug for held in result.plan.held] == ["x005", "x020"]
    assert world.article("x020").content == "Some words.\n"
    assert in_order(world) == order


def test_hours_later_a_push_reads_the_category_that_it_writes_to_and_no_other(world):
    edited(world)
    aged(world)
    asked = pages(world, lambda: pushed(world))
    assert sorted(asked) == [
        "locale=en&category_slug=a&page=1",
        "locale=en&category_slug=a&page=2",
        "locale=en&page=1",
        "locale=fr&page=1",
    ]


def test_hours_later_a_push_of_nothing_reads_one_page_of_each_locale_and_a_plan_reads_all(world):
    aged(world)
    assert sorted(pages(world, lambda: pushed(world))) == ["locale=en&page=1", "locale=fr&page=1"]
    assert len(pages(world, world.plan)) > 4


def test_a_push_leaves_nothing_that_makes_a_plan_go_by_old_rows(world):
    edited(world)
    aged(world)
    pushed(world)
    world.sandbox.panel.write("x021", content=THEIRS)
    edited(world, "x021")
    assert [held.reason for held in world.plan().held] == [Reason.STAGED]


def test_a_day_later_a_push_reads_all(world):
    edited(world)
    aged(world, PUSH_MAX_AGE_S + 100)
    assert len(pages(world, lambda: pushed(world))) > 4


def test_a_new_article_is_put_into_the_order_of_now(world):
    world.sandbox.panel.drag("x020", position(world, "x020"))  # Numbers the category anew, and moves no time.
    written(world, "en/a/x020b.md", an_article("New", position=61, status="published"))
    aged(world)
    asked = pages(world, lambda: pushed(world))
    assert {"locale=en&category_slug=a&page=1", "locale=en&page=4"} <= set(asked)
    assert not world.plan(full=True).held


def test_an_article_without_a_category_is_looked_at_with_all_others(world):
    """A list by category does not show it."""
    world.sandbox.panel.sql("UPDATE articles SET category_id = NULL WHERE slug = 'x020'")
    world.plan(full=True)
    world.sandbox.panel.write("x020", content=THEIRS)
    edited(world)
    aged(world)
    assert Reason.STAGED in {held.reason for held in pushed(world).plan.held}
    assert world.article("x020").draft_content == THEIRS


def test_what_is_held_is_looked_at_too(world):
    world.sandbox.panel.write("x020", content=THEIRS)
    edited(world)
    assert [held.reason for held in pushed(world).plan.held] == [Reason.STAGED]
    world.sandbox.panel.discard_staged("x020")
    aged(world)
    assert [outcome.outcome for outcome in pushed(world).outcomes] == ["done"]


def test_creating_needs_nothing_more_than_its_category(world):
    written(world, "en/b/y61.md", an_article("New"))
    aged(world)
    result = pushed(world)
    assert Action.CREATE in {outcome.change.action for outcome in result.outcomes}
    assert not result.plan.held


def wait_until_old(world: World) -> None:
    """Of a file so young that it may change unseen, nothing is remembered."""
    stats = [path.stat() for path in world.project.settings.folder.rglob("*") if path.is_file()]
    newest_ns = max(max(stat.st_mtime_ns, stat.st_ctime_ns) for stat in stats)
    eventually(lambda: time.time_ns() - newest_ns > max(YOUNG_NS, RACY_NS), "every file is old enough")


def remembered(world: World, seconds: int = HOURS_S) -> None:
    """Leave the record of a plan with nothing to do, as if every row had been read so long before."""
    workspace = world.project.workspace()
    wait_until_old(world)
    assert not cached.plan(workspace).plan.changes
    found = workspace.memory.get(REMEMBERED, workspace.target.key)
    assert found is not None
    heads = msgspec.msgpack.decode(found.heads, type=dict[str, ListHead])
    old = {name: structs.replace(head, whole_at=head.read_at - seconds) for name, head in heads.items()}
    kept = structs.replace(found, heads=msgspec.Raw(msgspec.msgpack.encode(old)))
    workspace.memory.put(REMEMBERED, {workspace.target.key: kept})
    aged(world, seconds)


def rewritten(world: World) -> None:
    """Another text, and nothing else of the file that others see."""
    edited(world)
    wait_until_old(world)


def test_from_an_old_record_a_push_of_nothing_reads_one_page_of_each_locale_and_a_plan_reads_all(world):
    remembered(world)
    assert sorted(pages(world, lambda: pushed(world))) == ["locale=en&page=1", "locale=fr&page=1"]
    assert len(pages(world, lambda: cached.plan(world.project.workspace()))) > 4


def test_from_an_old_record_a_push_of_a_text_holds_a_pending_edit(world):
    remembered(world)
    world.sandbox.panel.write("x020", content=THEIRS)
    before = world.article("x020")
    rewritten(world)
    assert [held.reason for held in pushed(world).plan.held] == [Reason.STAGED]
    assert world.article("x020") == before


def test_from_a_record_of_more_than_a_day_ago_a_push_reads_all(world):
    remembered(world, PUSH_MAX_AGE_S + 100)
    assert len(pages(world, lambda: pushed(world))) > 4
