"""What a kbsync.toml reaches outside its repository, and what of it a digest names."""

from pathlib import Path

import pytest

from kbsync.git import top_of
from kbsync.trust.reach import digest_of, reaches_of


def places(folder: Path, text: str) -> list[str]:
    path = folder / "kbsync.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return [reach.place for reach in reaches_of(path)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[service]\ntoken_command = "pass x"', ["[service] token_command"]),
        ('[service]\ntoken_command = ["pass", "x"]', ["[service] token_command"]),
        ('[service]\nprofile = "/etc/own.toml"', ["[service] profile"]),
        ('[service]\nprofile = "../own.toml"', ["[service] profile"]),
        ('[ledger]\nurl = "sqlite:/var/lib/x.db"', ["[ledger] url"]),
        ('[ledger]\nurl = "sqlite:../x.db"', ["[ledger] url"]),
        ('[ledger]\nurl = "postgresql://h/x"', ["[ledger] url"]),
        ('[ledger]\nurl = "postgres:///x"', ["[ledger] url"]),
        ('[content]\nroot = "../articles"', ["[content] root"]),
        ('[env.live.content]\nroot = "/srv"', ["[env.live.content] root"]),
        ('[env.live.service]\ntoken_command = "x"', ["[env.live.service] token_command"]),
        # What stays in the project is not named.
        ("", []),
        ('[service]\nbase_url = "https://support.example.com"\nprofile = "documented"\ntoken_command = ""', []),
        ('[service]\nprofile = "profiles/own.toml"', []),
        ('[ledger]\nurl = "sqlite:data/../x.db"', []),
        ('[content]\nroot = "docs/help"', []),
    ],
)
def test_programs_databases_and_paths_outside_are_named(tmp_path, text, found):
    assert places(tmp_path / "p", text) == found


def test_a_repository_is_one_place_wherever_kbsync_toml_lies_in_it(tmp_path):
    (tmp_path / "r" / ".git").mkdir(parents=True)
    assert places(tmp_path / "r" / "tools", '[content]\nroot = "../docs"') == []
    assert places(tmp_path / "r" / "tools", '[content]\nroot = "../../docs"') == ["[content] root"]
    assert top_of(tmp_path / "r" / "tools") == (tmp_path / "r").resolve()


def test_a_submodule_does_not_reach_into_the_repository_around_it(tmp_path):
    (tmp_path / "r" / ".git").mkdir(parents=True)
    (tmp_path / "r" / "sub").mkdir()
    (tmp_path / "r" / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    assert places(tmp_path / "r" / "sub", '[content]\nroot = "../docs"') == ["[content] root"]


def test_links_are_followed_for_the_content_the_ledger_and_the_folder_of_kbsync(tmp_path):
    project, outside = tmp_path / "p", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    (project / "content").symlink_to(outside)
    assert places(project, "") == ["[content] root"]
    (project / "content").unlink()
    (project / ".kbsync").symlink_to(outside)
    assert places(project, "") == [".kbsync", "[ledger] url"]


def test_a_profile_inside_that_extends_one_outside_is_named(tmp_path):
    project = tmp_path / "p"
    project.mkdir()
    (project / "own.toml").write_text('extends = "../base.toml"\n')
    assert places(project, '[service]\nprofile = "own.toml"') == ["[service] profile"]
    (project / "own.toml").write_text('extends = "own.toml"\n')
    assert places(project, '[service]\nprofile = "own.toml"') == []


def digest(folder: Path, text: str) -> str:
    places(folder, text)
    return digest_of(reaches_of(folder / "kbsync.toml"))


def test_a_digest_is_the_same_in_every_clone_and_another_when_a_word_of_it_changes(tmp_path):
    one = digest(tmp_path / "a", '[service]\ntoken_command = "pass x"\nportal = "a"\n')
    assert digest(tmp_path / "b", '[service]\ntoken_command = "pass x"\nportal = "b"\n') == one
    assert digest(tmp_path / "a", '[service]\ntoken_command = "pass y"\n') != one
    assert digest(tmp_path / "a", '[env.x.service]\ntoken_command = "pass x"\n') != one


def test_a_link_that_leads_elsewhere_than_before_is_another_digest(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "content").symlink_to("../one")
    one = digest(tmp_path / "p", "")
    (tmp_path / "p" / "content").unlink()
    (tmp_path / "p" / "content").symlink_to("../two")
    assert digest(tmp_path / "p", "") != one


def test_the_password_of_a_database_is_not_shown(tmp_path):
    places(tmp_path, '[ledger]\nurl = "postgresql://ana:sekrit@h/x"')
    assert "sekrit" not in reaches_of(tmp_path / "kbsync.toml")[0].what
