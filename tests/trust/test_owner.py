"""A kbsync.toml of another user is not used: git's rule, with git's own exceptions."""

import os
from pathlib import Path

import pytest

from kbsync.errors import ConfigError
from kbsync.trust.consents import allowed_owners, check_owner

STRANGER = 65534

needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file to another user"
)


def test_ones_own_files_and_as_root_under_sudo_those_of_the_caller():
    assert allowed_owners(1000, {}) == {1000}
    assert allowed_owners(1000, {"SUDO_UID": "7"}) == {1000}
    assert allowed_owners(0, {}) == {0}
    assert allowed_owners(0, {"SUDO_UID": "1000"}) == {0, 1000}
    assert allowed_owners(0, {"SUDO_UID": "-1"}) == {0}


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    path = tmp_path / "it's here" / "kbsync.toml"
    path.parent.mkdir()
    path.write_text("")
    os.chown(path, STRANGER, STRANGER)
    return path


def environ(tmp_path: Path, safe: str = "") -> dict[str, str]:
    """Git's settings of a user."""
    (tmp_path / "gitconfig").write_text(safe)
    return {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}


@needs_root
def test_a_strangers_file_is_refused_with_the_command_that_allows_it(tmp_path, foreign):
    with pytest.raises(ConfigError) as caught:
        check_owner(foreign, environ(tmp_path))
    assert "belongs to another user" in caught.value.message
    assert "git config --global --add safe.directory '" in caught.value.hint
    check_owner(foreign, environ(tmp_path) | {"SUDO_UID": str(STRANGER)})


@needs_root
@pytest.mark.parametrize("way", ["folder", "*", "below"])
def test_safe_directory_of_git_allows_it(tmp_path, foreign, way):
    word = {"folder": foreign.parent, "*": "*", "below": f"{tmp_path}/*"}[way]
    check_owner(foreign, environ(tmp_path, f'[safe]\n\tdirectory = "{word}"\n'))


@needs_root
def test_a_blank_safe_directory_forgets_those_before_it(tmp_path, foreign):
    with pytest.raises(ConfigError):
        check_owner(foreign, environ(tmp_path, "[safe]\n\tdirectory = *\n\tdirectory =\n"))


@needs_root
def test_the_repositorys_own_git_settings_allow_nothing(tmp_path, foreign):
    (foreign.parent / ".git").mkdir()
    (foreign.parent / ".git" / "config").write_text("[safe]\n\tdirectory = *\n")
    with pytest.raises(ConfigError):
        check_owner(foreign, environ(tmp_path) | {"GIT_DIR": str(foreign.parent / ".git")})


@needs_root
def test_a_link_of_a_stranger_to_ones_own_file_is_refused(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text("")
    link = tmp_path / "kbsync.toml"
    link.symlink_to(mine)
    os.chown(link, STRANGER, STRANGER, follow_symlinks=False)
    with pytest.raises(ConfigError):
        check_owner(link, environ(tmp_path))
