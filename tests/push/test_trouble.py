"""What a push does when the service, the ledger or a person comes in between."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from kbsync.app.options import AS_CONFIGURED
from kbsync.app.planning.plan import planning_now
from kbsync.app.pushing.push import push
from kbsync.app.session import Session, Show
from kbsync.app.workspace import Workspace
from kbsync.content.walk import walk_tree
from kbsync.errors import LedgerError
from kbsync.ledger.values import HEARTBEAT_S
from kbsync.model import Action, Outcome, Reason
from kbsync.sandbox import Fault

from .test_push import CATEGORY, one
from .world import (
    PORTAL,
    TOKEN,
    World,
    a_category,
    a_project,
    a_pushed_world,
    a_sandbox,
    a_service,
    a_world,
    an_article,
    without,
)

TREE = one()
MANY = CATEGORY | {f"en/a/n{number:02}.md": an_article(f"N{number}") for number in range(20)}


@pytest.fixture
def many(tmp_path):
    """Twenty articles, not pushed yet."""
    with a_world(tmp_path, MANY) as world:
        yield world


def finished(world) -> bool:
    """Whether one more push leaves every source with one article, and nothing to do."""
    world.sandbox.faults.clear()
    world.push()
    plan = world.plan()
    return not plan.changes and not plan.held and not world.pending() and len(world.slugs()) == len(set(world.slugs()))


@contextmanager
def interrupted(total: int) -> Iterator[Show]:
    """A screen on which the first outcome is shown when somebody presses Ctrl-C for the second time."""

    def show(outcome: Outcome) -> None:
        raise KeyboardInterrupt

    yield show


def test_ctrl_c_while_an_outcome_is_shown_leaves_no_part_in_the_run_when_the_lock_is_given_back(many, tmp_path):
    (tmp_path / "token").write_text(TOKEN, encoding="utf-8")
    session = Session(token_file=tmp_path / "token", progress=interrupted)
    workspace = Workspace(many.project.settings, session)
    options = {"full": False, "first_push": False, "wait": False, "break_lock": False}
    # What is raised holds on to everything that was under way.
    with pytest.raises(KeyboardInterrupt) as raised:
        push(workspace, planning_now(workspace, AS_CONFIGURED), walk_tree(workspace.content_root), **options)
    with many.project.ledger() as ledger:
        (run,) = ledger.runs(many.project.target)
        assert run.ended_at is not None and ledger.runners(run.number) == []
        assert ledger.holder(many.project.target) is None
    assert raised.value is not None and finished(many)


@pytest.mark.parametrize(
    "fault",
    [Fault("reset", "after"), Fault("status", "after", status=500), Fault("cut"), Fault("empty"), Fault("junk")],
    ids=lambda fault: fault.kind,
)
def test_a_create_whose_answer_was_lost_is_looked_up_and_found(tmp_path, fault):
    with a_world(tmp_path, one()) as world:
        world.sandbox.faults.add(replace(fault, method="POST", path="articles$"))
        assert world.push().words == {"done"}
        assert (world.slugs(), len(world.sent("POST"))) == (["x"], 2)
        assert finished(world)


def test_a_create_that_was_lost_before_it_arrived_is_sent_once_more(tmp_path):
    with a_world(tmp_path, one()) as world:
        world.sandbox.faults.add(Fault("reset", method="POST", path="articles$"))
        assert world.push().words == {"done"}
        assert finished(world)


@pytest.mark.parametrize("then", ["redirect", 422, 401])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_create_that_a_503_answered_is_looked_up_before_anything_is_sent_again(tmp_path, when, then):
    """The request after the 503 fails as well; what was made all the same is known as ours by the next push."""

    def disturb():
        sandbox.faults.add(Fault("status", when, status=503, retry_after_s=7, method="POST", path="articles$"))
        after = {"path": r"articles$|/hc/|articles\?", "times": None}
        sandbox.faults.add(Fault("redirect", **after) if then == "redirect" else Fault("status", status=then, **after))

    with a_world(tmp_path, one(status="published"), publish=True) as world:
        sandbox = world.sandbox
        assert world.push(before_sending=disturb).of("x", "create").outcome == "failed"
        assert [(entry.action, entry.slug) for entry in world.pending()] == [("create", "x")]
        assert sum(path.endswith("articles") for path in world.sent("POST")) == 1
        sandbox.faults.clear()
        world.push()
        assert world.article("x").status == 1 and finished(world)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "categories$"), ("POST", "articles$"), ("PATCH", "categories/"), ("PATCH", "articles/"), ("DELETE", "")],
)
def test_a_write_that_a_503_answered_is_sent_again_only_where_it_is_not_there(tmp_path, when, method, path):
    """Retry-After is waited for, and the first request after it is a look."""
    kept = one() | {"en/a/y.md": an_article("Y", "Old"), "en/a/z.md": an_article("Z")}
    changed = {"en/a/_category.md": a_category("a", description="New"), "en/a/y.md": an_article("Y", "New")}
    changed |= {"en/a/x.md": one()["en/a/x.md"], "en/b/_category.md": a_category("b"), "en/b/w.md": an_article("W")}
    with a_pushed_world(tmp_path, kept, removed="delete") as world:
        world.write(changed)
        before, slept = len(world.sandbox.requests), world.service.transport.sleep.__self__
        slept_s = sum(slept.waits_s)
        world.sandbox.faults.add(Fault("status", when, status=503, retry_after_s=7, method=method, path=path))
        assert world.push(concurrency=1).words == {"done"}
        assert sum(slept.waits_s) - slept_s >= 7
        asked = [(row.method, row.status, row.path) for row in world.sandbox.requests][before:]
        (place,) = (place for place, (_, status, _) in enumerate(asked) if status == 503)
        assert asked[place + 1][0] == "GET"
        sent = [status for asked_as, status, at in asked if asked_as == method and re.search(path, at)]
        assert len(sent) == (2 if when == "before" else 1)
        assert finished(world)


def test_a_category_whose_answer_was_lost_is_found_and_its_articles_go_into_it(tmp_path):
    with a_world(tmp_path, one()) as world:
        world.sandbox.faults.add(Fault("reset", when="after", method="POST", path="categories$"))
        assert world.push().words == {"done"}
        assert world.article("x").category.slug == "a"


def test_a_lost_create_is_pending_where_looking_it_up_fails_and_the_next_run_takes_it_as_its_own(tmp_path):
    def disturb():
        world.sandbox.faults.add(Fault("reset", when="after", method="POST", path="articles$"))
        world.sandbox.faults.add(Fault("status", method="GET", path=r"/hc/|articles\?", status=401, times=None))

    with a_world(tmp_path, one(tags=["a"], status="published"), publish=True) as world:
        pushed = world.push(before_sending=disturb)
        assert pushed.of("x", "create").outcome == "failed"
        assert [(entry.action, entry.slug) for entry in world.pending()] == [("create", "x")]
        world.sandbox.faults.clear()
        world.push()
        assert world.article("x").status == 1
        assert world.pending() == []
        assert finished(world)


def test_an_update_that_arrived_while_nobody_could_look_is_known_as_ours_by_the_next_run(world):
    def disturb():
        world.sandbox.faults.add(Fault("latency", method="GET", path="articles/1$"))
        world.sandbox.faults.add(Fault("reset", when="after", method="PATCH"))
        world.sandbox.faults.add(Fault("status", method="GET", path="articles/1$", status=401, times=None))

    world.write(one(title="Two"))
    assert world.push(before_sending=disturb).of("x").outcome == "failed"
    assert [entry.action for entry in world.pending()] == ["update"]
    world.sandbox.faults.clear()
    world.write(one(title="Three"))
    assert world.push().of("x").outcome == "done"
    assert world.article("x").title == "Three"
    assert finished(world)


def test_a_move_whose_position_could_not_be_said_again_is_no_drift(tmp_path):
    tree = one(position=35) | {"en/b/_category.md": a_category("b"), "en/b/y.md": an_article("Y", position=90)}
    with a_pushed_world(tmp_path, tree) as world:
        world.write(without(tree, "en/a/x.md") | {"en/b/x.md": tree["en/a/x.md"]})
        world.sandbox.faults.add(Fault("latency", method="PATCH"))
        world.sandbox.faults.add(Fault("status", method="PATCH", status=401))
        pushed = world.push()
        assert "did not store what was sent: position" in pushed.of("x").error
        assert world.plan().held == ()
        assert finished(world)
        assert world.article("x").position == 35


def test_a_write_that_is_answered_200_and_changes_nothing_is_a_failure(world):
    world.write(one(title="Two"))
    unchanged = '{"payload": {"id": 1, "slug": "x", "title": "X"}}'
    world.sandbox.faults.add(Fault("status", method="PATCH", status=200, times=None))
    assert world.push().of("x").outcome == "failed"
    world.sandbox.faults.clear()
    world.sandbox.faults.add(Fault("junk", method="PATCH", junk=unchanged, times=None))
    assert "did not store what was sent: title" in world.push().of("x").error


def test_an_answer_that_leaves_out_what_was_sent_is_read_again(world):
    world.write(one(title="Two"))
    world.sandbox.faults.add(Fault("junk", method="PATCH", junk='{"payload": {"id": 1}}'))
    assert world.push().of("x").outcome == "done"
    assert world.sent("GET")[-1].endswith("articles/1")
    assert finished(world)


def test_an_answer_about_another_article_never_takes_its_place_in_the_ledger(world):
    world.write(one() | {"en/a/y.md": an_article("Y")})
    junk = '{"payload": {"id": 1, "slug": "x", "title": "X"}}'
    world.sandbox.faults.add(Fault("junk", method="POST", path="articles$", junk=junk))
    assert world.push().words == {"done"}
    assert {slug: base.remote_id for slug, base in world.bases().items()} == {"a": 1, "x": 1, "y": 2}
    assert finished(world)


def test_a_look_up_that_is_answered_with_another_article_is_no_look_up(world):
    world.write(one() | {"en/a/y.md": an_article("Y")})
    junk = '{"id": 1, "slug": "x", "title": "X"}'

    def disturb():
        world.sandbox.faults.add(Fault("reset", when="after", method="POST", path="articles$"))
        world.sandbox.faults.add(Fault("junk", path="/hc/", junk=junk))

    assert "taken" not in world.push(before_sending=disturb).of("y").error
    assert [entry.slug for entry in world.pending()] == ["y"]
    assert finished(world)


def test_a_look_before_an_update_that_is_answered_with_another_article_writes_to_neither(tmp_path):
    tree = one() | {"en/a/y.md": an_article("Y")}
    with a_pushed_world(tmp_path, tree) as world:
        world.write(tree | {"en/a/y.md": an_article("Y2")})
        x, y = world.article("x").id, world.article("y").id
        junk = f'{{"payload": {{"id": {x}, "slug": "y", "title": "Y"}}}}'
        world.sandbox.faults.add(Fault("junk", method="GET", path=f"articles/{y}$", junk=junk))
        assert world.push().of("y").outcome == "failed"
        assert [world.article(slug).title for slug in "xy"] == ["X", "Y"]
        assert finished(world)


def test_what_no_other_change_would_fare_better_with_ends_the_push_early(many):
    many.sandbox.faults.add(Fault("status", status=401, method="POST", path="articles$", times=None))
    pushed = many.push(concurrency=2)
    failed = [outcome for outcome in pushed.outcomes if outcome.outcome == "failed"]
    assert 1 <= len(failed) <= 4
    assert len(pushed.outcomes) == 21
    assert "Not tried, because an earlier change failed." in pushed.told
    assert many.pending() == []
    assert finished(many)


def test_a_connection_that_is_gone_ends_the_push_early_and_the_next_one_finishes(many):
    with a_service("http://127.0.0.1:9", many.project.workspace().profile) as nobody:
        here = many.service.endpoint.transport

        def hang_up(outcome):
            many.service.endpoint.transport = nobody.endpoint.transport

        pushed = many.push(after_each=hang_up, concurrency=2)
        many.service.endpoint.transport = here
    assert {outcome.outcome for outcome in pushed.outcomes} == {"done", "failed", "skipped"}
    assert sum(outcome.outcome == "failed" for outcome in pushed.outcomes) <= 4
    assert finished(many)
    assert len(many.slugs()) == 20


@dataclass
class FailingLedger:
    """A ledger whose disk is full after some writes."""

    ledger: object
    writes: int

    def turn(self, *args: object, **options: object) -> list[int]:
        if self.writes == 0:
            raise LedgerError("the ledger cannot be used: database or disk is full")
        self.writes -= 1
        return self.ledger.turn(*args, **options)

    def __getattr__(self, name: str):
        return getattr(self.ledger, name)


@pytest.mark.parametrize("writes", range(6))
def test_a_ledger_that_cannot_be_written_any_more_ends_the_push_and_the_next_one_knows_what_was_made(many, writes):
    pushed = many.push(ledger_of=lambda ledger: FailingLedger(ledger, writes))
    assert isinstance(pushed.error, LedgerError)
    assert len(many.slugs()) < 20
    assert finished(many)
    assert len(many.slugs()) == len(many.bases()) - 1 == 20


def test_ctrl_c_finishes_and_records_what_is_under_way(many):
    stopped: list[object] = []
    pushed = many.push(after_each=stopped.append, stopping=lambda: len(stopped) > 3, concurrency=2)
    skipped = [outcome for outcome in pushed.outcomes if outcome.outcome == "skipped"]
    assert skipped
    assert {outcome.error for outcome in skipped} == {"Stopped before it was sent."}
    assert len(pushed.outcomes) == 21
    assert many.pending() == []
    assert len(many.slugs()) == len(many.bases()) - 1 < 20
    assert finished(many)


def test_who_reads_the_outcomes_may_go_away_and_what_was_answered_is_recorded(many):
    class Gone(Exception):
        pass

    def leave(outcome):
        if outcome.change.kind == "article":
            raise Gone

    with pytest.raises(Gone):
        many.push(after_each=leave)
    assert many.pending() == []
    assert len(many.slugs()) == len(many.bases()) - 1 < 20
    assert finished(many)


def test_a_broken_lock_stops_the_push_and_what_waits_is_not_sent(many):
    seconds = iter(range(0, 100_000, int(HEARTBEAT_S)))
    beats = iter([True, True, False])
    pushed = many.push(clock=lambda: float(next(seconds)), beat=lambda: next(beats), concurrency=2)
    assert "This push lost its lock." in str(pushed.error)
    assert len(many.slugs()) < 12
    assert many.pending() == []
    assert len(many.slugs()) == len(many.bases()) - 1
    assert finished(many)


def test_a_person_who_edits_creates_and_deletes_during_the_push_keeps_everything_or_is_told(tmp_path):
    def meddle(outcome):
        panel = world.sandbox.panel
        match outcome.change.slug:
            case "n00":
                panel.edit("n10", title="Theirs")
                panel.create(PORTAL, "N30", "theirs", slug="n30")
            case "n01":
                panel.delete("n11")
            case "n02":
                panel.edit("n02", content="theirs, after ours")

    after = {name: text.replace("Some", "Other") for name, text in MANY.items()}
    after |= {f"en/a/n{number}.md": an_article(f"N{number}", "ours") for number in (30, 31)}
    with a_pushed_world(tmp_path, MANY) as world:
        world.write({name: text.replace("title: N10", "title: Ours") for name, text in after.items()})
        pushed = world.push(after_each=meddle, concurrency=1)
        outcomes = [pushed.of(slug).outcome for slug in ("n10", "n11", "n30")]
        assert outcomes == ["skipped", "failed", "failed"]
        assert world.article("n10").title == "Theirs"
        assert world.article("n30").content == "theirs"
        assert world.article("n02").content == "theirs, after ours"
        assert {(item.slug, item.reason) for item in world.push().plan.held} == {
            ("n02", Reason.DRIFT),
            ("n10", Reason.CONFLICT),
            ("n11", Reason.GONE),
            ("n30", Reason.CONFLICT),
        }
        assert world.article("n10").title == "Theirs"


def test_without_look_ups_a_create_whose_answer_was_lost_is_held_and_never_sent_again(tmp_path):
    with a_sandbox(tmp_path) as sandbox:
        project = a_project(tmp_path, sandbox.base_url, one(author="ada")).with_profile("documented")
        with a_service(sandbox.base_url, project.workspace().profile) as service:
            world = World(sandbox, project, service)
            sandbox.faults.add(Fault("reset", when="after", method="POST", path="articles$"))
            assert world.push().of("x").outcome == "failed"
            for _ in range(2):
                pushed = world.push()
                assert [held.reason for held in pushed.plan.held] == [Reason.UNKNOWN]
                assert pushed.outcomes == []
            assert world.slugs() == ["x"]
            assert [entry.action for entry in world.pending()] == [Action.CREATE]


def test_what_somebody_deletes_during_a_push_is_told_as_that(world):
    world.write(one(body="New text."))
    outcome = world.push(before_sending=lambda: world.sandbox.panel.delete("x")).of("x")
    assert outcome.outcome == "failed"
    assert outcome.error == "Somebody deleted this article on the portal after the plan was made. Nothing was sent."
    assert outcome.hint == "Run `kbsync plan`: it asks whether to create it again."
    assert [item.reason for item in world.plan().held] == ["gone"]
    assert world.slugs() == []
