"""Ctrl-C while modules are still being imported: no traceback, and the number that says so."""

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


@pytest.mark.parametrize(
    ("number", "code", "told"),
    [(signal.SIGINT, 130, "\nkbsync: Interrupted.\n"), (signal.SIGTERM, -signal.SIGTERM, "")],
    ids=["Ctrl-C", "a job that is cancelled"],
)
@pytest.mark.parametrize("module", ["click", "msgspec", "pyromark"])
def test_an_end_while_modules_are_imported_says_so_where_a_person_sees_it_and_nothing_else(
    project, module, number, code, told
):
    shadow = project.write(f"shadow/{module}.py", SLOW).parent
    path = os.pathsep.join([str(shadow), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-c", "from kbsync.cli import main; main(['lint'])"], cwd=project.folder,
        env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "importing\n"
    process.send_signal(number)
    assert ("".join(process.communicate(timeout=120)), process.returncode) == (told, code)


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
