"""Pushes with the ledger in git, from several clones: runners lost with their disks, refused, beaten, and many at once."""

import json
import shutil
import signal
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from kbsync.errors import ExitCode
from kbsync.sandbox import Behaviour, Fault
from patience import eventually
from repo import Repo, needs_git
from rings import one_of, some

from .gitledger import Clone, Team, a_team
from .processes import HOLD_ARTICLES, all_ended, done, ended, heard, killed
from .world import PORTAL, a_category, an_article

pytestmark = [needs_git, pytest.mark.slow]

ARTICLES, EIGHT = 6, 8
TREE = {"en/a/_category.md": a_category("a")} | {
    f"en/a/n{number}.md": an_article(f"N{number}", f"Text {number}.") for number in range(ARTICLES)
}
EDITED = {path: text.replace("Text", "New text") for path, text in TREE.items() if not path.endswith("n5.md")} | {
    "en/a/n6.md": an_article("N6", "Text 6.")
}
TITLES = [f"N{number}" for number in range(ARTICLES)]


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    with a_team(tmp_path, TREE) as found:
        yield found


def summary(clone: Clone) -> dict[str, int]:
    """What a plan would do now."""
    code, told = clone.run("plan", "--format", "json")
    assert code in {ExitCode.DONE, ExitCode.HELD}, told
    found = json.loads(told[told.index("{") : told.rindex("}") + 1])["summary"]
    return {name: found[name] for name in ("create", "update", "delete", "held") if found[name]}


def finished(team: Team, titles: list[str]) -> None:
    """One article a source, nothing left to do, as a fresh clone sees it, and nobody's lease at the remote."""
    assert team.titles() == titles
    fresh = team.clone()
    assert summary(fresh) == {}
    assert json.loads(fresh.does("ledger", "show", "--format", "json"))["pending"] == []
    assert "lease.json" not in team.git("ls-tree", "-r", "--name-only", team.ref).split()


def lose(clone: Clone, *, disk: bool) -> None:
    if disk:
        shutil.rmtree(clone.folder)


def next_runner(team: Team, clone: Clone) -> Clone:
    return clone if clone.folder.exists() else team.clone()


# --- lost runners ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("disk", one_of(False, True), ids=lambda lost: "disk-lost" if lost else "killed")
@pytest.mark.parametrize("commit", [1, 2])
@pytest.mark.parametrize("accident", ["kill before", "kill after"])
def test_a_runner_that_is_lost_at_one_of_its_commits_is_followed_by_one_that_finishes(team, accident, commit, disk):
    first = team.clone()
    team.killed_at(first, accident, commit, "push")
    lose(first, disk=disk)
    second = next_runner(team, first)
    second.does("push")
    finished(team, TITLES)


@pytest.mark.parametrize("when", one_of("before", "after"))
@pytest.mark.parametrize("at", some(range(1, ARTICLES + 2)))
def test_a_runner_that_is_lost_with_its_disk_at_any_request_leaves_no_second_article(team, at, when):
    first = team.clone()

    def writes() -> int:
        return sum(request.method == "POST" for request in team.sandbox.requests)

    process = killed(team.sandbox, lambda: first.start("push"), lambda: writes() >= at - 1, Fault("reset", when=when))
    assert process.returncode == -signal.SIGKILL
    lose(first, disk=True)
    second = team.clone()
    told = second.does("push")
    assert "that push has crashed" in told or at == 1, told
    finished(team, TITLES)


@pytest.mark.parametrize("when", one_of("before", "after"))
@pytest.mark.parametrize("at", [1, 3, 5, 7])
def test_updates_and_removals_of_a_lost_runner_are_finished_and_a_person_s_edit_meanwhile_is_held(team, at, when):
    first = team.clone()
    first.does("push")
    first.write(EDITED)

    def writes() -> int:
        return sum(request.method in {"POST", "PATCH", "DELETE"} for request in team.sandbox.requests)

    before = writes()
    process = killed(
        team.sandbox, lambda: first.start("push"), lambda: writes() - before >= at - 1, Fault("reset", when=when)
    )
    assert process.returncode == -signal.SIGKILL
    lose(first, disk=True)
    team.sandbox.panel.edit("n0", content="A person wrote this.")
    second = team.clone()
    second.run("push")
    second.run("push")
    assert team.titles() == [*TITLES[:5], "N6"]
    texts = {article.slug: article.content for article in team.sandbox.panel.articles(PORTAL)}
    assert texts.pop("n0") == "A person wrote this."
    assert texts == {f"n{n}": f"New text {n}.\n" for n in range(1, 5)} | {"n6": "Text 6.\n"}
    assert summary(team.clone()) == {"held": 1}


def test_the_lease_of_a_runner_that_seems_to_live_is_respected_until_somebody_breaks_it(team):
    first = team.clone()
    team.sandbox.faults.add(HOLD_ARTICLES)
    process = first.start("push")
    eventually(lambda: team.sandbox.held > 0, "a request is held")
    second = team.clone()
    code, told = second.run("push")
    assert code == ExitCode.LEDGER and "Another push is running" in told, told
    code, told = second.run("ledger", "unlock")
    assert code == ExitCode.LEDGER and "seems to be running" in told, told
    waiting = second.start("push", "--wait")
    heard(waiting, "Waiting for")
    team.sandbox.release()
    done(process)
    done(waiting)
    finished(team, TITLES)


def test_a_lease_can_be_broken_and_the_push_that_lost_it_says_so_and_nothing_is_made_twice(team):
    first = team.clone()
    team.sandbox.faults.add(HOLD_ARTICLES)
    process = first.start("push")
    eventually(lambda: team.sandbox.held > 0, "a request is held")
    team.sandbox.faults.clear()
    assert "Took over the lock of" in ended(team.clone().start("push", "--break-lock"))[1]
    team.sandbox.release()
    code, told = ended(process)
    assert code in {ExitCode.LEDGER, ExitCode.PARTLY_FAILED}, told
    assert first.run("push")[0] in {ExitCode.DONE, ExitCode.HELD}
    finished(team, TITLES)


def test_unlock_frees_the_lease_of_a_runner_that_crashed_elsewhere(team):
    first = team.clone()
    team.killed_at(first, "kill after", 1, "push")
    lose(first, disk=True)
    assert "Freed the lock of" in team.clone().does("ledger", "unlock")
    assert "lease.json" not in team.git("ls-tree", "-r", "--name-only", team.ref).split()
    team.clone().does("push")
    finished(team, TITLES)


# --- a remote that refuses ---------------------------------------------------------------------------------------------


def test_where_the_remote_refuses_the_beginning_nothing_is_sent_and_the_report_says_so(team):
    clone = team.clone()
    team.remote.arrange("refuse", 1)
    code, told = clone.run("push")
    assert code == ExitCode.LEDGER and "Nothing was sent to the portal" in told, told
    assert "Nothing was sent (" in told and "up to date" not in told, told
    assert team.titles() == []
    clone.does("push")
    finished(team, TITLES)


def test_results_that_the_remote_refuses_once_are_sent_again(team):
    clone = team.clone()
    team.remote.arrange("refuse", 2)
    clone.does("push")
    finished(team, TITLES)


@pytest.mark.parametrize("disk", [False, True], ids=["same-clone", "disk-lost"])
def test_results_that_never_reach_the_remote_are_told_and_the_next_push_finds_out(team, disk):
    clone = team.clone()
    hook = team.remote.folder / "hooks" / "pre-receive"
    working = hook.read_text("utf-8")

    def refuse_from_now(_number: int) -> None:
        if any(request.method == "POST" for request in team.sandbox.requests):
            hook.write_text("#!/bin/sh\nexit 1\n", "utf-8")

    team.sandbox.faults.follow(refuse_from_now)
    code, told = clone.run("push")
    team.sandbox.faults.clear()
    assert code == ExitCode.LEDGER and "kbsync ledger sync" in told, told
    assert team.titles() == TITLES
    hook.write_text(working, "utf-8")
    lose(clone, disk=disk)
    next_runner(team, clone).does("push")
    finished(team, TITLES)


def test_a_remote_that_cannot_be_reached_stops_plan_and_push_before_anything_is_asked(team):
    clone = team.clone()
    team.remote.folder.rename(team.folder / "elsewhere")
    for command in ("plan", "push"):
        code, told = clone.run(command)
        assert code == ExitCode.LEDGER and "cannot be used" in told, told
    assert [request for request in team.sandbox.requests if request.method != "GET"] == []


# --- many at once --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", one_of((), ("--wait",)), ids=lambda options: "waiting" if options else "told")
def test_of_eight_runners_at_once_one_publishes_at_a_time_and_none_is_lost(tmp_path, options):
    with a_team(tmp_path, TREE, Behaviour(latency_s=0.01), removed="report") as team:
        clones = [team.clone() for _ in range(EIGHT)]
        for number, clone in enumerate(clones):
            # Each publishes what all have, and an article of its own.
            path = clone.folder / f"content/en/a/own{number}.md"
            path.write_text(an_article(f"Own {number}", f"Own text {number}."), "utf-8")
            Repo(clone.folder).commit()
        found = all_ended([clone.start("push", *options) for clone in clones])
        wanted = {ExitCode.DONE} if options else {ExitCode.DONE, ExitCode.LEDGER}
        assert {code for code, _ in found} <= wanted, found
        for clone, (code, _) in zip(clones, found, strict=True):
            assert code == ExitCode.DONE or clone.run("push")[0] == ExitCode.DONE
        assert team.titles() == [*TITLES, *(f"Own {number}" for number in range(EIGHT))]
        _one_after_the_other(team)


def test_plans_at_once_in_one_fresh_clone_do_not_hinder_each_other(team):
    team.clone().does("push")
    fresh = team.clone()
    for plan in [fresh.start("plan") for _ in range(EIGHT)]:
        done(plan)


def _one_after_the_other(team: Team) -> None:
    """The ledger's history is one line, in which all runs are, and each ends before the next begins."""
    assert team.git("rev-list", "--count", "--min-parents=2", team.ref) == "0"
    assert team.git("rev-list", "--count", "--max-parents=0", team.ref) == "1"
    steps = [words.split()[1] for words in reversed(team.commits()) if words.startswith("Run")]
    runs = [run for run, after in pairwise([*steps, ""]) if run != after]
    assert runs == list(dict.fromkeys(steps)) and len(runs) == EIGHT
    begun = [words for words in team.commits() if "begins" in words]
    assert len(begun) == EIGHT


# --- the other commands ----------------------------------------------------------------------------------------------------


def test_undo_in_another_clone_puts_back_what_was_there(team):
    first = team.clone()
    first.does("push")
    first.write({path: text.replace("Text", "New text") for path, text in TREE.items()})
    first.does("push")
    lose(first, disk=True)
    team.clone().does("undo", "2", "--yes")
    assert {a.content for a in team.sandbox.panel.articles(PORTAL)} == {f"Text {n}.\n" for n in range(ARTICLES)}


def test_undo_in_another_clone_leaves_what_a_person_wrote_since(team):
    first = team.clone()
    first.run("push")
    first.write({path: text.replace("Text", "New text") for path, text in TREE.items()})
    first.run("push")
    team.sandbox.panel.edit("n3", content="A person wrote this.")
    code, told = team.clone().run("undo", "2", "--yes")
    assert code == ExitCode.HELD, told
    assert team.sandbox.panel.article("n3").content == "A person wrote this."


@pytest.mark.parametrize("side", ["--ours", "--theirs"])
def test_a_decision_in_one_clone_is_followed_by_a_push_in_another(team, side):
    first = team.clone()
    first.run("push")
    team.sandbox.panel.edit("n1", title="A person's title")
    second = team.clone()
    assert summary(second) == {"held": 1}
    second.does("resolve", "content/en/a/n1.md", side)
    team.clone().does("push")
    assert team.sandbox.panel.article("n1").title == ("N1" if side == "--ours" else "A person's title")
    assert summary(team.clone()) == {}


def test_an_export_of_any_clone_is_whole_and_can_be_imported_into_a_new_ref_and_into_a_file(team):
    first = team.clone()
    first.run("push")
    first.write({path: text.replace("Text", "New text") for path, text in TREE.items()})
    first.run("push")
    told = team.clone().does("ledger", "export")
    (export := team.folder / "export.json").write_text(told, "utf-8")
    assert len(json.loads(told)["tables"]["body"]) == ARTICLES
    config = (first.folder / "kbsync.toml").read_text("utf-8")
    for url in ('git:origin"\nref = "refs/kbsync/other', "sqlite:.kbsync/other.db"):
        third = team.clone()
        (third.folder / "kbsync.toml").write_text(config.replace("git:origin", url), "utf-8")
        assert "Imported" in third.does("ledger", "import", str(export))
        assert summary(third) == {}
        assert len(json.loads(third.run("ledger", "export")[1])["tables"]["body"]) == ARTICLES
    third.does("undo", "2", "--yes")
    assert {a.content for a in team.sandbox.panel.articles(PORTAL)} == {f"Text {n}.\n" for n in range(ARTICLES)}


def test_an_import_over_a_ledger_of_others_is_refused(team):
    first = team.clone()
    first.run("push")
    (export := team.folder / "export.json").write_text(first.run("ledger", "export")[1], "utf-8")
    code, told = team.clone().run("ledger", "import", str(export))
    assert code == ExitCode.LEDGER and "not empty" in told, told
