"""Which commits are not part of what is checked out, and where a clone cannot tell."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbsync.history.commits import contained, head, is_shallow
from kbsync.history.repository import changed_files
from kbsync.ledger.values import Source

NOWHERE = "0" * 39 + "1"


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Ana", "-c", "user.email=ana@example.com", "-c", "init.defaultBranch=main")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def commits(tmp_path: Path) -> list[str]:
    git(tmp_path, "init", "--quiet", "here")
    found = []
    for number in range(3):
        git(tmp_path / "here", "commit", "--quiet", "--allow-empty", "--message", str(number))
        found.append(head(tmp_path / "here").commit)
    return found


def test_of_newer_commits_those_of_another_branch_and_unknown_ones_head_is_not_made(tmp_path, commits):
    here = tmp_path / "here"
    (here / "docs").mkdir()
    assert contained(here / "docs", [*commits, NOWHERE]) == {*commits}
    git(here, "checkout", "--quiet", commits[1])
    blob = git(here, "hash-object", "-w", "--stdin")
    assert contained(here, [*commits, NOWHERE, blob]) == {*commits[:2]}
    git(here, "commit", "--quiet", "--allow-empty", "--message", "beside")
    assert contained(here, commits) == {*commits[:2]}
    assert contained(here, []) == frozenset()


def test_what_is_checked_out_has_a_commit_and_a_time(tmp_path, commits):
    here = tmp_path / "here"
    assert head(here) == Source(commits[-1], int(git(here, "log", "-1", "--format=%ct"))) and not is_shallow(here)
    git(tmp_path, "clone", "--quiet", "--depth=1", here.as_uri(), str(tmp_path / "shallow"))
    assert head(tmp_path / "shallow") == head(here) and is_shallow(tmp_path / "shallow")
    assert contained(tmp_path / "shallow", commits) == {commits[-1]}


def test_without_a_repository_or_a_commit_nothing_is_known(tmp_path):
    git(tmp_path, "init", "--quiet", "empty")
    for folder in (tmp_path, tmp_path / "empty"):
        assert (head(folder), contained(folder, [NOWHERE]), is_shallow(folder)) == (Source(), frozenset(), False)


def test_what_no_commit_has_as_it_is_is_edited_or_staged_or_new_or_gone(tmp_path, commits):
    docs = tmp_path / "here" / "docs"
    docs.mkdir()
    for name in ("same.md", "edited.md", "staged.md", "é [1].md", "gone.md", "deleted.md"):
        (docs / name).write_text("Text.\n")
    git(docs, "add", "same.md", "edited.md", "é [1].md", "gone.md", "deleted.md")
    git(docs, "commit", "--quiet", "--message", "Docs")
    git(docs, "rm", "--quiet", "deleted.md")
    git(docs, "commit", "--quiet", "--message", "Deleted")
    (docs / "edited.md").write_text("Edited.\n")
    (docs / "gone.md").unlink()
    git(docs, "add", "staged.md")
    (docs / "new.md").write_text("Git was not told of it.\n")
    (tmp_path / "here" / "beside.md").write_text("Beside.\n")
    git(tmp_path / "here", "add", "beside.md")
    (docs / ".gitignore").write_text("made.md\n")
    (docs / "made.md").write_text("By a program.\n")
    assert changed_files(docs) == {"edited.md", "staged.md", "new.md", "gone.md", ".gitignore"}
    assert changed_files(tmp_path) == frozenset()
