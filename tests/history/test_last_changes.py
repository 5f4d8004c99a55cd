"""The dates of files, from one reading of git's log."""

from __future__ import annotations

from pathlib import Path

from builders import write_files
from kbsync.history.commits import last_changes
from repo import Repo, a_repo, needs_git

pytestmark = needs_git


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
