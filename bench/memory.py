"""Peak memory of first and fresh plans, of a push that adopts all and of the plan after it, small beside large.

The largest resident set of any one process, by the kernel's count. `with its children` is the largest sum seen in ten
looks a second, where pages that they share count in each.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from aims import Aim, verdicts
from process import Run, measure, median
from pushes import forget
from trees import SETTLE_S
from worlds import HERE, PLAN, PUSH, make_tree, slow_portal

HEAD = [
    "| | one process, the largest | with its children | wall | CPU |",
    "| --- | --- | --- | --- | --- |",
]


FRESH_MIB, AFTER_MIB = 400, 200
"""Aims: a fresh plan of the large tree, and the plan after a push."""


def measure_memory(articles: int, times: int) -> list[str]:
    """Peaks at both sizes, and how they grow."""
    small, large = _measure_memory(articles, times), _measure_memory(10 * articles, 1)
    lines = [
        f"| {what}, {number:,} | {run.mib:.0f} MiB | {run.tree_mib:.0f} MiB | {run.wall_s:.1f} s | {run.cpu_s:.1f} s |"
        for number, found in ((articles, small), (10 * articles, large))
        for what, run in found.items()
    ]
    growth = [
        f"| {what}, {10 * articles:,} to {articles:,} | {large[what].mib / small[what].mib:.1f} x | | | |"
        for what in large
    ]
    aims = [
        Aim(f"MiB of a fresh plan of {10 * articles:,}, all on the portal", large[FRESH].tree_mib, FRESH_MIB),
        Aim(f"MiB of a first plan of {10 * articles:,}, nothing on the portal", large[FIRST].tree_mib, FRESH_MIB),
        Aim(f"MiB of a plan after a push, {10 * articles:,}", large[AFTER].tree_mib, AFTER_MIB),
    ]
    return [*HEAD, *lines, *growth, *verdicts(aims)]


FIRST, FRESH, AFTER = "first plan, nothing on the portal", "fresh plan, all on the portal", "no-op plan after a push"


def _measure_memory(articles: int, times: int) -> dict[str, Run]:
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder, compiled = make_tree(Path(name) / "tree", articles), Path(name) / "compiled"
        with slow_portal() as portal:
            found = {FIRST: measure(PLAN, cwd=folder, whole_tree=True, environ=portal)}
        measure([sys.executable, str(HERE / "compiled.py"), str(compiled)], cwd=folder)
        with slow_portal("--load", str(compiled)) as portal:
            forget(folder)
            found[FRESH] = measure(PLAN, cwd=folder, whole_tree=True, environ=portal)
            forget(folder)
            found["push that adopts all"] = measure(PUSH, cwd=folder, whole_tree=True, environ=portal)
            time.sleep(SETTLE_S)
            measure(PLAN, cwd=folder, environ=portal)
            found[AFTER] = median(
                measure([*PLAN, "--check"], cwd=folder, whole_tree=True, environ=portal) for _ in range(times)
            )
    return found
