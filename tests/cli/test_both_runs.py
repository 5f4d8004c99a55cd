"""A command prints the same, and ends the same, in this process as in one of its own."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.conftest import Project
from commands import Done
from kbsync.cli.commands import COMMANDS

LINES = {
    "init": "init", "check": "check", "status": "status", "lint": "lint", "new": "new article en/billing/fees",
    "mv": "mv en/billing/refunds.md en/billing/money-back.md", "plan": "plan --diff", "diff": "diff",
    "why": "why en/billing/refunds.md", "delete": "delete refunds --yes", "open": "open refunds", "help": "help why", "push": "push --publish",
    "pull": "pull", "resolve": "resolve en/billing/refunds.md --ours", "verify": "verify", "redirects": "redirects",
    "translate": "translate --in fr", "undo": "undo 1 --yes",
    "comment": "comment no-such-plan.json", "ledger": "ledger show", "preview": "preview --build site",
    "api": "api GET portals", "trust": "trust", "sandbox": "sandbox --no-such-option", "schema": "schema plan",
    "completion": "completion bash", "demo": "demo --once",
}  # fmt: skip
"""One run of each command, with an answer or an error of its own."""

CHANGES = re.compile(r"127\.0\.0\.1:\d+|\d+(\.\d+)? (ms|s|minutes?)\b|\d\d:\d\d(:\d\d)?")
"""Ports and times."""


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Project]]:
    """The project anew for each run, pushed once and edited since; all in the same folder."""
    kept, folder = (tmp_path_factory.mktemp(name) for name in ("kept", "project"))
    first = Project(folder)
    first.config('[service]\nbase_url = "sandbox"\n[content]\nlocales = ["en", "fr"]\n')
    first.write("content/en/billing/_category.md", "---\nname: Billing\n---\n")
    first.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nText.\n")
    first.write("content/fr/billing/_category.md", "---\nname: Facturation\n---\n")
    first.push({"content/fr/billing/refunds.md": "---\ntitle: Rembourser\n---\nTexte.\n"}, "--quiet")
    first.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nOther words.  \n")
    shutil.copytree(folder, kept, dirs_exist_ok=True)

    def anew(_name: str) -> Project:
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
        return Project(folder)

    yield anew


def test_there_is_a_line_for_each_command():
    assert LINES.keys() == COMMANDS.keys()


@pytest.mark.parametrize("command", LINES)
def test_a_command_prints_the_same_in_this_process_and_in_its_own(pushed: Callable[[str], Project], command: str):
    line = LINES[command].split()
    here, alone = pushed(command).run(*line), pushed(command).run_alone(*line)
    assert plain(here) == plain(alone)
    assert here.out or here.err


def plain(done: Done) -> Done:
    return Done(done.code, *(CHANGES.sub("*", text) for text in (done.out, done.err)))


def test_a_run_leaves_nothing_behind(pushed: Callable[[str], Project], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import gc
    import locale
    import os
    import signal
    import sys

    def around() -> tuple[object, ...]:
        streams = sys.stdin, sys.stdout, sys.stderr
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)}
        return Path.cwd(), dict(os.environ), streams, handlers, gc.isenabled(), locale.setlocale(locale.LC_ALL)

    monkeypatch.chdir(tmp_path)
    before = around()
    for command in ("push", "preview", "lint", "init"):
        pushed(command).run(*LINES[command].split(), TZ="Asia/Tokyo", LANG="tr_TR.UTF-8")
    assert around() == before
