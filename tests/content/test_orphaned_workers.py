"""The processes that parse a large tree end with the one that started them, however that ends; so may one of them."""

import multiprocessing
import os
import signal
import subprocess
import sys

import pytest

from kbsync.content.inspection import Body
from kbsync.content.parsing import PARALLEL_FROM
from kbsync.content.source import Problem
from kbsync.content.tree import read_tree
from patience import GIVE_UP_S

PROGRAM = """
import os, sys
from pathlib import Path
from kbsync.content.tree import read_tree
read_tree(Path(sys.argv[1]), memory=None, workers=2, begun=lambda: os._exit(7))
"""
"""Ends at once, without a word to anybody, when its workers have begun."""


def test_workers_end_with_their_parent_and_hold_no_output_open(tmp_path):
    for number in range(PARALLEL_FROM):
        (tmp_path / f"a{number}.md").write_text("# A\n")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    # Returns when nobody has the output open any more, the workers included.
    done = subprocess.run(command, capture_output=True, timeout=GIVE_UP_S, check=False)
    assert done.returncode == 7, done.stderr


def inspect_or_die(body: Body) -> list[Problem]:
    """What looks into bodies; the system kills a process of the pool that comes to one of them."""
    if "die" in body.text and multiprocessing.parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return []


def test_where_the_system_kills_a_worker_the_rest_is_read_without(tmp_path):
    for number in range(PARALLEL_FROM + 100):
        (tmp_path / f"a{number:04}.md").write_text("# A\n" + ("die" if number == PARALLEL_FROM - 300 else ""))
    tree = read_tree(tmp_path, memory=None, workers=2, inspect=inspect_or_die)
    assert list(tree.sources) == [f"a{number:04}.md" for number in range(PARALLEL_FROM + 100)]
    assert list(tree.findings) == []


def inspect_or_die_at_once(body: Body) -> list[Problem]:
    """Kills each process of the pool with its first file."""
    if multiprocessing.parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return []


def test_where_the_system_kills_all_workers_this_process_reads_everything(tmp_path):
    for number in range(PARALLEL_FROM):
        (tmp_path / f"a{number:04}.md").write_text("# A\n")
    tree = read_tree(tmp_path, memory=None, workers=4, inspect=inspect_or_die_at_once)
    assert list(tree.sources) == [f"a{number:04}.md" for number in range(PARALLEL_FROM)]


def inspect_with_a_bug(body: Body) -> list[Problem]:
    """A rule that fails for one text, in whichever process."""
    if "bug" in body.text:
        raise ZeroDivisionError(body.path)
    return []


def test_an_error_of_a_worker_is_raised_in_the_process_that_started_it(tmp_path):
    for number in range(PARALLEL_FROM):
        (tmp_path / f"a{number:04}.md").write_text("# A\n" + ("bug" if number == 0 else ""))
    with pytest.raises(ZeroDivisionError, match=r"a0000\.md"):
        read_tree(tmp_path, memory=None, workers=2, inspect=inspect_with_a_bug)
    assert multiprocessing.active_children() == []


def test_the_number_of_processes_changes_nothing_of_what_is_read(tmp_path):
    for number in range(PARALLEL_FROM + 60):
        # Together they are larger than what is sent at once from one process to another.
        (tmp_path / f"a{number:04}.md").write_text(f"# A {number}\n\n" + f"[b](a{number + 1:04}.md) " * (number % 300))
    (tmp_path / "a0500.md").unlink()
    (tmp_path / "a0500.md").symlink_to("a0501.md")
    alone, beside, several = (read_tree(tmp_path, memory=None, workers=workers) for workers in (1, 2, 5))
    assert list(alone.sources.items()) == list(beside.sources.items()) == list(several.sources.items())
    assert alone.findings == beside.findings == several.findings
