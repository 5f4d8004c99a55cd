"""One push at a time: waiting, telling, taking over."""

import threading
from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest
from msgspec import structs

from kbsync.app.lease import held_lock
from kbsync.errors import ExitCode, LedgerError
from kbsync.ledger import Ledger
from kbsync.ledger.sqlite import SqliteDatabase
from kbsync.ledger.values import HEARTBEAT_S, STALE_S, Owner
from kbsync.push.lease import Process, World, beating, is_dead, take_lock
from ledger.makers import all_at_once

from .world import a_project

ANA = Owner("ana", "laptop", 11, 100.0, 100.0)
BEN = Owner("ben", "laptop", 22, 200.0, 200.0)
FAR = Owner("ci", "runner", 11, 100.0, 100.0)
HERE = Owner("ana", "box", 11, 100.0, 100.0, "boot-1", "pid:[1]", 500)
ASKING = Owner("ben", "box", 22, 200.0, 200.0, "boot-1", "pid:[1]", 900)


@pytest.fixture
def ledger(tmp_path):
    with closing(Ledger(SqliteDatabase(tmp_path / "ledger.db"))) as ledger:
        yield ledger


def world(now: float = 110.0, alive: tuple[int, ...] = (11, 22), sleep=lambda seconds: None) -> World:
    return World(lambda: now, sleep, lambda pid: Process() if pid in alive else None)


def a_machine(now: float = 110.0, booted_at: float = 0.0, **processes: Process) -> World:
    """A host with these processes, as `p11=Process(...)`."""
    return World(lambda: now, lambda seconds: None, lambda pid: processes.get(f"p{pid}"), booted_at)


def take(ledger, owner, world, *, wait=False, break_lock=False) -> list[str]:
    told: list[str] = []
    take_lock(ledger, "p", owner, world, wait=wait, break_lock=break_lock, note=told.append)
    return told


def test_a_living_owner_is_named_and_the_push_gives_up_with_exit_code_6(ledger):
    take(ledger, ANA, world())
    with pytest.raises(LedgerError, match=r"ana@laptop, process 11, for 10 s") as told:
        take(ledger, BEN, world())
    assert told.value.exit_code == ExitCode.LEDGER
    assert "--wait" in told.value.hint


def test_a_dead_owners_lock_is_taken_over_and_told(ledger):
    take(ledger, ANA, world())
    assert take(ledger, BEN, world(alive=(22,))) == [
        "Took over the lock of ana@laptop, process 11, for 10 s (that push has crashed)."
    ]
    assert ledger.beat("p", BEN, now=111.0)
    assert not ledger.beat("p", ANA, now=111.0)


def test_the_owner_on_another_machine_is_dead_when_its_heart_stood_still(ledger):
    take(ledger, FAR, world())
    with pytest.raises(LedgerError):
        take(ledger, BEN, world(now=110.0 + STALE_S - 1))
    assert "that push has crashed" in take(ledger, BEN, world(now=111.0 + STALE_S))[0]


def test_a_container_that_always_has_process_1_takes_over_from_its_former_self(ledger):
    take(ledger, structs.replace(ANA, pid=1), world(alive=(1,)))
    again = structs.replace(ANA, pid=1, started_at=300.0)
    with pytest.raises(LedgerError):
        take(ledger, again, world(now=120.0, alive=(1,)))
    assert "that push has crashed" in take(ledger, again, world(now=300.0, alive=(1,)))[0]


OLD = 101.0 + STALE_S
"""A time at which HERE's heart has been silent for too long."""


@pytest.mark.parametrize(
    ("said", "holder", "world", "dead"),
    [
        ("it runs", HERE, a_machine(p11=Process("S", 500)), False),
        ("it runs, and its heart stands still", HERE, a_machine(OLD, p11=Process("D", 500)), False),
        ("it is stopped by Ctrl-Z", HERE, a_machine(OLD, p11=Process("T", 500)), False),
        ("its process has gone", HERE, a_machine(), True),
        ("it is a zombie", HERE, a_machine(p11=Process("Z", 500)), True),
        ("its number was given to another process", HERE, a_machine(p11=Process("R", 777)), True),
        ("only its number can be seen", HERE, a_machine(p11=Process()), False),
        ("a former run in a container, where each is 1", structs.replace(HERE, pid=22), a_machine(), True),
        ("we ourselves", structs.replace(HERE, pid=22, born=900), a_machine(), False),
        ("another container", structs.replace(HERE, namespace="pid:[2]"), a_machine(), False),
        ("another container, silent", structs.replace(HERE, namespace="pid:[2]"), a_machine(OLD), True),
        ("before the reboot", structs.replace(HERE, boot="boot-0"), a_machine(150.0, booted_at=101.0 + HEARTBEAT_S), True),
        ("another machine of this name", structs.replace(HERE, boot="boot-0"), a_machine(booted_at=101.0), False),
        ("a boot whose time is not known", structs.replace(HERE, boot="boot-0"), a_machine(), False),
        ("a boot whose time is not known, silent", structs.replace(HERE, boot="boot-0"), a_machine(OLD), True),
        ("another host", structs.replace(HERE, host="far"), a_machine(150.0, booted_at=140.0), False),
        ("another host, silent", structs.replace(HERE, host="far"), a_machine(OLD), True),
        ("a kbsync that did not say its boot", structs.replace(ANA, host="box"), a_machine(), True),
        ("the same, alive", structs.replace(ANA, host="box"), a_machine(OLD, p11=Process("S", 500)), False),
        ("the same on another host", FAR, a_machine(), False),
    ],
)  # fmt: skip
def test_an_owner_is_dead_or_not_by_what_can_be_known_from_here(said, holder, world, dead):
    assert is_dead(holder, ASKING, world) is dead, said


def test_a_heart_beats_while_something_else_is_done_and_no_longer():
    beats = threading.Semaphore(0)
    with beating(beats.release, every_s=0.001):
        for _ in range(3):
            assert beats.acquire(timeout=60)
    assert "heart" not in {thread.name for thread in threading.enumerate()}


def test_break_lock_takes_it_from_the_living_who_then_notices(ledger):
    take(ledger, ANA, world())
    assert take(ledger, BEN, world(), break_lock=True) == ["Took over the lock of ana@laptop, process 11, for 10 s."]
    assert not ledger.beat("p", ANA, now=111.0)
    ledger.unlock("p", ANA)
    assert ledger.beat("p", BEN, now=111.0)


def test_waiting_is_told_once_and_ends_when_the_lock_is_given_back(ledger):
    naps: list[float] = []

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 3:
            ledger.unlock("p", ANA)

    take(ledger, ANA, world())
    assert take(ledger, BEN, world(sleep=sleep), wait=True) == ["Waiting for ana@laptop, process 11, for 10 s."]
    assert len(naps) == 3


def test_of_many_who_find_a_dead_owner_exactly_one_gets_the_lock(tmp_path):
    with closing(Ledger(SqliteDatabase(tmp_path / "ledger.db"))) as first:
        take(first, ANA, world())
    barrier, got, refused = threading.Barrier(6), [], []

    def contend(number: int) -> None:
        owner = Owner("x", "laptop", 100 + number, 200.0 + number, 200.0)

        def process(pid: int) -> Process | None:
            barrier.wait() if pid == ANA.pid else None
            return Process() if pid != ANA.pid else None

        with closing(Ledger(SqliteDatabase(tmp_path / "ledger.db"))) as ledger:
            try:
                take(ledger, owner, World(lambda: 210.0, lambda s: None, process))
                got.append(owner)
            except LedgerError:
                refused.append(owner)

    all_at_once(*(partial(contend, number) for number in range(6)))
    assert (len(got), len(refused)) == (1, 5)


def test_a_machine_of_this_name_is_alive_as_long_as_its_ledger_hears_of_it_seldom():
    live = Owner("ci", "runner", 11, 1000.0, 1000.0, "boot-1", "pid:[1]", 500)
    ours = Owner("ci", "runner", 22, 1055.0, 1055.0, "boot-2", "pid:[1]", 900)
    world = World(lambda: 1055.0, lambda seconds: None, lambda pid: None, booted_at=1030.0, stale_s=300.0)
    assert not is_dead(live, ours, world)
    assert is_dead(live, ours, replace(world, now=lambda: 1301.0))


class InterruptedOnce(Ledger):
    """A ledger that records the lock, and then Ctrl-C is answered."""

    def lock(self, target, owner, *, now, take_over=None):
        super().lock(target, owner, now=now, take_over=take_over)
        raise KeyboardInterrupt


def test_a_lock_that_was_just_recorded_when_ctrl_c_came_is_given_back(tmp_path):
    project = a_project(tmp_path, "http://127.0.0.1:9", {})
    with closing(InterruptedOnce(SqliteDatabase(tmp_path / "ledger.db"))) as ledger:
        with pytest.raises(KeyboardInterrupt), held_lock(ledger, project.workspace(), wait=False, break_lock=False):
            pass
        assert ledger.holder(project.target) is None
