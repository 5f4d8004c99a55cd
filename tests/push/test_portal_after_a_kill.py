"""A push that is killed while it changes the portal itself: the next one knows what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest

from kbsync.errors import ExitCode
from kbsync.sandbox import Fault, Sandbox

from .processes import done, ended, kbsync, killed, start
from .world import PORTAL, TOKEN, a_category, a_sandbox, an_article, write_config, write_tree

pytestmark = pytest.mark.slow

HOME = f"/api/v1/accounts/1/portals/{PORTAL}"
TREE = {"en/a/_category.md": a_category("a"), "en/a/x.md": an_article("X")}
BRAND = 'name = "Acme Help"\ncolor = "#123456"\n[popular.en]\narticles = ["en/a/x.md"]\n'
SETTINGS = f"PATCH {HOME}"


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with a_sandbox(tmp_path) as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path, sandbox: Sandbox) -> Path:
    found = tmp_path / "project"
    write_tree(found / "content", TREE)
    write_config(found, sandbox)
    (found / "portal.toml").write_text(BRAND, "utf-8")
    return found


def ask(sandbox: Sandbox, **body: object) -> dict:
    headers = {"api_access_token": TOKEN}
    found = httpx.request("PATCH" if body else "GET", sandbox.base_url + HOME, headers=headers, json=body or None)
    assert found.status_code == 200
    return found.json()


def kill_at_write(folder: Path, sandbox: Sandbox, when: str, *options: str) -> None:
    """Kill a push at its first write to the portal itself: after two looks, at the change and right before the write."""

    def looks() -> int:
        return sum((request.method, request.path) == ("GET", HOME) for request in sandbox.requests)

    wanted = looks() + 2
    killed(sandbox, partial(start, folder, *options), lambda: looks() >= wanted, Fault("reset", when=when))


def does(folder: Path, *arguments: str) -> str:
    return done(kbsync(folder, *arguments))


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_first_push_of_the_file_is_finished_by_the_next_one(folder, sandbox, when):
    kill_at_write(folder, sandbox, when, "--overwrite", "portal.toml")
    assert ask(sandbox)["name"] == ("Acme Help" if when == "after" else "Handbook")
    does(folder, "push", "--overwrite", "portal.toml")
    seen = ask(sandbox)
    assert (seen["name"], seen["color"]) == ("Acme Help", "#123456")
    assert len(seen["config"]["popular_content"]["en"]["article_ids"]) == 1
    assert len(sandbox.panel.articles(PORTAL)) == 1
    does(folder, "plan", "--check")


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_a_person_edits_after_the_kill_is_held(folder, sandbox, when):
    does(folder, "push", "--overwrite", "portal.toml")
    (folder / "portal.toml").write_text(BRAND.replace("#123456", "#abcdef"), "utf-8")
    kill_at_write(folder, sandbox, when)
    ask(sandbox, color="#ff0000")
    code, told = ended(start(folder))
    assert code == ExitCode.HELD and "color" in told, told
    assert ask(sandbox)["color"] == "#ff0000"


@pytest.mark.parametrize("when", ["before", "after"])
def test_undo_puts_back_what_was_changed_and_never_answered(folder, sandbox, when):
    does(folder, "push", "--overwrite", "portal.toml")
    (folder / "portal.toml").write_text(BRAND.replace("#123456", "#abcdef"), "utf-8")
    kill_at_write(folder, sandbox, when)
    does(folder, "push")
    assert ask(sandbox)["color"] == "#abcdef"
    does(folder, "undo", "2" if when == "after" else "3", "--yes")
    assert ask(sandbox)["color"] == "#123456"
