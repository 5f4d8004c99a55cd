"""Which commits are not part of what is checked out, and where a clone cannot tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders import write_files
from kbsync.history.commits import contained, head, is_shallow
from kbsync.history.repository import changed_files
from kbsync.ledger.values import Source
from repo import Repo, a_repo, needs_git

pytestmark = needs_git

NOWHERE = "0" * 39 + "1"


@pytest.fixture
def here(tmp_path: Path) -> Repo:
    return a_repo(tmp_path / "here")


@pytest.fixture
def commits(here: Repo) -> list[str]:
    return [here.commit(words) for words in "abc"]


def test_of_newer_commits_those_of_another_branch_and_unknown_ones_head_is_not_made(here, commits):
    (here.folder / "docs").mkdir()
    assert contained(here.folder / "docs", [*commits, NOWHERE]) == {*commits}
    here.git("checkout", "--quiet", commits[1])
    blob = here.git("hash-object", "-w", "--stdin")
    assert contained(here.folder, [*commits, NOWHERE, blob]) == {*commits[:2]}
    here.commit("beside")
    assert contained(here.folder, commits) == {*commits[:2]}
    assert contained(here.folder, []) == frozenset()


def test_what_is_checked_out_has_a_commit_and_a_time(tmp_path, here, commits):
    made = Source(commits[-1], int(here.git("log", "-1", "--format=%ct")))
    assert head(here.folder) == made and not is_shallow(here.folder)
    shallow = here.clone(tmp_path / "shallow", "--depth=1").folder
    assert head(shallow) == made and is_shallow(shallow)
    assert contained(shallow, commits) == {commits[-1]}


def test_without_a_repository_or_a_commit_nothing_is_known(tmp_path):
    for folder in (tmp_path, a_repo(tmp_path / "empty").folder):
        assert (head(folder), contained(folder, [NOWHERE]), is_shallow(folder)) == (Source(), frozenset(), False)


def test_what_no_commit_has_as_it_is_is_edited_or_staged_or_new_or_gone(tmp_path, here):
    docs = here.folder / "docs"
    write_files(docs, dict.fromkeys(("same.md", "edited.md", "é [1].md", "gone.md", "deleted.md"), "Text.\n"))
    here.commit("Docs")
    here.git("rm", "--quiet", "docs/deleted.md")
    here.commit("Deleted")
    (docs / "gone.md").unlink()
    files = {"docs/edited.md": "Edited.\n", "docs/staged.md": "Text.\n", "docs/new.md": "Git was not told of it.\n"}
    made = {"docs/.gitignore": "made.md\n", "docs/made.md": "By a program.\n"}
    write_files(here.folder, {"beside.md": "Beside.\n", **files, **made})
    here.git("add", "docs/staged.md", "beside.md")
    assert changed_files(docs) == {"edited.md", "staged.md", "new.md", "gone.md", ".gitignore"}
    assert changed_files(tmp_path) == frozenset()
