"""Slugs that another portal of the service has: seen before anything is sent, and found out once where they are not.

Source: docs/service.md, S1, S2, S119 and section 9.
"""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from kbsync.model import Action, Reason
from kbsync.report.data import plan_json
from kbsync.report.markdown import comment_markdown
from kbsync.report.reported import read_report
from kbsync.report.style import Style
from kbsync.report.summary import plan_markdown
from kbsync.report.text import plan_text
from kbsync.sandbox import V4_10, Behaviour, Fault, random_faults
from rings import seeds

from .test_faults import IMPATIENT_S, KINDS, RATES
from .world import PORTAL, World, a_category, a_pushed_world, a_service, a_world, an_article

CATEGORY = {"en/a/_category.md": a_category("a")}
BOTH = pytest.mark.parametrize("behaviour", [Behaviour(), V4_10], ids=["4.16", "4.10"])
FOREIGN = "THEIRS"
NAMES = "refuse reset-before reset-after 500-before 500-after 502-after 404-after cut empty hang-after"
FAULTS = [KINDS[name] for name in NAMES.split()]


def files(*stems: str, **keys: object) -> dict[str, str]:
    return CATEGORY | {f"en/a/{stem}.md": an_article(stem.title(), **keys) for stem in stems}


TREE = files("x")


def numbered(number: int) -> list[str]:
    return [f"n{place:03}" for place in range(number)]


def let_others_have(world: World, *slugs: str) -> None:
    for slug in slugs:
        world.sandbox.panel.create("other", FOREIGN, "theirs", slug=slug)


def looked_up(world: World) -> list[str]:
    """The slugs that were looked up, in their order."""
    paths = world.sent("GET")
    return [path.rpartition("/")[2].removesuffix(".json") for path in paths if path.startswith("/hc/")]


def lists(world: World) -> int:
    return sum(1 for path in world.sent("GET") if path.split("?")[0].endswith("/articles"))


def with_prefix(world: World, prefix: str) -> World:
    content = structs.replace(world.project.settings.content, slug_prefix=prefix)
    settings = structs.replace(world.project.settings, content=content)
    world.project = replace(world.project, settings=settings, opened=None)
    return world


# --- before anything is sent


@BOTH
def test_a_plan_holds_the_slugs_of_another_portal_and_a_push_sends_the_rest(tmp_path, behaviour):
    with a_world(tmp_path, files("x", "y", "z", status="published"), behaviour=behaviour, publish=True) as world:
        let_others_have(world, "x", "z")
        plan = world.plan()
        held = [(held.reason, held.slug, held.fields) for held in plan.held]
        assert held == [(Reason.UNSUPPORTED, slug, ("slug",)) for slug in "xz"]
        assert {change.slug for change in plan.changes if change.kind == "article"} == {"y"}
        assert 'Set `slug_prefix = "handbook-"` under [content]' in plan.held[0].hint
        assert world.push().words == {"done"}
        assert (world.slugs(), world.article("x").title) == (["y"], FOREIGN)


def test_a_slug_of_another_portal_is_looked_up_once_in_ten_minutes_and_again_with_full(tmp_path):
    with a_world(tmp_path, files("x", "y")) as world:
        let_others_have(world, "x")
        world.plan()
        assert looked_up(world).count("x") == 2
        world.push()
        assert [held.slug for held in world.plan().held] == ["x"]
        assert looked_up(world).count("x") == 2
        world.sandbox.panel.delete("x")
        assert not world.plan(full=True).held and not world.plan().held


def test_a_file_that_names_its_slug_is_not_told_of_a_prefix(tmp_path):
    with a_world(tmp_path, files("x", slug="taken")) as world:
        let_others_have(world, "taken")
        (held,) = world.plan().held
        assert held.elsewhere == "Write another `slug:` into the file."


def test_a_rename_to_a_slug_of_another_portal_is_held_and_the_rest_of_the_article_goes_out(world):
    let_others_have(world, "new-name")
    world.write(CATEGORY | {"en/a/x.md": an_article("X", "New words.", slug="new-name")})
    plan = world.plan()
    assert [(held.reason, held.fields) for held in plan.held] == [(Reason.UNSUPPORTED, ("slug",))]
    assert world.push().words == {"done"}
    assert world.article("x").content == "New words.\n"


def test_a_plan_with_nothing_new_looks_up_nothing(world):
    before = looked_up(world)
    world.write(CATEGORY | {"en/a/x.md": an_article("X", "New words.")})
    world.push()
    assert looked_up(world) == before == ["x"]


def test_every_new_slug_of_a_plan_is_looked_up_however_many_they_are_and_those_held_only_once(tmp_path):
    stems = numbered(250)
    with a_world(tmp_path, files(*stems)) as world:
        let_others_have(world, *stems[-20:])
        plan = world.plan()
        # Each once; those that another portal has once more, and one that no portal has.
        assert len(looked_up(world)) == 250 + 20 + 1
        assert sorted(held.slug for held in plan.held) == stems[-20:]
        assert world.push().words == {"done"}
        assert len(looked_up(world)) == 250 + 20 + 1 + 230
        assert len(world.slugs()) == 230


def test_reserved_slugs_and_slugs_with_a_dot_are_not_looked_up(tmp_path):
    with a_world(tmp_path, files("x"), behaviour=V4_10) as world:
        asked = ["search", "articles", "categories", "v1.2"]
        assert world.service.slugs_elsewhere(asked) == frozenset()
        assert not any(world.service.is_elsewhere(slug) for slug in asked)
        assert looked_up(world) == []


# --- a 500 that means something else


def test_a_service_in_trouble_has_no_slugs_of_other_portals(tmp_path):
    with a_world(tmp_path, files("x", "y")) as world:
        world.sandbox.faults.add(Fault("status", status=500, path="/hc/", times=None))
        assert world.plan().held == ()


def test_a_500_that_passes_holds_nothing(tmp_path):
    with a_world(tmp_path, files("x", "y")) as world:
        world.sandbox.faults.add(Fault("status", status=500, path="/hc/.*/y.json$"))
        assert world.plan().held == ()


def test_a_public_site_that_is_never_there_costs_one_request_and_holds_nothing(tmp_path):
    with a_world(tmp_path, files(*numbered(20))) as world:
        world.sandbox.faults.add(Fault("status", status=401, path="/hc/", times=None))
        assert world.plan().held == ()
        assert len(looked_up(world)) == 1


def test_where_the_public_site_does_not_tell_a_push_reads_the_list_as_before(tmp_path):
    """Under a host that the installation does not know, every slug without an article is a 500."""

    def disturb():
        let_others_have(world, "x")
        world.sandbox.faults.add(Fault("status", status=500, path="/hc/", times=None))

    with a_world(tmp_path, files("x")) as world:
        pushed = world.push(before_sending=disturb)
        assert pushed.of("x").outcome == "failed"
        assert "may be taken in another portal" in pushed.of("x").hint
        assert lists(world) > 2


# --- found out by the push


@BOTH
def test_a_refused_slug_is_looked_up_once_by_the_push_and_nothing_is_listed_or_sent_twice(tmp_path, behaviour):
    stems = numbered(20)
    with a_world(tmp_path, files(*stems), behaviour=behaviour) as world:
        seen: list[int] = []

        def disturb():
            let_others_have(world, *stems[:6])
            seen.extend((len(looked_up(world)), lists(world)))

        pushed = world.push(before_sending=disturb)
        failed = [outcome for outcome in pushed.outcomes if outcome.outcome == "failed"]
        assert sorted(outcome.change.slug for outcome in failed) == stems[:6]
        assert all("belongs to another portal of this service" in outcome.error for outcome in failed)
        assert sum(1 for path in world.sent("POST") if path.endswith("articles")) == 20
        # Six refused slugs, and one that no portal has.
        assert (len(looked_up(world)) - seen[0], lists(world)) == (7, seen[1])
        for slug in stems[:6]:
            world.sandbox.panel.delete(slug)
        world.push()
        assert world.slugs() == stems


def test_a_create_that_was_lost_is_never_taken_for_one_of_another_portal(tmp_path):
    """Refused with a 500 and made all the same, and the look-up answers 500, too: the next push takes it as its own."""

    def disturb():
        world.sandbox.faults.add(Fault("status", when="after", status=500, method="POST", path="articles$"))
        world.sandbox.faults.add(Fault("status", status=500, path="/hc/.*/x.json$"))

    with a_world(tmp_path, files("x")) as world:
        assert world.push(before_sending=disturb).of("x").outcome == "failed"
        assert [entry.slug for entry in world.pending()] == ["x"]
        world.sandbox.faults.clear()
        world.push()
        assert (world.slugs(), world.pending()) == (["x"], [])
        assert not world.plan().changes


def test_a_rename_that_is_refused_by_the_push_says_who_has_the_slug_without_a_list(world):
    world.write(files("x", slug="new-name"))
    seen: list[int] = []

    def disturb():
        let_others_have(world, "new-name")
        seen.append(lists(world))

    pushed = world.push(before_sending=disturb)
    assert "`new-name` belongs to another portal" in pushed.of("new-name").error
    assert lists(world) == seen[0]


def test_a_push_that_is_stopped_ends_with_the_requests_under_way(tmp_path):
    stems = numbered(60)
    stop = threading.Event()
    with a_world(tmp_path, files(*stems)) as world:
        pushed = world.push(
            before_sending=lambda: let_others_have(world, *stems),
            after_each=lambda outcome: stop.set() if outcome.change.kind == "article" else None,
            stopping=stop.is_set,
            concurrency=2,
        )
        skipped = [outcome for outcome in pushed.outcomes if outcome.outcome == "skipped"]
        # What was in the pool when the first article was over: two under way, two ready, and two more taken then.
        assert len(skipped) >= len(stems) - 8
        assert sum(1 for path in world.sent("POST") if path.endswith("articles")) <= 8


# --- what it costs


def push_with(folder: Path, taken: int, *, foreseen: bool) -> int:
    """Requests of a first push of 100 articles, of which another portal has so many slugs."""
    stems = numbered(100)
    folder.mkdir()
    with a_world(folder, files(*stems)) as world:
        if foreseen:
            let_others_have(world, *stems[:taken])
        before = world.service.transport.requests
        world.push(before_sending=lambda: None if foreseen else let_others_have(world, *stems[:taken]))
        assert len(world.slugs()) == 100 - taken
        return world.service.transport.requests - before


@pytest.mark.parametrize("foreseen", [True, False], ids=["foreseen", "found out by the push"])
def test_a_push_with_15_percent_of_such_slugs_costs_at_most_30_percent_more(tmp_path, foreseen):
    clean = push_with(tmp_path / "clean", 0, foreseen=foreseen)
    assert push_with(tmp_path / "taken", 15, foreseen=foreseen) <= 1.3 * clean


# --- the prefix


def test_a_prefix_is_before_default_slugs_and_not_before_those_that_a_file_names(tmp_path):
    tree = files("x") | {"en/a/y.md": an_article("Y", slug="mine"), "fr/a/x.md": an_article("X")}
    with a_world(tmp_path, tree | {"fr/a/_category.md": a_category("a")}) as world:
        let_others_have(world, "x")
        with_prefix(world, "handbook-").push()
        assert world.slugs() == ["handbook-x", "handbook-x-fr", "mine"]
        assert {world.article(slug).category.slug for slug in world.slugs()} == {"a"}


@pytest.mark.parametrize("has_ledger", [True, False], ids=["on record", "on the portal alone"])
def test_what_is_published_without_the_prefix_keeps_its_slug_and_so_do_the_links_to_it(world, tmp_path, has_ledger):
    if not has_ledger:
        (tmp_path / "ledger.db").unlink()
    world.write(files("x") | {"en/a/y.md": an_article("Y", "See [x](x.md).")})
    with_prefix(world, "handbook-").push()
    assert world.slugs() == ["handbook-y", "x"]
    assert "/hc/handbook/articles/x)" in world.article("handbook-y").content
    plan = world.plan()
    assert (plan.changes, plan.held) == ((), ())


def test_a_file_whose_name_begins_like_the_prefix_keeps_its_slug_too(tmp_path):
    with a_pushed_world(tmp_path, files("handbook-x")) as world:
        assert not with_prefix(world, "handbook-").plan().changes


def test_an_article_whose_slug_has_the_prefix_stays_although_a_stranger_has_the_plain_one(tmp_path):
    with a_world(tmp_path, files("x")) as world:
        with_prefix(world, "handbook-").push()
        world.sandbox.panel.create(PORTAL, "Stranger", "Other words entirely.", slug="x")
        world.assert_settled()


def test_a_file_that_is_renamed_after_the_prefix_was_set_is_one_rename(world):
    world.write(CATEGORY | {"en/a/y.md": an_article("X", aliases=["x"])})
    plan = with_prefix(world, "handbook-").plan()
    assert [(change.action, change.after.get("slug")) for change in plan.changes] == [(Action.UPDATE, "handbook-y")]


# --- faults beside


FAILED_ONCE = 3000
"""A slug of another portal that seemed free for a moment was remembered as free."""


def after_faults(world: World, name: str, seed: int) -> list[str]:
    """Push once under the faults of a seed, and in peace then; what is not as it should be."""
    slugs = [f"{name}-{place}" for place in range(8)]
    world.write(files(*slugs))
    let_others_have(world, *slugs[::4])
    faults = world.sandbox.faults
    first, decide = faults.number, random_faults(seed, RATES[seed % len(RATES)], FAULTS)
    with a_service(world.sandbox.base_url, world.project.workspace().profile, timeout_s=IMPATIENT_S) as impatient:
        faults.follow(lambda number: decide(number - first))
        told = [world.project.push(impatient).told]
        faults.clear()
    told += [world.push().told, world.push().told]
    made = [slug for slug in world.slugs() if slug.startswith(f"{name}-")]
    plan = world.plan()
    ours = [slug for slug in slugs if slug not in slugs[::4]]
    held = [item.slug for item in plan.held]
    if (made, held, plan.changes, world.pending()) == (ours, slugs[::4], (), []):
        return []
    return [f"seed {seed}: {made} {held} {plan.changes} {world.pending()}", *told]


@pytest.mark.slow
def test_faults_at_random_make_each_article_once_and_never_one_whose_slug_others_have(tmp_path, record_property):
    tried = (FAILED_ONCE, *seeds(40))
    record_property("schedules", len(tried))
    with a_pushed_world(tmp_path, CATEGORY) as world:
        assert [told for seed in tried for told in after_faults(world, f"s{seed}", seed)] == []


# --- what a plan says of them


def test_many_such_slugs_are_one_line_of_a_plan_with_one_thing_to_do(tmp_path):
    stems = numbered(25)
    with a_world(tmp_path, files(*stems, "mine")) as world:
        let_others_have(world, *stems)
        plan = world.plan()
        text = plan_text(plan, Style(width=500))
        assert "Needs your decision: 25\n  25 slugs belong to another portal of this service: n000, n001, " in text
        assert "n009 … and 15 more (-v lists them all).\n      Set `slug_prefix" in text
        assert text.count("slug_prefix") == 1
        assert "n024.\n" in plan_text(plan, Style(width=500, verbose=True))


def test_what_another_portal_has_is_said_everywhere_and_not_offered_for_publishing(tmp_path):
    with a_world(tmp_path, files("x", status="published")) as world:
        let_others_have(world, "x")
        plan = world.plan()
        assert [item.elsewhere != "" for item in plan.held] == [True]
        assert plan.unpublished == ()
        (held,) = json.loads(plan_json(plan))["held"]
        assert (held["reason"], held["why"]) == ("unsupported", "belongs to another portal")
        comment = comment_markdown(read_report(plan_json(plan).encode()), budget=60_000)
        for text in (plan_markdown(plan), comment, plan_text(plan, Style())):
            assert "another portal" in text and "this profile" not in text and "To publish it" not in text
