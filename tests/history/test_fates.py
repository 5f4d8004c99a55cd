"""What git knows of a file that a link means and that is not there."""

from pathlib import Path

from builders import write_files
from kbsync.content.fate import Fate
from kbsync.history.fates import fates_of
from repo import Repo, a_repo, needs_git

pytestmark = needs_git

TEXT = "A text about {} that is long enough to be known again.\n\nIts second paragraph about {}.\n"


def a_tree(folder: Path) -> tuple[Repo, str, str]:
    """`a` was renamed twice, `b` deleted; `c` is renamed in the index. With the commits that renamed and deleted."""
    repo = a_repo(folder)
    write_files(folder, {f"en/{name}.md": TEXT.format(name, name) for name in "abc"})
    repo.commit("begin")
    repo.git("mv", "en/a.md", "en/between.md")
    first = repo.commit("rename")
    repo.git("mv", "en/between.md", "en/now.md")
    repo.git("rm", "--quiet", "en/b.md")
    second = repo.commit("rename again, and delete")
    repo.git("mv", "en/c.md", "en/new.md")
    return repo, first, second


def test_a_rename_is_followed_to_the_name_of_today_and_a_deletion_has_its_commit(tmp_path: Path):
    repo, first, second = a_tree(tmp_path)
    gone, today = ["en/a.md", "en/b.md", "en/c.md", "en/never.md"], ["en/now.md", "en/new.md"]
    assert fates_of(repo.folder, gone, today) == {
        "en/a.md": Fate("en/now.md", first),
        "en/b.md": Fate("", second),
        "en/c.md": Fate("en/new.md", ""),
    }


def test_a_rename_with_half_of_the_text_is_not_sure(tmp_path: Path):
    repo = a_repo(tmp_path)
    lines = [f"line {number} of the text\n" for number in range(20)]
    write_files(tmp_path, {"en/a.md": "".join(lines)})
    repo.commit()
    repo.git("mv", "en/a.md", "en/b.md")
    write_files(tmp_path, {"en/b.md": "".join((*lines[:12], *(f"other words {n * n}\n" for n in range(8))))})
    made = repo.commit()
    assert fates_of(tmp_path, ["en/a.md"], ["en/b.md"]) == {"en/a.md": Fate("en/b.md", made, is_sure=False)}


def test_without_git_or_commits_nothing_is_known(tmp_path: Path):
    write_files(tmp_path / "plain", {"a.md": "x"})
    assert fates_of(tmp_path / "plain", ["b.md"], ["a.md"], {"PATH": ""}) == {}
    assert fates_of(a_repo(tmp_path / "empty").folder, ["b.md"], []) == {}
