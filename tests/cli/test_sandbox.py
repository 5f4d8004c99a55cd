"""`kbsync sandbox`, and the commands that use its data while it runs."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from kbsync.sandbox import running, token_of
from kbsync.sandbox.setup import PortalSetup, Setup, UserSetup
from patience import GIVE_UP_S

pytestmark = pytest.mark.slow

LINES = 5


@contextmanager
def sandbox(project, *options: str) -> Iterator[list[str]]:
    """The command while it runs, and the lines that it prints first."""
    with project.running("sandbox", "--port", "0", *options) as process:
        yield [process.stdout.readline().strip() for _ in range(LINES)]


def address(lines: list[str]) -> str:
    return lines[0].split()[-1]


def test_a_second_sandbox_on_the_same_data_is_refused_with_the_address_of_the_first(project):
    with sandbox(project) as lines:
        said = f"a sandbox is running at {address(lines)}"
        assert project.run("sandbox", "--port", "0").ended(2, "", said, "stop it first")


def test_a_command_in_the_same_folder_uses_the_sandbox_that_runs(project):
    with sandbox(project) as lines:
        assert project.run("push").code == 0
        requests = httpx.get(f"{address(lines)}/-/sandbox/requests", timeout=GIVE_UP_S).json()
        assert [method for method, *_ in requests].count("POST") >= 5
    assert project.run("plan", "--check").code == 0


def test_a_locale_that_came_after_the_sandbox_was_started_is_known_to_it(project):
    with sandbox(project):
        project.config('[service]\nbase_url = "sandbox"\n[content]\nlocales = ["en", "fr", "de"]\n')
        project.write("content/de/billing/_category.md", "---\nname: Abrechnung\n---\n")
        project.push({"content/de/billing/refunds.md": "---\ntitle: Erstatten\n---\nText.\n"})
        assert project.run("plan", "--check").code == 0


def test_the_sandbox_says_how_to_use_it_by_its_address_and_its_token_is_random(project):
    with sandbox(project) as lines:
        words = dict(word.split("=", 1) for line in lines for word in shlex.split(line) if word.startswith("KBSYNC_"))
        assert words["KBSYNC_SERVICE__BASE_URL"] == address(lines)
        assert words["KBSYNC_TOKEN"] == token_of(project.folder / ".kbsync" / "sandbox.db")
        assert project.run("check", **words).code == 0
        assert project.run("check", **words | {"KBSYNC_TOKEN": "sandbox-token"}).code == 5


def test_a_command_that_finds_the_data_in_use_for_long_says_so(project):
    setup = Setup((PortalSetup("handbook", "H", ("en",), "en"),), (UserSetup(1, "A", "a@e", "administrator", "t"),))
    with running(project.folder / ".kbsync" / "sandbox.db", setup):
        done = project.run("plan")
    assert done.says(2, err=("another kbsync command uses it", "Run this again"))


@pytest.mark.parametrize(("options", "version"), [((), "4.16.2"), (("--version", "4.10"), "4.10.0")])
def test_it_answers_like_the_newest_version_unless_told_otherwise(project, options, version):
    with sandbox(project, *options) as lines:
        assert httpx.get(f"{address(lines)}/api", timeout=GIVE_UP_S).json()["version"] == version


def test_two_versions_at_once_are_refused(project):
    assert project.run("sandbox", "--version", "4.10", "--always-draft").says(2, err="cannot be combined")
