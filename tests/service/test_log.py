"""The log of requests: what each line says, and what none of them ever says."""

import pytest

from kbsync.errors import AnswerLost, Unreachable
from kbsync.service.log import Sent, shown_target

from .world import ADMIN, MINUTE_S, a_server, a_transport, reply


def test_a_line_has_time_method_path_status_and_milliseconds():
    assert Sent(MINUTE_S + 0.25, "GET", "/api", 200, 0.0123).line == "2026-11-21T04:00:00.250Z GET /api 200 12 ms"


def test_a_line_says_why_something_was_sent_again_and_what_came_instead_of_an_answer():
    sent = Sent(MINUTE_S, "PATCH", "/x", None, 30.0, 3, "429", "No answer within 30 s.")
    assert sent.line == "2026-11-21T04:00:00.000Z PATCH /x - 30000 ms attempt 3 (after 429) No answer within 30 s."


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"/api?page=2&locale=en", "/api?page=2&locale=en"),
        (b"/api?access_token=abc&page=2", "/api?access_token=[hidden]&page=2"),
        (b"/api?q=ana%40example.com&q&=x", "/api?q=[hidden]&q=[hidden]&=[hidden]"),
        (b"/api?", "/api?"),
        (f"/api/{ADMIN}/x".encode(), "/api/[token]/x"),
        (f"/api?page={ADMIN}".encode(), "/api?page=[token]"),
    ],
)
def test_of_a_query_only_what_is_harmless_is_shown(raw, shown):
    assert shown_target(raw, ADMIN) == shown


def test_each_attempt_is_a_line_and_names_what_came_before(clock):
    log: list[Sent] = []
    answers = [reply("", "429 Too Many Requests"), reply("", "503 Busy", Retry_After="1"), reply("[]")]
    with a_server(*answers) as server, a_transport(server.base_url, clock=clock) as transport:
        transport.log = log.append
        transport.send("GET", "/x", body={"secret": "text"}, query={"page": 1, "key": "hidden"})
        assert transport.requests == len(log)
    assert [(sent.status, sent.attempt, sent.again) for sent in log] == [(429, 1, ""), (503, 2, "429"), (200, 3, "503")]
    assert {sent.target for sent in log} == {"/x?page=1&key=[hidden]"}
    assert [sent.at_s for sent in log] == sorted(sent.at_s for sent in log)


def test_a_request_without_an_answer_is_a_line_too(clock):
    log: list[Sent] = []
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n["
    with a_server(cut) as server, a_transport(server.base_url, clock=clock) as transport:
        transport.log = log.append
        with pytest.raises(AnswerLost):
            transport.send("GET", "/x")
    assert [(sent.status, sent.attempt, sent.again) for sent in log] == [(None, 1, ""), (None, 2, "no answer")]
    assert all(sent.error.startswith("The connection broke") for sent in log)


def test_what_never_left_is_a_line_for_each_try(clock):
    log: list[Sent] = []
    with a_transport("http://127.0.0.1:9", clock=clock) as transport:
        transport.log = log.append
        with pytest.raises(Unreachable):
            transport.send("GET", "/x")
    assert [(sent.attempt, sent.again) for sent in log] == [(1, ""), *((n, "no connection") for n in (2, 3, 4))]
    assert ADMIN not in "".join(sent.line for sent in log)
