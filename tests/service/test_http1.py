"""HTTP/1.1 of our own: where an answer ends, what is no answer, and what may be sent."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from contextlib import closing, suppress
from itertools import pairwise

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.service.address import address_of, query_of
from kbsync.service.deadline import Deadlines
from kbsync.service.exchange import http_date_s
from kbsync.service.failures import Broken, NotConnected, NotSendable
from kbsync.service.http1 import MAX_HEAD_BYTES, Http1, Request
from kbsync.service.network import Opener
from kbsync.service.proxied import through
from patience import GIVE_UP_S

from .world import a_server, a_transport, reply


class Wire:
    """A stream that gives what it has piece by piece, and ends."""

    def __init__(self, *pieces):
        self.pieces, self.written, self.is_closed = list(pieces), b"", False

    def write(self, buffer, timeout=None):
        self.written += buffer

    def read(self, max_bytes, timeout=None):
        return self.pieces.pop(0) if self.pieces else b""

    def get_extra_info(self, info):
        return None

    def close(self):
        self.is_closed = True


def a_request(method="GET", url="http://host/x", headers=(), content=b""):
    address = address_of(url)
    return Request(method, address, address.target, tuple(headers), content)


def answer(*pieces, method="GET"):
    """Status, headers and body of what came; and whether the connection can be used again."""
    connection = Http1(Wire(*pieces), GIVE_UP_S)
    found = connection.ask(a_request(method))
    return found.status, found.headers, b"".join(found.chunks), connection.is_idle


@pytest.mark.parametrize(
    ("raw", "body", "is_kept"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", b"ok", True),
        (b"HTTP/1.1 200\nContent-Length:2\n\nok", b"ok", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok", b"ok", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: Close\r\n\r\nok", b"ok", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", b"ok", False),
        (b"HTTP/1.1 200 OK\r\n\r\nto the end", b"to the end", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok stray", b"ok", False),
        (b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", b"ok", True),
        (b"HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", b"", True),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", b"", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2;x=y\r\nok\r\nA \r\n0123456789\r\n0\r\n\r\n",
         b"ok0123456789", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Behind: 1\r\n\r\n", b"", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", b"ok", True),
    ],
)  # fmt: skip
def test_an_answer_ends_where_it_says_however_it_comes(raw, body, is_kept):
    whole = answer(raw)
    assert whole[2:] == (body, is_kept)
    assert answer(*(raw[at : at + 1] for at in range(len(raw))))[2] == body


def test_the_answer_to_head_has_no_body():
    assert answer(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", method="HEAD")[2:] == (b"", True)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk",
        b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nContent-Length: \xc2\xb2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 40 + b"\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nok\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nok\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX Y: 1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX : 1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * (MAX_HEAD_BYTES + 1),
    ],
)
def test_what_is_no_whole_answer_is_none(raw):
    with pytest.raises(Broken):
        answer(raw)


HEADER = st.tuples(
    st.text("abcdefghijklmnopqrstuvwxyz-X", min_size=1, max_size=9).map(lambda name: f"x-{name}".lower()),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=9),
)


@given(st.lists(HEADER, max_size=5), st.binary(max_size=300), st.booleans(), st.lists(st.integers(1, 400), max_size=9))
def test_an_answer_is_read_as_h11_reads_it(headers, body, is_chunked, cuts):
    ends = ("transfer-encoding", "chunked") if is_chunked else ("content-length", str(len(body)))
    theirs = h11.Connection(h11.SERVER)
    theirs.receive_data(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    theirs.next_event(), theirs.next_event()
    events = [h11.Response(status_code=200, headers=[*headers, ends]), h11.Data(data=body), h11.EndOfMessage()]
    raw = b"".join(theirs.send(event) or b"" for event in events)
    places = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    status, found, got, is_kept = answer(*(raw[a:b] for a, b in pairwise(places)))
    assert (status, got, is_kept) == (200, body, True)
    for name, value in headers:
        assert value in found[name]


@given(st.lists(st.binary(max_size=60), max_size=6), st.binary(max_size=60))
def test_noise_is_an_answer_or_none_and_nothing_else(pieces, more):
    with suppress(Broken):
        answer(b"HTTP/1.1 200 OK\r\n" + more, *(piece for piece in pieces if piece))


@pytest.mark.parametrize(
    "request_",
    [
        a_request(headers=[("A", "x\r\nB: y")]),
        a_request(headers=[("A", " x")]),
        a_request(headers=[("A", "é")]),
        Request("GET", address_of("http://host/"), "/a b", ()),
        Request("GET", address_of("http://host/"), "/a\r\nX: y", ()),
        Request("GET /x", address_of("http://host/"), "/", ()),
    ],
)
def test_a_request_with_another_one_in_it_does_not_leave(request_):
    wire = Wire()
    with pytest.raises(NotSendable):
        Http1(wire, GIVE_UP_S).ask(request_)
    assert wire.written == b""


def test_a_request_is_shown_without_its_token():
    assert "secret" not in repr(a_request(headers=[("api_access_token", "secret")]))


@pytest.mark.parametrize(
    ("url", "netloc", "target"),
    [
        ("http://Help.Example.com:80/api/v1", "help.example.com", "/api/v1"),
        ("https://help.example.com:8443", "help.example.com:8443", "/"),
        ("http://host/a%20b/%C3%A9", "host", "/a%20b/%C3%A9"),
        ("http://host/a b", "host", "/a%20b"),
        ("http://host/a/../b", "host", "/b"),
        ("http://user:word@host/x", "host", "/x"),
        ("https://bücher.example/x", "xn--bcher-kva.example", "/x"),
        ("http://[::1]:3000/x", "[::1]:3000", "/x"),
    ],
)
def test_an_address_is_what_goes_over_the_wire(url, netloc, target):
    found = address_of(url)
    assert (found.netloc, found.target) == (netloc, target)


@pytest.mark.parametrize("url", ["host", "http://", "ftp://host/", "http://host:99999999/", "http://ho\x00st/"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ValueError, match=r"."):
        address_of(url)


def test_parameters_go_behind_the_path():
    query = query_of({"page": 2, "locale": "pt_BR", "q": "a b&c", "on": True, "none": None})
    assert query == "page=2&locale=pt_BR&q=a+b%26c&on=true&none="
    assert address_of("http://host/x").asking(query) == f"/x?{query}"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784111777),
        ("Sun, 06 Nov 1994 09:49:37 +0100", 784111777),
        ("Sun, 06 Foo 1994 08:49:37 GMT", None),
        ("Sun, 06 Nov 1994 88:49:37 GMT", None),
        ("", None),
        ("soon", None),
    ],
)
def test_a_date_of_a_header(text, seconds):
    assert http_date_s(text) == seconds


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=here"
    command += " -addext subjectAltName=DNS:here.example"
    subprocess.run([*command.split(), "-keyout", f"{path}.key", "-out", path], check=True, capture_output=True)
    path.write_text(path.read_text() + path.with_name(f"{path.name}.key").read_text())
    return path


def encrypted(certificate, connection):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context.wrap_socket(connection, server_side=True)


def test_over_tls_an_answer_is_read_whole_and_another_name_is_not_believed(certificate):
    body = b"x" * 300_000

    def serve():
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, suppress(OSError), encrypted(certificate, connection) as stream:
                    for _ in range(2):
                        stream.recv(65536)
                        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + body)
                    stream.recv(1)

    trust = ssl.create_default_context(cafile=certificate)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener, Deadlines() as deadlines:
        threading.Thread(target=serve, daemon=True).start()
        opener, port = Opener(deadlines), listener.getsockname()[1]
        stream = opener.connect_tcp("127.0.0.1", port, GIVE_UP_S).start_tls(trust, "here.example", GIVE_UP_S)
        connection = Http1(stream, GIVE_UP_S)
        assert [b"".join(connection.ask(a_request()).chunks) for _ in range(2)] == [body, body]
        assert connection.is_idle
        connection.close()
        with pytest.raises(NotConnected, match="certificate"):
            opener.connect_tcp("127.0.0.1", port, GIVE_UP_S).start_tls(trust, "other.example", GIVE_UP_S)


def test_through_a_proxy_a_request_is_forwarded_and_a_tunnel_is_encrypted_to_its_end(certificate):
    def tunnel(connection, stop):
        connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        with encrypted(certificate, connection) as stream:
            inside.append(stream.recv(65536))
            stream.sendall(reply("inside"))

    inside: list[bytes] = []
    trust = ssl.create_default_context(cafile=certificate)
    with a_server(reply("forwarded"), tunnel, reply("no", "407 Who?")) as proxy, Deadlines() as deadlines:
        at = proxy.base_url.replace("//", "//user:word@")

        def asked(url):
            connection = through(at, address_of(url), Opener(deadlines), trust, GIVE_UP_S)()
            try:
                return b"".join(connection.ask(a_request(url=url, headers=[("Host", "here.example")])).chunks)
            finally:
                connection.close()

        assert asked("http://here.example/x") == b"forwarded"
        assert asked("https://here.example/x") == b"inside"
        with pytest.raises(NotConnected, match="407"):
            asked("https://here.example/x")
    assert proxy.requests[0].startswith(b"GET http://here.example/x HTTP/1.1\r\n")
    assert all(b"Proxy-Authorization: Basic" in request for request in proxy.requests)
    assert inside[0].startswith(b"GET /x HTTP/1.1\r\n")
    assert b"Proxy-Authorization" not in inside[0]


def test_a_kept_connection_takes_many_requests_one_after_the_other():
    def twice(connection, stop):
        for _ in range(2):
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n")
            more.append(connection.recv(65536))

    more: list[bytes] = []
    with a_server(twice) as server, a_transport(server.base_url) as transport:
        assert [transport.send("POST", "/api/x", body={"a": 1}).body for _ in range(2)] == [b"[]", b"[]"]
    assert len(server.requests) == 1
    assert more[0].endswith(b'\r\nContent-Length: 7\r\n\r\n{"a":1}')
