"""Categories of several locales are linked to the original: by the same folder, or by what the file says."""

import pytest
from msgspec.structs import replace

from kbsync.app.reading import read_content
from kbsync.model import Reason
from kbsync.sandbox import Behaviour, Fault

from .world import World, a_category, a_pushed_world, a_world

TREE = {"en/a/_category.md": a_category("a"), "fr/a/_category.md": a_category("a")}


def linked(world: World) -> dict[tuple[str, str], str | None]:
    """By locale and slug: the slug of what each is linked to."""
    asked = (
        "SELECT c.locale, c.slug, o.slug FROM categories c LEFT JOIN categories o ON o.id = c.associated_category_id"
    )
    rows = world.sandbox.panel.run(lambda w: w.store.rows(asked))
    return {(locale, slug): other for locale, slug, other in rows}


@pytest.mark.parametrize("version", ["4.10.0", "4.16.2"])
def test_a_category_is_made_after_its_original_and_linked_to_it(tmp_path, version):
    with a_world(tmp_path, TREE, behaviour=Behaviour(version=version)) as world:
        plan = world.plan()
        (link,) = [f for change in plan.changes for f in change.fields if f.name == "translation_of"]
        assert link.said == ("", "en/a/_category.md")
        assert world.push().words == {"done"}
        assert linked(world) == {("en", "a"): None, ("fr", "a"): "a"}
        assert (world.plan().changes, world.plan().settled, world.plan().held) == ((), (), ())


def test_the_original_may_be_of_a_locale_that_comes_later(tmp_path):
    tree = {
        "en/b/_category.md": a_category("b", translation_of="fr/b/_category.md"),
        "fr/b/_category.md": a_category("b"),
    }
    with a_pushed_world(tmp_path, tree) as world:
        assert linked(world) == {("en", "b"): "b", ("fr", "b"): None}
        assert world.plan().changes == ()


def test_a_category_that_is_there_is_linked_when_its_original_comes(tmp_path):
    with a_pushed_world(tmp_path, {"fr/a/_category.md": a_category("a")}) as world:
        world.write(TREE)
        assert world.push().words == {"done"}
        assert linked(world)["fr", "a"] == "a"
        assert world.plan().changes == ()


def test_categories_of_an_older_record_are_linked_without_a_question(world):
    world.sandbox.panel.sql("UPDATE categories SET associated_category_id = NULL")
    with world.project.ledger() as ledger:
        bases = [
            replace(base, fields={name: base.fields[name] for name in ("slug", "name")})
            for base in ledger.bases(world.project.target)
        ]
        ledger.record(world.project.target, bases)
    plan = world.plan()
    assert ([change.path for change in plan.changes], plan.held) == (["fr/a/_category.md"], ())
    assert world.push().words == {"done"}
    assert linked(world)["fr", "a"] == "a" and world.plan().changes == ()


def test_a_link_that_a_person_took_away_is_held(world):
    world.sandbox.panel.sql("UPDATE categories SET associated_category_id = NULL")
    assert [(item.reason, item.fields) for item in world.plan().held] == [(Reason.DRIFT, ("translation_of",))]


def test_a_link_that_a_person_made_elsewhere_is_held_and_can_be_decided(tmp_path):
    with a_pushed_world(tmp_path, TREE | {"en/c/_category.md": a_category("c")}) as world:
        other = "SELECT id FROM categories WHERE slug = 'c'"
        world.sandbox.panel.sql(f"UPDATE categories SET associated_category_id = ({other}) WHERE locale = 'fr'")
        (held,) = world.plan().held
        assert (held.reason, held.fields) == (Reason.DRIFT, ("translation_of",))
        assert (held.values[0].before, held.values[0].after) == ("en/c/_category.md", "en/a/_category.md")
        assert world.push(overwrite=("fr/a/_category.md",)).words == {"done"}
        assert linked(world)["fr", "a"] == "a"


def test_where_the_original_cannot_be_made_the_category_is_made_without_a_link(tmp_path):
    with a_world(tmp_path, TREE) as world:
        world.sandbox.faults.add(Fault("status", method="POST", path="/categories", status=422))
        assert world.push().words == {"done", "failed"}
        assert linked(world) == {("fr", "a"): None}
        assert world.push().words == {"done"}
        assert linked(world)["fr", "a"] == "a"


def test_a_category_names_a_category_of_another_locale(tmp_path):
    tree = TREE | {
        "fr/b/_category.md": a_category("b", translation_of="en/b/no.md"),
        "fr/c/_category.md": a_category("c", translation_of="fr/a/_category.md"),
    }
    with a_world(tmp_path, tree) as world:
        found = read_content(world.project.workspace(), compiled=False).findings
        messages = [finding.message for finding in found if finding.code == "KB213"] or [f.message for f in found]
        assert any("not a category in this repository" in message for message in messages), messages
        assert any("has the same locale" in message for message in messages), messages


def test_both_can_be_deleted_in_one_push(tmp_path):
    with a_pushed_world(tmp_path, TREE, removed="delete") as world:
        world.write({})
        assert world.push().words == {"done"}
        assert linked(world) == {}


def test_an_original_that_is_deleted_leaves_its_translation_as_it_is(tmp_path):
    with a_pushed_world(tmp_path, TREE, removed="delete") as world:
        world.write({"fr/a/_category.md": TREE["fr/a/_category.md"]})
        assert world.push().words == {"done"}
        assert linked(world) == {("fr", "a"): None}
        world.assert_settled()


# --- the color of an icon, which services know from 4.16 on ----------------------------------------------------------


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
