"""Measure kbsync and write bench/RESULTS.md: medians of several runs, ratios between things measured side by side.

    make bench                             (about 30 minutes on two cores)
    python bench/run.py --only startup     (one part)

A section whose load was above 2 is measured a second time, and the less busy of both is written. A figure that is more
than 15 % from the one of the run before on the same kind of machine is marked. Each section ends with its aims, met or
missed; a peer that is not here is named.

Every figure is of a whole process: CPU is user + system, memory the largest resident set. The portal is a process of
its own, on loopback.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable

import creates
import memory
import trees
from aims import verdicts
from load import BUSY, Load
from process import measure, ratio, use_bytecode
from sections import RESULTS, found_section, marked, write_section
from worlds import HERE, KBSYNC

import history
import lint

SMALL, LARGE = 10_000, 100_000


def measure_startup(times: int) -> list[str]:
    """`kbsync --version` beside the library that reads its command line."""
    here = HERE.parent
    measure([*KBSYNC, "--version"], cwd=here)  # The first one of all writes the bytecode.
    # One after the other, so that a busy moment of the machine hits both.
    pairs = [
        (measure([*KBSYNC, "--version"], cwd=here), measure([sys.executable, "-c", "import click"], cwd=here))
        for _ in range(times * 3)
    ]
    cpu, wall = ratio(pairs, lambda run: run.cpu_s), ratio(pairs, lambda run: run.wall_s)
    kbsync_ms, click_ms = (statistics.median(pair[at].cpu_s for pair in pairs) * 1000 for at in (0, 1))
    mib = statistics.median(kbsync.mib for kbsync, _ in pairs)
    return [
        "## Start-up",
        "",
        "| | CPU | memory | ratio |",
        "| --- | --- | --- | --- |",
        f"| `python -c 'import click'` | {click_ms:.0f} ms | | 1 |",
        f"| `kbsync --version` | {kbsync_ms:.0f} ms | {mib:.0f} MiB | {cpu:.2f} (wall {wall:.2f}) |",
        "",
        "Aim: under 2 x.",
    ]


def measure_trees(times: int) -> list[str]:
    """Plans and pushes against the sandbox."""
    (small, _), (large, aims) = trees.measure_tree(1_000, times), trees.measure_tree(SMALL, times)
    return [
        "## Plans and pushes",
        "",
        "The portal is `kbsync sandbox`, on the same two cores. Seconds of a push are of the whole process.",
        "",
        *trees.HEAD,
        *small,
        *large,
        *verdicts(aims),
        "",
        f"Aim at {SMALL:,}: at most 3 + 2 requests a locale for a no-op.",
    ]


def measure_creates(times: int) -> list[str]:
    """Creates against latency."""
    return [
        "## Creates against latency",
        "",
        f"`bench/slow_portal.py` answers {creates.DELAY_MS} ms after a request came, and counts. Ideal is writes x",
        "latency / requests at once. `bench/bare_httpx.py` sends the same articles with one `httpx.Client` and a pool",
        "of threads, in turn with kbsync. CPU of a create is that of the process from the first write to the last",
        "answer; kbsync keeps its journal all along. `whole process` has the reading of the tree in it.",
        "",
        *creates.measure_creates(SMALL, min(times, 2)),
    ]


def measure_memory(times: int) -> list[str]:
    """Peaks at both sizes, and how they grow."""
    small, small_mib = memory.measure_memory(SMALL, min(times, 3), push=True)
    large, large_mib = memory.measure_memory(LARGE, min(times, 3), push=False)
    growth = [
        f"| {what}, {LARGE:,} to {SMALL:,} | {large_mib[what] / small_mib[what]:.1f} x | | | |"
        for what in large_mib
        if what in small_mib
    ]
    return [
        "## Memory",
        "",
        "The largest resident set of any one process, by the kernel's count; a cold plan parses in children, each of",
        "which counts alone there. `with its children` is the largest sum seen in ten looks a second, where pages that",
        "they share count in each.",
        "",
        *memory.HEAD,
        *small,
        *large,
        *growth,
        "",
        f"Aims: under 150 MiB at {SMALL:,}, under 4 x that at {LARGE:,}.",
    ]


def measure_lint(times: int) -> list[str]:
    """Lint beside its peers."""
    return [
        "## Lint",
        "",
        "Each peer in turn with kbsync. Memory is the largest sum over a process and its children in ten looks a",
        "second.",
        "",
        *lint.HEAD,
        *lint.measure_large(LARGE),
        *lint.measure_lint(SMALL, min(times, 3)),
    ]


def measure_history(times: int) -> list[str]:
    """Plans of a fresh clone, which have to ask git."""
    return [
        "## Asking git",
        "",
        f"A clone of {history.ARTICLES:,} articles with {history.REVISIONS} revisions each and no ledger;",
        f"{history.QUESTIONS} articles are in question. CPU with git's processes; memory of the largest process.",
        "",
        *history.HEAD,
        *history.measure_history(history.ARTICLES, min(times, 3)),
        "",
        "Aim: asking costs less than 10 s of CPU.",
    ]


PARTS: dict[str, Callable[[int], list[str]]] = {
    "startup": measure_startup,
    "trees": measure_trees,
    "creates": measure_creates,
    "memory": measure_memory,
    "lint": measure_lint,
    "history": measure_history,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--times", type=int, default=5, help="runs behind each median; long ones take fewer")
    parser.add_argument("--only", nargs="*", choices=PARTS, help="some parts; the others keep what they say")
    args = parser.parse_args()
    use_bytecode()
    for name in args.only or PARTS:
        part, load = measured(PARTS[name], args.times)
        text = RESULTS.read_text("utf-8") if RESULTS.exists() else ""
        former = found_section(text, part[0])
        part = marked(former if machine() in former else "", part)
        write_section(part[0], "\n".join([*part, "", when(args.times, load), ""]))
        print("\n".join([*part, "", when(args.times, load)]), flush=True)


def measured(part: Callable[[int], list[str]], times: int) -> tuple[list[str], Load]:
    """What a part measured, and the load meanwhile; the less busy of two runs where the first one was disturbed."""
    with Load() as load:
        lines = part(times)
    if load.median <= BUSY:
        return lines, load
    with Load() as again:
        other = part(times)
    return (other, again) if again.median < load.median else (lines, load)


def machine() -> str:
    """What figures are compared on."""
    return f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def when(times: int, load: Load) -> str:
    """What a section says of how it was made."""
    return (
        f"Made on {time.strftime('%Y-%m-%d')}: {machine()}; {load.text};\n"
        f"medians of {times} runs (1 to 3 of the long ones) of whole processes, ratios between things measured in turn."
    )


if __name__ == "__main__":
    main()
