"""The preview in a browser: milliseconds from a save to the change in the open page."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

from kbsync.app.project import Project
from kbsync.app.reading import read_content

PORT = 8417
BETWEEN_MS, LOST_S, START_S = 1_000, 60.0, 60.0

WATCH = """
(() => {
  const look = () => {
    const found = document.documentElement && document.documentElement.textContent.match(/marker-[0-9]+-end/g);
    for (const mark of found || []) window.seen(mark, performance.timeOrigin + performance.now());
  };
  new MutationObserver(look).observe(document, {childList: true, subtree: true, characterData: true});
})();
"""


def milliseconds(folder: Path, source: Path, saves: int) -> list[float]:
    """Of each of some saves of one article, in a preview of its tree."""
    before = source.read_bytes()
    workspace = Project.open(folder).workspace
    path = source.relative_to(workspace.content_root).as_posix()
    identity = read_content(workspace, compiled=False).compiler.site.articles[path]
    url = f"http://127.0.0.1:{PORT}/{identity.locale}/articles/{identity.slug}"
    command = [sys.executable, "-m", "kbsync", "preview", "--port", str(PORT)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(url)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                page, seen = browser.new_page(), dict[str, float]()
                page.expose_function("seen", lambda mark, at: seen.setdefault(mark, at))  # noqa: PLW0108
                page.add_init_script(WATCH)
                page.goto(url)
                page.wait_for_timeout(6_000)  # What is done in the background after the start is not of a save.
                found = []
                for number in range(saves):
                    mark, began_s = f"marker-{number + 1000}-end", time.time()
                    source.write_bytes(before.rstrip() + f"\n\nA sentence with {mark} in it.\n".encode())
                    while mark not in seen and time.time() < began_s + LOST_S:
                        page.wait_for_timeout(5)
                    found.append(seen[mark] - began_s * 1000)
                    page.wait_for_timeout(BETWEEN_MS)
                browser.close()
                return found
        finally:
            source.write_bytes(before)
            process.send_signal(signal.SIGINT)


def _wait_for(url: str) -> None:
    until_s = time.monotonic() + START_S
    while True:
        try:
            with urllib.request.urlopen(url, timeout=60):
                return
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > until_s:
                raise
            time.sleep(0.05)
