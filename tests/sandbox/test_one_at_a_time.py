"""One sandbox for one file, with a token of its own."""

import multiprocessing
import os
import signal
import stat
from dataclasses import replace

import pytest

from kbsync.sandbox import DataInUse, DataRefused, PortalSetup, join, token_of
from patience import GIVE_UP_S

from .asking import call, read
from .world import ACME, ADMIN, a_sandbox, serving


def test_a_second_sandbox_on_the_same_file_is_refused(tmp_path):
    with a_sandbox(tmp_path) as first:
        with pytest.raises(DataInUse, match="is in use: another kbsync command") as refused, a_sandbox(tmp_path):
            pass
        assert refused.value.base_url == ""  # It may end soon: nobody is sent there.
        assert call(first, "GET", "/api")["version"]
    with a_sandbox(tmp_path):
        pass


def test_one_in_the_foreground_says_where_it_is_and_leaves_the_file_free_when_it_is_killed(tmp_path):
    with serving(tmp_path / "sandbox.db") as process:
        url = process.stdout.readline().strip()
        with pytest.raises(DataInUse, match=url), a_sandbox(tmp_path):
            pass
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=GIVE_UP_S)
    with a_sandbox(tmp_path) as sandbox:
        assert call(sandbox, "GET", "/api")["version"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_that_lives_on_does_not_keep_the_file(tmp_path):
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    with a_sandbox(tmp_path):
        child = context.Process(target=there.recv, daemon=True)
        child.start()
    with a_sandbox(tmp_path) as sandbox:
        assert child.is_alive()
        assert call(sandbox, "GET", "/api")["version"]
    here.send("end")
    child.join(GIVE_UP_S)


def test_an_address_of_another_machine_in_the_lock_is_not_believed(tmp_path):
    with a_sandbox(tmp_path):
        (tmp_path / "sandbox.db.lock").write_text("http://evil.example.com:8420")
        with pytest.raises(DataInUse) as refused, a_sandbox(tmp_path):
            pass
    assert refused.value.base_url == ""


def test_who_joins_a_running_sandbox_adds_what_is_missing_there(tmp_path):
    with a_sandbox(tmp_path) as sandbox:
        join(sandbox.base_url, ADMIN, replace(ACME, portals=(PortalSetup("new", "New", ("en",), "en"),)))
        portals = call(sandbox, "GET", "/api/v1/accounts/1/portals")["payload"]
    assert [portal["slug"] for portal in portals] == ["handbook", "other", "new"]


def test_without_an_administrators_token_nothing_is_added(tmp_path):
    with a_sandbox(tmp_path) as sandbox:
        for token in ("", "wrong", ACME.users[1].token, ACME.bot_tokens[0]):
            with pytest.raises(DataRefused, match="401"):
                join(sandbox.base_url, token, replace(ACME, portals=(PortalSetup("new", "New", ("en",), "en"),)))
        portals = call(sandbox, "GET", "/api/v1/accounts/1/portals")["payload"]
    assert len(portals) == 2


def test_who_joins_when_nobody_is_there_any_more_may_try_again(tmp_path):
    with a_sandbox(tmp_path) as sandbox:
        pass
    with pytest.raises(DataInUse):
        join(sandbox.base_url, ADMIN, ACME)


# --- the token -------------------------------------------------------------------------------------------------------


def test_a_sandbox_has_a_random_token_that_stays_and_only_its_owner_can_read(tmp_path):
    token = token_of(tmp_path / "sandbox.db")
    assert len(token) >= 40
    assert token_of(tmp_path / "sandbox.db") == token
    assert token_of(tmp_path / "other.db") != token
    assert stat.S_IMODE((tmp_path / "sandbox.token").stat().st_mode) == 0o600


def test_the_database_has_the_token_in_it_and_is_its_owners_alone_too(tmp_path):
    (tmp_path / "sandbox.db").touch(0o644)
    with a_sandbox(tmp_path) as sandbox:
        call(sandbox, "GET", "/api/v1/profile")
        files = list(tmp_path.iterdir())
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        assert len(files) == 4


@pytest.mark.parametrize("damage", ["", "two words", "\x00\xff"])
def test_a_damaged_token_is_made_anew(tmp_path, damage):
    token = token_of(tmp_path / "sandbox.db")
    (tmp_path / "sandbox.token").write_text(damage, "latin-1")
    assert token_of(tmp_path / "sandbox.db") not in {token, damage}


def test_a_token_that_others_could_read_is_made_anew(tmp_path):
    token = token_of(tmp_path / "sandbox.db")
    (tmp_path / "sandbox.token").chmod(0o644)
    assert token_of(tmp_path / "sandbox.db") != token


def test_tokens_of_an_earlier_setup_open_nothing(tmp_path):
    with a_sandbox(tmp_path):
        pass
    with a_sandbox(tmp_path, setup=replace(ACME, users=(replace(ACME.users[0], token="new-token"),))) as sandbox:
        assert call(sandbox, "GET", "/api/v1/profile", token="new-token")["id"] == 1
        for token in (ADMIN, ACME.users[1].token):
            assert read(sandbox.base_url + "/api/v1/profile", None, {"api_access_token": token})[0] == 401


def test_a_pipe_where_the_lock_should_be_is_refused_in_words(tmp_path):
    os.mkfifo(tmp_path / "sandbox.db.lock")
    with pytest.raises(DataRefused, match="not a regular file"), a_sandbox(tmp_path):
        pass
