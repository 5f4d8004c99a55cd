"""A reader that goes away, a terminal that is closed: no words, no traceback, and nothing ends because of it."""

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from kbsync.sandbox import Sandbox
from patience import eventually

COMMANDS = {
    ("--help",): 0, ("push", "--help"): 0, ("lint",): 3, ("lint", "--format", "json"): 3, ("lint", "--rules"): 0,
    ("plan", "content/en"): 3, ("ledger", "show"): 0, ("ledger", "show", "1"): 0, ("ledger", "export"): 0, ("lnit",): 2,
}  # fmt: skip
"""What each command answers in this tree, where somebody reads it."""


CAPACITY = 65_536
"""Bytes that a pipe holds. Source: pipe(7)."""


def a_pipe_without_a_reader() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def without_a_reader(project, *arguments: str, err: int = subprocess.PIPE) -> tuple[int, bytes]:
    """The exit code and what was told to stderr."""
    out = a_pipe_without_a_reader()
    process = project.start(*arguments, stdout=out, stderr=out if err == subprocess.STDOUT else err)
    os.close(out)
    told = process.communicate()[1]
    return process.returncode, told or b""


def test_a_command_whose_reader_has_gone_ends_quietly_with_its_own_code(pushed):
    pushed.write("content/en/billing/wrong.md", "---\ntitle: Wrong\nstatus: nope\n---\nText.\n")
    for arguments, code in COMMANDS.items():
        found, told = without_a_reader(pushed, *arguments)
        assert (found, found == 2 or _is_note(told)) == (code, True), (arguments, told)
        assert b"Traceback" not in told and b"Broken" not in told
    assert without_a_reader(pushed, "lint", err=subprocess.STDOUT)[0] == 3
    assert without_a_reader(pushed, "lnit", err=subprocess.STDOUT)[0] == 2


def _is_note(told: bytes) -> bool:
    """What the command says to stderr anyway."""
    return b"kbsync:" not in told and b"rror:" not in told


def test_who_reads_one_line_gets_it_and_the_rest_goes_nowhere(project):
    for number in range(3000):
        project.write(f"content/en/billing/n{number}.md", f"---\ntitle: N{number}\nstatus: nope\n---\n")
    process = project.start("lint", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline().startswith(b"content/en/billing/")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 3


def many(project) -> None:
    for number in range(40):
        project.write(f"content/en/billing/n{number}.md", f"---\ntitle: N{number}\n---\nText {number}.\n")


def nothing_is_left(project, portal: Sandbox) -> None:
    titles = [article.title for article in portal.panel.articles("handbook")]
    assert len(titles) == len(set(titles)) == 43
    shown = project.run("ledger", "show").out
    assert "done" in shown and "lock: free" in shown, shown
    assert project.run("plan", "--check").code == 0


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_a_push_whose_readers_have_gone_sends_and_records_everything(remote, portal, form):
    many(remote)
    assert without_a_reader(remote, "push", "--format", form, err=subprocess.STDOUT)[0] == 0
    nothing_is_left(remote, portal)


def test_a_push_whose_terminal_is_closed_in_the_middle_sends_and_records_everything(remote, portal):
    many(remote)
    ours, theirs = pty.openpty()
    open_ends = [ours]

    def close_in_the_middle(number: int) -> None:
        if open_ends and sum(request.method == "POST" for request in portal.requests) >= 10:
            os.close(open_ends.pop())

    portal.faults.follow(close_in_the_middle)
    process = remote.start("push", stdout=theirs, stderr=theirs)
    os.close(theirs)
    assert process.wait() == 0
    assert open_ends == []
    nothing_is_left(remote, portal)


def test_a_push_that_is_asked_to_stop_when_nobody_hears_it_any_more_still_records_what_it_did(remote, portal):
    many(remote)
    started: list[subprocess.Popen[bytes]] = []

    def stop_in_the_middle(number: int) -> None:
        if started and sum(request.method == "POST" for request in portal.requests) >= 10:
            started.pop().terminate()

    portal.faults.follow(stop_in_the_middle)
    out = a_pipe_without_a_reader()
    process = remote.start("push", stdout=out, stderr=out)
    started.append(process)
    os.close(out)
    assert process.wait() == 130
    assert json.loads(remote.run("ledger", "show", "--format", "json").out)["pending"] == []
    assert remote.run("push").code == 0
    nothing_is_left(remote, portal)


def test_streams_that_were_closed_before_the_start_are_no_failure(project):
    command = f'exec "{sys.executable}" -m kbsync lint >&- 2>&-'
    assert subprocess.run(["/bin/sh", "-c", command], cwd=project.folder, check=False).returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_told_and_no_reader_that_has_gone(project):
    with Path("/dev/full").open("wb") as full:
        process = project.start("lint", "--rules", stdout=full.fileno(), stderr=subprocess.PIPE)
    told = process.communicate()[1]
    assert process.returncode == 2 and b"The disk is full" in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_push_whose_notes_go_to_a_full_disk_sends_and_records_everything(remote, portal):
    many(remote)
    with Path("/dev/full").open("wb") as full:
        process = remote.start("push", "-v", stdout=subprocess.PIPE, stderr=full.fileno())
    assert b"43 articles created" in process.communicate()[0]
    assert process.returncode == 0
    nothing_is_left(remote, portal)


NOTING = """
from kbsync.app.lease import stopping_softly
from kbsync.cli.screen import Options
from kbsync.cli.door import make_lasting

make_lasting()
with stopping_softly(Options().note) as stop:
    Options().note(1_000_000 * "x")
print("asked" if stop.asked else "not asked")
"""
"""A note that is longer than a pipe holds, and Ctrl-C as during a push."""


def test_ctrl_c_while_a_note_is_being_written_is_answered_and_both_notes_are_whole():
    process = subprocess.Popen([sys.executable, "-c", NOTING], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def waits_for_its_reader() -> bool:
        return fcntl.ioctl(process.stderr, termios.FIONREAD, bytes(4)) == CAPACITY.to_bytes(4, sys.byteorder)

    eventually(waits_for_its_reader, "the pipe is full")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (0, b"asked\n"), err[-1000:]
    assert err.count(b"x") == 1_000_000 and err.count(b"Press Ctrl-C again to stop at once.") == 1
