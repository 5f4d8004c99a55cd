"""Plans and pushes of one tree, from the cold plan to a hundred changes.

The portal is `kbsync sandbox`, on the same two cores. Seconds of a push are of the whole process.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from aims import Aim, verdicts
from process import Run, least_and_median, measure, ratio
from worlds import CHANGES, PLAN, PUSH, articles_of, commit, edit, make_tree, sandbox

CHECK = [*PLAN, "--check"]
GIT_STATUS = ["git", "status", "--porcelain"]

SETTLE_S = 2.5
"""Past the second in which the portal's last row changed, so that the next listing finds it settled."""

HEAD = ["| | wall, least / median | CPU, least / median | memory | |", "| --- | --- | --- | --- | --- |"]


def measure_trees(articles: int, times: int) -> list[str]:
    """A tenth of the articles, and all."""
    (small, _), (large, aims) = _measure_tree(articles // 10, times), _measure_tree(articles, times)
    return [*HEAD, *small, *large, *verdicts(aims)]


def _measure_tree(articles: int, times: int) -> tuple[list[str], list[Aim]]:
    """Cold plans, the creates, the no-op beside `git status`, one change and a hundred."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        with sandbox(folder) as portal:
            lines = _measure_beginning(folder, portal, articles, times)
            noop, aims = _measure_noop(folder, portal, articles, times)
            one, more = _measure_changes(folder, portal, articles, count=1, times=times)
            lines += noop + one
            lines += _measure_changes(folder, portal, articles, count=100, times=min(times, 3))[0]
    return lines, [*aims, more]


def row(name: str, runs: Sequence[Run], note: str = "") -> str:
    wall, cpu = (least_and_median(runs, figure) for figure in (lambda run: run.wall_s, lambda run: run.cpu_s))
    return f"| {name} | {wall} | {cpu} | {max(run.mib for run in runs):.0f} MiB | {note} |"


def requests_of(push: Run) -> int:
    """How many requests a `push --format json` says it made."""
    return int(json.loads(push.out)["summary"]["requests"])


def _measure_beginning(folder: Path, portal: dict[str, str], articles: int, times: int) -> list[str]:
    def cold() -> Run:
        shutil.rmtree(folder / ".kbsync" / "cache", ignore_errors=True)
        return measure(PLAN, cwd=folder, environ=portal)

    nothing = [cold() for _ in range(times)]
    push = measure(PUSH, cwd=folder, environ=portal)
    everything = [cold() for _ in range(times)]
    _settle(folder, portal)
    return [
        row(f"cold plan of {articles:,}, nothing on the portal", nothing),
        row(f"push of {articles:,} creates", [push], f"{articles / push.wall_s:,.0f} creates a second"),
        row(f"cold plan of {articles:,}, all of it on the portal", everything, "full listing"),
    ]


def _settle(folder: Path, portal: dict[str, str]) -> None:
    time.sleep(SETTLE_S)
    measure(PLAN, cwd=folder, environ=portal)


def _measure_noop(folder: Path, portal: dict[str, str], articles: int, times: int) -> tuple[list[str], list[Aim]]:
    pairs = [(measure(CHECK, cwd=folder, environ=portal), measure(GIT_STATUS, cwd=folder)) for _ in range(times)]
    asked = requests_of(measure([*PUSH, "--format", "json"], cwd=folder, environ=portal))
    aims = [
        Aim("CPU of a no-op plan to that of git status", ratio(pairs, lambda run: run.cpu_s), 6.0),
        Aim("requests of a no-op, 4 locales", asked, 3 + 2 * 4),
    ]
    lines = [
        row(f"no-op plan of {articles:,}", [plan for plan, _ in pairs], f"{asked} requests"),
        row("git status", [git for _, git in pairs]),
    ]
    return lines, aims


def _measure_changes(
    folder: Path, portal: dict[str, str], articles: int, *, count: int, times: int
) -> tuple[list[str], Aim]:
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
    aim = Aim(f"CPU of a plan of {count} to that of the no-op before it", ratio(pairs, lambda run: run.cpu_s), 1.25)
    lines = [
        row(f"plan, {what}", [plan for plan, _ in pairs], f"{aim.found:.2f} x the CPU of the no-op before it"),
        row(f"push, {what}", pushes, f"{asked} requests"),
    ]
    return lines, aim
