"""What the first save after a start with a warm cache would wait for is loaded before it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kbsync.preview.static_site import build_site
from patience import GIVE_UP_S
from preview.workshop import a_project

CHECKS = "kbsync.lint.body_checks"
LONG_AGO_S = 1_600_000_000

WAITED = f"""
import asyncio, sys
from kbsync.app.session import Session
from kbsync.cli.preview import read_project
from kbsync.preview.live import Live

async def main():
    project = read_project(Session(), set())
    running = asyncio.create_task((live := Live(project, lambda: project)).run())
    await live.complete.wait()
    print({CHECKS!r} in sys.modules)  # Nothing in the tree was read.
    while {CHECKS!r} not in sys.modules:
        await asyncio.sleep(0.01)
    running.cancel()

asyncio.run(main())
"""


def test_the_checks_of_a_text_are_loaded_without_a_save(tmp_path: Path):
    project = a_project(tmp_path)
    for path in project.root.rglob("*.md"):
        os.utime(path, (LONG_AGO_S, LONG_AGO_S))
    build_site(project, tmp_path / "out", workers=1)
    command = [sys.executable, "-c", WAITED]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=GIVE_UP_S)
    assert done.stdout == "False\n"
