"""The deadline of an exchange in a thread of a pool, where nobody waits beside it."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpcore
import httpx
import pytest

from kbsync.errors import AnswerLost
from kbsync.service.deadline import Deadlines
from kbsync.service.network import Limit, Opener, Stream
from kbsync.service.origin_transport import OriginTransport
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


def test_many_requests_of_a_thread_need_one_more_thread_to_connect_and_that_ends_with_the_transport():
    def beside():
        return [thread for thread in threading.enumerate() if thread.name == "exchange" and thread not in before]

    before = threading.enumerate()
    with a_server(*[reply("[]")] * 5) as server, a_transport(server.base_url) as transport:
        in_a_pool(lambda: [transport.send("GET", "/api/x") for _ in range(5)])
        assert len(beside()) <= 1
    eventually(lambda: not beside(), "the thread ends")


def test_a_look_up_of_a_name_that_hangs_ends_at_the_deadline():
    over = threading.Event()

    class Hanging(httpcore.NetworkBackend):
        def connect_tcp(self, *args, **kwargs):
            over.wait(GIVE_UP_S)
            raise httpcore.ConnectError

    with Deadlines() as deadlines:
        opener = Opener(deadlines, inner=Hanging())
        with opener.limits.applied(Limit(time.monotonic() + 0.05)), pytest.raises(TimeoutError):
            opener.connect_tcp("host", 80, timeout=30)
        over.set()


class Wire(httpcore.NetworkStream):
    """A connection that keeps what is written, and takes none of it where it is closed."""

    def __init__(self, *, is_closed=False):
        self.written: list[bytes] = []
        self.is_closed = is_closed

    def write(self, buffer, timeout=None):
        if self.is_closed:
            raise httpcore.WriteError
        self.written.append(bytes(buffer))

    def read(self, max_bytes, timeout=None):
        return b"HTTP/1.1 413 "


def test_head_and_body_of_a_request_leave_together():
    wire = Wire()
    with Deadlines() as deadlines:
        stream = Stream(wire, Opener(deadlines))
        stream.write(b"head", 30)
        stream.write(b"body", 30)
        assert wire.written == []
        stream.read(100, 30)
        stream.read(100, 30)
    assert wire.written == [b"headbody"]


def test_a_large_body_leaves_piece_by_piece_and_whole():
    wire, data = Wire(), bytes(range(256)) * 1000
    with Deadlines() as deadlines:
        stream = Stream(wire, Opener(deadlines))
        stream.write(data[:200_000], 30)
        stream.write(data[200_000:], 30)
        stream.read(100, 30)
    assert b"".join(wire.written) == data
    assert len(wire.written) > 2


def test_a_service_that_closed_before_it_had_read_the_request_is_heard_and_its_connection_not_used_again():
    with Deadlines() as deadlines:
        stream = Stream(Wire(is_closed=True), Opener(deadlines))
        assert not stream.get_extra_info("is_readable")
        stream.write(b"head", 30)
        assert stream.read(100, 30) == b"HTTP/1.1 413 "
        assert stream.get_extra_info("is_readable")


def test_outside_of_an_exchange_nothing_is_limited():
    assert math.isinf(Limit().until_s)
    Limit().check()


def test_a_cookie_of_the_service_goes_back_to_it():
    answer = b"HTTP/1.1 200 OK\r\nSet-Cookie: session=abc; Path=/\r\nContent-Length: 2\r\n\r\n[]"
    with a_server(answer) as server, a_transport(server.base_url) as transport:
        for _ in range(2):
            transport.send("GET", "/api/x")
    first, second = (str(request).lower() for request in server.requests)
    assert "session=abc" in second
    assert "session=abc" not in first


def test_an_answer_too_many_is_not_taken_for_the_next_request_s():
    first, stray = (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + body for body in (b"first", b"stray"))
    asked_again: list[bytes] = []

    def one_too_many(connection, stop):
        connection.sendall(first + stray)
        asked_again.append(connection.recv(1))

    with a_server(one_too_many, reply("second")) as server, a_transport(server.base_url) as transport:
        bodies = [transport.send("POST", "/api/x").body for _ in range(2)]
    assert bodies == [b"first", b"second"]
    eventually(lambda: asked_again == [b""], "the first connection was closed")


class Connection:
    """A connection of httpcore, as far as those who use it can tell."""

    def __init__(self):
        self.asked, self.is_over, self.is_closed = 0, False, False

    def handle_request(self, request):
        self.asked += 1
        return httpcore.Response(200, content=b"[]", extensions={"network_stream": None})

    def has_expired(self):
        return self.is_over

    def is_idle(self):
        return not self.is_closed

    def close(self):
        self.is_closed = True


class Maker:
    """Makes such connections."""

    def __init__(self):
        self.made: list[Connection] = []

    def create_connection(self, origin):
        self.made.append(Connection())
        return self.made[-1]


def ask(transport, times=1):
    for answer in [transport.handle_request(httpx.Request("POST", "http://host/x")) for _ in range(times)]:
        assert answer.read() == b"[]"


def test_the_next_request_takes_the_connection_of_the_last_one_unless_the_service_closed_it():
    maker = Maker()
    transport = OriginTransport(maker, httpx.URL("http://host"), 2)
    ask(transport)
    ask(transport)
    maker.made[0].is_over = True
    ask(transport)
    assert [(one.asked, one.is_closed) for one in maker.made] == [(2, True), (1, False)]


def test_no_more_connections_stay_open_than_wanted_and_none_after_the_end():
    maker = Maker()
    transport = OriginTransport(maker, httpx.URL("http://host"), 2)
    ask(transport, 3)
    assert [one.is_closed for one in maker.made] == [False, False, True]
    under_way = transport.handle_request(httpx.Request("POST", "http://host/x"))
    transport.close()
    under_way.read()
    assert all(one.is_closed for one in maker.made)
