"""Files that are written whole or not at all, and read no further than a limit; what a SQLite file has beside it.

And one without a name, for what a run needs again and memory should not hold.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from kbsync.errors import ConfigError

SEAL_BYTES = 16

MAX_SEALED_BYTES = 1_000_000_000
"""A larger record was not written by kbsync."""

READ_BYTES = 1 << 16
READ_ONLY = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
"""As Python itself opens a file that is only read."""

DATABASE_FILES = ("", "-journal", "-wal", "-shm")
"""Endings of the files of one SQLite database."""

SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")
"""How a journal ends that names another one. Source: SQLite's file format, section 3 (super-journal)."""

PART = re.compile(r"\.kbsync-[0-9a-f]{16}")
"""How `write_whole` calls a file until it is whole."""

ABANDONED_S = 86_400
"""After a day, nobody is still writing what is not finished: its run was killed."""

PRIVATE = ".kbsync"
"""The folder of what kbsync keeps: texts and names of a portal that not everybody on the machine may see."""


def make_folder(path: Path) -> None:
    """Make a folder and those above it. One named `.kbsync` is its owner's alone, also where it was made before.

    Raises:
        OSError: it cannot be made.
    """
    for folder in (*reversed(path.parents), path):
        if folder.name != PRIVATE:
            continue
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(PermissionError):  # It is another user's: they decide.
            if folder.stat().st_mode & 0o077:
                folder.chmod(0o700)
        # Without it, a `git add .` would commit ledger and caches. Mostly it is there.
        with suppress(OSError), (folder / ".gitignore").open("x", encoding="ascii") as file:
            file.write("*\n")
    path.mkdir(parents=True, exist_ok=True)


def read_within(path: str | Path, most_bytes: int, *, follow: bool = True) -> bytes:
    """The bytes of a file, judged by its size before any of it is read.

    Args:
        path: the file.
        most_bytes: a larger one is not read.
        follow: False for a file that is no symbolic link.

    Raises:
        OSError: it cannot be read, is a pipe or a device (EINVAL), a link (ELOOP), or has more bytes (EFBIG).
    """
    # Opening a pipe would wait for ever. Thousands are read: without a file object, that takes half the time.
    file = without_waiting(os.fspath(path), READ_ONLY if follow else READ_ONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        found = os.fstat(file)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a file", os.fspath(path))
        if found.st_size <= most_bytes:
            # As much as there is: to ask for the limit would take so much memory each time.
            data = os.read(file, found.st_size + 1)
            while len(data) != found.st_size and len(data) <= most_bytes:
                # It came in parts, grew meanwhile, or has less than it says.
                if not (more := os.read(file, max(READ_BYTES, found.st_size - len(data)))):
                    break
                data += more
            if len(data) <= most_bytes:
                return data
    finally:
        os.close(file)
    raise OSError(errno.EFBIG, f"it is larger than {most_bytes / 1_000_000:,g} MB", os.fspath(path))


def unsafe_beside(database: Path) -> tuple[Path, str] | None:
    """The first file of a SQLite database that SQLite would wait for, or do harm with, and what is wrong with it.

    Args:
        database: the file itself, no link: SQLite looks for the others beside the file that a link leads to.
    """
    for path in (database.with_name(database.name + ending) for ending in DATABASE_FILES):
        # Another process may be done with its journal and delete it at any time.
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(path.lstat().st_mode):
                return path, "is not a regular file"
    journal = database.with_name(database.name + "-journal")
    try:
        with open(journal, "rb", opener=without_waiting) as file:
            file.seek(-len(SUPER_JOURNAL), os.SEEK_END)
            # That is for commits over several databases, which kbsync never makes.
            names_another = file.read() == SUPER_JOURNAL
    except OSError:  # It does not exist, or is shorter.
        return None
    return (journal, "names another file, which SQLite would delete as soon as it reads") if names_another else None


def without_waiting(path: str, flags: int) -> int:
    """An `opener` for files that may be pipes, where an open would wait for the other end."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that readers see the old one or the new one, never a part.

    Raises:
        OSError: the old file is still there.
    """
    # Hidden, so that neither the walk nor a watcher takes it for a source.
    part = path.with_name(f".kbsync-{os.urandom(8).hex()}")
    try:
        with part.open("xb") as file:
            file.write(data)
        if path.exists():
            shutil.copymode(path, part)
        part.replace(path)
    except OSError as exc:
        if exc.filename == os.fspath(part):
            exc.filename = os.fspath(path)  # Messages name the file that was to be written.
        raise
    finally:
        part.unlink(missing_ok=True)


def store_whole(path: Path, data: bytes) -> bool:
    """Write what can be done without, where that can be done; whether it was."""
    try:
        make_folder(path.parent)
        write_whole(path, data)
    except OSError:
        return False
    return True


def store_sealed(path: Path, head: bytes, body: bytes, key: bytes) -> bool:
    """Write what one command leaves for the next, with its format's name before it, where that can be done.

    Without the `key` (of at most 64 bytes) nobody can write one that is taken for it. Whether it was written.
    """
    return store_whole(path, head + _seal(body, key) + body)


def load_sealed(path: Path, head: bytes, key: bytes) -> bytes | None:
    """The body of such a file; None where it is missing, of another format or key, or damaged."""
    try:
        # A pipe of that name could be read for ever.
        data = read_within(path, MAX_SEALED_BYTES, follow=False) if path.is_file() else b""
    except OSError:
        return None
    body = data[len(head) + SEAL_BYTES :]
    return body if data.startswith(head + _seal(body, key)) else None


def _seal(body: bytes, key: bytes) -> bytes:
    return blake2b(body, digest_size=SEAL_BYTES, key=key).digest()


def real_path(path: Path) -> Path:
    """Where a path leads, symbolic links followed.

    Unlike `Path.resolve` of Python 3.11 and 3.12 it raises nothing where links lead in a circle: whoever opens the file
    gets an error.
    """
    return Path(os.path.realpath(path))


def working_folder() -> Path:
    """The folder that the user is in.

    Raises:
        ConfigError: it was deleted, and is still the current folder of a shell.
    """
    try:
        return Path.cwd()
    except FileNotFoundError as exc:
        raise ConfigError(
            "The folder you are in was deleted.", hint="Go into another folder with `cd`, and run the command there."
        ) from exc


def relative(path: Path) -> str:
    """A path as the user would type it from the working folder."""
    try:
        return real_path(path).relative_to(working_folder()).as_posix() or "."
    except ValueError:
        return os.path.relpath(path)
