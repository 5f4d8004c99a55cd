"""A name is resolved once, and the address that was looked at is the one that is connected to."""

import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import httpx
import pytest

from kbsync.errors import Untrusted
from kbsync.service.pinned import Inside, Sender, is_private
from patience import GIVE_UP_S

from .web import Quiet, Web, running_web, serving
from .world import a_service

NAME, OTHER = "docs.example.com", "other.example.com"


@pytest.fixture
def web() -> Iterator[Web]:
    with running_web() as found:
        yield found


class Resolver:
    """Gives the answers one after the other, the last one again and again; remembers what it was asked."""

    def __init__(self, *answers: tuple[str, ...]) -> None:
        self.answers, self.asked = list(answers), []

    def __call__(self, host: str, *_: object, **__: object) -> list[tuple]:
        self.asked.append(host)
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (address, 0)) for address in found]


def asked(url: str, resolver: Resolver, *, private: bool = True, trust: ssl.SSLContext | None = None) -> int | str:
    """The status at the end of all redirects; "inside" where that is not asked, else what is wrong."""
    with ExitStack() as stack:
        sender = Sender(stack, trust or ssl.create_default_context(), private, GIVE_UP_S, resolver)
        at = httpx.URL(url)
        while True:
            try:
                answer = sender.head_of("HEAD", at)
            except Inside:
                return "inside"
            except httpx.ConnectError as exc:
                return str(exc)
            if not answer.has_redirect_location:
                return answer.status_code
            at = at.join(answer.headers["location"])


def test_the_address_that_was_looked_at_is_asked_and_no_other(web):
    resolver = Resolver(("127.0.0.1",))
    port = web.origin.rpartition(":")[2]
    assert asked(f"http://{NAME}:{port}/status/200", resolver) == 200
    assert resolver.asked == [NAME]  # Nobody else knows the name: it was not resolved again.
    assert web.headers["Host"] == f"{NAME}:{port}"


def test_a_resolver_that_changes_its_answer_leads_nowhere_else(web):
    port = web.origin.rpartition(":")[2]
    resolver = Resolver(("127.0.0.1",), ("127.0.0.3",))
    assert asked(f"http://{NAME}:{port}/status/200", resolver) == 200


def test_a_redirect_is_resolved_and_looked_at_anew(web):
    port = web.origin.rpartition(":")[2]
    resolver = Resolver(("127.0.0.1",))
    assert asked(f"http://{NAME}:{port}/to/http://{OTHER}:{port}/status/200", resolver) == 200
    assert resolver.asked == [NAME, OTHER]


@pytest.mark.parametrize(
    "addresses", [("127.0.0.1",), ("10.0.0.7",), ("8.8.8.8", "127.0.0.1"), ("::ffff:169.254.169.254",), ("fe80::1%2",)]
)
def test_a_name_that_leads_inside_by_one_address_is_not_asked(web, addresses):
    port, resolver = web.origin.rpartition(":")[2], Resolver(addresses)
    assert asked(f"http://{NAME}:{port}/status/200", resolver, private=False) == "inside"
    assert (resolver.asked, web.asked) == ([NAME], {})


def test_a_host_is_asked_at_its_next_address_where_the_first_cannot_be_reached(web):
    port = web.origin.rpartition(":")[2]
    resolver = Resolver(("127.0.0.3", "127.0.0.1"))
    assert asked(f"http://{NAME}:{port}/status/200", resolver) == 200


BEHIND_A_PROXY = """
import socket, ssl, sys
from contextlib import ExitStack
import httpx
from kbsync.service.pinned import Inside, Sender

def resolve(host, *_, **__):
    if host.startswith("unknown"):
        raise socket.gaierror(socket.EAI_NONAME, "x")
    return [(0, 0, 0, "", ("10.0.0.7" if host.startswith("inside") else "8.8.8.8", 0))]

for url in sys.argv[1:]:
    with ExitStack() as stack:
        try:
            print(Sender(stack, ssl.create_default_context(), False, 60, resolve).head_of("HEAD", httpx.URL(url)).status_code)
        except Inside:
            print("inside")
"""


def test_a_proxy_is_asked_by_name_and_for_nothing_inside(web):
    urls = [f"http://{host}.example.com/" for host in ("docs", "unknown", "inside")]
    environ = {name: text for name, text in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        [sys.executable, "-c", BEHIND_A_PROXY, *urls],
        env=environ | {"http_proxy": web.origin}, capture_output=True, text=True, timeout=GIVE_UP_S, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["200", "200", "inside"]
    assert web.asked == {"HEAD http://docs.example.com/": 1, "HEAD http://unknown.example.com/": 1}


# --- certificates ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for NAME and this machine, which is its own authority, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={NAME} -addext subjectAltName=DNS:{NAME},IP:127.0.0.1"
    subprocess.run([*command.split(), "-keyout", f"{path}.key", "-out", path], check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.key").read_text())
    return path


class Page(Quiet):
    """Answers 200, or leads from one name to the other."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:  # noqa: N802 - the name that the library calls
        host, _, port = self.headers["Host"].partition(":")
        leads = self.path == "/away" and host == NAME
        self.send_response(302 if leads else 200)
        if leads:
            self.send_header("Location", f"https://{OTHER}:{port}/")
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def secure(certificate: Path) -> Iterator[int]:
    """The port of a server with that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with serving(Page, context) as port:
        yield port


def test_the_certificate_must_be_that_of_the_name(secure: int, certificate: Path):
    trust, resolver = ssl.create_default_context(cafile=str(certificate)), Resolver(("127.0.0.1",))
    assert asked(f"https://{NAME}:{secure}/", resolver, trust=trust) == 200
    assert "certificate verify failed" in str(asked(f"https://{OTHER}:{secure}/", resolver, trust=trust))


def test_a_connection_for_one_name_is_not_used_for_another_at_the_same_address(secure: int, certificate: Path):
    trust = ssl.create_default_context(cafile=str(certificate))
    found = asked(f"https://{NAME}:{secure}/away", Resolver(("127.0.0.1",)), trust=trust)
    assert "certificate verify failed" in str(found)


def test_a_certificate_that_nobody_vouches_for_is_named_and_nothing_is_sent_or_tried_again(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    got: list[bytes] = []

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    got.append(context.wrap_socket(connection, server_side=True).recv(100))

    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        threading.Thread(target=serve, daemon=True).start()
        with a_service(f"https://127.0.0.1:{listener.getsockname()[1]}") as service:
            with pytest.raises(Untrusted) as caught:
                service.check_connection()
            assert service.endpoint.transport.requests == 1
    assert "is not valid: self-signed certificate. Nothing was sent." in caught.value.message.replace(
        "self signed", "self-signed"
    )
    assert "SSL_CERT_FILE" in caught.value.hint
    assert got == []


# --- addresses inside ------------------------------------------------------------------------------------------------


INSIDE = """
0.0.0.0 0.1.2.3 10.0.0.7 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254 172.16.0.1
172.31.255.255 192.0.0.192 192.0.0.9 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
239.255.255.250 240.0.0.1 255.255.255.255 127.1 0x7f.1 2130706433 0177.0.0.1 2852039166
:: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe ::ffff:0:10.0.0.1
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::168.63.129.16 64:ff9b:1::1 64:ff9b:1::808:808
2002:7f00:1:: 2002:a00:1::1 2002:c0a8:101::1 2002:a9fe:a9fe::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2
2001:0:808:808:0:0:80ff:fffe 2001:db8::1 3fff::1 100::1 5f00::1 fc00::1 fd00:ec2::254 fd12::1 fe80::1 fe80::1%eth0 fec0::1
ff02::1 ff0e::1 4000::1 [::1] [fd00::1]
localhost LOCALHOST. intranet nas.local db.internal box.localdomain a.localhost x.home.arpa
"""

OUTSIDE = """
1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 168.63.129.15 168.63.129.17 172.15.0.1 172.32.0.1 192.0.1.1 223.255.255.255
2606:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 [2606:4700::1111] 134744072
example.com localhost.example.com local.example
"""


@pytest.mark.parametrize("host", INSIDE.split())
def test_what_is_not_a_host_in_the_world_is_inside_in_whatever_way_it_is_written(host):
    assert is_private(host)


@pytest.mark.parametrize("host", OUTSIDE.split())
def test_hosts_in_the_world_are_not(host):
    assert not is_private(host)
