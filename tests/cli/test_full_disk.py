"""No room on the disk, or a file in the place of a folder: what was there stays, and nothing half made is left."""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kbsync.cli.door import run


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Within the block no file gets longer, here and in what is started here: a write then fails as on a full disk.

    Python would cut off the bytecode that it keeps of what is imported, and fail the next time.
    """
    before, keeps_none = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        sys.dont_write_bytecode = keeps_none
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_new_article_for_which_there_is_no_room_leaves_no_empty_file(project):
    with files_of_at_most(0):
        done = project.run_alone("new", "article", "en/billing/pay")
    assert done.code == 3 and "pay.md cannot be written" in done.err
    assert not (project.folder / "content/en/billing/pay.md").exists()
    assert project.run_alone("lint").code == 0


def test_init_keeps_the_gitignore_for_which_there_is_no_room(tmp_path):
    ignored = tmp_path / ".gitignore"
    text = "".join(f"build-{number}/\n" for number in range(1_000))
    ignored.write_text(text, "utf-8")
    with files_of_at_most(len(text)):
        assert run(["init", str(tmp_path), "--base-url", "sandbox"]) == 2
    assert ignored.read_text("utf-8") == text


def test_what_could_not_be_written_is_still_called_fixable(project):
    project.write("content/en/billing/pay.md", "---\ntitle: Pay\n---\nText.\n\n# A heading\n\nText.\n")
    with files_of_at_most(0):
        done = project.run_alone("lint", "--fix")
    assert done.code == 3 and "pay.md was not fixed: File too large." in done.err
    assert "could not be fixed" not in done.err and "`kbsync lint --fix` can fix 1 of them" in done.out, done


@pytest.mark.parametrize("words", [("lint", "--fix"), ("mv", "en/billing", "en/money")])
def test_several_files_for_which_there_is_no_room_all_stay_as_they_are(project, words):
    for name in ("a", "b"):
        text = "---\ntitle: Pay\n---\n**c ** d [x](../../fr/billing/refunds.md)\n"
        project.write(f"content/en/billing/{name}.md", text)
    before = {path: path.read_bytes() for path in (project.folder / "content").rglob("*.md")}
    with files_of_at_most(60):  # A program needs temporary files.
        done = project.run_alone(*words, PYTHONDONTWRITEBYTECODE="1")
    assert done.code == 3 and "File too large." in done.err and "Nothing was changed." in done.err, done
    assert {path: path.read_bytes() for path in (project.folder / "content").rglob("*.md")} == before
    assert project.run_alone("lint").code == 0


@pytest.mark.parametrize("command", [["sandbox", "--port", "0"], ["plan"], ["lint"], ["push"]])
def test_a_file_in_the_place_of_the_folder_of_kbsync_is_named_where_it_matters(project, command):
    project.write(".kbsync", "text")
    done = project.run_alone(*command)
    assert (done.code == 0) == (command == ["lint"]), done
    assert done.code == 0 or ".kbsync" in done.err
    assert project.read(".kbsync") == "text"
