"""A fresh clone with a long history: what does it cost to ask git? `python bench/run.py --only history` writes it down.

10,000 articles with 30 revisions each, all on the portal; 200 of them differ there, either by an older revision (git
finds it) or by a person's edit (git has to be read to its end), or have no file any more. Whole processes with their
children, medians; no ledger, and no cache but for the next plan.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from process import Run, measure, median, use_bytecode
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


def measure_history(articles: int, times: int) -> Iterator[str]:
    """Rows of a table: plans of one tree, each with other questions to git."""
    with tempfile.TemporaryDirectory() as name:
        folder = make_tree(Path(name) / "tree", articles)
        some = articles_of(folder)[:: max(1, articles // QUESTIONS)]
        going = [copied(path) for path in some]
        with_history(folder, REVISIONS)
        with sandbox(folder) as portal:
            measure(PUSH, cwd=folder, environ=portal)
            none = plan(folder, portal, times)
            yield row("nothing differs", none)
            edit(some)
            commit(folder)
            yield row("older revisions", plan(folder, portal, times), none)
            # What was pushed and never committed is, to a clone, what somebody wrote in the panel.
            edit(some)
            measure([*PUSH, "--overwrite", "content"], cwd=folder, environ=portal, ok=(0, 4))
            git(folder, "checkout", "-q", ".")
            yield row("persons' edits", plan(folder, portal, times), none)
            yield row("... the next plan", plan(folder, portal, times, fresh=False))
            for path in going:
                path.unlink()
            commit(folder)
            yield row("... and deleted files", plan(folder, portal, times), none)
            yield row("... the next plan", plan(folder, portal, times, fresh=False))


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


def row(what: str, run: Run, without: Run | None = None) -> str:
    more = f"{run.cpu_s - without.cpu_s:.1f} s" if without else ""
    return f"| {what} | {run.cpu_s:.1f} s | {more} | {run.wall_s:.1f} s | {run.mib:.0f} MiB |"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--articles", type=int, default=ARTICLES)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    use_bytecode()
    for line in (*HEAD, *measure_history(options.articles, options.times)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
