"""What the suite says at its end beside the tests' own count."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from kbsync.jobs import CI_VARIABLES
from ledger.postgres_server import MISSING, Server, can_run, running_server
from patience import GIVE_UP_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# How fast a machine is says nothing about whether the code is right, and the same commit gives the same result each
# time. `make explore` tries other examples on every run; what it finds becomes an `@example`.
settings.register_profile("kbsync", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("explore", settings.get_profile("kbsync"), derandomize=False, print_blob=True)
settings.load_profile("explore" if os.environ.get("KBSYNC_EXPLORE") else "kbsync")

NUMBERS = itertools.count(1)

# A shell starts what runs in its background with Ctrl-C ignored, and every program that a test starts would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Containers often forbid bytecode. Each of the thousands of processes that the tests start would then compile kbsync
# anew: up to 0.25 s, where the command itself takes 0.1 to 0.5 s.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A CI job is told more than a person at a terminal, and the suite may run in one.
for name in CI_VARIABLES:
    os.environ.pop(name, None)

MEMORY, ENOUGH_BYTES = Path("/dev/shm"), 4 << 30


def _use_memory() -> None:
    """Where there is room, the tests' files are in memory.

    They write thousands of small ledgers and repositories, each synced, and throw them away: a disk makes each sync a
    wait. A test that kills a process needs no disk, as what was written is there also without a sync. `TMPDIR=/tmp
    make test` uses the disk.
    """
    folder = MEMORY / f"kbsync-tests-{os.getuid()}"
    try:
        if "TMPDIR" in os.environ or shutil.disk_usage(MEMORY).free < ENOUGH_BYTES:
            return
        folder.mkdir(exist_ok=True)
        if not stat.S_ISDIR(folder.lstat().st_mode) or folder.lstat().st_uid != os.getuid():
            return
        # As /tmp is: where the tests run as root, PostgreSQL and some commands run as another user and write in there.
        folder.chmod(0o1777)
        # Containers often forbid programs there, and some tests write one.
        program = folder / "try"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        subprocess.run([program], check=True)
    except (OSError, subprocess.CalledProcessError):
        return
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None  # Asked again: pytest was there before.


_use_memory()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files in an order of chance, the same each time: those that wait lie beside those that compute."""
    items.sort(key=lambda item: crc32(item.path.as_posix().partition("/tests/")[2].encode()))


def pytest_collection_finish() -> None:
    """Ten thousand collected tests are looked at by no later collection of garbage: they stay to the end anyway."""
    gc.collect()
    gc.freeze()


NEEDED = "KBSYNC_TESTS_SKIP_NOTHING"
"""Set by `.ci/run`."""

NO_BROWSER = "there is no Chromium here (Debian: apt-get install chromium; Python: pip install 'kbsync[dev]')"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many schedules of faults were pushed through, how many of them failed, and what nobody could prevent."""
    schedules = list(_counted(terminalreporter, "schedules"))
    if schedules:
        total, failures = sum(number for number, _ in schedules), sum(failed for _, failed in schedules)
        terminalreporter.write_line(f"fault schedules: {total:,} pushed through, {failures} failures")
    unavoidable = list(_counted(terminalreporter, "unavoidable"))
    if unavoidable:
        edits = sum(number for number, _ in unavoidable)
        terminalreporter.write_line(
            f"a person in the panel: {len(unavoidable)} pushes, {edits} edits fell between the last look and the write"
        )
    rounds = [counts for counts, _ in _counted(terminalreporter, "soak")]
    if rounds:
        from soak.counting import told

        terminalreporter.write_line(f"soak: {told(rounds)}")


def _counted(terminalreporter: pytest.TerminalReporter, name: str) -> Iterator[tuple[Any, bool]]:
    for word in ("passed", "failed"):
        for report in terminalreporter.stats.get(word, []):
            yield from ((number, report.failed) for found, number in report.user_properties if found == name)


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What kbsync remembers of a user goes into a folder of the run, here and in every process that a test starts."""
    folder = tmp_path_factory.mktemp("data")
    before = os.environ.get("XDG_DATA_HOME")
    os.environ["XDG_DATA_HOME"] = str(folder)
    yield folder / "kbsync"
    if before is None:
        del os.environ["XDG_DATA_HOME"]
    else:
        os.environ["XDG_DATA_HOME"] = before


@pytest.fixture(autouse=True)
def data_folder_of_a_test(data_folder: Path) -> Iterator[None]:
    """Each test has its own: the portals of all tests have the same token, which belongs to the first that has it."""
    os.environ["XDG_DATA_HOME"] = str(data_folder.parent / str(next(NUMBERS)))
    yield
    os.environ["XDG_DATA_HOME"] = str(data_folder.parent)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server; where none can be had, what needs it steps aside, but not in CI."""
    if not can_run():
        if os.environ.get(NEEDED):
            pytest.fail(f"${NEEDED} is set: {MISSING}")
        pytest.skip(MISSING)
    with running_server() as server:
        yield server


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, driven by Playwright; where there is none, what needs it steps aside, but not in CI.

    Of a module, and not of the session: it holds an event loop, beside which no other may run in the thread.
    """
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        if os.environ.get(NEEDED):
            pytest.fail(f"${NEEDED} is set: {NO_BROWSER}")
        pytest.skip(NO_BROWSER)
    from playwright.sync_api import expect, sync_playwright

    # A slow machine is no failure.
    expect.set_options(timeout=GIVE_UP_S * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """An empty page."""
    context = chromium.new_context()
    context.set_default_timeout(GIVE_UP_S * 1000)
    yield context.new_page()
    context.close()
