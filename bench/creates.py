"""Creates against a portal that takes 50 ms for every answer, beside a bare `httpx.Client` on as many threads.

One after the other, kbsync and httpx in turn. What counts is what each reaches of the ideal: writes x latency /
requests at once. The images that a push uploads first are writes, too. Half of the articles: all figures are shares or
of one create.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from aims import Aim, verdicts
from process import Run, measure
from worlds import HERE, PLAN, PUSH, UNPACED, make_tree, slow_portal, stats

DELAY_MS = 50
AT_ONCE = (8, 16)
SHARE, CPU = 0.97, 1.4
"""Aims: of the share of the ideal that bare httpx reaches, and of its CPU for a create."""

HEAD = [
    "| | at once | of the ideal, median (least) | CPU a create, median (least) | whole process | memory | requests |",
    "| --- | --- | --- | --- | --- | --- | --- |",
]


@dataclass(frozen=True)
class Creates:
    """One process that created all articles; `share` is of the ideal, `cpu_ms` for one create, in its creating."""

    run: Run
    share: float
    cpu_ms: float
    note: str


def measure_creates(articles: int, times: int) -> list[str]:
    """First pushes at each concurrency. The tree is read already, as it is after a look at the plan."""
    number, lines, aims = articles // 2, [*HEAD], []
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder, compiled = make_tree(Path(name) / "tree", number), Path(name) / "compiled"
        measure([sys.executable, str(HERE / "compiled.py"), str(compiled)], cwd=folder)
        measure(PLAN, cwd=folder, environ=UNPACED)
        for at_once in AT_ONCE:
            bare = [sys.executable, str(HERE / "bare_httpx.py"), str(compiled), str(at_once)]
            ours, theirs = [], []
            for _ in range(times):
                _forget(folder)
                ours.append(_measure(PUSH, folder, number, at_once))
                theirs.append(_measure(bare, folder, number, at_once))
            lines += [_row("kbsync push", at_once, ours), _row("bare httpx.Client", at_once, theirs)]
            pairs = list(zip(ours, theirs, strict=True))
            share = statistics.median(our.share / their.share for our, their in pairs)
            cpu = statistics.median(our.cpu_ms / their.cpu_ms for our, their in pairs)
            aims.append(Aim(f"share of what bare httpx reaches, {at_once} at once", share, SHARE, "least"))
            aims.append(Aim(f"CPU of a create to that of bare httpx, {at_once} at once", cpu, CPU))
    return lines + verdicts(aims)


def _forget(folder: Path) -> None:
    for file in (folder / ".kbsync").glob("ledger.db*"):
        file.unlink()
    for file in (folder / ".kbsync" / "cache").glob("portal-*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink()


def _measure(command: list[str], folder: Path, articles: int, at_once: int) -> Creates:
    with slow_portal("--delay-ms", str(DELAY_MS)) as portal:
        environ = portal | {"KBSYNC_PACE__CONCURRENCY": str(at_once)}
        run = measure(command, cwd=folder, environ=environ, whole_tree=True)
        seen = stats(portal)
    asked = seen["asked"]
    writes = sum(count for what, count in asked.items() if what.startswith("POST"))
    creates = asked["POST articles"] + asked.get("POST categories", 0)
    note = ", ".join(f"{count:,} {what}" for what, count in asked.items())
    once = asked["POST articles"] == seen["articles"] == articles
    note += "; one for each create" if once else f"; **{seen['articles']:,} articles, {articles:,} wanted**"
    note += f" (the portal was late by {seen['late_ms']['median']:.1f} ms, 1 % by {seen['late_ms']['p99']:.1f})"
    cpu_s = run.cpu_between(seen["first_create_at_s"], seen["last_answer_at_s"])
    share = writes * DELAY_MS / 1000 / at_once / seen["create_span_s"]
    return Creates(run, share, cpu_s / creates * 1000, note)


def _row(name: str, at_once: int, found: list[Creates]) -> str:
    shares, cpus = [one.share for one in found], [one.cpu_ms for one in found]
    walls, whole = [one.run.wall_s for one in found], [one.run.cpu_s for one in found]
    return (
        f"| {name} | {at_once} | {statistics.median(shares):.1%} ({min(shares):.1%}) "
        f"| {statistics.median(cpus):.2f} ms ({min(cpus):.2f}) "
        f"| {statistics.median(walls):.1f} s, CPU {statistics.median(whole):.1f} s "
        f"| {max(one.run.mib for one in found):.0f} MiB | {found[-1].note} |"
    )
