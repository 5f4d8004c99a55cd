"""A password goes to PostgreSQL by SCRAM only: a server that asks for it in clear text, or as MD5, does not get it."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from kbsync.errors import LedgerError
from kbsync.ledger import Ledger
from kbsync.ledger.postgres import PostgresDatabase, sign_in
from patience import GIVE_UP_S

CLEAR_TEXT, MD5 = struct.pack("!cII", b"R", 8, 3), struct.pack("!cII", b"R", 12, 5) + b"salt"


def test_the_address_cannot_ask_for_less_and_the_users_environment_can_ask_for_more():
    assert sign_in(160_000, {}) == {"require_auth": "scram-sha-256,gss,sspi,none"}
    assert sign_in(170_002, {"PGREQUIREAUTH": "scram-sha-256"}) == {"require_auth": "scram-sha-256"}
    assert sign_in(150_009, {}) == {"channel_binding": "require"}


@pytest.fixture(params=[CLEAR_TEXT, MD5], ids=["clear text", "md5"])
def asking(request: pytest.FixtureRequest) -> Iterator[tuple[int, list[bytes]]]:
    """A server that asks for a password; its port, and everything that it was sent."""
    pytest.importorskip("psycopg")
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(GIVE_UP_S)

        def answer() -> None:
            connection, _ = server.accept()
            connection.settimeout(GIVE_UP_S)
            with closing(connection):
                heard.append(connection.recv(1024))
                connection.sendall(request.param)
                heard.append(connection.recv(1024))

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield server.getsockname()[1], heard
        thread.join(GIVE_UP_S)


def test_a_server_that_asks_for_the_password_itself_does_not_get_it(asking):
    port, heard = asking
    url = f"postgresql://ana:sekrit@127.0.0.1:{port}/x?sslmode=disable&gssencmode=disable&require_auth=password"
    with pytest.raises(LedgerError) as caught:
        PostgresDatabase(url)
    assert "SCRAM" in caught.value.hint and "sekrit" not in caught.value.message
    assert b"ana" in heard[0] and not any(b"sekrit" in piece or piece[:1] == b"p" for piece in heard[1:])


def test_a_ledger_of_before_the_first_release_is_refused_with_its_way_out(postgres, request):
    url = postgres.database_for(request)
    name = url.partition("?")[0].rpartition("/")[2]
    postgres.sql("CREATE SCHEMA kbsync", name)
    postgres.sql("CREATE TABLE kbsync.version (step INTEGER PRIMARY KEY)", name)
    with pytest.raises(LedgerError, match="before kbsync's first release") as told:
        PostgresDatabase(url)
    postgres.sql(told.value.hint.split("'")[1], name)
    with closing(Ledger(PostgresDatabase(url))) as ledger:
        assert ledger.is_empty("t")
