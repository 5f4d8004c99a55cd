"""A push of one change in a CI job: a fresh clone, the ledger in git, and the file `.kbsync/cache.db` as it was kept.

The remote is a folder, the portal `kbsync sandbox`, each job a clone of its own. CPU is with git's processes.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from aims import Aim, verdicts
from process import Run, least_and_median, measure, median
from trees import requests_of
from worlds import PLAN, PUSH, articles_of, commit, edit, git, make_tree, sandbox

LOCALES = 4
SETTLED_S = 3.0
JOB = {"CI": "true"}


def measure_ci_runs(articles: int, times: int) -> list[str]:
    """Jobs with the cache of the job before, in turn with jobs that have nothing."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        kept, fresh, asked = jobs(Path(name), articles, times)
    lines = ["| | wall, least / median | CPU, least / median | memory |", "| --- | --- | --- | --- |"]
    for what, runs in (("with the cache of the job before", kept), ("with nothing kept", fresh)):
        wall, cpu = (least_and_median(runs, figure) for figure in (lambda run: run.wall_s, lambda run: run.cpu_s))
        lines.append(f"| {what} | {wall} | {cpu} | {median(runs).mib:.0f} MiB |")
    aims = [
        Aim("requests of a push of one change", max(asked), 3 + 2 * LOCALES),
        Aim("CPU seconds of it, with the cache", median(kept).cpu_s, 3.0),
    ]
    return [*lines, *verdicts(aims)]


def jobs(folder: Path, articles: int, times: int) -> tuple[list[Run], list[Run], list[int]]:
    """Pushes with the cache kept, pushes with nothing kept, and how many requests the former made."""
    first = make_tree(folder / "first", articles)
    with (first / "kbsync.toml").open("a", encoding="utf-8") as file:
        file.write('[ledger]\nurl = "git:origin"\n')
    remote = folder / "remote.git"
    git(folder, "init", "-q", "--bare", "--initial-branch", "main", str(remote))
    git(first, "checkout", "-q", "-B", "main")
    commit(first)
    git(first, "remote", "add", "origin", str(remote))
    git(first, "push", "-q", "origin", "main")
    kept: list[Run] = []
    fresh: list[Run] = []
    asked: list[int] = []
    with sandbox(first) as portal:
        measure(PUSH, cwd=first, environ=portal)
        # A service takes 20 writes a second and a sandbox hundreds: a listing right after them has to read the rows of
        # that second again, several pages of each locale, which a job does not meet.
        time.sleep(SETTLED_S)
        measure(PLAN, cwd=first, environ=portal)
        cache = first / ".kbsync" / "cache.db"
        for number in range(2 * times):
            clone = folder / f"clone-{number}"
            git(folder, "clone", "-q", str(remote), str(clone))
            edit([articles_of(clone)[number * 37]])
            commit(clone)
            git(clone, "push", "-q", "origin", "main")
            if number % 2 == 0:
                (clone / ".kbsync").mkdir()
                shutil.copy(cache, clone / ".kbsync")
            run = measure([*PUSH, "--format", "json"], cwd=clone, environ=portal | JOB)
            # Of the job right before, whatever that had itself: an edit that no cache knows may have been a drag, and
            # then a whole category is read.
            cache = clone / ".kbsync" / "cache.db"
            if number % 2 == 0:
                kept.append(run)
                asked.append(requests_of(run))
            else:
                fresh.append(run)
    return kept, fresh, asked
