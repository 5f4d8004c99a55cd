"""What the suite says at its end beside the tests' own count."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from ledger.postgres_server import MISSING, Server, can_run, running_server

# How fast a machine is says nothing about whether the code is right.
settings.register_profile("kbsync", deadline=None)
settings.load_profile("kbsync")

NEEDED = "KBSYNC_TESTS_SKIP_NOTHING"
"""Set by `.ci/run`."""


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


def _counted(terminalreporter: pytest.TerminalReporter, name: str) -> Iterator[tuple[int, bool]]:
    for word in ("passed", "failed"):
        for report in terminalreporter.stats.get(word, []):
            yield from ((number, report.failed) for found, number in report.user_properties if found == name)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server; where none can be had, what needs it steps aside, but not in CI."""
    if not can_run():
        if os.environ.get(NEEDED):
            pytest.fail(f"${NEEDED} is set: {MISSING}")
        pytest.skip(MISSING)
    with running_server() as server:
        yield server
