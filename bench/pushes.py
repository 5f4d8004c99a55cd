"""What a push leaves to the next plan, and what it gains that tree and portal are read side by side.

Every figure is one of a round in which all were measured one right after the other; ratios are medians of the ratios
of each round. The portal of the pushes is `kbsync sandbox`, that of the fresh clones `bench/slow_portal.py`, each in a
process of its own. The same at ten times the articles is in the section about memory.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from aims import Aim, verdicts
from process import Run, least_and_median, measure, median, ratio
from trees import SETTLE_S
from worlds import HERE, KBSYNC, PLAN, PUSH, articles_of, commit, edit, make_tree, sandbox, slow_portal

from lint import FOUND, LINT

DELAY_MS = 80
SIDE_BY_SIDE = "plan, side by side"
LIST_ALONE = """
from contextlib import ExitStack
from kbsync.app.listing_ahead import Ahead
from kbsync.app.session import Session
from kbsync.app.workspace import Workspace
session = Session()
with ExitStack() as opened:
    ahead = Ahead(Workspace(session.read_settings(), session), opened)
    ahead.begin()
    ahead.seen()
"""
Round = dict[str, Run]


def measure_pushes(articles: int, times: int) -> list[str]:
    """Pushes and the plans around them, then fresh clones."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        # Of less than a second each: three of them say little on a machine whose speed moves by half.
        sent, read = pushes(folder, 3 * times), clones(folder, times)
    return [
        *table(sent, "no-op plan", "CPU of the no-op plan", _cpu_s),
        "",
        f"A fresh clone, all on a portal that takes {DELAY_MS} ms a page:",
        "",
        *table(read, "larger", "wall of the larger of the two alone", _wall_s),
        *verdicts(
            [
                Aim("CPU of a no-op push to that of a no-op plan", _to(sent, "no-op push", "no-op plan", _cpu_s), 1.5),
                Aim("CPU of the plan after a push to it", _to(sent, "plan right after it", "no-op plan", _cpu_s), 1.2),
                Aim("wall of a fresh clone's plan to the larger part", _to(read, SIDE_BY_SIDE, "larger", _wall_s), 1.3),
            ]
        ),
    ]


def pushes(folder: Path, times: int) -> list[Round]:
    """No-op plan and push, a push of one change, and the plan right after it; then what a writer runs in turns."""
    paths = articles_of(folder)
    with sandbox(folder) as portal:
        measure(PUSH, cwd=folder, environ=portal)
        time.sleep(SETTLE_S)
        measure(PLAN, cwd=folder, environ=portal)
        measure(LINT, cwd=folder, ok=FOUND)
        rounds: list[Round] = []
        for number in range(times):
            found = {"no-op plan": measure(PLAN, cwd=folder, environ=portal)}
            found["no-op push"] = measure(PUSH, cwd=folder, environ=portal)
            edit([paths[number * 37 % len(paths)]])
            commit(folder)
            time.sleep(0.2)  # A file read within a tick of its change is read again by the next plan.
            found["plan of one change"] = measure(PLAN, cwd=folder, environ=portal)
            found["push of one change"] = measure(PUSH, cwd=folder, environ=portal)
            found["plan right after it"] = measure(PLAN, cwd=folder, environ=portal)
            for which in ("first", "second"):
                edit([paths[number * 41 % len(paths)]])
                time.sleep(0.2)
                found[f"lint of the {which} edit of a text"] = measure(LINT, cwd=folder, ok=FOUND)
            found["plan of it, after both"] = measure(PLAN, cwd=folder, environ=portal)
            commit(folder)
            found["push of it"] = measure(PUSH, cwd=folder, environ=portal)
            rounds.append(found)
    return rounds


def clones(folder: Path, times: int) -> list[Round]:
    """A plan of a fresh clone, all on a portal that takes its time; beside it the tree alone and the listing alone."""
    compiled = folder.parent / "compiled"
    measure([sys.executable, str(HERE / "compiled.py"), str(compiled)], cwd=folder)
    command = folder.parent / "token.sh"
    command.write_text("#!/bin/sh\necho any-token\n")
    command.chmod(0o700)
    rounds: list[Round] = []
    with slow_portal("--delay-ms", str(DELAY_MS), "--load", str(compiled)) as portal:
        # Where a program has to run for the token, kbsync reads the tree first and lists the portal then.
        after = {name: value for name, value in portal.items() if name != "KBSYNC_TOKEN"}
        after |= {"KBSYNC_TOKEN": "", "KBSYNC_SERVICE__TOKEN_COMMAND": str(command)}
        for _ in range(times):
            found: Round = {}
            forget(folder)
            found["the tree alone (`lint`)"] = measure([*KBSYNC, "lint", "-q"], cwd=folder)
            forget(folder)
            found["the listing alone"] = measure([sys.executable, "-c", LIST_ALONE], cwd=folder, environ=portal)
            larger = max(found.values(), key=lambda run: run.wall_s)
            forget(folder)
            found[SIDE_BY_SIDE] = measure(PLAN, cwd=folder, environ=portal)
            forget(folder)
            found["plan, one after the other"] = measure(PLAN, cwd=folder, environ=after)
            rounds.append(found | {"larger": larger})
    return rounds


def forget(folder: Path) -> None:
    """As a new clone has it: neither ledger nor cache."""
    shutil.rmtree(folder / ".kbsync" / "cache", ignore_errors=True)
    for file in (folder / ".kbsync").glob("ledger.db*"):
        file.unlink()


def table(rounds: list[Round], against: str, what: str, figure: Callable[[Run], float]) -> list[str]:
    """Least and median, and the median ratio to one of them."""
    head = f"| | wall, least / median | CPU, least / median | memory | times the {what} |"
    lines = [head, "| --- | --- | --- | --- | --- |"]
    for name in rounds[0]:
        if name == "larger":
            continue
        runs = [found[name] for found in rounds]
        wall, cpu = least_and_median(runs, _wall_s), least_and_median(runs, _cpu_s)
        times = _to(rounds, name, against, figure)
        lines.append(f"| {name} | {wall} | {cpu} | {median(runs).mib:.0f} MiB | {times:.2f} |")
    return lines


def _to(rounds: list[Round], one: str, other: str, figure: Callable[[Run], float]) -> float:
    return ratio([(found[one], found[other]) for found in rounds], figure)


def _cpu_s(run: Run) -> float:
    return run.cpu_s


def _wall_s(run: Run) -> float:
    return run.wall_s
