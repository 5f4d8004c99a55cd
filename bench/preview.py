"""Measure the preview in a browser: from `write()` to the change in the DOM, beside `hugo server` and `mkdocs serve`.

    python bench/preview.py                        1,000 and 10,000 articles, what is installed of the peers
    python bench/preview.py --articles 1000 --saves 10 --only kbsync

Needs `playwright` and chromium; the peers are `hugo` and `mkdocs` on the PATH, or in `--peers BIN`. Prints Markdown.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
BETWEEN_S = 1.0
IDLE_S = 10.0
START_S = 300.0
LOST_S = 60.0
"""A save that the page does not show after this long is lost: the tool missed it, or the browser did not load it."""

WATCH = """
(() => {
  const look = () => {
    const found = document.documentElement && document.documentElement.textContent.match(/marker-[0-9]+-end/g);
    if (found) for (const mark of found) {
      if (!window.__seen) window.__seen = new Set();
      if (!window.__seen.has(mark)) {
        window.__seen.add(mark);
        window.seen(mark, performance.timeOrigin + performance.now());
      }
    }
  };
  new MutationObserver(look).observe(document, {childList: true, subtree: true, characterData: true});
})();
"""


@dataclass(frozen=True)
class Peer:
    """One tool: how it is started, and the address of a page."""

    name: str
    command: list[str]
    page: str
    cwd: Path


@dataclass(frozen=True)
class Measured:
    """What was seen of one tool at one size."""

    first_s: float
    latencies_ms: list[float]
    idle_percent: float
    mib: float


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, action="append")
    parser.add_argument("--saves", type=int, default=50)
    parser.add_argument("--only", action="append", choices=("kbsync", "hugo", "mkdocs"))
    parser.add_argument("--peers", type=Path, help="a folder with hugo and mkdocs")
    parser.add_argument("--mkdocs-most", type=int, default=1000, help="it builds everything at every save")
    given = parser.parse_args()
    print("| | articles | first page | write to DOM, median | p95 | idle CPU | memory |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for articles in given.articles or [1_000, 10_000]:
        with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as folder:
            for line in measure_size(articles, Path(folder), given):
                print(line, flush=True)


def measure_size(articles: int, folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """The lines of the table for one size."""
    corpus = HERE / "make_corpus.py"
    subprocess.run(
        [sys.executable, corpus, "--articles", str(articles), "--out", folder], check=True, stdout=subprocess.DEVNULL
    )
    (folder / "kbsync.toml").write_text('[content]\nroot = "content"\n')
    source = sorted((folder / "content" / "en").rglob("*.md"))[articles // 8]
    slug = source.stem
    wanted = given.only or ["kbsync", "hugo", "mkdocs"]
    if "kbsync" in wanted:
        yield line("`kbsync preview`, cold", articles, measure(kbsync(folder, slug), source, given.saves))
        yield line("`kbsync preview`, warm", articles, measure(kbsync(folder, slug), source, given.saves))
    hugo, mkdocs = (find(name, given.peers) for name in ("hugo", "mkdocs"))
    if "hugo" in wanted and hugo:
        yield line("`hugo server`", articles, measure(hugo_peer(hugo, folder, source), source, given.saves))
    if "mkdocs" in wanted and mkdocs and articles <= given.mkdocs_most:
        yield line("`mkdocs serve`", articles, measure(mkdocs_peer(mkdocs, folder, source), source, 3))


def line(name: str, articles: int, seen: Measured) -> str:
    """One row."""
    ordered = sorted(took for took in seen.latencies_ms if took < inf) or [inf]
    lost = sum(1 for took in seen.latencies_ms if took == inf)
    p95 = ordered[max(0, -(-len(ordered) * 95 // 100) - 1)]
    return (
        f"| {name} | {articles:,} | {seen.first_s:.2f} s | {statistics.median(ordered):.0f} ms | {p95:.0f} ms"
        f"{f', {lost} never seen' if lost else ''} | "
        f"{seen.idle_percent:.1f} % | {seen.mib:.0f} MiB |"
    )


def find(name: str, folder: Path | None) -> str:
    """A peer's program, or ""."""
    return shutil.which(name, path=f"{folder}{os.pathsep}{os.environ['PATH']}" if folder else None) or ""


def free_port() -> int:
    """A port of which nobody knows."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def kbsync(folder: Path, slug: str) -> Peer:
    """This."""
    port = free_port()
    command = [sys.executable, "-m", "kbsync", "preview", "--port", str(port)]
    return Peer("kbsync", command, f"http://127.0.0.1:{port}/en/articles/{slug}", folder)


def hugo_peer(program: str, folder: Path, source: Path) -> Peer:
    """hugo with the smallest templates that show a page."""
    port = free_port()
    (folder / "hugo.toml").write_text('title = "bench"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap"]\n')
    layouts = folder / "layouts" / "_default"
    layouts.mkdir(parents=True, exist_ok=True)
    head = "<!DOCTYPE html><html><head><title>{{ .Title }}</title></head><body><h1>{{ .Title }}</h1>"
    (layouts / "single.html").write_text(head + "{{ .Content }}</body></html>")
    (layouts / "list.html").write_text(
        head + '{{ range .Pages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</body></html>'
    )
    command = [program, "server", "--port", str(port), "--buildDrafts", "--renderToMemory"]
    relative = source.relative_to(folder / "content").with_suffix("")
    slug = re.search(r"^slug: (.+)$", source.read_text("utf-8"), re.MULTILINE)
    path = relative.with_name(slug[1].strip() if slug else relative.name).as_posix()
    return Peer("hugo", command, f"http://127.0.0.1:{port}/{path}/", folder)


def mkdocs_peer(program: str, folder: Path, source: Path) -> Peer:
    """mkdocs with its own theme."""
    port = free_port()
    (folder / "mkdocs.yml").write_text("site_name: bench\ndocs_dir: content\nplugins: []\n")
    path = source.relative_to(folder / "content").with_suffix("").as_posix()
    command = [program, "serve", "-a", f"127.0.0.1:{port}", "--livereload"]
    return Peer("mkdocs", command, f"http://127.0.0.1:{port}/{path}/", folder)


@contextmanager
def running(peer: Peer) -> Iterator[subprocess.Popen[bytes]]:
    """The tool, until the end of the block."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(peer.command, cwd=peer.cwd, stdout=out, stderr=out)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def measure(peer: Peer, source: Path, saves: int) -> Measured:
    """Start the tool, open a page, save its source again and again."""
    before = source.read_bytes()
    began = time.perf_counter()
    with running(peer) as process, sync_playwright() as playwright:
        wait_for(peer.page, process)
        first_s = time.perf_counter() - began
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        seen: dict[str, float] = {}
        page = browser.new_page()
        page.expose_function("seen", lambda mark, at: seen.setdefault(mark, at))  # noqa: PLW0108  (it gets an attribute)
        page.add_init_script(WATCH)
        page.goto(peer.page)
        page.wait_for_timeout(6_000)  # what a tool does in the background after its start is its own affair
        try:
            latencies = [save(page, seen, source, before, number) for number in range(saves)]
        finally:
            source.write_bytes(before)
        page.wait_for_timeout(2_000)
        idle = idle_percent(process.pid)
        mib = memory_mib(process.pid)
        browser.close()
    return Measured(first_s, latencies, idle, mib)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Ask until the page is there."""
    deadline = time.perf_counter() + START_S
    while process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=600) as answer:
                answer.read()
                return
        except urllib.error.HTTPError as exc:
            # mkdocs answers so while it builds; a wrong address would do it for ever.
            if time.perf_counter() > deadline:
                raise SystemExit(f"{url}: {exc}") from exc
            time.sleep(0.05)
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.01)
    raise SystemExit(f"{process.args} ended with {process.returncode}")


def save(page: Page, seen: dict[str, float], source: Path, before: bytes, number: int) -> float:
    """Write a mark into the middle of the text; milliseconds until the page has it."""
    mark = f"marker-{number + 1000}-end"
    began = time.time()
    source.write_bytes(before.rstrip() + f"\n\nA sentence with {mark} in it.\n".encode())
    deadline = began + LOST_S
    while mark not in seen and time.time() < deadline:
        page.wait_for_timeout(5)
    page.wait_for_timeout(BETWEEN_S * 1000)
    return seen.get(mark, inf) - began * 1000


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(member for child in children for member in _family(int(child)))]


def idle_percent(pid: int) -> float:
    """CPU of a tool with nothing to do, in percent of one core."""

    def ticks() -> int:
        stats = [Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split() for member in _family(pid)]
        return sum(int(stat[11]) + int(stat[12]) for stat in stats)

    start = ticks()
    time.sleep(IDLE_S)
    return (ticks() - start) / os.sysconf("SC_CLK_TCK") / IDLE_S * 100


def memory_mib(pid: int) -> float:
    """The largest resident set of the tool and its children, so far."""
    texts = [Path(f"/proc/{member}/status").read_text() for member in _family(pid)]
    return sum(int(found[1]) for text in texts if (found := re.search(r"VmHWM:\s+(\d+)", text))) / 1024


if __name__ == "__main__":
    main()
