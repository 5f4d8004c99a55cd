"""Locks and runs of those who died: a zombie that nobody reaps, a former boot, another container, a stopped process."""

import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from msgspec import structs

from kbsync.app.pushing.join import offered
from kbsync.app.reading import read_content
from kbsync.app.session import Session
from kbsync.app.workspace import Workspace
from kbsync.config import read_settings
from kbsync.errors import ExitCode
from kbsync.ledger import Ledger
from kbsync.ledger.sqlite import SqliteDatabase
from kbsync.ledger.values import STALE_S, Owner
from kbsync.plan.saved import tree_digest
from kbsync.push.lease import Process, read_boot, read_booted_at, read_namespace, read_process
from kbsync.push.runner import Run
from kbsync.sandbox import Behaviour, Sandbox

from .processes import done, ended, start
from .test_many import a_clone
from .world import PORTAL, a_sandbox, a_world

ARTICLES = 24

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")


@contextmanager
def a_zombie() -> Iterator[int]:
    """A child that has ended and that nobody has asked for."""
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    try:
        yield child.pid
    finally:
        child.wait()


def an_owner(pid: int) -> Owner:
    """A push of this machine, as it would be in the ledger."""
    process = read_process(pid)
    assert process is not None
    now = time.time()
    return Owner("ana", platform.node(), pid, now, now, read_boot(), read_namespace(), process.born)


@contextmanager
def a_checkout(folder: Path) -> Iterator[tuple[Sandbox, Path, Ledger, str]]:
    """A sandbox, a tree to push into it, its ledger and the portal's name there."""
    with a_sandbox(folder) as sandbox:
        clone = a_clone(folder / "clone", sandbox)
        with closing(Ledger(SqliteDatabase(clone / "ledger.db"))) as ledger:
            yield sandbox, clone, ledger, f"{sandbox.base_url}|1|{PORTAL}"


@linux
@pytest.mark.parametrize("options", [(), ("--wait",)])
def test_the_lock_of_a_zombie_is_taken_over(tmp_path, options):
    with a_checkout(tmp_path) as (_, clone, ledger, target), a_zombie() as pid:
        ledger.lock(target, an_owner(pid), now=time.time())
        told = done(start(clone, *options))
        assert f"Took over the lock of ana@{platform.node()}, process {pid}, for" in told
        assert "that push has crashed" in told
        assert ledger.holder(target) is None


@linux
def test_the_lock_of_a_process_whose_number_was_given_to_another_one_is_taken_over(tmp_path):
    with a_checkout(tmp_path) as (_, clone, ledger, target):
        ours = an_owner(os.getpid())
        ledger.lock(target, structs.replace(ours, born=ours.born - 1), now=time.time())
        assert "that push has crashed" in done(start(clone))


@linux
def test_the_lock_of_the_living_is_respected_however_old_it_is(tmp_path):
    with a_checkout(tmp_path) as (sandbox, clone, ledger, target):
        ledger.lock(target, an_owner(os.getpid()), now=time.time() - 10 * STALE_S)
        code, told = ended(start(clone))
        assert code == ExitCode.LEDGER and "Another push is running" in told
        assert sandbox.requests == [] or all(request.method == "GET" for request in sandbox.requests)


@linux
@pytest.mark.parametrize(
    ("silent_s", "expected"), [(0.0, ExitCode.LEDGER), (STALE_S + 1, ExitCode.DONE)], ids=["beats", "silent"]
)
def test_of_another_container_with_our_name_only_the_heartbeat_counts(tmp_path, silent_s, expected):
    with a_checkout(tmp_path) as (_, clone, ledger, target), a_zombie() as pid:
        ledger.lock(target, structs.replace(an_owner(pid), namespace="pid:[1]"), now=time.time() - silent_s)
        assert ended(start(clone))[0] == expected


@linux
def test_who_joins_a_push_that_died_before_it_had_planned_is_told_and_does_not_wait(tmp_path):
    with a_checkout(tmp_path) as (_, clone, ledger, target), a_zombie() as pid:
        leader = an_owner(pid)
        ledger.lock(target, leader, now=time.time())
        run = ledger.begin_run(target, command="push", now=time.time(), owner=leader, digest="")
        # Another tree would be refused; the digest is that of the clone's own push.
        _same_tree(ledger, clone, target, run)
        told = done(start(clone, "--join"))
        assert told == "The push that was running crashed before it sent anything. Run `kbsync push`.\n"
        assert ledger.holder(target) is None and ledger.runs(target)[0].ended_at is not None


@linux
def test_who_joins_a_push_that_was_stopped_waits_no_longer_than_for_its_heart(tmp_path):
    with a_checkout(tmp_path) as (_, clone, ledger, target):
        silent = time.time() - STALE_S - 1
        run = ledger.begin_run(target, command="push", now=silent, owner=an_owner(os.getpid()), digest="")
        _same_tree(ledger, clone, target, run)
        assert "crashed before it sent anything" in done(start(clone, "--join"))


def _same_tree(ledger: Ledger, clone: Path, target: str, run: int) -> None:
    """Give a run the digest of the clone's tree."""
    workspace = Workspace(read_settings(clone / "kbsync.toml"), Session())
    assert workspace.target.key == target
    digest = tree_digest(workspace.target, read_content(workspace).desired)
    ledger.db.run("UPDATE run SET digest = ? WHERE id = ?", (digest, run))


@linux
def test_who_joins_a_push_whose_leader_is_a_zombie_does_its_work_to_the_end(tmp_path):
    with a_sandbox(tmp_path, Behaviour(latency_s=0.005)) as sandbox:
        clone = a_clone(tmp_path / "clone", sandbox)
        leaders = []

        def kill_in_the_middle(number: int) -> None:
            if leaders and sum(request.method == "POST" for request in sandbox.requests) >= ARTICLES // 2:
                os.kill(leaders[0].pid, signal.SIGKILL)  # `send_signal` would ask for it, and end the zombie.

        sandbox.faults.follow(kill_in_the_middle)
        leaders.append(start(clone))
        os.waitid(os.P_PID, leaders[0].pid, os.WEXITED | os.WNOWAIT)
        assert read_process(leaders[0].pid).state == "Z"
        sandbox.faults.clear()
        assert "created as draft" in done(start(clone, "--join"))
        titles = [article.title for article in sandbox.panel.articles(PORTAL)]
        assert len(titles) == len(set(titles)) == ARTICLES
        done(start(clone))
        assert ended(leaders[0])[0] == -signal.SIGKILL


def test_who_joins_and_is_asked_to_stop_before_anything_was_planned_waits_no_more(tmp_path):
    with a_world(tmp_path, {}) as world, world.project.ledger() as ledger:
        leader, joiner = Owner("ana", "far", 1, 1.0, 1.0), Owner("ben", "near", 2, 2.0, 2.0)
        number = ledger.begin_run(world.project.target, command="push", now=1.0, owner=leader)
        ledger.join(world.project.target, joiner, now=2.0)
        naps: list[float] = []
        run = Run(ledger, number, time.time, lambda: bool(naps), lambda: True, joiner, sleep=naps.append)
        assert offered(world.project.target, run) == []
        assert len(naps) == 1


# --- what is read of processes: of real ones, on Linux ---------------------------------------------------------------


@linux
def test_a_child_that_nobody_has_waited_for_is_a_zombie_and_then_nothing():
    with a_zombie() as pid:
        process = read_process(pid)
        assert process is not None and process.state == "Z" and process.born > 0
    assert read_process(pid) is None


@linux
def test_our_own_process_runs_and_was_born_before_a_child_of_it():
    ours = read_process(os.getpid())
    assert ours is not None and ours.state == "R"
    with a_zombie() as pid:
        child = read_process(pid)
        assert child is not None and child.born >= ours.born


@linux
def test_a_program_whose_name_has_blanks_and_brackets_is_read_all_the_same(tmp_path):
    program = tmp_path / "a ) Z 1 ("
    program.symlink_to(sys.executable)
    child = subprocess.Popen([program, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    process = read_process(child.pid)
    child.communicate()
    assert process is not None and process.state in {"R", "S", "D"} and process.born > 0


@linux
def test_boot_and_namespace_are_the_same_for_a_child_and_the_boot_began_before_now():
    code = "from kbsync.push.lease import *; print(read_boot(), read_namespace())"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.split() == [read_boot(), read_namespace()]
    assert read_booted_at() > 0


def test_somebody_elses_process_lives_and_a_number_that_no_process_can_have_is_nobody():
    assert read_process(1) not in {None, Process("Z")}
    assert read_process(2**40) is None
