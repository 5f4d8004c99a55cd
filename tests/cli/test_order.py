"""The order of articles as a person at the keyboard meets it: plan, resolve, undo, saved plans."""

import json
import time
from collections import Counter

import pytest

from kbsync.sandbox import Sandbox
from patience import eventually

pytestmark = pytest.mark.slow

NAMES = ["apples", "bananas", "cherries", "dates", "elderberries"]
FOLDER = "content/en/fruit"
ARTICLES = "/api/v1/accounts/1/portals/handbook/articles"


def write(project, order: list[str], step: int = 1) -> None:
    project.write(f"{FOLDER}/_category.md", "---\nname: Fruit\n---\n")
    for place, name in enumerate(order, 1):
        project.write(f"{FOLDER}/{name}.md", f"---\ntitle: {name.title()}\nposition: {place * step}\n---\nText.\n")


def order(portal: Sandbox) -> list[str]:
    found = [article for article in portal.panel.articles("handbook") if article.slug in NAMES]
    return [article.slug for article in sorted(found, key=lambda article: (article.position, article.id))]


def position(portal: Sandbox, name: str) -> int:
    return portal.panel.article(name).position


@pytest.fixture
def fruit(remote, portal: Sandbox):
    write(remote, NAMES)
    assert remote.run("push").code == 0
    return remote


def test_a_drag_in_the_panel_is_one_sentence_and_the_others_are_not_mentioned(fruit, portal: Sandbox):
    portal.panel.drag("dates", 0)
    plan = fruit.run("plan")
    assert plan.code == 4
    assert (
        "Needs your decision: 1\n"
        "  en/fruit/dates.md  edited in the panel: position\n"
        "      position on the portal: before `apples`\n"
        "      position in your file:  after `cherries`\n"
    ) in plan.out
    assert "In the panel, `dates` now comes before `apples`." in plan.out
    (held,) = json.loads(fruit.run("plan", "--format", "json").out)["held"]
    assert held["values"] == [{"name": "position", "portal": 10, "ours": 4}]


def test_a_position_that_moved_in_a_file_reads_the_same_way(fruit, portal: Sandbox):
    portal.panel.drag("bananas", position(portal, "bananas"))
    write(fruit, ["dates", *(name for name in NAMES if name != "dates")])
    plan = fruit.run("plan", "--full")
    assert "Update 1 article\n  en/fruit/dates.md" in plan.out
    assert "      position: after `cherries` -> before `apples`\n" in plan.out
    assert fruit.run("push", "--full").code == 0
    assert order(portal) == ["dates", "apples", "bananas", "cherries", "elderberries"]


def test_theirs_keeps_a_drag_until_it_is_dragged_again(fruit, portal: Sandbox):
    portal.panel.drag("dates", 0)
    assert fruit.run("resolve", f"{FOLDER}/dates.md", "--theirs").code == 0
    assert fruit.run("plan", "--full", "--check").code == 0
    for _ in range(2):
        portal.panel.drag("bananas", position(portal, "bananas"))
        assert fruit.run("plan", "--full", "--check").code == 0
        assert fruit.run("push", "--full").code == 0
    assert order(portal)[0] == "dates"
    # The service tells whole seconds: within one, a second drag to where another article is looks like the first.
    second = int(time.time())
    eventually(lambda: int(time.time()) > second, "the second of the first drag is over")
    portal.panel.drag("dates", 25)
    assert fruit.run("plan", "--full").says(4, "en/fruit/dates.md  edited in the panel: position")


def test_a_push_that_takes_a_drag_back_reads_the_category_once_and_asks_nothing_twice(fruit, portal: Sandbox):
    write(fruit, [*NAMES, *(f"fruit-{number:02}" for number in range(6, 31))], step=10)
    assert fruit.run("push").code == 0
    assert fruit.run("plan", "--check").code == 0
    portal.panel.drag("fruit-20", 0)
    before = len(portal.requests)
    assert fruit.run("push", "--overwrite", f"{FOLDER}/fruit-20.md").code == 0
    sent = Counter(f"{one.method} {one.path.partition('?')[0]}" for one in portal.requests[before:])
    # Beside the lists of articles: the portal, its categories, a look, and the write.
    assert {line: number for line, number in sent.items() if not line.endswith("/articles")} == {
        "GET /api/v1/accounts/1/portals": 1,
        "GET /api/v1/accounts/1/portals/handbook/categories": 1,
        f"GET {ARTICLES}/{portal.panel.article('fruit-20').id}": 1,
        f"PATCH {ARTICLES}/{portal.panel.article('fruit-20').id}": 1,
    }
    # Both locales, with a second page where nothing on the first one is older than a second, and what else of the
    # category has to be read.
    assert sent[f"GET {ARTICLES}"] <= 6
    assert position(portal, "fruit-19") < position(portal, "fruit-20") < position(portal, "fruit-21")


def test_ours_sends_the_drag_back(fruit, portal: Sandbox):
    portal.panel.drag("dates", 0)
    assert fruit.run("resolve", f"{FOLDER}/dates.md", "--ours").code == 0
    assert fruit.run("push", "--full").code == 0
    assert order(portal) == NAMES
    assert fruit.run("plan", "--full", "--check").code == 0


def test_both_moved_and_theirs_keeps_what_the_panel_has(fruit, portal: Sandbox):
    write(fruit, ["apples", "bananas", "cherries", "elderberries", "dates"])
    fruit.write(f"{FOLDER}/dates.md", "---\ntitle: Dates\nposition: 9\n---\nText.\n")
    fruit.write(f"{FOLDER}/elderberries.md", "---\ntitle: Elderberries\nposition: 5\n---\nText.\n")
    portal.panel.drag("dates", 0)
    assert "en/fruit/dates.md  edited in both places: position" in fruit.run("plan", "--full").out
    assert fruit.run("resolve", f"{FOLDER}/dates.md", "--theirs").code == 0
    assert fruit.run("plan", "--full", "--check").code == 0
    portal.panel.drag("bananas", position(portal, "bananas"))
    assert fruit.run("plan", "--full", "--check").code == 0


def test_undo_puts_the_order_back_also_after_the_panel_numbered_the_category_anew(fruit, portal: Sandbox):
    write(fruit, ["dates", *(name for name in NAMES if name != "dates")])
    assert fruit.run("push").code == 0
    portal.panel.drag("bananas", position(portal, "bananas"))
    assert fruit.run("undo", "2", "--yes").code == 0
    assert order(portal) == NAMES
    assert "en/fruit/dates.md" in fruit.run("plan", "--full").out


def test_undo_holds_what_somebody_dragged_since(fruit, portal: Sandbox):
    write(fruit, ["dates", *(name for name in NAMES if name != "dates")])
    fruit.run("push")
    portal.panel.drag("dates", 2)
    undone = fruit.run("undo", "2", "--yes")
    assert undone.code == 4 and order(portal) == ["apples", "bananas", "dates", "cherries", "elderberries"]


def test_undo_of_an_overwritten_drag_brings_it_back_and_it_is_held_again(fruit, portal: Sandbox):
    portal.panel.drag("dates", 0)
    dragged = order(portal)
    assert fruit.run("push", "--full", "--overwrite", f"{FOLDER}/dates.md").code == 0
    assert order(portal) == NAMES
    assert fruit.run("undo", "2", "--yes").code == 0
    assert order(portal) == dragged
    assert fruit.run("plan", "--full").says(4, "en/fruit/dates.md  edited in the panel: position")


def test_a_saved_plan_is_the_same_after_the_panel_numbered_the_category_anew(fruit, portal: Sandbox):
    write(fruit, ["dates", *(name for name in NAMES if name != "dates")])
    assert fruit.run("plan", "--out", "order.plan").code == 0
    portal.panel.drag("bananas", position(portal, "bananas"))
    assert fruit.run("push", "order.plan").code == 0
    assert order(portal) == ["dates", "apples", "bananas", "cherries", "elderberries"]
    portal.panel.drag("bananas", position(portal, "bananas"))
    assert fruit.run("push", "order.plan").says(0, "done already")


def test_a_push_sees_a_pending_edit_that_the_list_does_not_show(remote, portal: Sandbox):
    remote.configure("[push]\npublish = true\n")
    remote.write(f"{FOLDER}/_category.md", "---\nname: Fruit\n---\n")
    for number in range(60):
        remote.write(f"{FOLDER}/f{number}.md", f"---\ntitle: F{number}\nstatus: published\n---\nText.\n")
    assert remote.run("push").code == 0
    portal.panel.sql("UPDATE articles SET updated_at = updated_at - 3600000000 - id * 1000000")
    assert remote.run("plan", "--full").code == 0
    portal.panel.write("f50", content="A colleague is not done yet.\n")
    remote.write(f"{FOLDER}/f50.md", "---\ntitle: F50\nstatus: published\n---\nOurs.\n")
    assert "body: changed" in remote.run("plan").out
    assert remote.run("push").says(4, "en/fruit/f50.md  edit pending in the panel: body")
    assert portal.panel.article("f50").content == "Text.\n"


@pytest.mark.parametrize("step", [1, 10])
def test_a_drag_comes_into_the_files_as_an_order_and_a_push_sends_nothing_of_it(fruit, portal: Sandbox, step: int):
    write(fruit, NAMES, step)
    portal.panel.put("dates", 1)
    assert fruit.run("pull", f"{FOLDER}/dates.md", "--force").code == 0
    assert fruit.run("plan", "--check").code == 0
    assert fruit.run("pull").out == "Everything is up to date.\n"
    numbers = {name: int(fruit.read(f"{FOLDER}/{name}.md").split("position: ")[1].split()[0]) for name in NAMES}
    wanted = ["apples", "dates", "bananas", "cherries", "elderberries"]
    assert sorted(NAMES, key=lambda name: numbers[name]) == wanted == order(portal)
    assert sum(numbers[name] != place * step for place, name in enumerate(NAMES, 1)) == (1 if step == 10 else 2)
    assert fruit.run("push").code == 0
    portal.panel.put("apples", 4)
    assert fruit.run("resolve", f"{FOLDER}/apples.md", "--into-file").code in {0, 4}
    assert fruit.run("pull", "--force").code == 0
    assert fruit.run("plan", "--check").code == 0
    assert order(portal) == [*wanted[1:], "apples"]
