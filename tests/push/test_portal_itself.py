"""The portal itself as a file: planned, sent and held setting by setting, as an article is field by field."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from kbsync.errors import ConfigError
from kbsync.model import Action, Held, Plan, Reason
from kbsync.sandbox import Behaviour, Fault

from .world import PORTAL, TOKEN, World, a_category, a_pushed_world, a_world, an_article

HOME = f"/api/v1/accounts/1/portals/{PORTAL}"
TREE = {
    "en/billing/_category.md": a_category("billing"),
    "en/billing/refunds.md": an_article("Refunds"),
    "fr/billing/_category.md": a_category("billing"),
}
BRAND = """
name = "Acme Help"
color = "#123456"
header_text = "How can we help?"
[locale.fr]
name = "Aide Acme"
[social]
github = "acme"
"""


class Person:
    """Somebody in the panel's settings of the portal."""

    def __init__(self, world: World) -> None:
        self.world = world

    def ask(self, method: str, **body: Any) -> dict[str, Any]:
        address = self.world.sandbox.base_url + HOME
        answer = httpx.request(method, address, headers={"api_access_token": TOKEN}, json=body or None)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def sets(self, **body: Any) -> None:
        self.ask("PATCH", **body)

    def sees(self) -> dict[str, Any]:
        return self.ask("GET")

    @property
    def config(self) -> dict[str, Any]:
        return self.sees()["config"]


@pytest.fixture
def world(tmp_path) -> Iterator[World]:
    with a_world(tmp_path, TREE) as found:
        yield found


@pytest.fixture
def person(world: World) -> Person:
    return Person(world)


def brand(world: World, text: str = BRAND) -> None:
    (world.project.settings.folder / "portal.toml").write_text(text, "utf-8")


def settled(world: World, text: str = BRAND) -> None:
    """Push the file over whatever the new portal has, so that both sides agree."""
    brand(world, text)
    pushed = world.push(overwrite=("portal.toml",))
    assert pushed.error is None and pushed.words == {"done"}, pushed.told


def recolored(world: World) -> None:
    """The file gives another color than both sides have agreed on."""
    settled(world)
    brand(world, BRAND.replace("#123456", "#abcdef"))


def held_of(plan: Plan) -> dict[str, Reason]:
    return {name: item.reason for item in plan.held for name in item.fields}


def sent_of(plan: Plan) -> dict[str, Any]:
    return {name: value for change in plan.sent if change.kind == "portal" for name, value in change.after.items()}


def fields_of(plan: Plan) -> list[Held]:
    return [item for item in plan.held if item.kind == "portal"]


# --- planned, sent, done ---------------------------------------------------------------------------------------------


def test_what_the_file_says_goes_out_and_then_there_is_nothing_left_to_do(world, person):
    settled(world)
    seen = person.sees()
    assert (seen["name"], seen["color"]) == ("Acme Help", "#123456")
    assert seen["config"]["locale_translations"]["fr"]["name"] == "Aide Acme"
    assert seen["config"]["social_profiles"] == {"github": "acme"}
    plan = world.plan()
    assert (plan.changes, plan.held, plan.settled) == ((), (), ())
    before = len(world.sent("PATCH"))
    assert world.push().outcomes == [] and len(world.sent("PATCH")) == before


def test_a_portal_that_has_other_values_is_asked_about_first_but_what_is_empty_is_filled(world):
    brand(world)
    plan = world.plan()
    assert held_of(plan) == {"name": Reason.CONFLICT, "color": Reason.CONFLICT}
    assert not fields_of(plan)[0].has_base
    assert sent_of(plan) == {"header_text": "How can we help?", "name.fr": "Aide Acme", "social.github": "acme"}


def test_a_portal_that_is_as_the_file_says_is_taken_over_without_a_request(world, person):
    person.sets(name="Acme Help", color="#123456")
    brand(world, 'name = "Acme Help"\ncolor = "#123456"\n')
    pushed = world.push()
    assert [o.change.action for o in pushed.outcomes if o.change.kind == "portal"] == [Action.ADOPT]
    brand(world, 'name = "Acme Guide"\ncolor = "#123456"\n')
    assert sent_of(world.plan()) == {"name": "Acme Guide"}


def test_without_a_ledger_only_what_differs_is_held_and_what_is_alike_is_recorded(world, person):
    person.sets(name="Acme Help", color="#654321")
    brand(world, 'name = "Acme Help"\ncolor = "#123456"\n')
    assert held_of(world.plan()) == {"color": Reason.CONFLICT}
    world.push()
    plan = world.plan()
    assert (held_of(plan), plan.settled) == ({"color": Reason.CONFLICT}, ())
    brand(world, 'name = "Acme Guide"\ncolor = "#123456"\n')
    plan = world.plan()
    assert (held_of(plan), sent_of(plan)) == ({"color": Reason.CONFLICT}, {"name": "Acme Guide"})
    (held,) = fields_of(plan)
    assert not held.has_base and held.hint.startswith("kbsync has no record of setting this, and the portal has")
    assert world.push(overwrite=("portal.toml",)).words == {"done"}
    assert (person.sees()["name"], person.sees()["color"]) == ("Acme Guide", "#123456")


def test_a_new_value_of_a_setting_goes_out_alone(world, person):
    recolored(world)
    assert sent_of(world.plan()) == {"color": "#abcdef"}
    world.push()
    assert person.sees()["color"] == "#abcdef"
    world.assert_settled()


def test_a_setting_that_leaves_the_file_stays_on_the_portal(world, person):
    settled(world)
    brand(world, 'name = "Acme Help"\n')
    world.assert_settled()
    assert person.sees()["color"] == "#123456"


def test_a_file_that_is_gone_changes_nothing(world):
    settled(world)
    (world.project.settings.folder / "portal.toml").unlink()
    plan = world.plan()
    assert (plan.changes, plan.held, plan.forgotten, plan.warnings) == ((), (), (), ())


def test_a_text_can_be_cleared_and_that_of_a_language_leaves_no_empty_one_behind(world, person):
    settled(world)
    cleared = BRAND.replace('"How can we help?"', '""').replace('"Aide Acme"', '""').replace('"acme"', '""')
    brand(world, cleared)
    world.push()
    assert person.sees()["header_text"] in (None, "")
    assert person.config["locale_translations"] == {"fr": {}}
    assert person.config["social_profiles"] == {}
    assert world.plan().changes == ()


def test_hidden_languages_are_sent_and_found_again(world, person):
    settled(world, 'draft_locales = ["fr"]\nlayout = "documentation"\n')
    assert [locale["code"] for locale in person.config["allowed_locales"] if locale["draft"]] == ["fr"]
    assert person.config["layout"] == "documentation"
    assert world.plan().changes == ()


# --- people in the panel ---------------------------------------------------------------------------------------------


def test_a_color_edited_in_the_panel_is_held_and_the_name_still_goes_out(world, person):
    settled(world)
    person.sets(color="#ff0000")
    brand(world, BRAND.replace("Acme Help", "Acme Guide"))
    plan = world.plan()
    assert held_of(plan) == {"color": Reason.DRIFT}
    assert sent_of(plan) == {"name": "Acme Guide"}
    world.push()
    assert (person.sees()["name"], person.sees()["color"]) == ("Acme Guide", "#ff0000")
    assert held_of(world.plan()) == {"color": Reason.DRIFT}


def test_a_translation_edited_in_both_places_is_held_by_itself(world, person):
    settled(world)
    person.sets(config={"locale_translations": {"fr": {"name": "Leur aide"}}})
    brand(world, BRAND.replace("Aide Acme", "Notre aide"))
    plan = world.plan()
    assert held_of(plan) == {"name.fr": Reason.CONFLICT}
    assert fields_of(plan)[0].values[0].before == "Leur aide"


def test_an_overwrite_of_the_file_sends_it_over_what_the_panel_has(world, person):
    settled(world)
    person.sets(color="#ff0000")
    world.push(overwrite=("portal.toml",))
    assert person.sees()["color"] == "#123456"


def test_what_the_file_does_not_give_survives_in_the_keys_that_are_replaced_whole(world, person):
    settled(world)
    person.sets(
        config={
            "locale_translations": {"fr": {"name": "Aide Acme", "page_title": "Leur titre"}, "en": {"name": "Theirs"}},
            "social_profiles": {"github": "acme", "x": "theirs"},
            "popular_content": {"fr": {"category_ids": [1], "article_ids": []}},
        }
    )
    text = BRAND.replace("Aide Acme", "Notre aide").replace('"acme"', '"acme-corp"')
    brand(world, text + '[popular.en]\narticles = ["en/billing/refunds.md"]\n')
    pushed = world.push()
    assert pushed.words == {"done"}, pushed.told
    config = person.config
    assert config["locale_translations"]["fr"] == {"name": "Notre aide", "page_title": "Leur titre"}
    assert config["locale_translations"]["en"] == {"name": "Theirs"}
    assert config["social_profiles"] == {"github": "acme-corp", "x": "theirs"}
    assert config["popular_content"]["fr"] == {"category_ids": [1], "article_ids": []}


def test_what_a_person_adds_between_plan_and_write_survives(world, person):
    settled(world)
    brand(world, BRAND.replace("Aide Acme", "Notre aide"))

    def meanwhile() -> None:
        person.sets(config={"locale_translations": {"fr": {"name": "Aide Acme"}, "en": {"name": "Theirs"}}})

    world.push(before_sending=meanwhile)
    assert person.config["locale_translations"] == {"en": {"name": "Theirs"}, "fr": {"name": "Notre aide"}}


def test_what_a_person_edits_between_plan_and_write_is_not_overwritten(world, person):
    recolored(world)
    pushed = world.push(before_sending=lambda: person.sets(color="#ff0000"))
    assert pushed.words == {"skipped"} and "color" in pushed.told
    assert person.sees()["color"] == "#ff0000"


def test_an_unknown_key_of_the_portals_config_survives(world, person):
    settled(world)
    world.sandbox.panel.sql("UPDATE portals SET config = json_set(config, '$.theme', 'dark') WHERE slug = ?", PORTAL)
    brand(world, BRAND.replace("acme", "acme-corp").replace("Aide", "Notre aide"))
    assert world.push().words == {"done"}
    left = world.sandbox.panel.run(lambda w: w.store.row("SELECT config FROM portals WHERE slug = ?", (PORTAL,))[0])
    assert '"theme"' in left and "dark" in left


def test_live_hold_holds_the_portal_too_because_readers_see_it(tmp_path):
    with a_world(tmp_path, TREE, live="hold") as world:
        brand(world, 'header_text = "Hello"\n')
        assert held_of(world.plan()) == {"header_text": Reason.LIVE}
        pushed = world.push(live=("portal.toml",))
        assert pushed.of(PORTAL).outcome == "done" and pushed.of(PORTAL).change.live


# --- popular ---------------------------------------------------------------------------------------------------------

POPULAR = '[popular.en]\ncategories = ["billing"]\narticles = ["en/billing/refunds.md"]\n'


def test_an_article_made_in_the_same_push_is_popular_after_it(world, person):
    brand(world, POPULAR)
    plan = world.plan()
    (change,) = [change for change in plan.sent if change.kind == "portal"]
    assert [field.said for field in change.fields] == [("", "billing"), ("", "en/billing/refunds.md")]
    assert plan.sent[-1] is change
    pushed = world.push()
    assert pushed.words == {"done"}, pushed.told
    assert person.config["popular_content"]["en"]["article_ids"] == [world.article("refunds").id]
    world.assert_settled()


def test_where_the_article_cannot_be_made_the_rest_of_the_portal_still_goes_out(world, person):
    brand(world, BRAND + POPULAR)
    world.sandbox.faults.add(Fault("status", method="POST", path="/articles", status=422))
    pushed = world.push(overwrite=("portal.toml",))
    portal = [outcome for outcome in pushed.outcomes if outcome.change.kind == "portal"]
    assert [outcome.outcome for outcome in portal] == ["done", "skipped"]
    assert "popular" in portal[1].error
    assert person.sees()["name"] == "Acme Help"
    assert world.push().words == {"done"}
    assert person.config["popular_content"]["en"]["article_ids"] == [world.article("refunds").id]


def test_an_article_that_a_person_made_popular_is_named_by_its_slug(world, person):
    settled(world, POPULAR)
    made = world.sandbox.panel.create(PORTAL, "Theirs", "Text.", slug="theirs", locale="en")
    person.sets(config={"popular_content": {"en": {"category_ids": [], "article_ids": [made.id]}}})
    plan = world.plan()
    assert held_of(plan) == {"popular_categories.en": Reason.DRIFT, "popular_articles.en": Reason.DRIFT}
    values = {value.name: (value.before, value.after) for value in fields_of(plan)[0].values}
    assert values["popular_articles.en"] == (("theirs",), ("en/billing/refunds.md",))
    assert values["popular_categories.en"] == ((), ("billing",))


def test_an_article_that_got_another_path_and_slug_is_still_the_popular_one(world):
    settled(world, POPULAR)
    tree = {path: text for path, text in TREE.items() if "refunds" not in path}
    world.write(tree | {"en/billing/money-back.md": an_article("Refunds", aliases="[refunds]")})
    brand(world, POPULAR.replace("refunds", "money-back"))
    assert sent_of(world.plan()) == {}
    assert world.push().words == {"done"}
    assert world.plan().changes == () and world.plan().settled == ()


def test_an_article_that_is_not_there_and_not_made_is_held(world):
    world.push()
    world.sandbox.panel.delete("refunds")
    brand(world, POPULAR)
    assert held_of(world.plan())["popular_articles.en"] is Reason.UNKNOWN


def test_more_than_the_home_page_shows_is_a_warning(world):
    world.write(TREE | {f"en/billing/n{n}.md": an_article(f"N{n}") for n in range(7)})
    names = ", ".join(f'"en/billing/n{n}.md"' for n in range(7))
    brand(world, f"[popular.en]\narticles = [{names}]\n")
    (finding,) = world.plan().warnings
    assert (finding.code, finding.path) == ("KB510", "portal.toml")
    assert "7 articles" in finding.message


# --- trouble ---------------------------------------------------------------------------------------------------------


def test_an_answer_that_was_lost_after_the_write_is_found_by_the_next_push(world, person):
    recolored(world)
    world.sandbox.faults.add(Fault("reset", when="after", method="PATCH"))
    world.push()
    assert person.sees()["color"] == "#abcdef"
    world.assert_settled()


def test_a_write_that_did_not_arrive_is_made_by_the_next_push(world, person):
    recolored(world)
    for _ in range(2):
        world.sandbox.faults.add(Fault("reset", when="before", method="PATCH"))
    world.push()
    world.push()
    assert person.sees()["color"] == "#abcdef"
    assert world.plan().changes == ()


def test_a_key_that_the_service_drops_in_silence_is_a_failure(world):
    settled(world, 'draft_locales = []\nlayout = "classic"\n')
    world.sandbox.panel.sql(
        "UPDATE portals SET config = json_set(config, '$.allowed_locales', json('[\"en\"]')) WHERE slug = ?", PORTAL
    )
    brand(world, 'draft_locales = ["fr"]\n')
    (held,) = fields_of(world.plan())
    assert held.reason is Reason.UNSUPPORTED and "`fr`" in held.hint


# --- other services --------------------------------------------------------------------------------------------------


def test_without_the_file_the_same_requests_are_sent_as_ever(tmp_path):
    with a_pushed_world(tmp_path, TREE) as world:
        asked = [(r.method, r.path) for r in world.sandbox.requests]
        assert ("GET", HOME) not in asked and ("PATCH", HOME) not in asked
        assert "portal" not in {base.kind for base in world.bases().values()}
        Person(world).sets(color="#ff0000", name="Theirs")
        before = len(world.sandbox.requests)
        assert world.plan().changes == () and world.plan().held == ()
        without = beside_articles(world, before)
        brand(world, 'name = "Theirs"\n')
        before = len(world.sandbox.requests)
        world.plan(), world.plan()
        assert beside_articles(world, before) == without


def beside_articles(world, before):
    """What was asked since; how many pages of articles are read depends on how long ago they changed."""
    asked = [(request.method, request.path) for request in world.sandbox.requests[before:]]
    return [one for one in asked if "/articles?" not in one[1]]


COUNTING = '[analytics]\nga4_measurement_id = "G-ABC123"\n'


def test_s159_an_id_of_who_counts_visits_goes_beside_those_of_a_colleague_and_a_wrong_one_is_named(tmp_path):
    with a_world(tmp_path, TREE, behaviour=Behaviour(version="4.17.0")) as world:
        person = Person(world)
        person.sets(config={"analytics": {"hotjar_site_id": "7"}})
        brand(world, COUNTING)
        assert world.push().words == {"done"}
        assert person.config["analytics"] == {"hotjar_site_id": "7", "ga4_measurement_id": "G-ABC123"}
        assert world.plan().changes == ()
        brand(world, COUNTING.replace("G-", "UA-"))
        pushed = world.push()
        assert pushed.words == {"failed"} and "Ga4 measurement is invalid" in pushed.told
        assert person.config["analytics"]["ga4_measurement_id"] == "G-ABC123"


def test_before_4_17_such_an_id_is_held_with_the_version_that_has_it(world):
    brand(world, COUNTING)
    (held,) = world.plan().held
    assert (held.reason, held.fields, held.needs) == (Reason.UNSUPPORTED, ("analytics.ga4_measurement_id",), "4.17")


def test_a_service_of_4_10_gets_name_and_color_and_the_rest_is_held(tmp_path):
    with a_world(tmp_path, TREE, behaviour=Behaviour(version="4.10.0")) as world:
        brand(world, 'layout = "documentation"\n' + BRAND + POPULAR)
        plan = world.plan(overwrite=("portal.toml",))
        unsupported = {name for name, reason in held_of(plan).items() if reason is Reason.UNSUPPORTED}
        assert unsupported == {
            "layout", "name.fr", "popular_articles.en", "popular_categories.en", "social.github",
        }  # fmt: skip
        assert {held.needs for held in plan.held if held.reason is Reason.UNSUPPORTED} == {"4.16"}
        pushed = world.push(overwrite=("portal.toml",))
        assert pushed.words == {"done"}, pushed.told
        seen = Person(world).sees()
        assert (seen["name"], seen["color"]) == ("Acme Help", "#123456")
        assert [locale["code"] for locale in seen["config"]["allowed_locales"]] == ["en", "fr"]


def test_a_profile_that_cannot_look_holds_all_of_it(tmp_path):
    with a_world(tmp_path, TREE) as world:
        brand(world)
        plan = world.project.with_profile("documented").plan(world.service)
        assert set(held_of(plan).values()) >= {Reason.UNSUPPORTED}


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nnmae = 1\n", "portal.toml:2: `nmae`: This is not a known key. Did you mean `name`?"),
        ("name = 3\n", "portal.toml:1: `name`: Expected text, got a whole number: 3."),
        ('name = ""\n', "portal.toml:1: `name`: The portal must have a name."),
        ('color = "blue"\n', "portal.toml:1: `color`: 'blue' is not a color"),
        ('homepage_link = "http://x.example"\n', "portal.toml:1: `homepage_link`: Expected an address"),
        ('homepage_link = "javascript:alert(1)"\n', "portal.toml:1: `homepage_link`: Expected an address"),
        ('layout = "wide"\n', "portal.toml:1: `layout`: The value 'wide' is not allowed. Use one of: classic"),
        ('draft_locales = ["en"]\n', "portal.toml:1: `draft_locales`: `en` is the default language"),
        ('draft_locales = ["de"]\n', "portal.toml:1: `draft_locales`: `de` is not one of your languages."),
        ('[locale.de]\nname = "x"\n', "portal.toml:1: `[locale] de`: `de` is not one of your languages."),
        ('[locale]\nname = "x"\n', "portal.toml:2: `[locale] name`: Expected a table for each language."),
        ('[locale.fr]\ntitle = "x"\n', "portal.toml:2: `[locale.fr] title`: This is not a known key."),
        ('[social]\ngithup = "x"\n', "portal.toml:2: `[social] githup`: This is not a known key. Did you mean `github`"),
        ('[popular.en]\narticles = ["en/billing/refund.md"]\n', "portal.toml:2: `[popular.en] articles`: There is no"),
        ('[popular.fr]\narticles = ["en/billing/refunds.md"]\n', "is in `en`, so the home page of `fr` would not"),
        ('[popular.en]\ncategories = ["biling"]\n', "no category `biling` in `en`. Did you mean `billing`?"),
        ('[popular.en]\narticles = "x"\n', "portal.toml:2: `[popular.en] articles`: Expected a list, got text: 'x'."),
        ("social = 1\n", "portal.toml:1: `[social]`: Expected a table. Write [social]"),
        ("name = \n", "portal.toml:1:8: Not valid TOML"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_file_is_told_with_line_and_key(world, monkeypatch, text, said):
    monkeypatch.chdir(world.project.settings.folder)
    brand(world, text)
    with pytest.raises(ConfigError) as raised:
        world.plan()
    assert said in f"{raised.value.message} {raised.value.hint}"


def test_a_link_is_not_followed(world):
    folder = world.project.settings.folder
    (folder / "secret.toml").write_text('name = "x"\n', "utf-8")
    (folder / "portal.toml").symlink_to(folder / "secret.toml")
    with pytest.raises(ConfigError, match="symbolic link"):
        world.plan()
