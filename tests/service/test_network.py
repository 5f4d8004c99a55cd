"""An exchange over the wire: its deadline, its threads, its connections."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from kbsync.errors import AnswerLost
from patience import GIVE_UP_S, eventually

from .world import a_server, a_transport, reply

BODY = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"


def drip(start):
    """Sends a byte a moment, for ever; never silent for long."""

    def send(connection, stop):
        connection.sendall(start)
        while not stop.wait(0.02):
            connection.sendall(b"x")

    return send


def in_a_pool(work):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@pytest.mark.parametrize("start", [BODY, b"HTTP/1.1 200 OK\r\nX-Long: ", b""], ids=["body", "header", "status"])
def test_an_answer_that_drips_for_ever_ends_at_the_deadline(start):
    with (
        a_server(drip(start)) as server,
        a_transport(server.base_url, timeout_s=0.25) as transport,
        pytest.raises(AnswerLost, match=r"The answer was not complete after 1 s\."),
    ):
        in_a_pool(lambda: transport.send("POST", "/api/x"))
    assert len(server.requests) == 1


def test_silence_ends_after_the_timeout_and_is_told_once_when_it_takes_long():
    notes: list[str] = []

    def silence(connection, stop):
        stop.wait(GIVE_UP_S)

    with a_server(silence) as server, a_transport(server.base_url, timeout_s=0.2) as transport:
        transport.note, transport.slow_s = notes.append, 0.05
        with pytest.raises(AnswerLost, match=r"No answer within 0\.2 s\."):
            in_a_pool(lambda: transport.send("POST", "/api/x"))
    assert notes == [f"Still waiting for {server.base_url}: POST /api/x. kbsync waits up to 0.8 s for an answer."]


def test_a_cookie_of_the_service_goes_back_to_it():
    answer = b"HTTP/1.1 200 OK\r\nSet-Cookie: session=abc; Path=/\r\nContent-Length: 2\r\n\r\n[]"
    with a_server(answer) as server, a_transport(server.base_url) as transport:
        for _ in range(2):
            transport.send("GET", "/api/x")
    first, second = (str(request).lower() for request in server.requests)
    assert "session=abc" in second
    assert "session=abc" not in first


def test_the_threads_beside_requests_are_as_many_as_ask_at_once_and_end_with_the_transport():
    def beside():
        return [thread for thread in threading.enumerate() if thread.name == "exchange" and thread not in before]

    before = threading.enumerate()
    with a_server(*[reply("[]")] * 5) as server, a_transport(server.base_url) as transport:
        in_a_pool(lambda: [transport.send("GET", "/api/x") for _ in range(5)])
        assert len(beside()) == 1
    eventually(lambda: not beside(), "the thread ends")


def test_a_name_in_the_address_is_not_sent_as_a_password():
    with a_server(reply("[]")) as server, a_transport(server.base_url.replace("//", "//ana:secret@")) as transport:
        transport.send("GET", "/api/x")
    assert "authorization" not in str(server.requests[0]).lower()
