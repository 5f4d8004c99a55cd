"""A fresh clone with a long history: what does it cost to ask git?

10,000 articles with 30 revisions each, all on the portal; 200 of them differ there, either by an older revision (git
finds it) or by a person's edit (git has to be read to its end), or have no file any more. Whole processes with their
children; no ledger, and no cache but for the next plan.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from aims import Aim, verdicts
from process import Run, measure, median
from worlds import PLAN, PUSH, articles_of, commit, edit, git, make_tree, sandbox

ARTICLES, REVISIONS, QUESTIONS = 10_000, 30, 200


def with_history(folder: Path, revisions: int) -> None:
    """Give each article so many revisions before the one that is there, each a commit."""
    texts = {path.relative_to(folder).as_posix(): path.read_bytes() for path in articles_of(folder)}
    numbers = range(revisions - 1)
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=folder, stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        # Each text follows the one before it of the same file, as `git gc` packs them and every clone has them: a
        # text is stored as what differs from the one that was written before it.
        for place, data in enumerate(texts.values()):
            for number in numbers:
                body = data + f"\nRevision {number}.\n".encode()
                mark = place * len(numbers) + number + 1
                child.stdin.write(f"blob\nmark :{mark}\ndata {len(body)}\n".encode() + body + b"\n")
        for number in numbers:
            when = 1_600_000_000 + number * 86_400
            child.stdin.write(f"commit refs/heads/long\ncommitter b <b@b> {when} +0000\ndata 1\nb\n".encode())
            for place, name in enumerate(texts):
                child.stdin.write(f"M 100644 :{place * len(numbers) + number + 1} {name}\n".encode())
    git(folder, "symbolic-ref", "HEAD", "refs/heads/long")
    git(folder, "add", "-A")
    commit(folder)


def forget(folder: Path) -> None:
    """As a new clone has it: neither ledger nor cache. The sandbox keeps its data."""
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
        (folder / ".kbsync" / name).unlink(missing_ok=True)
    shutil.rmtree(folder / ".kbsync" / "cache", ignore_errors=True)


HEAD = ["| | CPU | more than without questions | wall | memory |", "| --- | --- | --- | --- | --- |"]


def measure_history(articles: int, times: int) -> list[str]:
    """Plans of one tree, each with other questions to git."""
    with tempfile.TemporaryDirectory() as name:
        folder = make_tree(Path(name) / "tree", articles)
        some = articles_of(folder)[:: max(1, articles // QUESTIONS)]
        going = [copied(path) for path in some]
        with_history(folder, REVISIONS)
        with sandbox(folder) as portal:
            measure(PUSH, cwd=folder, environ=portal)
            found = {"nothing differs": plan(folder, portal, times)}
            edit(some)
            commit(folder)
            found["older revisions"] = plan(folder, portal, times)
            # What was pushed and never committed is, to a clone, what somebody wrote in the panel.
            edit(some)
            measure([*PUSH, "--overwrite", "content"], cwd=folder, environ=portal, ok=(0, 4))
            git(folder, "checkout", "-q", ".")
            found["persons' edits"] = plan(folder, portal, times)
            found["the plan after that"] = plan(folder, portal, times, fresh=False)
            for path in going:
                path.unlink()
            commit(folder)
            found["persons' edits and deleted files"] = plan(folder, portal, times)
            found["the plan after those"] = plan(folder, portal, times, fresh=False)
    none = found["nothing differs"].cpu_s
    asked = max(run.cpu_s for run in found.values()) - none
    aim = Aim(f"CPU seconds of {QUESTIONS} questions, beyond nothing asked", asked, 2.0)
    return [*HEAD, *(row(what, run, none) for what, run in found.items()), *verdicts([aim])]


def copied(path: Path) -> Path:
    """The same article once more, which nothing links to."""
    copy = path.with_name(f"{path.stem}-old.md")
    copy.write_text(re.sub(r"(?m)^slug: .+", r"\g<0>-old", path.read_text("utf-8"), count=1), "utf-8")
    return copy


def plan(folder: Path, portal: dict[str, str], times: int, *, fresh: bool = True) -> Run:
    """Plans as a new clone makes them, or one that planned before; nothing is pushed."""
    runs = []
    for _ in range(times):
        if fresh:
            forget(folder)
        runs.append(measure(PLAN, cwd=folder, environ=portal, ok=(0, 4)))
    return median(runs)


def row(what: str, run: Run, none_s: float) -> str:
    return f"| {what} | {run.cpu_s:.1f} s | {run.cpu_s - none_s:+.1f} s | {run.wall_s:.1f} s | {run.mib:.0f} MiB |"
