"""10,000 creates against a portal that takes 50 ms for every answer: how near a push comes to what latency allows."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from process import measure
from worlds import PLAN, PUSH, UNPACED, make_tree, slow_portal, stats

DELAY_MS = 50
AIMS = {8: 0.93, 16: 0.90}
"""Share of the ideal by requests at once."""

HEAD = [
    "| creates | at once | ideal | from first create to last answer | whole process | CPU | memory | requests |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
]


def measure_creates(articles: int, times: int) -> list[str]:
    """First pushes at each concurrency. The tree is read already, as it is after a look at the plan."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        measure(PLAN, cwd=folder, environ=UNPACED)
        return [_measure_push(folder, articles, at_once) for at_once in AIMS for _ in range(times)]


def _measure_push(folder: Path, articles: int, at_once: int) -> str:
    for file in (folder / ".kbsync").glob("ledger.db*"):
        file.unlink()
    for file in (folder / ".kbsync" / "cache").glob("portal-*"):
        file.unlink()
    shutil.rmtree(folder / ".kbsync" / "cache" / "portal", ignore_errors=True)
    with slow_portal("--delay-ms", str(DELAY_MS)) as portal:
        push = measure(PUSH, cwd=folder, environ=portal | {"KBSYNC_PACE__CONCURRENCY": str(at_once)})
        seen = stats(portal)
    asked = seen["asked"]
    creates = asked["POST articles"] + asked["POST categories"]
    ideal_s = creates * DELAY_MS / 1000 / at_once
    span_s = seen["create_span_s"]
    once = asked["POST articles"] == seen["articles"] == articles
    said = ", ".join(f"{count:,} {what}" for what, count in asked.items())
    said += "; one for each create" if once else f"; **{seen['articles']:,} articles, {articles:,} wanted**"
    late = seen["late_ms"]
    said += f" (the portal was late by {late['median']:.1f} ms, 1 % of answers by {late['p99']:.1f})"
    share = f"**{ideal_s / span_s:.1%}** (aim {AIMS[at_once]:.0%})"
    whole = f"{push.wall_s:.1f} s ({ideal_s / push.wall_s:.1%})"
    return (
        f"| {creates:,} | {at_once} | {ideal_s:.1f} s | {span_s:.1f} s: {share} | {whole} "
        f"| {push.cpu_s:.1f} s | {push.mib:.0f} MiB | {said} |"
    )
