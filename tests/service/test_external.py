"""Which links to other sites are dead, which are alive, and of which nobody can say."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from kbsync.service.external import LONGEST_WAIT_S, Checker, Verdict, _failed
from kbsync.service.external_memory import KEPT_S, Seen, load_memory, store_memory
from patience import GIVE_UP_S
from service.web import Web, running_web


@pytest.fixture(scope="module")
def shared() -> Iterator[Web]:
    with running_web() as found:
        yield found


@pytest.fixture
def web(shared: Web) -> Web:
    shared.asked.clear()
    shared.busiest = 0
    return shared


class Patience:
    """Sleeps that are only written down."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


def ask(web: Web, *paths: str, **options) -> tuple[list[Verdict], list[float]]:
    """A verdict for each path of the web, and the waits between tries."""
    patience = Patience()
    urls = [f"{web.origin}{path}" for path in paths]
    verdicts = Checker(**{"private": True, "sleep": patience, "timeout_s": GIVE_UP_S, **options}).check(urls)
    return [verdicts[url] for url in urls], patience.waits


@pytest.mark.parametrize(
    ("path", "state", "reason"),
    [
        ("/status/200", "alive", "200"),
        ("/status/204", "alive", "204"),
        ("/status/401", "alive", "401"),
        ("/hop/5", "alive", "200"),
        ("/no-head/405", "alive", "200"),
        ("/no-head/501", "alive", "200"),
        ("/no-head/403", "alive", "200"),
        ("/no-head/404", "alive", "200"),
        ("/status/404", "dead", "the answer is 404"),
        ("/status/410", "dead", "the answer is 410"),
        ("/to//status/404", "dead", "the answer is 404"),
        ("/status/403", "unsure", "the answer is 403"),
        ("/status/500", "unsure", "the answer is 500"),
        ("/status/429", "unsure", "the answer is 429"),
        ("/hop/99", "unsure", "more than 8 redirects"),
        ("/to/mailto:me@example.com", "unsure", "it is not a web page"),
    ],
)
def test_every_answer_has_its_verdict(web, path, state, reason):
    ((verdict,), _) = ask(web, path)
    assert (verdict.state, verdict.reason) == (state, reason)


def test_get_is_asked_only_where_head_brings_bad_news(web):
    ask(web, "/status/200", "/no-head/405")
    assert web.asked == {"HEAD /status/200": 1, "HEAD /no-head/405": 1, "GET /no-head/405": 1}


@pytest.mark.parametrize(
    ("path", "state", "waits"),
    [
        ("/after/1/429/3", "alive", [3.0]),
        ("/after/2/429/", "alive", [0.5, 1.0]),
        ("/status/429", "unsure", [0.5, 1.0]),
        ("/status/404", "dead", []),
        (f"/after/1/429/{LONGEST_WAIT_S + 1:.0f}", "unsure", []),
    ],
)
def test_what_may_pass_is_tried_again_as_the_server_says_but_not_for_ever(web, path, state, waits):
    ((verdict,), waited) = ask(web, path)
    assert (verdict.state, waited) == (state, waits)


def test_a_server_error_is_tried_again(web):
    ((verdict,), waits) = ask(web, "/after/1/503/")
    assert (verdict.state, waits) == ("alive", [0.5])
    assert web.asked == {"HEAD /after/1/503/": 2, "GET /after/1/503/": 1}


def test_a_page_that_never_answers_is_unsure():
    with running_web() as web:
        ((verdict,), waits) = ask(web, "/silent", timeout_s=0.2)
        assert (verdict.state, verdict.reason, len(waits)) == ("unsure", "no answer in time", 2)


def test_a_host_that_cannot_be_reached_is_left_alone():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    urls = [f"http://127.0.0.1:{port}/{n}" for n in range(8)]
    verdicts = Checker(private=True, sleep=Patience()).check(urls)
    assert {verdict.state for verdict in verdicts.values()} == {"unsure"}
    # Two ask at a time, so two find out.
    assert [verdict.reason for verdict in verdicts.values()].count("its host does not answer") >= len(urls) - 2


def test_a_host_is_asked_by_two_at_a_time(web):
    verdicts, _ = ask(web, *(f"/page/{n}" for n in range(40)))
    assert {verdict.state for verdict in verdicts} == {"alive"}
    assert web.busiest <= 2


def test_no_token_cookie_or_password_is_sent(web):
    ask(web, "/hop/1", "/hop/0")
    url = f"{web.origin.replace('//', '//ada:secret@')}/status/200"
    assert Checker(private=True).check([url])[url].state == "alive"
    sent = {name.lower() for name in web.headers}
    assert sent <= {"host", "accept", "accept-encoding", "connection", "user-agent"}


# --- machines of this network ----------------------------------------------------------------------------------------


def test_it_is_not_asked_unless_that_is_allowed(web):
    ((verdict,), _) = ask(web, "/status/200", private=False)
    assert verdict.state == "private" and not web.asked


def test_a_name_that_means_a_machine_of_this_network_is_not_asked_either(web):
    def resolve(host: str, *_: object, **__: object) -> list[tuple]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("10.0.0.7", 0))]

    url = "http://looks-harmless.example.com/"
    assert Checker(resolve=resolve).check([url])[url].state == "private"


# --- names and certificates ------------------------------------------------------------------------------------------


def raised_from(cause: Exception) -> httpx.ConnectError:
    exc = httpx.ConnectError("no")
    exc.__cause__ = cause
    return exc


def test_a_name_that_does_not_exist_is_dead_and_one_that_cannot_be_looked_up_is_unsure():
    assert _failed(raised_from(socket.gaierror(socket.EAI_NONAME, "x")))[0].state == "dead"
    assert _failed(raised_from(socket.gaierror(socket.EAI_AGAIN, "x")))[0].state == "unsure"


def test_a_wrong_certificate_is_dead_and_a_broken_connection_unsure():
    wrong = ssl.SSLCertVerificationError("x")
    wrong.verify_message = "certificate has expired"
    assert _failed(raised_from(wrong))[0] == Verdict(
        "dead", "its certificate is not valid: certificate has expired", heard=True
    )
    assert _failed(raised_from(ConnectionResetError()))[0].state == "unsure"


def test_where_nothing_at_all_answers_a_missing_name_may_be_this_machines_fault(web):
    gone = "http://nothing.invalid/"
    alone = Checker(private=True, sleep=Patience()).check([gone])
    assert alone[gone].state == "unsure"
    beside = Checker(private=True, sleep=Patience()).check([gone, f"{web.origin}/status/200"])
    assert beside[f"{web.origin}/status/200"].state == "alive" and beside[gone].state in {"dead", "unsure"}


@pytest.mark.parametrize("url", ["http://", "http://[::1/", "http://exa mple.com:99999999/", "https://a..b/"])
def test_what_is_no_address_is_dead_and_never_a_crash(url):
    assert Checker(private=True, sleep=Patience()).check([url])[url].state in {"dead", "unsure"}


# --- what is remembered ----------------------------------------------------------------------------------------------


def test_what_is_sure_is_kept_for_a_day(tmp_path: Path):
    path = tmp_path / "cache" / "external.json"
    new = {"https://a/": Verdict("alive", "200"), "https://b/": Verdict("dead", "x"), "https://c/": Verdict("unsure")}
    store_memory(path, {}, new, now_s=1_000.5)
    known = load_memory(path, now_s=1_000 + KEPT_S - 1)
    assert known == {"https://a/": Seen("alive", "200", 1_000), "https://b/": Seen("dead", "x", 1_000)}
    assert load_memory(path, now_s=1_000 + KEPT_S) == {}
    assert load_memory(path, now_s=10) == {}  # a clock that was put back


@pytest.mark.parametrize(
    "text", ["", "{}", '{"schema": "other/1", "urls": {}}', '{"schema": "kbsync.external/1", "urls": 3}']
)
def test_a_memory_that_cannot_be_read_is_none(tmp_path, text):
    (tmp_path / "m").write_text(text)
    assert load_memory(tmp_path / "m", now_s=0) == {}
