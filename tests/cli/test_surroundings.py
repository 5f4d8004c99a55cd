"""Where a command runs: a folder that is gone, streams that are closed or full, a kbsync.toml that is no file."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from builders import OTHER_USER, somebody_else
from commands import Done
from kbsync.cli.door import run
from patience import GIVE_UP_S

COMMANDS = [
    ("api", "GET", "portals"), ("check",), ("demo", "--once"), ("diff",), ("init",), ("ledger", "show"), ("lint",), ("why", "--history", "x.md"),
    ("mv", "a.md", "b.md"), ("new", "article", "en/billing/new.md"), ("plan",), ("preview", "--build", "out"), ("pull",), ("push",),
    ("redirects",), ("resolve", "--ours", "a.md"), ("sandbox",), ("status",), ("translate",), ("translate", "--done", "a.md"), ("trust",),
    ("undo",), ("verify",), ("why", "x.md"), ("--config", "kbsync.toml", "plan"),
]  # fmt: skip
"""Every command that is about a project."""


def in_a_shell(project, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run kbsync as `"$@"` of a shell's script, in the project."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KBSYNC_")}
    return subprocess.run(
        ["sh", "-c", script, "sh", sys.executable, "-m", "kbsync", *arguments],
        cwd=project.folder, env=clean | project.environ, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=GIVE_UP_S, check=False,
    )  # fmt: skip


DELETED = "kbsync: The folder you are in was deleted.\n  Go into another folder with `cd`, and run the command there.\n"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_in_a_folder_that_was_deleted_each_command_says_so(project, monkeypatch, command):
    gone = project.folder / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert replace(project, folder=Path()).run(*command) == Done(2, "", DELETED)


def test_a_process_that_starts_in_a_folder_that_was_deleted_says_so_too(project):
    done = in_a_shell(project, 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "plan")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", DELETED)


@pytest.mark.parametrize(
    "command", [("schema", "plan"), ("completion", "bash"), ("--help",), ("plan", "--help")], ids=" ".join
)
def test_what_is_about_no_project_runs_in_a_folder_that_was_deleted_too(project, command):
    done = in_a_shell(project, 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', *command)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout


@pytest.mark.parametrize(
    "command", [("plan",), ("lint",), ("push",), ("resolve", "--ours", "en/billing/refunds.md")], ids=" ".join
)
def test_a_closed_stdin_is_an_empty_one(project, command):
    done = in_a_shell(project, 'exec "$@" <&-', *command)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr


def test_without_any_stream_a_push_does_its_work(project):
    assert in_a_shell(project, 'exec "$@" <&- >&- 2>&-', "push").returncode == 0
    assert project.run("plan").out.endswith("Everything is up to date (5 unchanged).\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="This system has no device that is always full.")
def test_an_error_that_stderr_has_no_room_for_keeps_its_exit_code(project):
    assert in_a_shell(project, 'exec "$@" 2>/dev/full', "ledger", "show").returncode == 6
    assert in_a_shell(project, 'exec "$@" 2>/dev/full', "undo").returncode == 2


def test_a_module_that_a_full_disk_cut_short_is_no_interruption(project, tmp_path):
    """Python 3.11 keeps bytecode that was written in part, and loading it is an EOFError."""
    bytecode = tmp_path / "bytecode"
    project.environ |= {"PYTHONPYCACHEPREFIX": str(bytecode), "PYTHONDONTWRITEBYTECODE": ""}
    assert project.run_alone("schema", "plan").code == 0
    (cut,) = bytecode.glob("**/kbsync/cli/schema.*.pyc")
    os.truncate(cut, 100)
    done = in_a_shell(project, 'exec "$@"', "schema", "plan")
    assert done.returncode == 1 and "EOFError: marshal data too short" in done.stderr, done.stderr
    assert "Interrupted" not in done.stderr


NO_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a folder": (Path.mkdir, "kbsync.toml cannot be read: Is a directory."),
    "a pipe": (os.mkfifo, "kbsync.toml cannot be read: it is not a file."),
    "a link to itself": (lambda path: path.symlink_to(path), "kbsync.toml cannot be read: Too many levels of symbolic links."),
    "a link to nowhere": (lambda path: path.symlink_to("gone.toml"), "gone.toml: There is no such file."),
}  # fmt: skip


@pytest.mark.parametrize("kind", NO_FILES)
def test_a_kbsync_toml_that_is_no_file_is_named_and_none_above_it_is_taken(project, kind):
    make, message = NO_FILES[kind]
    below = project.folder / "below"
    below.mkdir()
    make(below / "kbsync.toml")
    for command in ("plan", "lint", "trust"):
        done = project.run(command, cwd="below")
        assert done.code == 2 and message in done.err, done
        assert "`kbsync init`" not in done.err  # It writes nothing over it.
    assert "kbsync.toml already exists." in project.run("init", cwd="below").err


def test_a_locale_that_reads_names_as_anything_but_utf_8_is_refused_with_the_command_that_fixes_it(project):
    project.write("content/en/billing/Grüße.md", "---\ntitle: Grüße\n---\nText.\n")
    ascii_names = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    for command in (["lint"], ["plan"], ["new", "article", "en/billing/Örtlich"]):
        assert project.run_alone(*command, **ascii_names).says(2, err=("kbsync needs UTF-8.", "`export PYTHONUTF8=1`"))
    assert "Grüße" in project.run_alone("plan", **ascii_names | {"PYTHONUTF8": "1"}).out


def test_a_folder_that_may_not_be_written_or_read_is_named(capsys):
    # Not below tmp_path: pytest's folders are closed to everybody else. In this process, as another user has no Python.
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    out = folder / "out"
    try:
        assert run(["init", str(folder), "--base-url", "sandbox"]) == 0
        build = ["--config", str(folder / "kbsync.toml"), "preview", "--build", str(out)]
        assert (run(build), run(["lint", "--no-such-option"])) == (0, 2)
        for path in (folder, *folder.rglob("*")):
            os.chown(path, os.geteuid() or OTHER_USER, -1)
        shutil.rmtree(out)
        folder.chmod(0o555)
        capsys.readouterr()
        with somebody_else():
            assert run(build) == 2
        told = capsys.readouterr().err
        assert told == f"kbsync: {out} cannot be used: Permission denied.\n  Check its permissions.\n"
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
