"""What a stranger's kbsync.toml may not do before somebody agreed, and how one agrees."""

import os
import shlex
import stat
import subprocess

import pytest

from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow


@pytest.fixture
def hostile(remote, tmp_path):
    """A project whose kbsync.toml runs a program for the token; it leaves a trace."""
    remote.write("steal.sh", "#!/bin/sh\ntouch ran\necho admin-token-0001\n").chmod(0o755)
    remote.config(remote.read("kbsync.toml").replace("[service]", '[service]\ntoken_command = "./steal.sh"'))
    del remote.environ["KBSYNC_TOKEN"]
    remote.environ["XDG_DATA_HOME"] = str(tmp_path.parent / f"{tmp_path.name}-data")
    return remote


def ran(project) -> bool:
    return (project.folder / "ran").exists()


@pytest.mark.parametrize("words", [("plan",), ("push",), ("check",), ("resolve", "--ours", "content")])
def test_a_program_of_a_kbsync_toml_does_not_run_before_somebody_agreed(hostile, words):
    done = hostile.run(*words)
    assert not ran(hostile)
    said = done.err + done.out
    assert "kbsync.toml is not trusted: [service] token_command runs a program: ./steal.sh" in said
    assert "run `kbsync trust`. In CI, set KBSYNC_TRUST=" in said
    assert done.code == 2


def test_what_does_not_use_the_program_asks_nothing(hostile):
    assert hostile.run("lint").code == 0
    assert hostile.run("plan", KBSYNC_TOKEN="admin-token-0001").code == 0
    assert hostile.run("preview", "--build", "out").code == 0
    assert not ran(hostile)


def test_trust_allows_it_until_it_changes_or_is_revoked(hostile):
    assert hostile.run("trust").says(0, err="[service] token_command: runs a program: ./steal.sh")
    assert hostile.run("plan").code == 0 and ran(hostile)
    config = hostile.read("kbsync.toml")
    hostile.config(config.replace("./steal.sh", "./steal.sh now"))
    assert hostile.run("plan").code == 2
    hostile.config(config + "[lint]\nignore = []\n")
    assert hostile.run("plan").code == 0
    assert "no longer trusted" in hostile.run("trust", "--revoke").err
    assert hostile.run("plan").code == 2


def test_a_consent_is_for_one_place(hostile, tmp_path):
    assert hostile.run("trust").code == 0
    other = hostile.folder / "other"
    other.mkdir()
    (other / "kbsync.toml").write_text(hostile.read("kbsync.toml"))
    assert "not trusted" in hostile.run("check", cwd="other").out


def test_in_ci_a_digest_allows_it_and_another_does_not(hostile):
    shown = hostile.run("trust", "--show").out
    assert "Allowed: no" in shown
    digest = shown.partition("KBSYNC_TRUST=")[2].split()[0]
    assert hostile.run("plan", KBSYNC_TRUST="0" * 32).code == 2
    assert hostile.run("plan", KBSYNC_TRUST=digest).code == 0
    assert "Allowed: no" in hostile.run("trust", "--show").out


def test_the_users_own_variable_needs_no_consent(hostile):
    hostile.config(hostile.read("kbsync.toml").replace('token_command = "./steal.sh"', ""))
    assert hostile.run("plan", KBSYNC_SERVICE__TOKEN_COMMAND="./steal.sh").code == 0


def test_on_a_terminal_it_asks_once(hostile):
    code, said = hostile.on_a_terminal("n\n", "plan")
    assert code == 2 and "Trust it? [y/N]" in said and not ran(hostile)
    code, said = hostile.on_a_terminal("y\n", "plan")
    assert code == 0 and "runs a program: ./steal.sh" in said and ran(hostile)
    code, said = hostile.on_a_terminal("", "plan")
    assert code == 0 and "Trust it?" not in said


def test_where_it_cannot_be_remembered_it_is_asked_once_a_run(hostile):
    hostile.environ["XDG_DATA_HOME"] = str(hostile.folder / "kbsync.toml")
    code, said = hostile.on_a_terminal("y\n", "plan")
    assert code == 0 and said.count("Trust it?") == 1 and "so it will ask again" in said


# --- paths ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("lint",), ("plan",), ("push",), ("demo", "--once"), ("preview", "--build", "out")])
def test_articles_outside_are_not_read_before_somebody_agreed(project, tmp_path_factory, words):
    outside = tmp_path_factory.mktemp("outside")
    project.config(f'[service]\nbase_url = "sandbox"\n[content]\nroot = "{outside.as_posix()}"\n')
    (outside / "en" / "x").mkdir(parents=True)
    (outside / "en" / "x" / "_category.md").write_text("---\nname: X\n---\n")
    (outside / "en" / "x" / "secret.md").write_text("---\ntitle: Secret\n---\nText.\n")
    assert project.run(*words).says(2, err="[content] root reads articles from")
    assert project.run("trust").code == 0
    assert project.run(*words).code == 0


def test_a_content_root_that_is_a_link_out_is_not_followed_before_somebody_agreed(project, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (project.folder / "content").rename(outside / "content")
    (project.folder / "content").symlink_to(outside / "content")
    assert "[content] root reads articles from" in project.run("lint").err


@pytest.mark.parametrize("words", [("plan",), ("push",), ("ledger", "show"), ("ledger", "export")])
def test_a_ledger_outside_is_not_opened_before_somebody_agreed(project, tmp_path_factory, words):
    place = tmp_path_factory.mktemp("outside") / "ledger.db"
    project.config(f'[service]\nbase_url = "sandbox"\n[ledger]\nurl = "sqlite:{place.as_posix()}"\n')
    assert project.run(*words).says(2, err="[ledger] url keeps the ledger in")
    assert not place.exists()
    assert project.run(*words, KBSYNC_LEDGER__URL=f"sqlite:{place.as_posix()}").code != 2


def test_a_profile_outside_is_not_read_before_somebody_agreed(project, tmp_path_factory):
    place = tmp_path_factory.mktemp("outside") / "own.toml"
    place.write_text("secret = 'text'\n")
    project.config(f'[service]\nbase_url = "sandbox"\nprofile = "{place.as_posix()}"\n')
    for words in (("lint",), ("check",), ("preview", "--build", "out")):
        assert project.run(*words).says(2, err="[service] profile reads the profile", without="secret")


def test_a_kbsync_folder_that_leads_out_is_not_written_to_before_somebody_agreed(project, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (project.folder / ".kbsync").symlink_to(outside)
    for words in (("lint",), ("push",), ("preview", "--build", "out"), ("sandbox", "--port", "0")):
        assert project.run(*words).says(2, err=".kbsync keeps its data in")
    assert list(outside.iterdir()) == []
    assert project.run("trust").code == 0
    assert project.run("push").code == 0


def test_the_kbsync_folder_is_its_owners_alone(project):
    (project.folder / ".kbsync").mkdir(mode=0o755)
    assert project.run("push").code == 0
    assert stat.S_IMODE((project.folder / ".kbsync").stat().st_mode) == 0o700


# --- init, and who wrote the file -------------------------------------------------------------------------------------


def test_who_lets_init_write_the_file_is_not_asked_later(project, tmp_path_factory):
    profile = tmp_path_factory.mktemp("profiles") / "own.toml"
    profile.write_text('extends = "chatwoot"\n')
    assert project.run("init", "new", "--profile", str(profile)).code == 0
    assert project.run("lint", cwd="new").code == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_a_kbsync_toml_of_another_user_is_refused_also_in_a_folder_above(project):
    (project.folder / "deep").mkdir()
    os.chown(project.folder / "kbsync.toml", 65534, 65534)
    for words in (("lint",), ("plan",), ("preview", "--build", "out"), ("demo", "--once"), ("trust",)):
        assert project.run(*words, cwd="deep", GIT_CONFIG_GLOBAL=os.devnull).says(2, err="belongs to another user")


# --- the token --------------------------------------------------------------------------------------------------------


def test_a_token_of_another_service_is_not_sent_and_the_command_that_allows_it_works(remote, portal: Sandbox, tmp_path):
    remote.environ["XDG_DATA_HOME"] = str(tmp_path.parent / f"{tmp_path.name}-data")
    assert remote.run("trust", "--origin", "https://support.example.com").code == 0
    assert "https://support.example.com" in remote.run("trust", "--show").out
    done = remote.run("plan")
    assert done.code == 2 and "This token belongs to https://support.example.com" in done.err
    words = shlex.split(done.err.partition("`")[2].partition("`")[0])
    assert words[0] == "kbsync"
    assert remote.run(*words[1:]).code == 0
    assert remote.run("plan").code == 0
    assert remote.run("trust", "--revoke", "--origin", portal.base_url).code == 0
    assert remote.run("plan").code == 2


def test_the_command_that_allows_another_address_runs_nothing_of_that_address(remote, tmp_path):
    remote.environ["XDG_DATA_HOME"] = str(tmp_path.parent / f"{tmp_path.name}-data")
    address = "https://x.example.com/;touch${IFS}RAN;`touch$IFS$9RAN`/$(touch${IFS}RAN)"
    remote.write("staging (1).toml", f"[env.a-b.service]\nbase_url = '{address}'\n")
    remote.write("my token", remote.environ["KBSYNC_TOKEN"])
    options = ("--config", "staging (1).toml", "--env", "a-b", "--token-file", "my token")
    assert remote.run("trust", "--origin", "https://support.example.com").code == 0
    done = remote.run("plan", *options)
    command = done.err[done.err.index("`kbsync trust") + 1 : done.err.rindex("`")]
    printed = subprocess.run(
        ["sh", "-c", f"kbsync() {{ printf '%s\\n' \"$@\"; }}; {command}"],
        cwd=remote.folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert printed.stdout.splitlines() == ["trust", "--origin", address, *options]
    assert not [*remote.folder.rglob("RAN")]


def test_a_pinned_origin_keeps_the_token_from_every_other_service(remote, portal: Sandbox):
    assert remote.run("plan", KBSYNC_TOKEN_ORIGIN="https://support.example.com").says(2, err="Nothing was sent")
    assert remote.run("plan", KBSYNC_TOKEN_ORIGIN=portal.base_url).code == 0
