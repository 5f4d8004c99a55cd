"""The preview in a browser: from `write()` to the change in the DOM, beside `hugo server` and `mkdocs serve`.

Needs `playwright` and chromium; the peers are `hugo` and `mkdocs` on the PATH.
"""

from __future__ import annotations

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

from aims import Aim, verdicts
from playwright.sync_api import Page, sync_playwright
from worlds import HERE, articles_of

HEAD = [
    "| | articles | first page | write to DOM, median | 95 of 100 | idle CPU | memory |",
    "| --- | --- | --- | --- | --- | --- | --- |",
]
SAVES = 20
"""In each of the rounds, usually three: of 60 saves, the slowest is not the 95th percentile."""
PEER_SAVES = 5
MKDOCS_MOST = 1_000
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

    @property
    def median_ms(self) -> float:
        return statistics.median(self._shown)

    @property
    def p95_ms(self) -> float:
        return self._shown[max(0, -(-len(self._shown) * 95 // 100) - 1)]

    @property
    def lost(self) -> int:
        """Saves that the page never showed."""
        return sum(1 for took in self.latencies_ms if took == inf)

    @property
    def _shown(self) -> list[float]:
        return sorted(took for took in self.latencies_ms if took < inf) or [inf]


def measure_preview(articles: int, times: int) -> list[str]:
    """Small and large, kbsync with its cache and without; of the peers what is here."""
    lines, aims = [*HEAD], list[Aim]()
    for number in (articles // 10, articles):
        with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
            folder = Path(name)
            source = a_tree(folder, number)
            found = {word: measure(kbsync(folder, source.stem), source, SAVES * times) for word in ("cold", "warm")}
            lines += [line(f"`kbsync preview`, {word}", number, seen) for word, seen in found.items()]
            aims += [
                Aim(f"ms from save to DOM, 95 of 100, {number:,}", max(seen.p95_ms for seen in found.values()), 40),
                Aim(f"seconds to the first page, {number:,}", max(seen.first_s for seen in found.values()), 1),
            ]
            lines += measure_peers(folder, source, number)
    return [*lines, *verdicts(aims)]


def a_tree(folder: Path, articles: int) -> Path:
    """A content tree with a kbsync.toml; the file in the middle of it that is saved."""
    corpus = [sys.executable, HERE / "make_corpus.py", "--articles", str(articles), "--out", folder]
    subprocess.run(corpus, check=True, stdout=subprocess.DEVNULL)
    (folder / "kbsync.toml").write_text('[content]\nroot = "content"\n')
    english = [path for path in articles_of(folder) if path.is_relative_to(folder / "content" / "en")]
    return english[len(english) // 2]


def measure_peers(folder: Path, source: Path, articles: int) -> Iterator[str]:
    """Those that are here; mkdocs builds everything at every save, so it gets a small tree and few saves."""
    if hugo := shutil.which("hugo"):
        yield line("`hugo server`", articles, measure(hugo_peer(hugo, folder, source), source, PEER_SAVES))
    if (mkdocs := shutil.which("mkdocs")) and articles <= MKDOCS_MOST:
        yield line("`mkdocs serve`", articles, measure(mkdocs_peer(mkdocs, folder, source), source, 3))


def line(name: str, articles: int, seen: Measured) -> str:
    """One row."""
    return (
        f"| {name} | {articles:,} | {seen.first_s:.2f} s | {seen.median_ms:.0f} ms | {seen.p95_ms:.0f} ms"
        f"{f', {seen.lost} never seen' if seen.lost else ''} | {seen.idle_percent:.1f} % | {seen.mib:.0f} MiB |"
    )


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
