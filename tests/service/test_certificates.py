"""A service whose certificate is not valid: nothing is sent, and the message says what is wrong."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from kbsync.errors import Untrusted

from .world import a_service


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of this machine that nobody vouches for, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=here -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*command.split(), "-keyout", f"{path}.key", "-out", path], check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.key").read_text())
    return path


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
