"""What is read of processes: of real ones, on Linux."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kbsync.push.lease import Process, read_boot, read_booted_at, read_namespace, read_process

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
