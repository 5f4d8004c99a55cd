"""What people can do with a push that was killed: plan the rest and push that, or undo what it did."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
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
TREE = {"en/a/_category.md": a_category("a")} | {
    f"en/a/n{number}.md": an_article(f"N{number}", f"Text {number}.") for number in range(6)
}


@dataclass
class Shell:
    """A project, and kbsync in it as a process."""

    folder: Path
    sandbox: Sandbox

    def run(self, *arguments: str) -> tuple[int, str]:
        return ended(kbsync(self.folder, *arguments))

    def does(self, *arguments: str) -> str:
        """Run what must end well; what it told."""
        return done(kbsync(self.folder, *arguments))

    def kill_at(self, method: str, nth: int, *arguments: str, when: str = "after") -> None:
        """Kill a push when its n-th write of a method is carried out (or about to be) and not yet answered."""

        def answered() -> int:
            return sum(request.method == method for request in self.sandbox.requests)

        last = answered() + nth - 1
        begin = partial(start, self.folder, *arguments)
        killed(self.sandbox, begin, lambda: answered() >= last, Fault("reset", when=when))

    def kill_at_portal(self, when: str, *arguments: str) -> None:
        """Kill a push at its first write to the portal itself: after two looks, at the change and right before the write."""

        def looks() -> int:
            return sum((request.method, request.path) == ("GET", HOME) for request in self.sandbox.requests)

        wanted, begin = looks() + 2, partial(start, self.folder, *arguments)
        killed(self.sandbox, begin, lambda: looks() >= wanted, Fault("reset", when=when))

    def portal(self, **body: object) -> dict:
        """The portal itself; a person changes this of it."""
        address, headers = self.sandbox.base_url + HOME, {"api_access_token": TOKEN}
        found = httpx.request("PATCH" if body else "GET", address, headers=headers, json=body or None)
        assert found.status_code == 200
        return found.json()

    def brand(self, text: str) -> None:
        (self.folder / "portal.toml").write_text(text, "utf-8")

    def titles(self) -> list[str]:
        return sorted(article.title for article in self.sandbox.panel.articles(PORTAL))


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    with a_sandbox(tmp_path) as sandbox:
        folder = tmp_path / "project"
        write_tree(folder / "content", TREE)
        write_config(folder, sandbox, "concurrency = 1\n")
        yield Shell(folder, sandbox)


ALL = [f"N{number}" for number in range(6)]


def test_a_plan_that_is_made_after_it_can_be_pushed_and_finishes_it(shell):
    shell.kill_at("POST", 4)
    assert 0 < len(shell.titles()) < 6
    shell.does("plan", "--out", "plan.json")
    shell.does("push", "plan.json")
    assert shell.titles() == ALL
    shell.does("plan", "--check")


def test_the_plan_that_was_being_pushed_can_be_pushed_again_and_nothing_is_made_twice(shell):
    shell.run("plan", "--out", "plan.json")
    shell.kill_at("POST", 4, "plan.json")
    assert re.search(r"An earlier push made [1-6] of its 7 changes\.", shell.does("push", "plan.json"))
    assert shell.titles() == ALL
    code, told = shell.run("push", "plan.json")
    assert (code, told.startswith("Everything in plan.json is done already.")) == (0, True), told


def test_undo_also_deletes_what_was_made_and_never_answered(shell):
    shell.kill_at("POST", 4)
    made = set(shell.titles())
    shell.does("push")
    code, told = shell.run("undo", "1", "--yes")
    assert code == ExitCode.HELD and "somebody else's" not in told, told
    assert set(shell.titles()) == set(ALL) - made


def test_undo_also_puts_back_what_was_changed_and_never_answered(shell):
    shell.run("push")
    write_tree(shell.folder / "content", {path: text.replace("Text", "New text") for path, text in TREE.items()})
    shell.kill_at("PATCH", 3)
    shell.does("push")
    shell.does("undo", "3", "--yes")
    shell.does("undo", "2", "--yes")
    assert {article.content for article in shell.sandbox.panel.articles(PORTAL)} == {f"Text {n}.\n" for n in range(6)}


def test_undo_of_a_killed_push_keeps_what_the_next_one_sent(shell):
    shell.run("push")
    write_tree(shell.folder / "content", {path: text.replace("Text", "New text") for path, text in TREE.items()})
    shell.kill_at("PATCH", 2, when="before")  # The first was carried out, the second was not.
    shell.does("push")
    shell.does("undo", "2", "--yes")
    contents = [article.content for article in shell.sandbox.panel.articles(PORTAL)]
    assert sum(content.startswith("New text") for content in contents) == 5, contents


# --- the portal itself -----------------------------------------------------------------------------------------------

BRAND = 'name = "Acme Help"\ncolor = "#123456"\n[popular.en]\narticles = ["en/a/n0.md"]\n'
OVERWRITE = ("--overwrite", "portal.toml")


@pytest.fixture
def branded(shell: Shell) -> Shell:
    """The portal has what its file says, which says another color now."""
    shell.brand(BRAND)
    shell.does("push", *OVERWRITE)
    shell.brand(BRAND.replace("#123456", "#abcdef"))
    return shell


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_first_push_of_the_file_of_the_portal_is_finished_by_the_next_one(shell, when):
    shell.brand(BRAND)
    shell.kill_at_portal(when, *OVERWRITE)
    assert shell.portal()["name"] == ("Acme Help" if when == "after" else "Handbook")
    shell.does("push", *OVERWRITE)
    seen = shell.portal()
    assert (seen["name"], seen["color"]) == ("Acme Help", "#123456")
    assert len(seen["config"]["popular_content"]["en"]["article_ids"]) == 1
    assert shell.titles() == ALL
    shell.does("plan", "--check")


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_a_person_edits_of_the_portal_after_the_kill_is_held(branded, when):
    branded.kill_at_portal(when)
    branded.portal(color="#ff0000")
    code, told = branded.run("push")
    assert code == ExitCode.HELD and "color" in told, told
    assert branded.portal()["color"] == "#ff0000"


@pytest.mark.parametrize("when", ["before", "after"])
def test_undo_puts_back_what_was_changed_of_the_portal_and_never_answered(branded, when):
    branded.kill_at_portal(when)
    branded.does("push")
    assert branded.portal()["color"] == "#abcdef"
    branded.does("undo", "2" if when == "after" else "3", "--yes")
    assert branded.portal()["color"] == "#123456"
