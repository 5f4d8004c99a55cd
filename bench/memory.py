"""First and fresh plans, a push that adopts all, pushes of nothing and of one change, and plans after them.

Small beside large: peak memory, and what a push costs beside a plan with nothing to do. The push that adopts all comes
after a look at its plan, as people do it, so the tree is in the cache. The largest resident set of any one process, by
the kernel's count. `with its children` is the largest sum seen in ten looks a second, where pages that they share count
in each.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from aims import Aim, verdicts
from process import Run, least_and_median, measure, median, ratio
from pushes import forget
from trees import SETTLE_S
from worlds import HERE, PLAN, PUSH, articles_of, commit, edit, make_tree, slow_portal

HEAD = [
    "| | one process, the largest | with its children | wall, least / median | CPU, least / median |",
    "| --- | --- | --- | --- | --- |",
]


FRESH_MIB, AFTER_MIB = 400, 200
"""Aims: a fresh plan of the large tree, and the plan after a push."""


def measure_memory(articles: int, times: int) -> list[str]:
    """Peaks at both sizes, and how they grow."""
    # The short commands as often as it takes for their ratios on a machine whose speed moves by half.
    small, large = _measure_memory(articles, 3 * times), _measure_memory(10 * articles, times)
    sizes = ((articles, small), (10 * articles, large))
    lines = [_row(f"{what}, {number:,}", runs) for number, found in sizes for what, runs in found.items()]
    growth = [
        f"| {what}, {10 * articles:,} to {articles:,} | {_mib(runs) / _mib(small[what]):.1f} x | | | |"
        for what, runs in large.items()
    ]
    aims = [
        Aim(f"MiB of a fresh plan of {10 * articles:,}, all on the portal", _tree_mib(large[FRESH]), FRESH_MIB),
        Aim(f"MiB of a first plan of {10 * articles:,}, nothing on the portal", _tree_mib(large[FIRST]), FRESH_MIB),
        *(
            Aim(f"MiB of a {what}, {10 * articles:,}", _tree_mib(large[what]), AFTER_MIB)
            for what in (AFTER, NEXT, NOOP)
        ),
        *(aim for number, found in sizes for aim in _ratios(number, found)),
    ]
    return [*HEAD, *lines, *growth, *verdicts(aims)]


FIRST, FRESH, ADOPTING = "first plan, nothing on the portal", "fresh plan, all on the portal", "push that adopts all"
AFTER, NOOP, NOTHING = "plan right after a push that adopts all", "no-op plan", "no-op push"
ONE, NEXT = "push of one change", "plan right after a push of one change"


def _measure_memory(articles: int, times: int) -> dict[str, list[Run]]:
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder, compiled = make_tree(Path(name) / "tree", articles), Path(name) / "compiled"
        with slow_portal() as portal:
            found = {FIRST: [_measure(PLAN, folder, portal)]}
        measure([sys.executable, str(HERE / "compiled.py"), str(compiled)], cwd=folder)
        with slow_portal("--load", str(compiled)) as portal:
            forget(folder)
            found[FRESH] = [_measure(PLAN, folder, portal)]
            found[ADOPTING] = [_measure(PUSH, folder, portal)]
            found[AFTER] = [_measure(PLAN, folder, portal)]
            time.sleep(SETTLE_S)
            measure(PLAN, cwd=folder, environ=portal)
            found |= {NOOP: [], NOTHING: [], ONE: [], NEXT: []}
            for number in range(times):
                found[NOOP].append(_measure(PLAN, folder, portal))
                found[NOTHING].append(_measure(PUSH, folder, portal))
                edit([articles_of(folder)[number * 37]])
                commit(folder)
                time.sleep(0.2)  # A file read within a tick of its change is read again by the next plan.
                found[ONE].append(_measure(PUSH, folder, portal))
                found[NEXT].append(_measure(PLAN, folder, portal))
    return found


def _measure(command: list[str], folder: Path, portal: dict[str, str]) -> Run:
    return measure(command, cwd=folder, whole_tree=True, environ=portal)


def _ratios(articles: int, found: dict[str, list[Run]]) -> list[Aim]:
    """What a push with nothing to do, and the plan after a push, cost beside a plan with nothing to do."""
    bounds = ((NOTHING, 1.5), (NEXT, 1.2))
    return [
        Aim(f"CPU of a {what} to that of a no-op plan, {articles:,}", ratio(pairs, lambda run: run.cpu_s), bound)
        for what, bound in bounds
        for pairs in [[*zip(found[what], found[NOOP], strict=True)]]
    ]


def _row(name: str, runs: list[Run]) -> str:
    wall, cpu = (least_and_median(runs, figure) for figure in (lambda run: run.wall_s, lambda run: run.cpu_s))
    return f"| {name} | {_mib(runs):.0f} MiB | {_tree_mib(runs):.0f} MiB | {wall} | {cpu} |"


def _mib(runs: list[Run]) -> float:
    return median(runs).mib


def _tree_mib(runs: list[Run]) -> float:
    """Of a process that is over before anybody looks, the kernel's count."""
    run = median(runs)
    return max(run.mib, run.tree_mib)
