"""What the suite says at its end beside the tests' own count."""

from __future__ import annotations

import pytest

COUNTED = "schedules"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many schedules of faults were pushed through, and how many of them failed."""
    reports = [report for found in ("passed", "failed") for report in terminalreporter.stats.get(found, [])]
    counted = [
        (report.failed, number) for report in reports for name, number in report.user_properties if name == COUNTED
    ]
    if counted:
        failures = sum(1 for failed, _ in counted if failed)
        total = sum(number for _, number in counted)
        terminalreporter.write_line(f"fault schedules: {total:,} pushed through, {failures} failures")
