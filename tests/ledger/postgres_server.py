"""A PostgreSQL server of the tests' own: a new cluster on a socket in a temporary folder, gone when they end."""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kbsync.ledger.postgres import SCHEMA
from patience import GIVE_UP_S

NOBODY = 65534
MISSING = "PostgreSQL or psycopg is not installed: the tests that need them step aside"


@dataclass(frozen=True)
class Server:
    """A running cluster; `socket` is the folder of its socket, `free` are the empty databases that no test uses."""

    socket: Path
    free: list[str] = field(default_factory=list)

    def url(self, database: str) -> str:
        return f"postgresql://kbsync@/{database}?host={self.socket}"

    def database_for(self, request: pytest.FixtureRequest) -> str:
        """The address of an empty database, for one test; another may have it then, for each takes 9 MB of disk."""
        if not self.free:
            self.free.append(f"k{secrets.token_hex(6)}")
            self.sql(f"CREATE DATABASE {self.free[-1]}")
        name = self.free.pop()
        request.addfinalizer(lambda: self._empty(name))
        return self.url(name)

    def _empty(self, name: str) -> None:
        self.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        self.sql(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE", name)
        self.free.append(name)

    def sql(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


def binaries() -> Path | None:
    """The folder of `initdb` and `postgres`: Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def can_run() -> bool:
    """Whether a server can be had, and spoken to."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return False
    return binaries() is not None


@contextmanager
def running_server() -> Iterator[Server]:
    """A cluster, as long as the block lasts. PostgreSQL refuses to run as root, so root runs it as nobody."""
    folder = binaries()
    assert folder is not None
    home = Path(tempfile.mkdtemp(prefix="kbsync-pg-"))
    runs_as: dict[str, int] = {}
    if os.getuid() == 0:
        runs_as = {"user": NOBODY, "group": NOBODY}
        os.chown(home, NOBODY, NOBODY)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": home, **runs_as}
    cluster = home / "data"
    server = None
    try:
        made = [folder / "initdb", "-D", cluster, "-U", "kbsync", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(made, check=True, **quiet)
        options = ["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=100"]
        server = subprocess.Popen([folder / "postgres", "-D", cluster, "-k", home, *options], **quiet)
        yield _when_ready(Server(home), server)
    finally:
        if server is not None:
            # At once, without bringing anything to disk: all of it is thrown away.
            server.send_signal(signal.SIGQUIT)
            server.wait(timeout=GIVE_UP_S)
        shutil.rmtree(home, ignore_errors=True)


def _when_ready(server: Server, process: subprocess.Popen[bytes]) -> Server:
    import psycopg

    until = time.monotonic() + GIVE_UP_S
    while True:
        try:
            server.sql("SELECT 1")
        except psycopg.OperationalError:
            if time.monotonic() > until or process.poll() is not None:
                raise
            time.sleep(0.05)
        else:
            return server
