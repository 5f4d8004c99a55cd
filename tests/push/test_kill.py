"""A push in a process of its own: killed at any moment, started twice, its lock left behind."""

import base64
import getpass
import random
import signal
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from kbsync.errors import ExitCode
from kbsync.model import Reason
from kbsync.sandbox import Behaviour, Fault, Sandbox
from patience import GIVE_UP_S, eventually
from rings import some

from .processes import (
    AT_ONCE,
    HOLD_ARTICLES,
    Process,
    are_held,
    done,
    ended,
    heard,
    kbsync,
    killed,
    start,
)
from .world import PORTAL, World, a_category, a_project, a_sandbox, a_service, an_article, write_config

pytestmark = pytest.mark.slow

ARTICLES = 60
KILLS = 15
RNG = random.Random(20261121)
MOMENTS = sorted(RNG.sample(range(1, ARTICLES + 10), KILLS))
TREE = {"en/a/_category.md": a_category("a")} | {
    f"en/a/n{number:02}.md": an_article(f"N{number}", tags=["t"], status="published" if number < 10 else "draft")
    for number in range(ARTICLES)
}


@dataclass
class Shell:
    """Runs `kbsync push` in a project, and sees what reaches the portal."""

    folder: Path
    sandbox: Sandbox

    def start(self, *options: str, nohup: bool = False) -> Process:
        return start(self.folder, *options, nohup=nohup)

    def run(self, *options: str) -> tuple[int, str]:
        return ended(self.start(*options))

    def writes(self) -> int:
        return sum(request.method != "GET" for request in self.sandbox.requests)

    def start_and_hold(self, *, nohup: bool = False) -> Process:
        """A push that stands still at its first articles, until the sandbox is told to release them."""
        self.sandbox.faults.add(HOLD_ARTICLES)
        process = self.start(nohup=nohup)
        are_held(self.sandbox, AT_ONCE, process)
        return process

    def kill_after(self, writes: int, *options: str) -> None:
        """Kill a push as soon as the portal has answered so many writes; the next request is carried out, or is not."""
        fault = Fault("reset", when="before" if writes % 2 else "after")
        begin = partial(self.start, *options)
        process = killed(self.sandbox, begin, lambda: self.writes() >= writes, fault)
        assert process.returncode == -signal.SIGKILL


@contextmanager
def a_shell(folder: Path, *, profile="chatwoot", publish=True):
    with a_sandbox(folder, Behaviour(latency_s=0.005)) as sandbox:
        project = a_project(folder, sandbox.base_url, TREE, publish=publish).with_profile(profile)
        more = f'[push]\npublish = {str(publish).lower()}\n[authors]\ndefault = 1\n[ledger]\nurl = "sqlite:ledger.db"\n'
        write_config(folder, sandbox, more, profile=profile)
        with a_service(sandbox.base_url, project.workspace().profile) as service:
            yield Shell(folder, sandbox), World(sandbox, project, service)


def assert_one_of_each(world: World) -> None:
    there = world.sandbox.panel.articles(PORTAL)
    assert sorted(article.slug for article in there) == [f"n{number:02}" for number in range(ARTICLES)]
    assert len({article.title for article in there}) == ARTICLES
    assert sorted(a.slug for a in there if a.status == 1) == [f"n{number:02}" for number in range(10)]
    known = {slug: base.remote_id for slug, base in world.bases().items() if base.kind == "article"}
    assert {article.slug: article.id for article in there} == known
    world.assert_settled()


@pytest.mark.parametrize("moment", some(MOMENTS))
def test_a_push_that_was_killed_is_finished_by_the_next_one_which_says_whose_lock_it_took_over(tmp_path, moment):
    with a_shell(tmp_path) as (shell, world):
        shell.kill_after(moment)
        told = done(shell.start())
        assert "Took over the lock of" in told
        assert "that push has crashed" in told
        assert_one_of_each(world)


@pytest.mark.parametrize("moment", [2, 9, 23, 41, 50])  # Later, a busy machine is done before it is killed.
def test_where_nothing_can_be_looked_up_what_a_killed_push_left_open_is_held_and_never_sent_twice(tmp_path, moment):
    with a_shell(tmp_path, profile="documented", publish=False) as (shell, world):
        shell.kill_after(moment, "--first-push")
        unknown = {entry.slug for entry in world.pending()}
        before = len(shell.sandbox.requests)
        code, told = shell.run()
        assert code == (ExitCode.HELD if unknown else ExitCode.DONE), told
        # 0: what the killed push had asked is noted when the portal finds nobody to answer, perhaps only now.
        assert {request.status for request in shell.sandbox.requests[before:]} - {0} == {200}
        assert {(held.slug, held.reason) for held in world.plan().held} == {(slug, Reason.UNKNOWN) for slug in unknown}
        known = {slug: base.remote_id for slug, base in world.bases().items() if base.kind == "article"}
        there = {article.slug: article.id for article in world.sandbox.panel.articles(PORTAL)}
        assert known.items() <= there.items()
        assert there.keys() - known.keys() <= unknown
        assert len(known) + len(unknown) == ARTICLES


def test_of_two_pushes_at_once_one_is_told_to_wait_and_one_that_waits_finds_nothing_to_do(tmp_path):
    with a_shell(tmp_path) as (shell, world):
        first = shell.start_and_hold()
        waiting = shell.start("--wait")
        heard(waiting, "Waiting for")
        code, told = shell.run()
        assert code == ExitCode.LEDGER
        assert f"Another push is running on this portal: {getpass.getuser()}@" in told
        assert "--wait" in told
        shell.sandbox.release()
        done(first)
        done(waiting)
        assert shell.writes() == 1 + ARTICLES + 10
        assert_one_of_each(world)


def test_ctrl_c_ends_a_push_with_130_and_nothing_in_the_journal_is_left_open(tmp_path):
    with a_shell(tmp_path) as (shell, world):
        process = shell.start_and_hold()
        process.send_signal(signal.SIGINT)
        heard(process, "Stopping")
        shell.sandbox.release()
        code, told = ended(process)
        assert code == ExitCode.INTERRUPTED, told
        assert world.pending() == []
        assert len(world.slugs()) == len(world.bases()) - 1 < ARTICLES
        done(shell.start())
        assert_one_of_each(world)


def test_a_second_ctrl_c_waits_for_no_answer_and_the_next_push_looks_at_what_was_sent(tmp_path):
    with a_shell(tmp_path) as (shell, world):
        process = shell.start_and_hold()
        process.send_signal(signal.SIGINT)
        heard(process, "Stopping")
        process.send_signal(signal.SIGINT)
        # What it sent is still held, and comes to the portal only after its end.
        code, told = ended(process)
        assert code == ExitCode.INTERRUPTED and told.endswith("kbsync: Interrupted.\n"), told
        sent = {change.slug for change in world.pending()}
        assert sent and world.slugs() == []
        with world.project.ledger() as ledger:
            assert ledger.holder(world.project.target) is None
            (run,) = ledger.runs(world.project.target)
            assert run.ended_at is not None and ledger.runners(run.number) == []
        shell.sandbox.release()
        assert "crashed" not in done(shell.start())
        assert_one_of_each(world)


def test_ctrl_c_during_the_uploads_leaves_nothing_that_looks_like_a_crash(tmp_path):
    with a_shell(tmp_path) as (shell, world):
        pixel = base64.b64decode("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkwBADs=")
        world.write(TREE | {"en/a/n00.md": an_article("N0", "![a dot](dot.gif)", tags=["t"], status="published")})
        world.project.root.joinpath("en/a/dot.gif").write_bytes(pixel)
        shell.sandbox.faults.add(Fault("hold", method="POST", path="/upload$"))
        process = shell.start()
        eventually(lambda: shell.sandbox.held == 1 or process.poll() is not None, "the upload is held")
        process.send_signal(signal.SIGINT)
        heard(process, "Stopping")
        process.send_signal(signal.SIGINT)
        code, told = ended(process)
        assert code == ExitCode.INTERRUPTED and told.endswith("kbsync: Interrupted.\n"), told
        shell.sandbox.release()
        assert "crashed" not in done(shell.start())
        assert_one_of_each(world)


def test_an_undo_that_waits_for_the_push_to_end_puts_all_of_it_back(tmp_path):
    with a_shell(tmp_path, publish=False) as (shell, world):
        pushing = shell.start_and_hold()
        undoing = kbsync(tmp_path, "undo", "1", "--wait", "--yes")
        heard(undoing, "Waiting for")
        shell.sandbox.release()
        done(pushing)
        done(undoing)
        assert world.slugs() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_push_that_is_asked_to_end_while_it_still_plans_sends_nothing_and_gives_the_lock_back(tmp_path, number):
    with a_shell(tmp_path) as (shell, world):
        shell.sandbox.faults.add(Fault("hold", method="GET", path=r"/articles\?"))
        process = shell.start()
        eventually(lambda: shell.sandbox.held == 1, "the first listing is held")
        process.send_signal(number)
        process.wait(GIVE_UP_S)
        shell.sandbox.release()
        out, err = process.communicate()
        assert process.returncode == ExitCode.INTERRUPTED, out + err
        assert err.endswith("kbsync: Interrupted.\n")
        assert shell.writes() == 0
        with world.project.ledger() as ledger:
            assert ledger.holder(world.project.target) is None
            assert ledger.runs(world.project.target) == []


def test_a_push_under_nohup_lets_the_terminal_go(tmp_path):
    with a_shell(tmp_path) as (shell, world):
        process = shell.start_and_hold(nohup=True)
        process.send_signal(signal.SIGHUP)
        shell.sandbox.release()
        done(process)
        assert_one_of_each(world)
