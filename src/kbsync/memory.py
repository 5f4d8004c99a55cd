"""What can be made again, kept between commands in one file: parsed sources, findings, listed rows, answers of git.

It is never evidence of what was published: only the ledger is. A value is kept under a kind and a key. The name of a
kind has a digest of kbsync's own source, so that what another kbsync made, with another rule or another field, is of
another kind; no number is raised by hand. What is damaged, or was written by somebody else, is as good as not there.
Where the file cannot be read or written, or another command is writing it, commands are slower and never wrong.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from kbsync.files import make_folder, unsafe_beside

T = TypeVar("T")

NAME = "cache.db"
FORMER = "cache"
"""The folder of what earlier development versions kept, each in a file of its own."""

SEAL_BYTES = 8
DIGEST_BYTES = 16
MOST_BYTES = 2_000_000_000
"""A larger file was not written by kbsync: that of 10,000 articles has some 60 megabytes."""

WAIT_S = 0.5
"""For another command that is writing."""

NOT_NOW = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL,
           sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM}  # fmt: skip
"""What SQLite says of a file that is sound, and cannot be written now."""

SETTINGS = ("trusted_schema = OFF", "cell_size_check = ON", "synchronous = OFF")
"""No function of the file's own is run. A crash may damage the file: it is made anew then."""

TABLE = "CREATE TABLE IF NOT EXISTS kept (kind TEXT, key BLOB, value BLOB, PRIMARY KEY (kind, key))"


@lru_cache(maxsize=1)
def _source_digest() -> str:
    """A digest of kbsync's own source."""
    found, root = blake2b(digest_size=DIGEST_BYTES), Path(__file__).parent
    if not Path(__file__).is_file():
        return os.urandom(DIGEST_BYTES).hex()  # In an archive: nothing is known again.
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for path in (Path(folder, name) for name in sorted(files) if name.endswith(".py")):
            data = path.read_bytes()
            found.update(f"{path.relative_to(root)}\0{len(data)}\0".encode() + data)
    return found.hexdigest()


class Kind(Generic[T]):
    """One sort of values.

    Args:
        word: what it is called.
        type: of the values, for msgspec.
    """

    def __init__(self, word: str, type: Any) -> None:
        self.word, self._type = word, type

    @cached_property
    def name(self) -> str:
        """The word, and what made the values."""
        return f"{self.word} {_source_digest()}"

    @cached_property
    def decode(self) -> Callable[[bytes], T]:
        """A value out of its bytes."""
        decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(self._type)
        return decoder.decode


class Memory:
    """The file in a state folder. Each call opens it and closes it, so that threads and processes may share it."""

    def __init__(self, state_folder: Path) -> None:
        self.path = state_folder / NAME

    def get(self, kind: Kind[T], key: str = "") -> T | None:
        """The value of a key; None where it is not known."""
        return next(self._read(kind, "AND key = ?", key), (key, None))[1]

    def all(self, kind: Kind[T]) -> dict[str, T]:
        """All values of a kind by key."""
        return dict(self._read(kind, ""))

    def put(self, kind: Kind[T], values: Mapping[str, T], *, gone: Collection[str] = ()) -> None:
        """Keep values, and forget those of some other keys."""

        def rows() -> Iterator[tuple[str, bytes, bytes]]:
            for key, value in values.items():
                yield kind.name, _name(key), _sealed(kind, key, msgspec.msgpack.encode(value))

        for _ in range(2):
            try:
                with self._opened(writes=True) as db:
                    # What another kbsync made of this kind.
                    db.execute("DELETE FROM kept WHERE kind >= ? AND kind < ? AND kind != ?", _others_of(kind))
                    db.executemany(
                        "DELETE FROM kept WHERE kind = ? AND key = ?", [(kind.name, _name(key)) for key in gone]
                    )
                    db.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows())
                    db.execute("COMMIT")
                return
            except OSError:
                return
            except sqlite3.DatabaseError as exc:
                if getattr(exc, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in NOT_NOW:
                    return  # The next command makes it again.
                with suppress(OSError):  # Damaged, or none of ours: with what SQLite would roll back into the next one.
                    self.path.with_name(f"{NAME}-journal").unlink(missing_ok=True)
                    self.path.unlink()

    def _read(self, kind: Kind[T], more: str, *keys: str) -> Iterator[tuple[str, T]]:
        query = f"SELECT key, value FROM kept WHERE kind = ? {more}"
        with suppress(sqlite3.Error, OSError), self._opened(writes=False) as db:
            for name, value in db.execute(query, (kind.name, *map(_name, keys))):
                if not isinstance(name, bytes) or not isinstance(value, bytes):
                    continue
                key, body = name.decode("utf-8", "surrogateescape"), value[SEAL_BYTES:]
                if value == _sealed(kind, key, body):
                    with suppress(msgspec.DecodeError):
                        yield key, kind.decode(body)

    @contextmanager
    def _opened(self, *, writes: bool) -> Iterator[sqlite3.Connection]:
        """The file, in a transaction where it is written.

        Raises:
            OSError, sqlite3.Error: it is not there, or cannot be used.
        """
        is_new = not os.path.lexists(self.path)
        if writes:
            make_folder(self.path.parent)
        elif is_new:
            raise FileNotFoundError(self.path)
        if self.path.is_symlink() or unsafe_beside(self.path) is not None:
            raise OSError(f"{self.path} is not used")
        if not is_new and self.path.stat().st_size > MOST_BYTES:
            raise sqlite3.DatabaseError(f"{self.path} is not ours")
        address = f"{self.path.absolute().as_uri()}?mode={'rwc' if writes else 'ro'}"
        with closing(sqlite3.connect(address, uri=True, timeout=WAIT_S, isolation_level=None)) as db:
            for setting in SETTINGS:
                db.execute(f"PRAGMA {setting}")
            if writes:
                db.execute("BEGIN IMMEDIATE")
                db.execute(TABLE)
            yield db
        if writes and is_new:
            _forget_former(self.path.parent / FORMER)


def _name(key: str) -> bytes:
    """A key as it is kept: the name of a file may be no text."""
    return key.encode("utf-8", "surrogateescape")


def _sealed(kind: Kind[Any], key: str, body: bytes) -> bytes:
    """Bytes with a digest before them: one flipped bit in a row would go out as somebody's title."""
    place = blake2b(kind.name.encode() + b"\0" + _name(key), digest_size=DIGEST_BYTES).digest()
    return blake2b(body, digest_size=SEAL_BYTES, key=place).digest() + body


def _others_of(kind: Kind[Any]) -> tuple[str, str, str]:
    return f"{kind.word} ", f"{kind.word}!", kind.name


def _forget_former(folder: Path) -> None:
    """Delete what earlier development versions kept there; other folders in it stay."""
    with suppress(OSError):
        for path in folder.glob("*.cache"):
            path.unlink()
        folder.rmdir()
