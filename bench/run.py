"""Measure kbsync and write bench/RESULTS.md: medians of several runs, ratios between things measured side by side.

    make bench                             (some 35 minutes on two quiet cores)
    python bench/run.py --only startup     (one part; --articles and --times make it shorter, --dry-run only prints)

Each part runs in a process of its own and writes its section when it is done. One that fails, or takes longer than
three quarters of an hour, is noted in its section, whose former figures stay; the others are measured all the same,
and the end is exit code 1.

A section whose load was above 2 is measured a second time, and the less busy of both is written. A figure that is more
than 15 % from the one of the run before on the same kind of machine is marked. Each section ends with its aims, met or
missed; a peer that is not here is named.

Every figure is of a whole process: CPU is user + system, memory the largest resident set. The portal is a process of
its own, on loopback.
"""

from __future__ import annotations

import argparse
import inspect
import os
import platform
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import builds
import ci_runs
import creates
import memory
import pulls
import pushes
import trees
from aims import Aim, verdicts
from load import BUSY, Load
from process import measure, ratio, use_bytecode
from sections import RESULTS, found_section, marked, with_note, write_section
from worlds import HERE, KBSYNC

import history
import lint

LONGEST_S, GRACE_S = 45 * 60, 30
"""What a part may take, and what it may take to end when it took longer."""

Measure = Callable[[int, int], Iterable[str]]
"""The lines of a section, for so many articles and so many runs behind a median."""


def measure_startup(_articles: int, times: int) -> list[str]:
    """`kbsync --version` beside the library that reads its command line."""
    here = HERE.parent
    measure([*KBSYNC, "--version"], cwd=here)  # The first one of all writes the bytecode.
    # One after the other, so that a busy moment of the machine hits both.
    pairs = [
        (measure([*KBSYNC, "--version"], cwd=here), measure([sys.executable, "-c", "import click"], cwd=here))
        for _ in range(times * 3)
    ]
    cpu, wall = ratio(pairs, lambda run: run.cpu_s), ratio(pairs, lambda run: run.wall_s)
    kbsync_ms, click_ms = ([pair[at].cpu_s * 1000 for pair in pairs] for at in (0, 1))
    ours, theirs = (f"{min(cpus):.0f} / {statistics.median(cpus):.0f} ms" for cpus in (kbsync_ms, click_ms))
    mib = statistics.median(kbsync.mib for kbsync, _ in pairs)
    return [
        "| | CPU, least / median | memory | ratio |",
        "| --- | --- | --- | --- |",
        f"| `python -c 'import click'` | {theirs} | | 1 |",
        f"| `kbsync --version` | {ours} | {mib:.0f} MiB | {cpu:.2f} (wall {wall:.2f}) |",
        *verdicts([Aim("CPU of `kbsync --version` to that of importing click", cpu, 2.0)]),
    ]


def measure_preview(articles: int, times: int) -> list[str]:
    """The preview in a browser, which is loaded for this alone."""
    import preview

    return preview.measure_preview(articles, times)


@dataclass(frozen=True)
class Part:
    """One section of RESULTS.md: its heading, how it is measured, what is said of that, with how many runs."""

    head: str
    measure: Measure
    about: str | None = None
    most: int = 3


PARTS = {
    "startup": Part("Start-up", measure_startup, most=5),
    "trees": Part("Plans and pushes", trees.measure_trees, trees.__doc__),
    "pushes": Part("Push, and the plan after it", pushes.measure_pushes, pushes.__doc__),
    "lint": Part("Lint", lint.measure_lint, lint.__doc__),
    "builds": Part("Building the site", builds.measure_builds, builds.__doc__),
    "preview": Part("Preview", measure_preview),
    "ci": Part("A push in a CI job", ci_runs.measure_ci_runs, ci_runs.__doc__),
    "creates": Part("Creates against latency", creates.measure_creates, creates.__doc__, 2),
    "memory": Part("Memory", memory.measure_memory, memory.__doc__),
    "history": Part("Asking git", history.measure_history, history.__doc__, most=5),
    "pulls": Part("Pull", pulls.measure_pulls, pulls.__doc__, 1),
}


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--articles", type=int, default=10_000, help="some parts take a tenth or ten times as many")
    parser.add_argument("--times", type=int, default=5, help="runs behind each median; long ones take fewer")
    parser.add_argument("--only", nargs="*", choices=PARTS, help="some parts; the others keep what they say")
    parser.add_argument("--dry-run", action="store_true", help="print only")
    args = parser.parse_args()
    use_bytecode()
    names = args.only or [*PARTS]
    if len(names) == 1:
        print(section(PARTS[names[0]], args.articles, args.times, keep=not args.dry_run), flush=True)
        return
    options = ["--articles", str(args.articles), "--times", str(args.times), *["--dry-run"] * args.dry_run]
    failed = [name for name in names if not measure_apart(name, options, keep=not args.dry_run)]
    if failed:
        raise SystemExit(f"Not measured: {', '.join(failed)}.")


def measure_apart(name: str, options: list[str], *, keep: bool) -> bool:
    """Measure a part in a process of its own, so that it leaves neither memory nor a failure to the next one."""
    command = [sys.executable, str(HERE / "run.py"), "--only", name, *options]
    # A session of its own: portals and pushes that it started end with it.
    with subprocess.Popen(command, start_new_session=True) as child:
        try:
            child.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            print(f"{name} takes too long and is ended.", file=sys.stderr, flush=True)
        finally:
            end_session(child)
    if child.returncode == 0:
        return True
    if keep:
        head = f"## {PARTS[name].head}"
        note = f"**Not measured on {time.strftime('%Y-%m-%d')}**: the part ended with {child.returncode}."
        write_section(head, with_note(found_section(RESULTS.read_text("utf-8"), head) or f"{head}\n", note))
    return False


def end_session(child: subprocess.Popen[bytes]) -> None:
    """End a part that still runs as Ctrl-C would, so that it removes its folders, and what does not hear that."""
    if child.poll() is not None:
        return
    os.killpg(child.pid, signal.SIGINT)
    try:
        child.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)


def section(part: Part, articles: int, times: int, *, keep: bool) -> str:
    """The section of a part, measured now; kept in RESULTS.md, with marks where it differs from what was there."""
    runs = min(times, part.most)
    began_s = time.monotonic()
    lines, load = measured(part.measure, articles, runs)
    minutes = (time.monotonic() - began_s) / 60
    head = f"## {part.head}"
    if keep:
        text = RESULTS.read_text("utf-8") if RESULTS.exists() else ""
        former = found_section(text, head)
        lines = marked(former if machine() in former else "", lines)
    about = [inspect.cleandoc(part.about), ""] if part.about else []
    whole = "\n".join([head, "", *about, *lines, "", when(articles, runs, load, minutes), ""])
    if keep:
        write_section(head, whole)
    return whole


def measured(measure: Measure, articles: int, times: int) -> tuple[list[str], Load]:
    """What a part measured, and the load meanwhile; the less busy of two runs where the first one was disturbed."""
    with Load() as load:
        lines = list(measure(articles, times))
    if load.median <= BUSY:
        return lines, load
    with Load() as again:
        other = list(measure(articles, times))
    return (other, again) if again.median < load.median else (lines, load)


def machine() -> str:
    """What figures are compared on."""
    return f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def when(articles: int, times: int, load: Load, minutes: float) -> str:
    """What a section says of how it was made."""
    made = f"Made on {time.strftime('%Y-%m-%d')}: {machine()}; {articles:,} articles unless it says otherwise; "
    made += f"{load.text}; {times} runs, ratios between things measured in turn; "
    return made + f"it took {minutes:.1f} minutes."


if __name__ == "__main__":
    main()
