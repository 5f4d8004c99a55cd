"""Where modules and programs are looked for: never in the folder that one stands in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kbsync.children import (
    SAFE_PATH,
    find_program,
    importing_nothing_from_here,
    trusted_path,
)
from kbsync.git import git_environment
from kbsync.history.git_process import GitFailed
from kbsync.history.repository import Repository
from patience import GIVE_UP_S
from repo import a_repo, needs_git

SOURCE = str(Path(__file__).parent.parent / "src")


def a_program(place: Path, script: str = "exit 0") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)
    return place


def test_the_working_folder_is_no_place_for_modules_however_it_is_written(tmp_path):
    here = str(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    entries = ["", ".", here, f"{here}/", f"{here}/link", "/lib", f"{here}/vendor"]
    assert trusted_path(entries, here) == ["/lib", f"{here}/vendor"]


def test_the_folder_that_kbsync_itself_was_loaded_from_stays():
    assert trusted_path(["", SOURCE, "/lib"], SOURCE) == ["", SOURCE, "/lib"]


def test_a_block_for_a_pool_changes_nothing_beyond_itself():
    before = (sys.path[:], dict(os.environ))
    with importing_nothing_from_here():
        assert os.environ[SAFE_PATH] == "1"
    assert (sys.path[:], dict(os.environ)) == before


def test_a_program_is_found_by_the_absolute_entries_of_path_alone(tmp_path):
    good = a_program(tmp_path / "bin/git")
    clone = tmp_path / "clone"
    a_program(clone / "git")
    a_program(clone / "tools/git")
    (tmp_path / "link").symlink_to(clone)
    a_program(tmp_path / "way/x").unlink()
    (tmp_path / "way/git").symlink_to(clone / "git")
    entries = ["", ".", "tools", clone, clone / "tools", tmp_path / "link", tmp_path / "way", tmp_path / "bin"]
    path = os.pathsep.join(map(str, entries))
    environ = {"PATH": path, "HOME": str(Path.home())}
    assert find_program("git", environ, outside=[clone]) == str(good)
    assert find_program("git", {"PATH": path.rpartition(os.pathsep)[0]}, outside=[clone]) is None


def test_a_folder_that_is_no_program_and_a_file_that_cannot_be_run_are_passed_by(tmp_path):
    (tmp_path / "a/git").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b/git").write_text("x")
    assert find_program("git", {"PATH": f"{tmp_path}/a:{tmp_path}/b"}, outside=[]) is None


def test_a_folder_of_path_that_cannot_be_searched_is_passed_by(tmp_path):
    good = a_program(tmp_path / "bin/git")
    # No folder is shut to root; a name that is too long is refused to everybody.
    shut = tmp_path / ("x" * 300)
    assert find_program("git", {"PATH": f"{shut}{os.pathsep}{good.parent}"}, outside=[]) == str(good)


@pytest.mark.parametrize("folder", ["/", Path.home()])
def test_a_folder_with_the_home_in_it_is_no_project(tmp_path, folder):
    git = a_program(tmp_path / "git")
    environ = {"PATH": str(tmp_path), "HOME": str(Path.home())}
    assert find_program("git", environ, outside=[Path(folder)]) == str(git)


@needs_git
def test_a_git_in_the_folder_is_not_run_whatever_path_says(tmp_path):
    repo = a_repo(tmp_path / "clone")
    trap = a_program(repo.folder / "content/git", "touch trapped")
    a_program(repo.folder / "bin/git", "touch trapped")
    (repo.folder / "content/a.md").write_text("# A\n")
    repo.commit()
    path = os.pathsep.join([".", "", str(trap.parent), str(repo.folder / "bin"), os.environ["PATH"]])
    code = (
        "from pathlib import Path; from kbsync.history.repository import Repository; "
        "print(len(list(Repository(Path('.')).log())))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {SOURCE!r}); {code}"], cwd=trap.parent, env=os.environ | {"PATH": path}, capture_output=True, text=True,
        check=True, timeout=GIVE_UP_S,
    )  # fmt: skip
    assert done.stdout == "1\n"
    assert not list(repo.folder.rglob("trapped"))


def test_a_git_that_is_only_in_the_folder_is_none(tmp_path):
    a_program(tmp_path / "git", "touch trapped")
    with pytest.raises(GitFailed, match="not on PATH, or only inside this project"):
        Repository(tmp_path, {"PATH": f"{tmp_path}{os.pathsep}.", "HOME": str(Path.home())})
    assert not (tmp_path / "trapped").exists()


# --- what git gets of the environment --------------------------------------------------------------------------------


@pytest.mark.parametrize("reads", [True, False])
def test_git_gets_no_secret_of_ours_and_is_led_to_no_other_repository(reads):
    given = {"KBSYNC_TOKEN": "secret", "kbsync_plan_key": "secret", "HOME": "/home/ana", "GIT_DIR": "/elsewhere"}
    got = git_environment(given, reads=reads)
    assert (
        got.keys() & {*given, "GIT_TERMINAL_PROMPT"} == {"HOME", "GIT_TERMINAL_PROMPT"} and got["HOME"] == "/home/ana"
    )


def test_only_a_git_that_pushes_gets_what_people_set_for_signing_in():
    given = {"GIT_SSH_COMMAND": "ssh -i key", "GIT_ASKPASS": "/bin/ask", "GIT_CONFIG_COUNT": "0"}
    assert git_environment(given, reads=False).items() >= given.items()
    reading = git_environment(given, reads=True)
    assert reading.keys() & given.keys() == {"GIT_CONFIG_COUNT"} and reading["GIT_ALLOW_PROTOCOL"] == "none"
