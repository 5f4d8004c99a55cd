"""A large tree is read while its portal is listed, and nothing of that shows."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from kbsync.app.planning.listing_ahead import LARGE, Ahead, may_list_ahead
from kbsync.app.session import Session
from kbsync.app.sides import observe
from kbsync.app.workspace import Workspace
from kbsync.config import read_settings
from kbsync.content.parsing import PARALLEL_FROM
from kbsync.content.walk import walk_tree
from kbsync.errors import ConfigError, ExitCode, ServiceError
from kbsync.sandbox import Sandbox
from kept import forget

if TYPE_CHECKING:
    from conftest import Project

pytestmark = pytest.mark.slow


@pytest.fixture
def large(remote: Project, portal: Sandbox) -> Project:
    """As many articles as make a tree large; some of them are on the portal, since long ago."""
    assert remote.run("push").code == ExitCode.DONE
    portal.panel.sql("UPDATE articles SET updated_at = updated_at - 60000000")
    assert remote.run("plan").code == ExitCode.DONE
    for number in range(LARGE):
        remote.write(f"content/en/billing/a{number}.md", f"---\ntitle: Article {number}\n---\nText {number}.\n")
    return remote


def summary(project: Project, *words: str, **environ: str) -> tuple[int, dict[str, int]]:
    done = project.run("plan", "--format", "json", *words, **environ)
    found = json.loads(done.out)["summary"]
    return done.code, {name: found[name] for name in ("create", "update", "unchanged", "held", "unmanaged")}


def asked_of(portal: Sandbox, before: int) -> list[str]:
    """What was asked of the portal after so many requests, but for the public pages of new slugs."""
    return sorted(request.path for request in portal.requests[before:] if not request.path.startswith("/hc/"))


def test_a_large_tree_is_planned_as_it_is_one_after_the_other(large: Project, portal: Sandbox):
    assert may_list_ahead_of(large)
    before = len(portal.requests)
    beside, asked = summary(large), asked_of(portal, before)
    assert beside == (ExitCode.DONE, {"create": LARGE, "update": 0, "unchanged": 5, "held": 0, "unmanaged": 0})
    before = len(portal.requests)
    # Where a program has to run for the token, the portal is listed after the tree is read.
    command = large.write("token.sh", f"#!/bin/sh\necho {large.environ.pop('KBSYNC_TOKEN')}\n")
    command.chmod(0o700)
    assert (summary(large, KBSYNC_SERVICE__TOKEN_COMMAND=str(command)), asked_of(portal, before)) == (beside, asked)


def test_errors_of_a_large_tree_come_first_and_then_those_of_the_token_and_the_portal(large: Project):
    wrong = {"KBSYNC_TOKEN": "nope"}
    assert "The token is wrong" in large.run("plan", **wrong).err
    large.write("content/en/billing/bad.md", "---\ntitle: Bad\nstatus: live\n---\nText.\n")
    for command in ("plan", "push"):
        done = large.run(command, **wrong)
        assert done.code == ExitCode.FINDINGS and "KB109" in done.err and "token" not in done.err
    assert large.run("plan", KBSYNC_TOKEN_ORIGIN="https://elsewhere.example").says(ExitCode.FINDINGS, err="KB109")


def test_a_push_of_a_large_tree_counts_what_it_asked_meanwhile(large: Project, portal: Sandbox):
    before = len(portal.requests)
    done = large.run("push", "--format", "json", "content/en/billing/a7.md")
    found = json.loads(done.out)
    assert done.code == ExitCode.DONE and [change["outcome"] for change in found["changes"]] == ["done"]
    assert found["summary"]["requests"] == len(portal.requests) - before


def workspace_of(project: Project) -> Workspace:
    return Workspace(read_settings(project.folder / "kbsync.toml", environ=project.environ), Session())


def may_list_ahead_of(project: Project) -> bool:
    workspace = workspace_of(project)
    file = project.write("../token", project.environ["KBSYNC_TOKEN"])
    workspace.session = Session(token_file=file)
    return may_list_ahead(workspace, walk_tree(workspace.content_root))


def test_a_small_tree_is_read_before_anything_is_asked(remote: Project):
    assert not may_list_ahead_of(remote)
    assert LARGE == PARALLEL_FROM


def test_what_is_wrong_with_the_token_or_the_portal_is_kept_until_somebody_asks(remote: Project):
    workspace = workspace_of(remote)
    workspace.session = Session(token_file=remote.folder / "none")
    with ExitStack() as opened:
        ahead = Ahead(workspace, opened)
        ahead.begin()
        assert ahead.seen() is None
        with pytest.raises(ConfigError, match="token-file"):
            ahead.service()
    workspace.session = Session(token_file=remote.write("wrong", "nope"))
    with ExitStack() as opened:
        ahead = Ahead(workspace, opened)
        ahead.begin()
        assert ahead.service() is not None
        with pytest.raises(ServiceError, match="401"):
            ahead.seen()
    assert os.environ.get("KBSYNC_TOKEN") is None


def test_what_was_listed_meanwhile_is_not_read_from_the_disk_again(remote: Project, portal: Sandbox):
    assert remote.run("push").code == ExitCode.DONE
    portal.panel.sql("UPDATE articles SET updated_at = updated_at - 60000000")
    workspace = workspace_of(remote)
    workspace.session = Session(token_file=remote.write("../token", remote.environ["KBSYNC_TOKEN"]))
    with ExitStack() as opened:
        ahead = Ahead(workspace, opened)
        ahead.begin()
        seen = ahead.seen()
        assert seen is not None and seen.listed is not None
        forget(remote.folder, "portal")
        before = len(portal.requests)
        found = observe(workspace, ahead.service(), [], [], full=False, peek=seen)
        assert found.items and asked_of(portal, before) == []
