"""Ctrl-C while modules are still being imported: no traceback, and the number that says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from patience import GIVE_UP_S

ROOT = Path(__file__).parents[2]

SLOW = """
import time
print("importing", flush=True)
try:
    time.sleep(600)
except KeyboardInterrupt:
    raise ImportError("as C code and callbacks do it") from None
"""
"""A module that takes its time, and makes something else of the interruption."""


@pytest.fixture
def interrupted(project):
    """Starts `kbsync lint`, sends a signal while a module is imported, and says how it ended and what was told."""

    def interrupt(module: str, number: int) -> tuple[int, str]:
        shadow = project.write(f"shadow/{module}.py", SLOW).parent
        path = os.pathsep.join([str(shadow), os.environ.get("PYTHONPATH", "")])
        process = subprocess.Popen(
            [sys.executable, "-c", "from kbsync.cli import main; main(['lint'])"], cwd=project.folder,
            env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout.readline() == "importing\n"
        process.send_signal(number)
        told = "".join(process.communicate(timeout=120))
        return process.returncode, told

    return interrupt


@pytest.mark.parametrize("module", ["click", "msgspec", "pyromark"])
def test_ctrl_c_while_modules_are_imported_says_so_and_nothing_else(interrupted, module):
    assert interrupted(module, signal.SIGINT) == (130, "\nkbsync: Interrupted.\n")


@pytest.mark.parametrize("module", ["click", "pyromark"])
def test_a_job_that_is_cancelled_while_modules_are_imported_ends_without_a_word(interrupted, module):
    assert interrupted(module, signal.SIGTERM) == (-signal.SIGTERM, "")


AT_IMPORT = """
import runpy, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""
"""Ctrl-C in the moment in which a module begins to be imported."""

AS_MODULE = "runpy.run_module('kbsync', run_name='__main__', alter_sys=True)"
AS_SCRIPT = "from kbsync.__main__ import main; sys.exit(main())"
"""As the script does it that pip writes."""


@pytest.mark.parametrize("start", [AS_MODULE, AS_SCRIPT])
@pytest.mark.parametrize("module", ["kbsync.children", "kbsync.cli", "kbsync.cli.door", "kbsync.cli.commands"])
def test_ctrl_c_is_answered_before_anything_of_kbsync_is_imported(start, module):
    command = [sys.executable, "-c", AT_IMPORT + start, module]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=GIVE_UP_S)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\nkbsync: Interrupted.\n")


@pytest.mark.parametrize("start", [AS_MODULE, AS_SCRIPT])
def test_what_kbsync_was_started_to_ignore_stays_ignored(start):
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    command = [sys.executable, "-c", ignoring + AT_IMPORT + start, "kbsync.cli.door"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=GIVE_UP_S)
    assert (done.returncode, done.stderr.count("Interrupted")) == (2, 0)


def test_the_script_that_pip_writes_starts_where_ctrl_c_is_answered_first():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"] == {"kbsync": "kbsync.__main__:main"}
