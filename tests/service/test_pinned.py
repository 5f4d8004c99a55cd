"""A name is resolved once, and the address that was looked at is the one that is connected to."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kbsync.service.external import Checker
from patience import GIVE_UP_S
from service.web import Web, running_web

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


def verdict(url: str, resolver: Resolver, **options):
    options = {"private": True, "sleep": lambda _s: None, "timeout_s": GIVE_UP_S} | options
    return Checker(resolve=resolver, **options).check([url])[url]


def test_the_address_that_was_looked_at_is_asked_and_no_other(web):
    resolver = Resolver(("127.0.0.1",))
    port = web.origin.rpartition(":")[2]
    assert verdict(f"http://{NAME}:{port}/status/200", resolver).state == "alive"
    assert resolver.asked == [NAME]  # Nobody else knows the name: it was not resolved again.
    assert web.headers["Host"] == f"{NAME}:{port}"


@pytest.mark.parametrize("answers", [[("127.0.0.1",), ("127.0.0.3",)], [("127.0.0.3", "127.0.0.1")]])
def test_a_resolver_that_changes_its_answer_leads_nowhere_else_and_a_second_address_is_asked(web, answers):
    port = web.origin.rpartition(":")[2]
    assert verdict(f"http://{NAME}:{port}/status/200", Resolver(*answers)).state == "alive"


def test_a_name_that_leads_inside_is_not_asked(web):
    port = web.origin.rpartition(":")[2]
    resolver = Resolver(("127.0.0.1",))
    assert verdict(f"http://{NAME}:{port}/status/200", resolver, private=False).state == "private"
    assert (resolver.asked, web.asked) == ([NAME], {})


def test_a_redirect_is_resolved_and_looked_at_anew(web):
    port = web.origin.rpartition(":")[2]
    resolver = Resolver(("127.0.0.1",))
    assert verdict(f"http://{NAME}:{port}/to/http://{OTHER}:{port}/status/200", resolver).state == "alive"
    assert resolver.asked == [NAME, OTHER]


@pytest.mark.parametrize(
    "addresses", [("10.0.0.7",), ("8.8.8.8", "127.0.0.1"), ("::ffff:169.254.169.254",), ("fe80::1%2",)]
)
def test_one_address_inside_is_enough_not_to_ask(addresses):
    assert verdict(f"http://{NAME}/", Resolver(addresses), private=False).state == "private"


BEHIND_A_PROXY = """
import socket, sys
from kbsync.service.external import Checker

def resolve(host, *_, **__):
    if host.startswith("unknown"):
        raise socket.gaierror(socket.EAI_NONAME, "x")
    return [(0, 0, 0, "", ("10.0.0.7" if host.startswith("inside") else "8.8.8.8", 0))]

urls = sys.argv[1:]
print(*(Checker(resolve=resolve).check([url])[url].state for url in urls))
"""


def test_a_proxy_is_asked_by_name_and_for_nothing_inside(web):
    urls = [f"http://{host}.example.com/" for host in ("docs", "unknown", "inside")]
    environ = {name: text for name, text in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        [sys.executable, "-c", BEHIND_A_PROXY, *urls],
        env=environ | {"http_proxy": web.origin}, capture_output=True, text=True, timeout=GIVE_UP_S, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["alive", "alive", "private"]
    assert web.asked == {"HEAD http://docs.example.com/": 1, "HEAD http://unknown.example.com/": 1}


# --- certificates ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for NAME, which is its own authority, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={NAME} -addext subjectAltName=DNS:{NAME}"
    subprocess.run([*command.split(), "-keyout", f"{path}.key", "-out", path], check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.key").read_text())
    return path


class Page(BaseHTTPRequestHandler):
    """Answers 200, or leads from one name to the other."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        host, _, port = self.headers["Host"].partition(":")
        leads = self.path == "/away" and host == NAME
        self.send_response(302 if leads else 200)
        if leads:
            self.send_header("Location", f"https://{OTHER}:{port}/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def secure(certificate: Path) -> Iterator[int]:
    """The port of a server with that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_the_certificate_must_be_that_of_the_name(secure: int, certificate: Path):
    options = {"trust": lambda: ssl.create_default_context(cafile=str(certificate))}
    assert verdict(f"https://{NAME}:{secure}/", Resolver(("127.0.0.1",)), **options).state == "alive"
    wrong = verdict(f"https://{OTHER}:{secure}/", Resolver(("127.0.0.1",)), **options)
    assert wrong.state == "dead"
    assert "certificate is not valid" in wrong.reason


def test_a_connection_for_one_name_is_not_used_for_another_at_the_same_address(secure: int, certificate: Path):
    options = {"trust": lambda: ssl.create_default_context(cafile=str(certificate))}
    found = verdict(f"https://{NAME}:{secure}/away", Resolver(("127.0.0.1",)), **options)
    assert "certificate is not valid" in found.reason
