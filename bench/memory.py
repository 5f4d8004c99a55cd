"""Peak memory of a no-op plan and of a plan or push of creates, small beside large."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from process import Run, measure, median
from trees import SETTLE_S
from worlds import HERE, KBSYNC, PLAN, PUSH, make_tree, slow_portal

HEAD = [
    "| | one process, the largest | with its children | wall | CPU |",
    "| --- | --- | --- | --- | --- |",
]


def measure_memory(articles: int, times: int, *, push: bool) -> tuple[list[str], dict[str, float]]:
    """Rows for one size, and the peaks by name, MiB.

    Args:
        articles: how many.
        times: no-op plans behind the median.
        push: whether the creates are really sent; a portal that has everything already is made without.
    """
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        found: dict[str, Run] = {}
        with slow_portal() as portal:
            found["cold plan of creates"] = measure(PLAN, cwd=folder, whole_tree=True, environ=portal)
            found["plan of creates, tree read before"] = measure(PLAN, cwd=folder, whole_tree=True, environ=portal)
            if push:
                found["first push"] = measure(PUSH, cwd=folder, whole_tree=True, environ=portal)
                found |= _measure_noop(folder, portal, times)
        if not push:
            compiled = Path(name) / "compiled"
            measure([sys.executable, str(HERE / "compiled.py"), str(compiled)], cwd=folder)
            with slow_portal("--load", str(compiled)) as portal:
                found["push that adopts all"] = measure(PUSH, cwd=folder, whole_tree=True, environ=portal)
                found |= _measure_noop(folder, portal, times)
    lines = [
        f"| {what}, {articles:,} | {run.mib:.0f} MiB | {run.tree_mib:.0f} MiB | {run.wall_s:.1f} s "
        f"| {run.cpu_s:.1f} s |"
        for what, run in found.items()
    ]
    return lines, {what: run.mib for what, run in found.items()}


def _measure_noop(folder: Path, portal: dict[str, str], times: int) -> dict[str, Run]:
    time.sleep(SETTLE_S)
    measure(PLAN, cwd=folder, environ=portal)
    check = [*PLAN, "--check"]
    return {
        "no-op plan": median(measure(check, cwd=folder, whole_tree=True, environ=portal) for _ in range(times)),
        "lint": measure([*KBSYNC, "lint", "-q"], cwd=folder, whole_tree=True),
    }
