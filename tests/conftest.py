"""What the suite says at its end beside the tests' own count."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


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
