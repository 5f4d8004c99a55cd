"""Which commits are not part of what is checked out, when files were changed last, and where a clone cannot tell."""

from pathlib import Path

import pytest

from builders import write_files
from kbsync.history.commits import contained, head, is_shallow, last_changes
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


def commit_at(repo: Repo, seconds: int, files: dict[str, str]) -> None:
    write_files(repo.folder / "content", files)
    repo.commit("one")
    # Only the time of the committer counts; amending takes it from the environment.
    tree, parents = repo.git("rev-parse", "HEAD^{tree}"), repo.git("log", "-1", "--format=%P").split()
    made = repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=_commit(tree, parents, seconds))
    repo.git("reset", "--quiet", "--hard", made)


def _commit(tree: str, parents: list[str], seconds: int) -> str:
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"{who} a <a@example.com> {seconds} +0000" for who in ("author", "committer")]
    return "\n".join((*lines, "", "words", ""))


def a_history(folder: Path) -> Repo:
    repo = a_repo(folder)
    commit_at(repo, 1_000_000, {"en/a.md": "1", "en/b.md": "1"})
    commit_at(repo, 2_000_000, {"en/b.md": "2"})
    return repo


def test_each_file_has_the_time_of_the_last_commit_that_changed_it(tmp_path: Path):
    root = a_history(tmp_path / "one").folder / "content"
    write_files(root, {"en/new.md": "x"})
    assert last_changes(root, ["en/a.md", "en/b.md", "en/new.md"]) == {"en/a.md": 1_000_000, "en/b.md": 2_000_000}


def test_where_a_shallow_clone_ends_nothing_is_known(tmp_path: Path):
    repo = a_history(tmp_path / "one")
    for depth, known in (("2", {"en/b.md": 2_000_000}), ("1", {})):
        clone = repo.clone(tmp_path / depth, "--depth", depth)
        assert last_changes(clone.folder / "content", ["en/a.md", "en/b.md"]) == known


def test_without_git_or_without_commits_there_are_no_dates(tmp_path: Path):
    write_files(tmp_path / "plain", {"a.md": "x"})
    assert last_changes(tmp_path / "plain", ["a.md"], {"PATH": ""}) == {}
    repo = a_repo(tmp_path / "empty")
    assert last_changes(repo.folder, ["a.md"]) == {}
    assert last_changes(repo.folder, []) == {}
