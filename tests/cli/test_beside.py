"""A large tree is read while its portal is listed, and nothing of that shows."""

import json

import pytest

from cli.conftest import Project
from kbsync.app.sides import LARGE
from kbsync.content.parsing import PARALLEL_FROM
from kbsync.errors import ExitCode
from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow


@pytest.fixture
def large(remote: Project) -> Project:
    """As many articles as make a tree large; some of them are on the portal."""
    assert remote.run("push").code == ExitCode.DONE
    for number in range(LARGE):
        remote.write(f"content/en/billing/a{number}.md", f"---\ntitle: Article {number}\n---\nText {number}.\n")
    return remote


def summary(project: Project, **environ: str) -> dict[str, int]:
    done = project.run("plan", "--format", "json", **environ)
    assert done.code == ExitCode.DONE, done.err
    found = json.loads(done.out)["summary"]
    return {name: found[name] for name in ("create", "update", "unchanged", "held", "unmanaged")}


def test_a_large_tree_is_planned_as_it_is_one_after_the_other(large: Project):
    assert LARGE == PARALLEL_FROM
    beside = summary(large)
    assert beside == {"create": LARGE, "update": 0, "unchanged": 5, "held": 0, "unmanaged": 0}
    # Where a program has to run for the token, the portal is listed after the tree is read.
    command = large.write("token.sh", f"#!/bin/sh\necho {large.environ.pop('KBSYNC_TOKEN')}\n")
    command.chmod(0o700)
    assert summary(large, KBSYNC_SERVICE__TOKEN_COMMAND=str(command)) == beside


def test_a_portal_that_is_read_whole_is_not_listed_before_as_well(large: Project, portal: Sandbox):
    def asked(**environ: str) -> int:
        before = len(portal.requests)
        assert large.run("plan", "--full", "--format", "json", **environ).code == ExitCode.DONE
        paths = [request.path for request in portal.requests[before:]]
        return sum("/portals/" in path and not path.startswith("/hc/") for path in paths)

    with_token = asked()
    command = large.write("token.sh", f"#!/bin/sh\necho {large.environ.pop('KBSYNC_TOKEN')}\n")
    command.chmod(0o700)
    assert with_token == asked(KBSYNC_SERVICE__TOKEN_COMMAND=str(command))


def test_errors_of_a_large_tree_come_first_and_then_those_of_the_token_and_the_portal(large: Project):
    wrong = {"KBSYNC_TOKEN": "nope"}
    assert "The token is wrong" in large.run("plan", **wrong).err
    large.write("content/en/billing/bad.md", "---\ntitle: Bad\nstatus: live\n---\nText.\n")
    for command in ("plan", "push"):
        assert large.run(command, **wrong).says(ExitCode.FINDINGS, err="KB109", without="token")
    assert large.run("plan", KBSYNC_TOKEN_ORIGIN="https://elsewhere.example").says(ExitCode.FINDINGS, err="KB109")


def test_a_push_of_a_large_tree_counts_what_it_asked_meanwhile(large: Project, portal: Sandbox):
    before = len(portal.requests)
    done = large.run("push", "--format", "json", "content/en/billing/a7.md")
    found = json.loads(done.out)
    assert done.code == ExitCode.DONE and [change["outcome"] for change in found["changes"]] == ["done"]
    assert found["summary"]["requests"] == len(portal.requests) - before
