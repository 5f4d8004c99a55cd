"""What is measured: content trees under git, and portals in processes of their own on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
KBSYNC = [sys.executable, "-m", "kbsync"]
PLAN = [*KBSYNC, "plan", "-q"]
PUSH = [*KBSYNC, "push", "-q"]
CHANGES = 10
"""How `plan --check` ends when there is something to send."""

UNPACED = {"KBSYNC_PACE__REQUESTS_PER_MINUTE": "600000"}


def make_tree(folder: Path, articles: int) -> Path:
    """A content tree under git, with a kbsync.toml that names the embedded sandbox."""
    command = [sys.executable, str(HERE / "make_corpus.py"), "--articles", str(articles), "--locales", "4"]
    subprocess.run([*command, "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)
    (folder / "kbsync.toml").write_text('[service]\nbase_url = "sandbox"\n[content]\ndefault_locale = "en"\n')
    (folder / ".gitignore").write_text(".kbsync/\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    commit(folder)
    return folder


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True)


def commit(folder: Path) -> None:
    """Everything that changed, so that `git status` finds the tree clean again."""
    git(folder, "-c", "user.name=b", "-c", "user.email=b@b", "-c", "gc.auto=0", "commit", "-aqm", "b")


def articles_of(folder: Path) -> list[Path]:
    """The sources of the tree's articles, in path order."""
    return sorted(path for path in (folder / "content").rglob("*.md") if path.name != "_category.md")


def edit(paths: list[Path]) -> None:
    """Give each article one more sentence, as a writer would; nothing that other articles could see."""
    for path in paths:
        with path.open("a", encoding="utf-8") as file:
            file.write("\nOne more sentence.\n")


def at(base_url: str, token: str) -> dict[str, str]:
    """The environment that makes kbsync talk to a portal, and remember nothing: the next one has another port."""
    return {"KBSYNC_SERVICE__BASE_URL": base_url, "KBSYNC_TOKEN": token, "KBSYNC_TOKEN_ORIGIN": base_url}


@contextmanager
def sandbox(folder: Path) -> Iterator[dict[str, str]]:
    """`kbsync sandbox` in a process of its own; the environment that makes kbsync talk to it."""
    with subprocess.Popen([*KBSYNC, "sandbox", "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        base_url = child.stdout.readline().split()[-1]
        token = (folder / ".kbsync" / "sandbox.token").read_text("ascii").strip()
        try:
            yield UNPACED | at(base_url, token)
        finally:
            child.terminate()


@contextmanager
def slow_portal(*words: str) -> Iterator[dict[str, str]]:
    """`slow_portal.py` in a process of its own; the environment that makes kbsync talk to it."""
    command = [sys.executable, str(HERE / "slow_portal.py"), *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        try:
            yield UNPACED | at(child.stdout.readline().strip(), "any-token")
        finally:
            child.stdin.close()


def stats(portal: dict[str, str]) -> Any:
    """What a slow portal was asked so far."""
    from urllib.request import urlopen  # Late: it is larger than all the rest of the runner.

    with urlopen(portal["KBSYNC_SERVICE__BASE_URL"] + "/-/stats") as answer:
        return json.load(answer)
