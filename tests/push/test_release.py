"""Articles that are published together: all of them or none, each looked at before and after (S129 and S131)."""

from collections.abc import Callable
from functools import partial

import pytest
from msgspec.structs import replace

from kbsync.errors import ExitCode, LedgerError
from kbsync.ledger.values import Turn
from kbsync.model import Action, Reason
from kbsync.plan.assembled import TOGETHER
from kbsync.sandbox import Behaviour, Fault

from .processes import done, ended, kbsync, killed, start
from .world import PORTAL, a_category, a_pushed_world, a_sandbox, a_world, an_article, write_config, write_tree

RELEASE = {"status": "published", "release": '"5.2"'}
TREE = {
    "en/a/_category.md": a_category("a"),
    "fr/a/_category.md": a_category("a"),
    **{f"en/a/n{number}.md": an_article(f"N{number}", **RELEASE) for number in range(4)},
    "fr/a/n0.md": an_article("N0 fr", **RELEASE),
    "en/a/other.md": an_article("Other", status="published"),
}
SLUGS = ["n0", "n0-fr", "n1", "n2", "n3"]
BULK = "bulk_actions/update_status"
PUBLISHED, ARCHIVED = 1, 2


def published(world) -> list[str]:
    return [slug for slug in world.slugs() if world.article(slug).status == PUBLISHED]


def patches(world) -> list[str]:
    """What was changed: the ends of the paths of the requests."""
    return [path.rpartition("articles/")[2] for path in world.sent("PATCH")]


def is_finished(world, release: str = "5.2") -> bool:
    plan = world.plan(release=release)
    return not plan.sent and not plan.held and not plan.settled and not world.pending()


def test_a_release_is_published_by_one_request_and_nothing_else_is_touched(world):
    world.write(TREE | {"en/a/other.md": an_article("Another title", status="published")})
    plan = world.plan(release="5.2")
    assert [change.action for change in plan.changes] == [Action.PUBLISH] * 5
    seen: list[int] = []
    pushed = world.push(release="5.2", before_sending=lambda: seen.append(world.service.transport.requests))
    assert pushed.words == {"done"} and len(pushed.outcomes) == 5
    assert patches(world) == [BULK]
    assert published(world) == SLUGS and world.article("other").title == "Other"
    # What the plan says, and the owner of the token.
    assert world.service.transport.requests - seen[0] == plan.requests + 1
    assert is_finished(world)


def test_texts_are_made_up_to_date_before_anything_is_published(world):
    world.write(TREE | {"en/a/n1.md": an_article("N1", "The last word.", **RELEASE)})
    assert world.push(release="5.2").words == {"done"}
    (update, bulk) = patches(world)
    assert update.isdigit() and bulk == BULK
    assert world.article("n1").content == "The last word.\n"
    assert published(world) == SLUGS


def test_a_new_article_of_the_release_is_created_and_published_with_the_others(tmp_path):
    with a_world(tmp_path, TREE) as world:
        assert world.push(release="5.2").words == {"done"}
        assert published(world) == SLUGS == world.slugs()
        assert patches(world)[-1] == BULK and is_finished(world)


def test_a_date_publishes_what_waited_for_it_in_one_request(tmp_path):
    at = {"status": "published", "publish_on": "2026-12-01"}
    tree = {"en/a/_category.md": a_category("a")} | {f"en/a/n{n}.md": an_article(f"N{n}", **at) for n in range(3)}
    with a_world(tmp_path, tree, publish=True) as world:
        early, late = "2026-11-30T23:59Z", "2026-12-01"
        assert {o.change.action for o in world.push(now=early).outcomes} == {Action.CREATE}
        assert len(world.plan(now=early).waiting) == 3 and published(world) == []
        assert world.push(now=late).words == {"done"}
        assert (published(world), patches(world)) == (["n0", "n1", "n2"], [BULK])
        assert world.plan(now=late).sent == ()


def test_a_day_begins_in_the_time_zone_of_the_project(tmp_path):
    tree = {
        "en/a/_category.md": a_category("a"),
        "en/a/x.md": an_article("X", status="published", publish_on="2026-12-01"),
    }
    with a_world(tmp_path, tree, timezone="Europe/Paris") as world:
        assert [item.until for item in world.plan(now="2026-11-30T22:59Z").waiting] == ["2026-12-01T00:00:00+01:00"]
        assert world.plan(now="2026-11-30T23:00Z").waiting == ()
        assert world.plan(now="2026-12-01").waiting == ()


def test_an_older_service_has_no_such_request_and_each_article_is_published_by_itself(tmp_path):
    with a_pushed_world(tmp_path, TREE, behaviour=Behaviour(version="4.10.0")) as world:
        assert world.push(release="5.2").words == {"done"}
        assert published(world) == SLUGS
        assert len([path for path in patches(world) if path != BULK]) == 5
        assert is_finished(world)


def test_where_one_article_is_refused_the_others_are_published_and_it_is_reported(world):
    world.sandbox.faults.add(Fault("status", method="PATCH", path=BULK, status=422))
    number = world.article("n2").id
    world.sandbox.faults.add(Fault("status", method="PATCH", path=f"articles/{number}$", status=422))
    pushed = world.push(release="5.2")
    assert pushed.of("n2").outcome == "failed" and "422" in pushed.of("n2").error
    assert published(world) == [slug for slug in SLUGS if slug != "n2"]
    assert world.push(release="5.2").words == {"done"}
    assert published(world) == SLUGS and is_finished(world)


def test_what_somebody_archived_since_the_plan_stays_archived_and_is_skipped(world):
    pushed = world.push(release="5.2", before_sending=lambda: world.sandbox.panel.edit("n2", status=ARCHIVED))
    assert pushed.of("n2").outcome == "skipped" and "status" in pushed.of("n2").error
    assert world.article("n2").status == ARCHIVED
    assert published(world) == [slug for slug in SLUGS if slug != "n2"]
    assert [(held.path, held.fields) for held in world.plan(release="5.2").held] == [("en/a/n2.md", ("status",))]


@pytest.mark.parametrize("edit", [{"title": "Theirs"}, {"content": "Their text."}])
def test_what_somebody_edited_since_the_plan_is_not_published(world, edit):
    pushed = world.push(release="5.2", before_sending=lambda: world.sandbox.panel.edit("n1", **edit))
    assert pushed.of("n1").outcome == "skipped" and "Nothing was published" in pushed.of("n1").error
    assert "n1" not in published(world) and len(published(world)) == 4
    plan = world.plan(release="5.2")
    assert [held.reason for held in plan.held] == [Reason.DRIFT]
    assert plan.sent == () and [item.path for item in plan.waiting] == ["en/a/n1.md"]


def test_what_somebody_published_by_hand_meanwhile_is_done(world):
    pushed = world.push(release="5.2", before_sending=lambda: world.sandbox.panel.edit("n1", status=PUBLISHED))
    assert pushed.words == {"done"} and published(world) == SLUGS and is_finished(world)


def test_what_somebody_deleted_meanwhile_is_reported(world):
    pushed = world.push(release="5.2", before_sending=lambda: world.sandbox.panel.delete("n1"))
    assert pushed.of("n1").outcome == "failed" and len(published(world)) == 4
    assert [held.reason for held in world.plan(release="5.2").held] == [Reason.GONE]


def test_a_yes_that_published_nothing_is_a_failure(world):
    world.sandbox.faults.add(Fault("status", "before", method="PATCH", path=BULK, status=200))
    pushed = world.push(release="5.2")
    assert pushed.words == {"failed"} and "status" in pushed.of("n1").error
    assert published(world) == []
    assert world.push(release="5.2").words == {"done"} and published(world) == SLUGS


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kind", ["reset", "status"])
def test_a_request_whose_answer_was_lost_is_looked_up(world, kind, when):
    world.sandbox.faults.add(Fault(kind, when, method="PATCH", path=BULK, status=502))
    assert world.push(release="5.2").words == {"done"}
    assert published(world) == SLUGS and is_finished(world)
    assert len(patches(world)) == (1 if when == "after" else 6)


def test_who_may_not_do_it_is_told_and_nothing_is_published(world):
    world.sandbox.faults.add(Fault("status", method="PATCH", path=BULK, status=401))
    pushed = world.push(release="5.2")
    assert pushed.words == {"failed"} and published(world) == [] and world.pending() == []


class Beside:
    """A ledger, and what happens just before the request goes out."""

    def __init__(self, ledger: object, happens: Callable[[], None]) -> None:
        self.ledger, self.happens = ledger, happens

    def turn(self, target: str, run: int, owner: object, turn: Turn, **options: object) -> object:
        if turn.sending:
            self.happens()
        return self.ledger.turn(target, run, owner, turn, **options)

    def __getattr__(self, name: str):
        return getattr(self.ledger, name)


def test_what_cannot_be_looked_at_afterwards_is_looked_at_by_the_next_push(world):
    blind = Fault("status", method="GET", path=rf"articles/{world.article('n1').id}$", status=401)
    pushed = world.push(release="5.2", ledger_of=lambda ledger: Beside(ledger, lambda: world.sandbox.faults.add(blind)))
    assert pushed.of("n1").outcome == "failed" and [entry.slug for entry in world.pending()] == ["n1"]
    assert published(world) == SLUGS
    assert world.push(release="5.2").outcomes == [] and is_finished(world)


def test_what_is_deleted_in_the_last_moment_is_left_out_without_a_word_and_reported_all_the_same(world):
    def delete() -> None:
        if "n1" in world.slugs():
            world.sandbox.panel.delete("n1")

    pushed = world.push(release="5.2", ledger_of=lambda ledger: Beside(ledger, delete))
    assert pushed.of("n1").outcome == "failed" and patches(world) == [BULK]
    assert published(world) == [slug for slug in SLUGS if slug != "n1"]


class FullDisk:
    """A ledger that cannot be written any more once the request is out."""

    def __init__(self, ledger: object) -> None:
        self.ledger, self.is_out = ledger, False

    def turn(self, target: str, run: int, owner: object, turn: Turn, **options: object) -> object:
        if self.is_out:
            raise LedgerError("database or disk is full")
        self.is_out = bool(turn.sending)
        return self.ledger.turn(target, run, owner, turn, **options)

    def __getattr__(self, name: str):
        return getattr(self.ledger, name)


def test_after_a_crash_the_next_push_knows_what_was_published(world):
    pushed = world.push(release="5.2", ledger_of=FullDisk)
    assert isinstance(pushed.error, LedgerError) and published(world) == SLUGS
    assert sorted(entry.slug for entry in world.pending()) == SLUGS
    assert world.push(release="5.2").outcomes == []
    assert {base.status for slug, base in world.bases().items() if slug in SLUGS} == {"published"}
    assert is_finished(world)


@pytest.mark.slow
def test_after_a_kill_in_the_middle_the_next_push_finishes_the_release(tmp_path):
    with a_sandbox(tmp_path) as sandbox:
        folder = tmp_path / "project"
        write_tree(folder / "content", TREE)
        write_config(folder, sandbox, "concurrency = 1\n")
        done(kbsync(folder, "push"))

        def is_published() -> bool:
            return any(request.path.endswith(BULK) for request in sandbox.requests)

        killed(sandbox, partial(start, folder, "--release", "5.2"), is_published, Fault("reset", when="after"))
        assert sum(article.status == PUBLISHED for article in sandbox.panel.articles(PORTAL)) == len(SLUGS)
        code, told = ended(kbsync(folder, "push", "--release", "5.2"))
        assert (code, told.split(" (")[0]) == (ExitCode.DONE, "Everything is up to date"), told
        assert sum(request.path.endswith(BULK) for request in sandbox.requests) == 1
        # The run that was killed is on record, and can be reversed.
        assert f"{len(SLUGS)} articles unpublished" in done(kbsync(folder, "undo", "2", "--yes"))


def test_who_stops_after_the_looks_publishes_all_or_nothing(world):
    stopped = False

    def stop() -> bool:
        return stopped or bool(world.sent("PATCH"))

    assert world.push(release="5.2", stopping=stop).words == {"done"}
    assert published(world) == SLUGS


def test_a_pending_edit_of_a_draft_is_discarded_only_on_request(world):
    world.sandbox.panel.edit("n1", draft_title=None, draft_content="Their next text.")
    plan = world.plan(release="5.2", full=True)
    assert [(held.path, held.reason) for held in plan.held] == [("en/a/n1.md", Reason.STAGED)]
    assert world.push(release="5.2", full=True).words == {"done"}
    assert published(world) == [slug for slug in SLUGS if slug != "n1"]
    pushed = world.push(release="5.2", full=True, overwrite=("en/a/n1.md",))
    assert pushed.words == {"done"}, pushed.told
    assert published(world) == SLUGS and world.article("n1").draft_content is None


def test_an_overwrite_of_text_and_pending_edit_publishes_in_the_same_push(world):
    world.sandbox.panel.edit("n1", draft_title=None, draft_content="Their next text.")
    world.write(TREE | {"en/a/n1.md": an_article("N1", "The last word.", **RELEASE)})
    pushed = world.push(release="5.2", full=True, overwrite=("en/a/n1.md",))
    assert pushed.words == {"done"}, pushed.told
    assert world.article("n1").content == "The last word.\n" and published(world) == SLUGS


def test_a_release_of_more_than_a_hundred_is_published_in_groups(tmp_path):
    numbers = range(TOGETHER + 5)
    tree = {"en/a/_category.md": a_category("a")}
    tree |= {f"en/a/n{number:03}.md": an_article(f"N{number}", **RELEASE) for number in numbers}
    with a_world(tmp_path, tree) as world:
        assert world.push(release="5.2").words == {"done"}
        assert patches(world) == [BULK] * 2
        assert len(published(world)) == len(numbers)


def test_a_profile_without_the_request_publishes_one_by_one(world):
    service = world.service
    operations = {name: entry for name, entry in service.endpoint.profile.operations.items() if name != "bulk_status"}
    service.endpoint.profile = replace(service.endpoint.profile, operations=operations, whole=None)
    assert world.push(release="5.2").words == {"done"}
    assert published(world) == SLUGS and BULK not in patches(world)


def test_two_clones_that_publish_the_same_release_do_it_once(world, tmp_path):
    assert world.push(release="5.2").words == {"done"}
    (tmp_path / "ledger.db").unlink()
    pushed = world.push(release="5.2")
    assert {outcome.change.action for outcome in pushed.outcomes} == {Action.ADOPT}
    assert patches(world) == [BULK]
