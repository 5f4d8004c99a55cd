"""Which commits are not part of what is checked out, and where a clone cannot tell."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import pytest

from kbsync.history.missing_commits import (
    Missing,
    commit_with,
    head_commit,
    head_time,
    missing_commits,
    paths_ever_here,
)
from kbsync.history.uncommitted import not_committed

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
        found.append(head_commit(tmp_path / "here"))
    return found


def test_where_no_commit_is_missing_git_is_not_asked_how_to_get_any(tmp_path, commits):
    below = tmp_path / "here" / "docs"
    below.mkdir()
    assert missing_commits(below, commits) == Missing()
    assert missing_commits(below, [NOWHERE]).ways.prefix == "docs/"


def test_newer_commits_those_of_another_branch_and_unknown_ones_are_missing(tmp_path, commits):
    here = tmp_path / "here"
    assert missing_commits(here, commits) == Missing()
    git(here, "checkout", "--quiet", commits[1])
    blob = git(here, "hash-object", "-w", "--stdin")
    missing = missing_commits(here, [*commits, NOWHERE, blob])
    assert missing == Missing(frozenset({commits[2], NOWHERE, blob}), ahead=frozenset({commits[2]}))
    git(here, "commit", "--quiet", "--allow-empty", "--message", "beside")
    assert missing_commits(here, commits) == Missing(frozenset({commits[2]}))


def test_the_commit_with_some_files_is_the_last_that_changed_one_of_them(tmp_path, commits):
    here = tmp_path / "here"
    made = []
    for name in ("a", "b", "c"):
        (here / f"{name}.md").write_text(name)
        git(here, "add", ".")
        git(here, "commit", "--quiet", "--message", name)
        made.append(head_commit(here))
    assert commit_with(here, {"a.md"}) == (made[0], float(git(here, "show", "--no-patch", "--format=%ct", made[0])))
    assert commit_with(here, {"a.md", "b.md"})[0] == made[1]
    assert commit_with(here, {f"{number}.md" for number in range(20)})[0] == made[2]
    assert commit_with(here, {"nowhere.md"}) == commit_with(tmp_path, {"a.md"}) == ("", 0.0)
    (here / "sub").mkdir()
    assert commit_with(here / "sub", {"../a.md"})[0] == made[0]


def test_the_commit_with_files_of_two_branches_is_their_merge(tmp_path, commits):
    here = tmp_path / "here"
    for name in ("left", "right"):
        git(here, "checkout", "--quiet", "-b", name, commits[0])
        (here / f"{name}.md").write_text(name)
        git(here, "add", ".")
        git(here, "commit", "--quiet", "--message", name)
    right = head_commit(here)
    git(here, "merge", "--quiet", "--no-edit", "left")
    assert commit_with(here, {"left.md", "right.md"})[0] == head_commit(here)
    assert commit_with(here, {"right.md"})[0] == right


def test_a_shallow_clone_is_sure_only_of_what_is_made_of_its_own_commit(tmp_path, commits):
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", (tmp_path / "here").as_uri(), str(shallow))
    assert missing_commits(shallow, [commits[0], commits[2]]) == Missing(frozenset(), frozenset({commits[0]}))
    git(tmp_path / "here", "commit", "--quiet", "--allow-empty", "--message", "newer")
    newer = head_commit(tmp_path / "here")
    git(shallow, "fetch", "--quiet")
    assert missing_commits(shallow, [newer]) == Missing(frozenset({newer}), ahead=frozenset({newer}))


def test_without_a_repository_or_a_commit_nothing_is_known(tmp_path):
    assert (head_commit(tmp_path), missing_commits(tmp_path, [NOWHERE])) == ("", Missing())
    git(tmp_path, "init", "--quiet", "empty")
    assert (head_commit(tmp_path / "empty"), missing_commits(tmp_path / "empty", [NOWHERE])) == ("", Missing())


def test_paths_of_this_branch_are_those_that_any_of_its_commits_has(tmp_path, commits):
    here = tmp_path / "here"
    (here / "docs").mkdir()
    for name in ("gone.md", "é [1].md"):
        (here / "docs" / name).write_text("Text", encoding="utf-8")
    git(here, "add", "--all")
    git(here, "commit", "--quiet", "--message", "both")
    git(here, "rm", "--quiet", "docs/gone.md")
    git(here, "commit", "--quiet", "--message", "one")
    asked = ["gone.md", "é [1].md", "never.md", "e.md"]
    assert paths_ever_here(here / "docs", asked) == {"gone.md", "é [1].md"}
    assert paths_ever_here(tmp_path, asked) == set(asked)


def test_when_the_commit_that_is_checked_out_was_made(tmp_path, commits):
    assert head_time(tmp_path / "here") == int(git(tmp_path / "here", "log", "-1", "--format=%ct"))
    assert head_time(tmp_path) == math.inf


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
    asked = {"same.md", "é [1].md", "deleted.md", "", "never.md", "edited.md", "staged.md", "new.md", "gone.md"}
    found = {"edited.md", "staged.md", "new.md", "gone.md"}
    assert not_committed(docs, asked) == found
    assert not_committed(docs, {"same.md", "", "new.md"}) == {"new.md"}
    assert not_committed(docs, {"", "deleted.md", "edited.md"}) == {"edited.md"}
    assert not_committed(tmp_path, asked) == frozenset()
