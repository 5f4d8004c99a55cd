"""Measure kbsync and write bench/RESULTS.md: medians of several runs, ratios between things measured side by side.

    make bench            (about 10 minutes on two cores)

Every figure is of a whole process: CPU is user + system, memory the largest resident set. The portal is a sandbox in a
process of its own, on loopback.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
KBSYNC = [sys.executable, "-m", "kbsync"]


@dataclass(frozen=True)
class Run:
    """One process: wall and CPU in seconds, memory in MiB."""

    wall_s: float
    cpu_s: float
    mib: float
    out: str = ""


def measure(command: list[str], *, cwd: Path, ok: tuple[int, ...] = (0,), **environ: str) -> Run:
    """Run a process to its end and read what it cost off the kernel."""
    with tempfile.TemporaryFile("w+") as out:
        started = time.perf_counter()
        child = subprocess.Popen(command, cwd=cwd, env=os.environ | environ, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        wall_s = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if child.returncode not in ok:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}:\n{text}")
    return Run(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def median(run: Callable[[], Run], times: int) -> Run:
    """The median of each figure over some runs."""
    runs = [run() for _ in range(times)]
    return Run(
        statistics.median(r.wall_s for r in runs),
        statistics.median(r.cpu_s for r in runs),
        statistics.median(r.mib for r in runs),
        runs[-1].out,
    )


@contextmanager
def portal(folder: Path) -> Iterator[dict[str, str]]:
    """A sandbox in a process of its own; the environment that makes kbsync talk to it."""
    command = [*KBSYNC, "sandbox", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as sandbox:
        assert sandbox.stdout is not None
        base_url = sandbox.stdout.readline().split()[-1]
        try:
            yield {
                "KBSYNC_SERVICE__BASE_URL": base_url,
                "KBSYNC_TOKEN": "sandbox-token",
                "KBSYNC_PACE__REQUESTS_PER_MINUTE": "600000",
            }
        finally:
            sandbox.terminate()


def corpus(folder: Path, articles: int) -> Path:
    """A content tree under git, with a kbsync.toml that names the embedded sandbox."""
    command = [sys.executable, str(HERE / "make_corpus.py"), "--articles", str(articles), "--locales", "4"]
    subprocess.run([*command, "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)
    (folder / "kbsync.toml").write_text('[service]\nbase_url = "sandbox"\n[content]\ndefault_locale = "en"\n')
    (folder / ".gitignore").write_text(".kbsync/\n")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "b"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


def row(name: str, run: Run, note: str = "") -> str:
    return f"| {name} | {run.wall_s:.2f} s | {run.cpu_s:.2f} s | {run.mib:.0f} MiB | {note} |"


def measure_startup(times: int) -> list[str]:
    here = HERE.parent
    # One after the other, so that a busy moment of the machine hits both.
    pairs = [
        (measure([sys.executable, "-c", "import click"], cwd=here), measure([*KBSYNC, "--version"], cwd=here))
        for _ in range(times * 3)
    ]
    click = statistics.median(pair[0].cpu_s for pair in pairs)
    kbsync = statistics.median(pair[1].cpu_s for pair in pairs)
    ratio = statistics.median(pair[1].cpu_s / pair[0].cpu_s for pair in pairs)
    wall = statistics.median(pair[1].wall_s / pair[0].wall_s for pair in pairs)
    mib = statistics.median(pair[1].mib for pair in pairs)
    return [
        f"| `python -c 'import click'` | {click * 1000:.0f} ms | | 1 |",
        f"| `kbsync --version` | {kbsync * 1000:.0f} ms | {mib:.0f} MiB | {ratio:.2f} (wall {wall:.2f}) |",
    ]


def measure_tree(articles: int, times: int) -> list[str]:
    """Cold and no-op plans, the creates, and where a no-op's time goes."""
    lines = []
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = corpus(Path(name) / "tree", articles)
        with portal(folder) as environ:
            plan = [*KBSYNC, "plan", "-q"]

            def cold() -> Run:
                shutil.rmtree(folder / ".kbsync" / "cache", ignore_errors=True)
                return measure(plan, cwd=folder, **environ)

            lines.append(row(f"cold plan of {articles:,}, nothing on the portal", median(cold, times)))
            push = measure([*KBSYNC, "push", "-q"], cwd=folder, **environ)
            note = f"{articles / push.wall_s:,.0f} creates a second"
            lines.append(row(f"push of {articles:,} creates", push, note))
            whole = median(cold, times)
            lines.append(row(f"cold plan of {articles:,}, all of it on the portal", whole, "full listing"))
            time.sleep(3)  # past the second in which the portal's last row changed
            measure(plan, cwd=folder, **environ)
            noop = median(lambda: measure([*plan, "--check"], cwd=folder, **environ), times)
            git = median(lambda: measure(["git", "status", "--porcelain"], cwd=folder), times)
            steps = json.loads(measure([sys.executable, str(HERE / "steps.py")], cwd=folder, **environ).out)
            busy = noop.cpu_s
            note = f"{busy / git.cpu_s:.1f} x the CPU of `git status` ({git.cpu_s * 1000:.0f} ms)"
            lines.append(row(f"no-op plan of {articles:,}", noop, note))
            split = ", ".join(f"{key} {value}" for key, value in steps.items())
            lines.append(f"| ... where it goes | | | | {split} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--times", type=int, default=5, help="runs behind each median")
    parser.add_argument("--articles", type=int, nargs="*", default=[1_000, 10_000])
    args = parser.parse_args()
    lines = [
        "# Results",
        "",
        f"Made by `make bench` on {time.strftime('%Y-%m-%d')}: Python {platform.python_version()},",
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}.",
        f"Medians of {args.times} runs of whole processes; ratios are between things",
        "measured side by side. The portal is `kbsync sandbox`, a process of its own on the same two cores.",
        "",
        "## Start-up",
        "",
        "| | CPU | memory | ratio |",
        "| --- | --- | --- | --- |",
        *measure_startup(args.times),
        "",
        "Aim: under 2 x.",
        "",
        "## Plans and pushes",
        "",
        "| | wall | CPU | memory | |",
        "| --- | --- | --- | --- | --- |",
        *(line for articles in args.articles for line in measure_tree(articles, args.times)),
        "",
        "Aims: of a no-op plan of 10,000 the part that is not waiting for the portal under 0.6 s of CPU; 200 MiB.",
        "",
    ]
    (HERE / "RESULTS.md").write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
