"""Ctrl-C while modules are still being imported: no traceback, and the number that says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

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
            [sys.executable, "-c", "from kbsync.cli import main; main(['lint'])"],
            cwd=project.folder,
            env=os.environ | {"PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "importing\n"
        process.send_signal(number)
        told = "".join(process.communicate(timeout=120))
        return process.returncode, told

    return interrupt


@pytest.mark.parametrize("module", ["click", "msgspec", "yaml"])
def test_ctrl_c_while_modules_are_imported_says_so_and_nothing_else(interrupted, module):
    assert interrupted(module, signal.SIGINT) == (130, "\nkbsync: interrupted\n")


@pytest.mark.parametrize("module", ["click", "yaml"])
def test_a_job_that_is_cancelled_while_modules_are_imported_ends_without_a_word(interrupted, module):
    assert interrupted(module, signal.SIGTERM) == (-signal.SIGTERM, "")
