"""The files of older commits, out of one `git cat-file --batch` for all of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from typing import IO, NamedTuple

from kbsync.history.git_process import CHUNK, PARTIAL, GitFailed, complaint
from kbsync.history.repository import Repository

MAX_BLOB_BYTES = 2_000_000
"""An older text beyond this is not looked at."""

MAX_FAILURES = 8
"""After so many missing or broken objects, no more are asked for."""

REQUESTS_AT_ONCE = 64
REQUEST_BYTES_AT_ONCE = 4_096
"""What is asked before an answer is read. It fits the smallest pipe, so neither side waits for the other for ever."""


class Blob(NamedTuple):
    """A file's id and bytes; None where it is too big."""

    oid: str
    data: bytes | None


UNREAD = Blob("", b"")
"""A text that need not be read: who it was is known."""


class Blobs:
    """Files as they were, out of one `git cat-file` for all of them. To be closed."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.failures = 0
        self.asked = 0
        """Files that git was asked for."""
        self._running = ExitStack()
        self._child: tuple[subprocess.Popen[bytes], IO[bytes]] | None = None

    def close(self) -> None:
        """End the process."""
        self._child = None
        self._running.close()

    def read(self, names: Iterable[str], *, kind: bytes = b"blob", is_sure: bool = True) -> dict[str, Blob | None]:
        """Files by what was asked for, an id or what `Repository.at` gives; None where nothing (or a folder) is.

        Args:
            names: what is asked for.
            kind: b"tree" asks for folders in the place of files, each with the bytes that git has of it.
            is_sure: whether it is a failure where an id is missing.

        Raises:
            GitFailed: too much of the repository is missing or broken.
        """
        # A line is a request: what has a line end in its name cannot be asked for. At the end of a line, git takes a
        # carriage return for a part of that, and would answer of another name.
        wanted = [name for name in dict.fromkeys(names) if "\n" not in name and not name.endswith("\r")]
        self.asked += len(wanted)
        found: dict[str, Blob | None] = {}
        while len(found) < len(wanted):
            batch = _batch(wanted, len(found))
            answers = self._exchange(batch, kind)
            found.update(zip(batch, answers, strict=False))
            if len(answers) < len(batch):
                self._bury()
                found[batch[len(answers)]] = None
            # A missing path in an older commit is not a failure; a missing id that git itself gave is.
            lost = sum(1 for name, blob in zip(batch, answers, strict=False) if blob is None and ":" not in name)
            self._count(lost * is_sure + (len(answers) < len(batch)))
        return found

    def texts(self, names: Iterable[str]) -> dict[str, bytes]:
        """The bytes of those that are there and can be read, by what was asked for."""
        found = self.read(names).items()
        return {name: blob.data for name, blob in found if blob is not None and blob.data is not None}

    def _count(self, failures: int) -> None:
        self.failures += failures
        if self.failures > MAX_FAILURES:
            raise GitFailed("git has lost old versions. Clone the repository again. `git fsck` shows what is broken.")

    def _exchange(self, batch: Sequence[str], kind: bytes) -> list[Blob | None]:
        """Fewer answers than requests mean that git died of the next one."""
        if self._child is None:
            self._child = self._running.enter_context(self.repository.git.run("cat-file", "--batch"))
        child, _ = self._child
        assert child.stdin is not None and child.stdout is not None
        answers: list[Blob | None] = []
        with suppress(BrokenPipeError, EOFError):
            child.stdin.write(b"".join(_encoded(name) + b"\n" for name in batch))
            child.stdin.flush()
            for _ in batch:
                answers.append(_answer(child.stdout, kind))
        return answers

    def _bury(self) -> None:
        """Look what git died of: a broken object is one thing, a clone without old texts another."""
        assert self._child is not None
        child, said = self._child
        child.wait()
        word = complaint(said)
        self.close()
        if word == PARTIAL:
            raise GitFailed(word)


def _batch(names: Sequence[str], start: int) -> Sequence[str]:
    end, size = start, 0
    while end < len(names) and end - start < REQUESTS_AT_ONCE and (end == start or size < REQUEST_BYTES_AT_ONCE):
        size += len(_encoded(names[end])) + 1
        end += 1
    return names[start:end]


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _answer(stream: IO[bytes], kind: bytes) -> Blob | None:
    """One answer of `cat-file --batch`; None where it is of another kind.

    Raises:
        EOFError: git died.
    """
    head = stream.readline()
    if not head.endswith(b"\n"):
        raise EOFError
    words = head.split()
    if not (len(words) == 3 and words[2].isdigit()):
        return None  # `REQUEST missing`
    oid, size = words[0].decode("ascii"), int(words[2])
    fits = words[1] == kind and size <= MAX_BLOB_BYTES
    data = _take(stream, size + 1, keep=fits)
    if words[1] != kind:
        return None
    return Blob(oid, data[:-1] if fits else None)


def _take(stream: IO[bytes], size: int, *, keep: bool) -> bytes:
    """So many bytes; without `keep` they are read and forgotten."""
    pieces: list[bytes] = []
    while size:
        piece = stream.read(min(size, CHUNK) if not keep else size)
        if not piece:
            raise EOFError
        size -= len(piece)
        if keep:
            pieces.append(piece)
    return b"".join(pieces)
