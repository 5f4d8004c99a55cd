"""An exchange over the wire: its thread, its connection, what goes along."""

import socket
import threading
from contextlib import closing
from typing import Any

import pytest

from kbsync.errors import AnswerLost
from kbsync.service.deadline import within
from kbsync.service.exchange import Connections
from patience import GIVE_UP_S, eventually

from .web import running_web
from .world import a_server, a_transport, read_request, reply

KEPT = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"


def test_a_cookie_of_the_service_goes_back_to_it():
    answer = b"HTTP/1.1 200 OK\r\nSet-Cookie: session=abc; Path=/\r\nContent-Length: 2\r\n\r\n[]"
    with a_server(answer) as server, a_transport(server.base_url) as transport:
        for _ in range(2):
            transport.send("GET", "/api/x")
    first, second = (str(request).lower() for request in server.requests)
    assert "session=abc" in second
    assert "session=abc" not in first


def test_no_thread_beside_a_request_stays_when_that_is_answered():
    before = threading.enumerate()
    with a_server(reply("[]")) as server, a_transport(server.base_url) as transport:
        for _ in range(5):
            transport.send("GET", "/api/x")
        beside = [thread for thread in threading.enumerate() if thread.name == "exchange" and thread not in before]
        eventually(lambda: not any(thread.is_alive() for thread in beside), "the threads end")


def test_a_name_in_the_address_is_not_sent_as_a_password():
    with a_server(reply("[]")) as server, a_transport(server.base_url.replace("//", "//ana:secret@")) as transport:
        transport.send("GET", "/api/x")
    assert "authorization" not in str(server.requests[0]).lower()


def test_a_kept_connection_is_used_again_and_one_that_the_service_closed_meanwhile_is_not():
    asked, is_closed = [], threading.Event()

    def twice(connection, stop):
        connection.sendall(KEPT)
        asked.append(read_request(connection))
        connection.sendall(KEPT)
        connection.close()
        is_closed.set()

    with a_server(twice, reply("other")) as server, a_transport(server.base_url) as transport:
        assert [transport.send("POST", "/api/x").body for _ in range(2)] == [b"first", b"first"]
        assert is_closed.wait(GIVE_UP_S)
        assert transport.send("POST", "/api/x").body == b"other"
    assert len(asked) == 1 and len(server.requests) == 2


def test_of_a_kept_connection_that_breaks_under_a_request_a_get_is_repeated_and_a_post_is_lost():
    def read_and_close(connection, stop):
        connection.sendall(KEPT)
        read_request(connection)

    answers = [read_and_close, reply("second"), read_and_close, reply("never")]
    with a_server(*answers) as server, a_transport(server.base_url) as transport:
        assert [transport.send("GET", "/api/x").body for _ in range(3)] == [b"first", b"second", b"first"]
        with pytest.raises(AnswerLost, match="The connection broke before the answer was complete"):
            transport.send("POST", "/api/x")
    assert len(server.requests) == 3


def test_an_answer_that_comes_while_the_request_is_still_written_is_the_answer():
    def refuse(connection, stop):
        connection.sendall(reply("too large", "413 Content Too Large"))
        while connection.recv(1 << 16):
            pass

    with a_server(refuse) as server, a_transport(server.base_url) as transport:
        answer = transport.send("POST", "/api/x", body={"content": "x" * 10_000_000})
    assert (answer.status, answer.body) == (413, b"too large")


@pytest.mark.parametrize("body", [b"", b"late"], ids=["empty", "body"])
def test_a_connection_whose_answer_came_after_the_deadline_is_closed(body):
    is_over, rest = threading.Event(), []

    def answer_late(connection, stop):
        connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not is_over.wait(0.02):
            connection.sendall(b"x")
        connection.sendall(b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        rest.append(connection.recv(1))

    with a_server(answer_late) as server, a_transport(server.base_url, timeout_s=0.25) as transport:
        with pytest.raises(AnswerLost, match=r"The answer was not complete after 1 s\."):
            transport.send("POST", "/api/x")
        is_over.set()
        eventually(lambda: rest == [b""], "the connection is closed")


# --- deadlines -------------------------------------------------------------------------------------------------------


def test_what_the_work_returns_or_raises_comes_back():
    assert within(60, lambda: "done") == "done"
    with pytest.raises(ZeroDivisionError):
        within(60, lambda: 1 / 0)


def test_work_that_is_left_behind_does_not_hold_up_the_next_nor_the_process_and_its_thread_ends_with_it():
    go_on, at_work = threading.Event(), []

    def stuck() -> None:
        at_work.append(threading.current_thread())
        go_on.wait()

    with pytest.raises(TimeoutError):
        within(0, stuck)
    assert within(60, lambda: "next") == "next"
    eventually(lambda: bool(at_work), "the work begins")
    assert at_work[0].is_alive() and at_work[0].daemon
    go_on.set()
    eventually(lambda: not at_work[0].is_alive(), "the thread ends")


def test_what_could_leave_only_after_its_deadline_is_never_sent(monkeypatch: pytest.MonkeyPatch):
    """The look-up of the name hangs; the answer was given up, and somebody has looked by then whether it was done."""
    found, real = threading.Event(), socket.getaddrinfo

    def slow(*arguments: Any, **options: Any) -> Any:
        found.wait(GIVE_UP_S)
        return real(*arguments, **options)

    with running_web() as web, closing(Connections(web.origin, {}, 0.05, 4)) as connections:
        monkeypatch.setattr(socket, "getaddrinfo", slow)
        with pytest.raises(AnswerLost):
            connections.exchange(connections.request("GET", "/status/200"), secret="")
        (left,) = [thread for thread in threading.enumerate() if thread.name == "exchange"]
        found.set()
        left.join(GIVE_UP_S)
        assert not left.is_alive() and not web.asked
