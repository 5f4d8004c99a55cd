"""A portal that answers nonsense, nothing, or for ever; a wrong token or address: one clear message, one number."""

import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from kbsync.sandbox import Fault, Sandbox
from patience import GIVE_UP_S, eventually

pytestmark = pytest.mark.slow


Answer = Callable[[socket.socket, threading.Event], None]


@contextmanager
def server(answer: Answer) -> Iterator[str]:
    """Loopback, a free port; each connection is given to `answer`, with an event for the end of the block, and then closed."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve() -> None:
        while not over.is_set():
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.settimeout(GIVE_UP_S)
                connection.recv(65536)
                answer(connection, over)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        over.set()
        socket.create_connection(listener.getsockname()).close()
        thread.join()
        listener.close()


def says(text: str) -> Answer:
    return lambda connection, over: connection.sendall(text.encode())


def drips(connection: socket.socket, over: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    while not over.wait(0.01):
        connection.sendall(b" ")


def is_silent(connection: socket.socket, over: threading.Event) -> None:
    over.wait(GIVE_UP_S)


HTML = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>"
EMPTY = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n"
CUT = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"payload":['
LIST = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n[1,2,3]"
NOISE = "\x00\x01\x02 this is no HTTP\r\n\r\n"
ELSEWHERE = "HTTP/1.1 302 Found\r\nLocation: https://evil.example/\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "timeout_s", "message"),
    [
        (says(HTML), GIVE_UP_S, "an HTML page instead of JSON"),
        (says(EMPTY), GIVE_UP_S, "an empty body instead of JSON"),
        (says(CUT), GIVE_UP_S, "The connection broke before the answer was complete"),
        (says(LIST), GIVE_UP_S, "unexpected JSON"),
        (says(NOISE), GIVE_UP_S, "The connection broke"),
        (says(ELSEWHERE), GIVE_UP_S, "redirects to https://evil.example/"),
        (says(""), GIVE_UP_S, "The connection broke"),
        # No silence may last as long as the setting, and no answer four times as long. A busy machine needs some of it.
        (drips, 1, "was not complete after 4 s"),
        (is_silent, 0.3, "No answer within 0.3 s"),
    ],
    ids=[
        "html",
        "empty",
        "cut off",
        "another shape",
        "noise",
        "redirect",
        "closed at once",
        "drips for ever",
        "silent",
    ],
)
@pytest.mark.parametrize("command", ["plan", "push"])
def test_a_service_that_answers_nonsense_or_for_ever_or_never_ends_with_one_message_and_exit_code_5(
    project, answer, timeout_s, message, command
):
    with server(answer) as base_url:
        project.config(f'[service]\nbase_url = "{base_url}"\ntimeout_s = {timeout_s}\n')
        done = project.run(command, KBSYNC_TOKEN="secret-token-123")
    assert done.says(5, err=message, without="secret-token-123")
    assert done.err.startswith("kbsync: GET /api/v1/accounts/1/portals: ")


def test_a_service_that_is_not_there_is_unreachable(project):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    project.config(f'[service]\nbase_url = "http://127.0.0.1:{port}"\n')
    assert project.run("plan", KBSYNC_TOKEN="x").says(5, err="cannot be reached")


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("SSL_CERT_FILE", "/nowhere.pem", "The certificates to trust cannot be loaded: No such file or directory."),
        ("ALL_PROXY", "socks5://127.0.0.1:1", "The environment names a SOCKS proxy"),
        ("HTTPS_PROXY", "ftp://127.0.0.1", "The environment names a proxy that kbsync cannot use"),
    ],
)
def test_a_proxy_or_certificates_that_cannot_be_used_are_named_and_nothing_is_sent(project, variable, value, message):
    project.config('[service]\nbase_url = "https://support.invalid"\n')
    assert project.run("plan", KBSYNC_TOKEN="x", **{variable: value}).says(2, err=message, without="Traceback")


def test_a_wrong_token_and_a_missing_permission_are_told_apart(remote):
    assert remote.run("plan", KBSYNC_TOKEN="nope").says(5, err="The token is wrong.")
    assert remote.run("push", KBSYNC_TOKEN="agent-token-0002").says(5, "Use an administrator's token")


def test_without_a_token_nothing_is_asked(remote, portal: Sandbox):
    del remote.environ["KBSYNC_TOKEN"]
    assert remote.run("plan").says(2, err="KBSYNC_TOKEN") and portal.requests == []


def test_a_wrong_portal_is_told_with_those_that_there_are(remote):
    done = remote.run("plan", KBSYNC_SERVICE__PORTAL="handbok")
    assert done.code == 5 and "no portal `handbok`" in done.err and "`handbook`, `other`" in done.err


def test_one_failing_article_does_not_stop_the_others_and_the_next_push_finishes(remote, portal: Sandbox):
    portal.faults.add(Fault("status", status=500, method="POST", path=r"/articles$", times=2))
    assert remote.run("push", KBSYNC_PACE__CONCURRENCY="1").says(7, "2 articles created as drafts", "Failed: 1\n")
    second = remote.run("push")
    assert second.code == 0 and second.out.startswith("1 article created as a draft\n")


def test_another_push_at_work_is_told_with_exit_code_6(remote, portal: Sandbox):
    portal.faults.add(Fault("hold", method="GET", path=r"/portals$"))
    with ThreadPoolExecutor() as pool:
        first = pool.submit(remote.run_alone, "push")
        eventually(lambda: portal.held == 1, "the first push is held")
        second = remote.run("push")
        portal.release()
        assert first.result().code == 0
    assert second.code == 6 and "Another push is running on this portal" in second.err


def test_a_missing_config_a_wrong_command_and_a_wrong_key_are_usage_errors(tmp_path, project):
    assert project.run("plann").code == 2
    project.config('[service]\nbase_url = "sandbox"\nportl = "x"\n')
    assert project.run("plan").says(2, err=("kbsync.toml:3: `[service] portl`", "Did you mean `portal`?"))
    (project.folder / "kbsync.toml").unlink()
    assert "kbsync init" in project.run("plan").err


@pytest.mark.parametrize(
    ("link", "code", "words"),
    [
        ("content/en/self", 3, "KB115"),
        ("content/en/billing/picture.png", 3, "KB115"),
        ("content", 3, "There is no content folder"),
        (".kbsync", 6, "cannot be created"),
        (".kbsync/ledger.db", 2, "is a symbolic link"),
        ("profile.toml", 2, "profile.toml"),
    ],
)
def test_a_link_that_leads_in_a_circle_is_told_and_is_no_bug(project, link, code, words):
    """A clone can have one at any place; Python's own `resolve` raises there."""
    if link == "profile.toml":
        project.config('[service]\nbase_url = "sandbox"\nprofile = "profile.toml"\n')
    project.write("content/en/billing/images.md", "---\ntitle: Images\n---\n![An image](picture.png)\n")
    place = project.folder / link
    place.parent.mkdir(exist_ok=True)
    if link == "content":
        shutil.rmtree(place)
    place.symlink_to(place.name)
    assert {project.run(command).code for command in ("lint", "plan")} <= {0, 2, code}
    assert project.run("push").says(code, err=words)
