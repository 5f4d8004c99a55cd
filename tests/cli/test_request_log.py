"""`--log-file` and `-v`: every request a line, in a private file, and never a secret."""

import os
import re
import stat

import pytest

from cli.conftest import TOKEN

LINE = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (GET|POST|PATCH|DELETE) /\S+ (\d{3}|-) \d+ ms( attempt \d+ \(after .+\))?"
)


def test_a_push_leaves_a_line_for_each_request_and_no_secret(remote):
    done = remote.run("push", "--log-file", "requests.log")
    assert done.code == 0 and "GET /" not in done.out + done.err
    path = remote.folder / "requests.log"
    lines = path.read_text("utf-8").splitlines()
    assert all(LINE.fullmatch(line) for line in lines)
    assert sum(" POST /api/v1/accounts/1/portals/handbook/articles 200 " in line for line in lines) == 3
    assert TOKEN not in path.read_text("utf-8")
    counted = re.search(r"(\d+) requests in [\d.]+ s, after (\d+) to read the portal", done.out)
    assert counted is not None and sum(map(int, counted.groups())) == len(lines)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_the_file_is_private_also_if_it_was_not_and_lines_are_added_to_it(remote):
    path = remote.write("requests.log", "before\n")
    path.chmod(0o644)
    remote.run("--log-file", "requests.log", "plan")
    once = path.read_text("utf-8")
    assert once.startswith("before\n2") and stat.S_IMODE(path.stat().st_mode) == 0o600
    remote.run("plan", "--log-file", "requests.log")
    assert path.read_text("utf-8").startswith(once)


@pytest.mark.parametrize("command", ["plan", "push", "check"])
def test_v_shows_the_same_on_stderr_and_leaves_stdout_alone(remote, command):
    done = remote.run(command, "-v")
    assert [line for line in done.err.splitlines() if LINE.fullmatch(line)] and TOKEN not in done.out + done.err
    assert not any(LINE.fullmatch(line) for line in done.out.splitlines())


def test_q_hides_what_v_would_show_and_the_file_still_has_it(remote):
    assert remote.run("plan", "-q", "-v", "--log-file", "requests.log").err == "" and remote.read("requests.log")


def test_a_file_that_cannot_be_written_is_an_error_before_anything_is_sent(remote):
    done = remote.run("push", "--log-file", "nowhere/requests.log")
    assert done.says(2, err="kbsync: --log-file nowhere/requests.log cannot be written: No such file or directory.\n")
    assert remote.run("plan").out.count("Create ") == 2
