"""The color of a category's icon, which services know from 4.16 on."""

from __future__ import annotations

import pytest

from kbsync.app.reading import read_content
from kbsync.model import Reason
from kbsync.sandbox import Behaviour

from .world import a_category, a_pushed_world, a_world

PLAIN = {"en/a/_category.md": a_category("a", icon='"💳"')}
BLUE = {"en/a/_category.md": a_category("a", icon='"💳"', icon_color='"#00f"')}


def color_of(world) -> str:
    return world.sandbox.panel.run(lambda w: w.store.row("SELECT icon_color FROM categories WHERE slug = 'a'")[0])


def test_a_color_is_sent_with_a_new_category_and_then_there_is_nothing_to_do(tmp_path):
    with a_pushed_world(tmp_path, BLUE) as world:
        assert color_of(world) == "#00f"
        assert world.plan().changes == ()


def test_a_category_that_has_none_gets_one_without_a_question(tmp_path):
    with a_pushed_world(tmp_path, PLAIN) as world:
        world.write(BLUE)
        assert [field.name for change in world.plan().changes for field in change.fields] == ["icon_color"]
        world.push()
        assert color_of(world) == "#00f"
        assert world.plan().changes == world.plan().settled == ()


def test_a_color_that_somebody_chose_in_the_panel_is_held(tmp_path):
    with a_pushed_world(tmp_path, BLUE) as world:
        world.sandbox.panel.sql("UPDATE categories SET icon_color = '#f00'")
        (held,) = world.plan().held
        assert (held.reason, held.fields) == (Reason.DRIFT, ("icon_color",))


def test_a_service_of_4_10_does_not_have_it_and_the_rest_of_the_category_goes_out(tmp_path):
    with a_pushed_world(tmp_path, PLAIN, behaviour=Behaviour(version="4.10.0")) as world:
        world.write({"en/a/_category.md": BLUE["en/a/_category.md"].replace("name: A", "name: B")})
        plan = world.plan()
        assert plan.held == ()
        assert [field.name for change in plan.changes for field in change.fields] == ["name"]
        assert world.push().words == {"done"}
        world.assert_settled()


def test_a_service_of_4_10_gets_none_with_a_new_category_and_once_it_is_4_16_the_color_goes_out(tmp_path):
    with a_pushed_world(tmp_path, BLUE, behaviour=Behaviour(version="4.10.0")) as world:
        assert all("icon_color" not in request.path for request in world.sandbox.requests)
        world.assert_settled()
        assert all("icon_color" not in base.fields for base in world.bases().values())


@pytest.mark.parametrize(
    ("written", "line"), [("blue", "is not a color"), ('"#12"', "is not a color"), ("#00f", "is empty")]
)
def test_what_is_no_color_is_told(tmp_path, written, line):
    with a_world(tmp_path, {"en/a/_category.md": a_category("a", icon_color=written)}) as world:
        found = read_content(world.project.workspace(), compiled=False).findings
        assert any(line in finding.message and "in quotes" in finding.hint for finding in found), found
