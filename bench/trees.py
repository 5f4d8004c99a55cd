"""Plans and pushes of one tree, from the cold plan to a hundred changes, against the sandbox."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from process import Run, measure, median, ratio
from worlds import CHANGES, HERE, PLAN, PUSH, articles_of, commit, edit, make_tree, sandbox

CHECK = [*PLAN, "--check"]
GIT_STATUS = ["git", "status", "--porcelain"]

SETTLE_S = 2.5
"""Past the second in which the portal's last row changed, so that the next listing finds it settled."""

HEAD = ["| | wall | CPU | memory | |", "| --- | --- | --- | --- | --- |"]


def measure_tree(articles: int, times: int) -> list[str]:
    """Cold plans, the creates, the no-op beside `git status` and where its time goes, one change and a hundred."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        with sandbox(folder) as portal:
            lines = _measure_beginning(folder, portal, articles, times)
            lines += _measure_noop(folder, portal, articles, times)
            lines += _measure_changes(folder, portal, articles, count=1, times=times)
            lines += _measure_changes(folder, portal, articles, count=100, times=min(times, 3))
    return lines


def row(name: str, run: Run, note: str = "") -> str:
    return f"| {name} | {run.wall_s:.2f} s | {run.cpu_s:.2f} s | {run.mib:.0f} MiB | {note} |"


def requests_of(push: Run) -> int:
    """How many requests a `push --format json` says it made."""
    return int(json.loads(push.out)["summary"]["requests"])


def _measure_beginning(folder: Path, portal: dict[str, str], articles: int, times: int) -> list[str]:
    def cold() -> Run:
        shutil.rmtree(folder / ".kbsync" / "cache", ignore_errors=True)
        return measure(PLAN, cwd=folder, environ=portal)

    nothing = median(cold() for _ in range(times))
    push = measure(PUSH, cwd=folder, environ=portal)
    everything = median(cold() for _ in range(times))
    _settle(folder, portal)
    return [
        row(f"cold plan of {articles:,}, nothing on the portal", nothing),
        row(f"push of {articles:,} creates", push, f"{articles / push.wall_s:,.0f} creates a second"),
        row(f"cold plan of {articles:,}, all of it on the portal", everything, "full listing"),
    ]


def _settle(folder: Path, portal: dict[str, str]) -> None:
    time.sleep(SETTLE_S)
    measure(PLAN, cwd=folder, environ=portal)


def _measure_noop(folder: Path, portal: dict[str, str], articles: int, times: int) -> list[str]:
    pairs = [(measure(CHECK, cwd=folder, environ=portal), measure(GIT_STATUS, cwd=folder)) for _ in range(times)]
    git_ms = median(git for _, git in pairs).cpu_s * 1000
    note = f"{ratio(pairs, lambda run: run.cpu_s):.1f} x the CPU of `git status` ({git_ms:.0f} ms)"
    asked = requests_of(measure([*PUSH, "--format", "json"], cwd=folder, environ=portal))
    steps = json.loads(measure([sys.executable, str(HERE / "steps.py")], cwd=folder, environ=portal).out)
    return [
        row(f"no-op plan of {articles:,}", median(plan for plan, _ in pairs), f"{asked} requests; {note}"),
        *(f"| ... {key} | | | | {value} |" for key, value in steps.items()),
    ]


def _measure_changes(folder: Path, portal: dict[str, str], articles: int, *, count: int, times: int) -> list[str]:
    """Each round: a no-op, an edit, the plan that shows it, the push that sends it."""
    pairs, pushes = [], []
    paths = articles_of(folder)
    for number in range(times):
        noop = measure(CHECK, cwd=folder, environ=portal)
        # Every so-manieth, so that all locales and categories are in it.
        edit([paths[(number + step * len(paths) // count) % len(paths)] for step in range(count)])
        commit(folder)
        time.sleep(0.2)  # A file read within a tick of its change is read again by the next plan.
        pairs.append((measure(CHECK, cwd=folder, ok=[CHANGES], environ=portal), noop))
        pushes.append(measure([*PUSH, "--format", "json"], cwd=folder, environ=portal))
        _settle(folder, portal)
    what = f"{count} changed of {articles:,}"
    asked = requests_of(pushes[-1])
    note = f"{ratio(pairs, lambda run: run.cpu_s):.2f} x the CPU of the no-op before it"
    return [
        row(f"plan, {what}", median(plan for plan, _ in pairs), note),
        row(f"push, {what}", median(pushes), f"{asked} requests"),
    ]
