"""A pull of a whole portal: seconds, memory, killed and begun again, and what is left to do afterwards.

The portal is `kbsync sandbox` in a process of its own. The first one is filled by a push of `make_corpus.py`, with its
images; the second by another client (`strange_portal.py`). Each pull begins with an empty folder. Nothing of what is
said here about files is taken from kbsync's words: names, bytes and times are read from the disk.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from aims import Aim, verdicts
from process import Run, measure
from worlds import KBSYNC, PLAN, PUSH, articles_of, commit, git, make_tree, sandbox

PULL = [*KBSYNC, "pull"]
CHECK = [*KBSYNC, "plan", "--check", "-q"]
Files = dict[str, tuple[bytes, int]]


def measure_pulls(articles: int, _times: int) -> list[str]:
    """A portal of ours, and one of another client with a tenth of the articles."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        lines = [*whole(Path(name) / "whole", articles), ""]
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        return [*lines, *strange(Path(name) / "strange", articles // 10)]


def whole(above: Path, number: int) -> Iterator[str]:
    """A portal that kbsync pushed: the same bytes come back, also after a pull that was killed."""
    tree = make_tree(above / "tree", number)
    with sandbox(tree) as portal:
        measure(PUSH, cwd=tree, environ=portal)
        back = measure(PULL, cwd=tree, environ=portal)
        assert "up to date" in back.out, back.out
        clean = subprocess.run(["git", "status", "--short"], cwd=tree, capture_output=True, text=True, check=True)
        assert not clean.stdout, clean.stdout
        listed = measure([*PLAN, "--full"], cwd=tree, environ=portal, whole_tree=True)
        first, folder = pull_into(above / "pulled", portal)
        found = files_of(folder)
        again = measure(PULL, cwd=folder, environ=portal, whole_tree=True)
        assert "up to date" in again.out and files_of(folder) == found
        planned = measure(CHECK, cwd=folder, environ=portal, whole_tree=True)
        rest = {word: killed(above / word, portal, first.wall_s / 2, word, found) for word in ("SIGKILL", "SIGINT")}
    articles = len(articles_of(folder))
    yield f"{articles:,} articles, {len(found):,} files with images and categories, into an empty folder:"
    yield ""
    yield "| | wall | CPU | peak memory of all processes |"
    yield "| --- | --- | --- | --- |"
    yield row("plan of the tree that was pushed, whole portal listed", listed)
    yield row("pull into an empty folder", first)
    yield row("plan after it: 0 changes, 0 held", planned)
    yield row("second pull: no file is touched", again)
    for word, (run, loaded) in rest.items():
        yield row(f"pull after {word} in the middle ({loaded:,} images are not loaded again)", run)
    yield from verdicts(
        [
            Aim("CPU of the first pull, seconds for each 1,000 articles", first.cpu_s * 1000 / articles, 3),
            Aim("peak memory of the first pull, MiB", first.tree_mib, 256),
            Aim("second pull to the first, CPU", again.cpu_s / first.cpu_s, 0.3),
        ]
    )


def strange(above: Path, number: int) -> Iterator[str]:
    """A portal that another client filled."""
    from strange_portal import (
        fill,
    )  # Late: its HTTP client is a third of this runner, whose size others are counted with.

    folder = project(above / "pulled")
    with sandbox(folder) as portal:
        fill(portal["KBSYNC_SERVICE__BASE_URL"], portal["KBSYNC_TOKEN"], number)
        first = measure(PULL, cwd=folder, environ=portal, whole_tree=True)
        found = files_of(folder)
        planned = measure(CHECK, cwd=folder, environ=portal, whole_tree=True)
        git(folder, "init", "-q")
        git(folder, "add", "-A")
        commit(folder)
        again = measure(PULL, cwd=folder, environ=portal, whole_tree=True)
        pushed = measure(PUSH, cwd=folder, environ=portal, whole_tree=True)
        last = measure(PULL, cwd=folder, environ=portal)
        assert files_of(folder) == found, "a second pull wrote something"
    assert "up to date" in again.out and "up to date" in last.out, again.out + last.out
    articles = len(articles_of(folder))
    assert articles == number, articles
    yield f"{articles:,} articles that another client made (`bench/strange_portal.py`), into an empty folder:"
    yield ""
    yield "| | wall | CPU | peak memory of all processes |"
    yield "| --- | --- | --- | --- |"
    yield row("pull into an empty folder", first)
    yield row("plan after it: 0 changes, 0 held", planned)
    yield row("second pull: no file is touched", again)
    yield row("push of nothing, which sends nothing", pushed)


def project(folder: Path) -> Path:
    """An empty folder with a kbsync.toml."""
    folder.mkdir(parents=True)
    (folder / "kbsync.toml").write_text('[service]\nbase_url = "sandbox"\n[content]\nlocales = ["en", "fr"]\n')
    (folder / ".gitignore").write_text(".kbsync/\n")
    return folder


def pull_into(folder: Path, portal: dict[str, str]) -> tuple[Run, Path]:
    """Pull into an empty folder."""
    copied(folder)
    return measure(PULL, cwd=folder, environ=portal, whole_tree=True), folder


def copied(folder: Path) -> None:
    """A project like the one that was pushed, without its files."""
    folder.mkdir(parents=True)
    shutil.copy(folder.parent / "tree" / "kbsync.toml", folder)


def killed(folder: Path, portal: dict[str, str], after_s: float, word: str, wanted: Files) -> tuple[Run, int]:
    """A pull that ends early, and the next one, which has to write the same; and how many images it found loaded."""
    copied(folder)
    child = subprocess.Popen(
        PULL, cwd=folder, env=os.environ | portal, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(after_s)
    child.send_signal(getattr(signal, word))
    child.wait()
    cache = folder / ".kbsync" / "cache" / "pulled-images"
    loaded = sum(1 for path in cache.rglob("*") if path.is_file()) if cache.exists() else 0
    before = {path: value[0] for path, value in files_of(folder).items()}
    assert all(wanted[path][0] == data for path, data in before.items()), "a file in part"
    run = measure(PULL, cwd=folder, environ=portal, whole_tree=True)
    assert {path: data for path, (data, _) in files_of(folder).items()} == {p: d for p, (d, _) in wanted.items()}
    return run, loaded


def files_of(folder: Path) -> Files:
    """The bytes of every file and when it was written."""
    root = folder / "content"
    paths = (path for path in root.rglob("*") if path.is_file()) if root.exists() else ()
    return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


def row(name: str, run: Run) -> str:
    """One line of a table."""
    return f"| {name} | {run.wall_s:.1f} s | {run.cpu_s:.1f} s | {run.tree_mib:.0f} MiB |"
