"""A clone without a ledger and with a long history: what does it cost to ask git?

30 revisions of each article, all on the portal. 200 of them differ there, by an older revision or by a person's edit,
or have no file any more. All 200 also have another number there than any revision, as after a drag, so git is read to
its end in any case. Whole processes with their children.

What is asked of git is wanted, and not the plan around it. So tree and portal are read from the cache that the plan
before left, and each plan is compared with one right before it that asks nothing: what it takes more is the median of
these differences (in brackets the least and the most). A tenth of the articles in more rounds, where the plan around
the questions costs next to nothing, and all of them, where git has ten times as much to list.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from aims import Aim, verdicts
from process import Run, measure, median
from worlds import PLAN, PUSH, articles_of, commit, edit, git, make_tree, sandbox

import kept

REVISIONS, QUESTIONS = 30, 200
LARGE_ROUNDS = 3
"""Rounds of all articles, each some 30 s."""

NONE, OLDER, EDITS, DELETED = "nothing differs", "older revisions", "persons' edits", "persons' edits and deleted files"
AGAIN = ", the plan after it"
LEDGER = ("ledger.db", "ledger.db-wal", "ledger.db-shm")

Round = dict[str, Run]


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


HEAD = ["| | CPU | more than without questions | wall | memory |", "| --- | --- | --- | --- | --- |"]


def measure_history(articles: int, times: int) -> list[str]:
    """Rounds of a tenth, and of all."""
    lines, aims = [*HEAD], []
    for number, rounds in ((articles // 10, times), (articles, min(times, LARGE_ROUNDS))):
        found = measure_rounds(number, rounds)
        lines += [row(f"{what}, {number:,}", found, what) for what in found[0]]
        asked = max(statistics.median(beyond(found, what)) for what in found[0])
        aims.append(Aim(f"CPU seconds of {QUESTIONS} questions beyond nothing asked, {number:,}", asked, 2.0))
    return [*lines, *verdicts(aims)]


def measure_rounds(articles: int, times: int) -> list[Round]:
    """Plans of trees that differ in what git is asked, in turn. The first of each only fills its cache."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name, ExitStack() as portals:
        worlds = {
            what: (folder, portals.enter_context(sandbox(folder))) for what, folder in states(Path(name), articles)
        }
        return [one_round(worlds) for _ in range(times + 1)][1:]


def one_round(worlds: dict[str, tuple[Path, dict[str, str]]]) -> Round:
    """Each plan once, and once more with what the walk before kept."""
    found: Round = {}
    for what, (folder, portal) in worlds.items():
        forget(folder, "history")
        found[what] = measure(PLAN, cwd=folder, environ=portal, ok=(0, 4))
        if what in (EDITS, DELETED):
            forget(folder)
            found[what + AGAIN] = measure(PLAN, cwd=folder, environ=portal, ok=(0, 4))
    return found


def states(above: Path, articles: int) -> Iterator[tuple[str, Path]]:
    """The same tree with its portal, after each step another one; each in a folder of its own."""
    tree = make_tree(above / "tree", articles)
    some = articles_of(tree)[:: max(1, articles // QUESTIONS)]
    going = [copied(path) for path in some]
    with_history(tree, REVISIONS)
    push(tree)
    yield NONE, shutil.copytree(tree, above / "none", symlinks=True)
    edit(some)
    commit(tree)
    yield OLDER, shutil.copytree(tree, above / "older", symlinks=True)
    # What was pushed and never committed is, to a clone, what somebody wrote in the panel.
    edit(some)
    push(tree, "--overwrite", "content")
    git(tree, "checkout", "-q", ".")
    yield EDITS, shutil.copytree(tree, above / "edits", symlinks=True)
    for path in going:
        path.unlink()
    commit(tree)
    yield DELETED, tree


def push(folder: Path, *options: str) -> None:
    """Send everything to the portal of this folder, which ends then: its data are copied with the folder."""
    with sandbox(folder) as portal:
        measure([*PUSH, *options], cwd=folder, environ=portal, ok=(0, 4))


def forget(folder: Path, *more: str) -> None:
    """What a clone that never pushed does not have, and the plan before: no plan is to be taken from its record."""
    for name in LEDGER:
        (folder / ".kbsync" / name).unlink(missing_ok=True)
    for kind in ("plan", *more):
        kept.forget(folder, kind)


def copied(path: Path) -> Path:
    """The same article once more, which nothing links to. Its number is the same, so the portal gives one another."""
    copy = path.with_name(f"{path.stem}-old.md")
    copy.write_text(re.sub(r"(?m)^slug: .+", r"\g<0>-old", path.read_text("utf-8"), count=1), "utf-8")
    return copy


def beyond(rounds: list[Round], what: str) -> list[float]:
    """What a plan took more than the one of its round that asked nothing, CPU seconds."""
    return [found[what].cpu_s - found[NONE].cpu_s for found in rounds]


def row(name: str, rounds: list[Round], what: str) -> str:
    run, more = median(found[what] for found in rounds), beyond(rounds, what)
    differences = f"{statistics.median(more):+.2f} s ({min(more):+.2f} to {max(more):+.2f})" if what != NONE else ""
    return f"| {name} | {run.cpu_s:.2f} s | {differences} | {run.wall_s:.2f} s | {run.mib:.0f} MiB |"
