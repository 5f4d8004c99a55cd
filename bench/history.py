"""A fresh clone with a long history: what does it cost to ask git? By hand: `python bench/history.py`.

10,000 articles with 30 revisions each, all on the portal; 200 of them differ there, either by an older revision (git
finds it) or by a person's edit (git has to be read to its end). Whole processes, medians; no ledger, no cache.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

from process import measure, median
from worlds import PLAN, PUSH, articles_of, commit, edit, git, make_tree, sandbox

ARTICLES, REVISIONS, QUESTIONS = 10_000, 30, 200


def with_history(folder: Path, revisions: int) -> None:
    """Give each article so many revisions before the one that is there, each a commit."""
    texts = {path.relative_to(folder).as_posix(): path.read_bytes() for path in articles_of(folder)}
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=folder, stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        for number in range(revisions - 1):
            when = 1_600_000_000 + number * 86_400
            child.stdin.write(f"commit refs/heads/long\ncommitter b <b@b> {when} +0000\ndata 1\nb\n".encode())
            for name, data in texts.items():
                body = data + f"\nRevision {number}.\n".encode()
                child.stdin.write(f"M 100644 inline {name}\ndata {len(body)}\n".encode() + body + b"\n")
    git(folder, "symbolic-ref", "HEAD", "refs/heads/long")
    git(folder, "add", "-A")
    commit(folder)


def forget(folder: Path) -> None:
    """As a new clone has it: neither ledger nor cache. The sandbox keeps its data."""
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
        (folder / ".kbsync" / name).unlink(missing_ok=True)
    shutil.rmtree(folder / ".kbsync" / "cache", ignore_errors=True)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--articles", type=int, default=ARTICLES)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = make_tree(Path(name) / "tree", options.articles)
        with_history(folder, REVISIONS)
        some = articles_of(folder)[:: max(1, options.articles // QUESTIONS)]
        with sandbox(folder) as portal:
            measure(PUSH, cwd=folder, environ=portal)
            show("nothing differs", folder, portal, options.times)
            edit(some)
            commit(folder)
            show("older revisions", folder, portal, options.times)
            # What was pushed and never committed is, to a clone, what somebody wrote in the panel.
            edit(some)
            measure([*PUSH, "--overwrite", "content"], cwd=folder, environ=portal, ok=(0, 4))
            git(folder, "checkout", "-q", ".")
            show("persons' edits", folder, portal, options.times)


def show(what: str, folder: Path, portal: dict[str, str], times: int) -> None:
    """A plan as a new clone makes it."""
    runs = []
    for _ in range(times):
        forget(folder)
        runs.append(measure(PLAN, cwd=folder, environ=portal, ok=(0, 4)))
    run = median(runs)
    print(f"| {what} | {run.cpu_s:.1f} s | {run.wall_s:.1f} s | {run.mib:.0f} MiB |", flush=True)


if __name__ == "__main__":
    main()
