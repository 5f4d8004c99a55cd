"""One sandbox for one database: a lock beside the file, which the system frees when its process ends in any way.

Also: using a sandbox that runs already, in another process, on the same data.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

import msgspec

from kbsync.hosts import LOOPBACK

from .setup import Setup

LONGEST_ADDRESS = 200
LOCKED_BYTE = 1 << 30
"""On Windows a locked byte cannot be read, so it is one far behind the address."""


JOIN_S = 10

_HELD: set[int] = set()
"""The locks of this process, for its children to close."""


class DataRefused(Exception):
    """The database cannot be opened, written, or made to hold what the setup asks for."""


class DataInUse(DataRefused):
    """Another sandbox has the database; `base_url` is its address, "" where it does not tell or has just ended."""

    def __init__(self, message: str, base_url: str = "") -> None:
        super().__init__(message)
        self.base_url = base_url


@contextmanager
def claim(database: Path) -> Iterator[int]:
    """Hold the lock of a database; the descriptor of its file, for `write_address`.

    Raises:
        DataInUse: another sandbox holds it.
        DataRefused: the lock cannot be made.
    """
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _open(f"{database}.lock")
    except OSError as exc:
        raise DataRefused(f"The sandbox's data in {database.name} cannot be used: {exc.strerror}.") from exc
    try:
        if not _lock(descriptor):
            base_url = _read_address(descriptor)
            where = f"a sandbox is running at {base_url}" if base_url else "another kbsync command uses it"
            raise DataInUse(f"The sandbox's data in {database.name} is in use: {where}.", base_url)
        _HELD.add(descriptor)
        # What is written there is of one that has ended.
        os.ftruncate(descriptor, 0)
        try:
            yield descriptor
        finally:
            # A child that was forked just now may not have let go of it yet.
            _unlock(descriptor)
    finally:
        _HELD.discard(descriptor)
        os.close(descriptor)


def _open(path: str) -> int:
    """The lock file; a pipe or a device of that name is refused."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "its lock is not a regular file")


def _let_go() -> None:
    """In a forked child: it shares the lock, and could outlive its parent."""
    for descriptor in _HELD:
        os.close(descriptor)
    _HELD.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


def write_address(descriptor: int, base_url: str) -> None:
    """Write down where the sandbox answers, for commands that want to use it."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, base_url.encode())


def _read_address(descriptor: int) -> str:
    """Where the holder answers; only on this machine, as a token will be sent there."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    base_url = os.read(descriptor, LONGEST_ADDRESS).decode("ascii", "replace")
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return ""
    is_here = parts.scheme == "http" and parts.hostname in LOOPBACK and base_url.isprintable()
    return f"http://{parts.netloc}" if is_here and "@" not in parts.netloc else ""


def join(base_url: str, token: str, setup: Setup) -> None:
    """Have a running sandbox make what is missing of a setup.

    Raises:
        DataInUse: there is no answer: it has just ended, or is about to.
        DataRefused: it does not take the token, or cannot make what the setup asks for.
    """
    headers = {"content-type": "application/json", "api_access_token": token}
    request = Request(f"{base_url}/-/sandbox/setup", msgspec.json.encode(setup), headers)
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=JOIN_S):
            return
    except HTTPError as exc:
        with exc:
            reason = exc.read(1000).decode("utf-8", "replace")
        raise DataRefused(f"The sandbox at {base_url} refused with {exc.code}: {reason}.") from exc
    except OSError as exc:
        raise DataInUse(f"The sandbox at {base_url} does not answer.") from exc


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        """Whether the lock was free. Of the open file, not of the process: two in one process exclude each other."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
