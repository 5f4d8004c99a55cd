"""The findings of a tree in a file of their own: there may be tens of thousands, and most commands only count them.

Findings are a function of the files and of the settings that rules look at, so they are kept under a name of these two.
Lint and plan keep their own. A file that is damaged, or is of another tree, costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from io import SEEK_END, SEEK_SET, BytesIO
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, BinaryIO
from zlib import crc32

import msgspec
from msgspec.structs import asdict

from kbsync import __version__
from kbsync.content.many_findings import UNREADABLE, InPieces, Piece, encoded_pieces
from kbsync.digests import blake2b
from kbsync.files import store_whole
from kbsync.model import Finding

if TYPE_CHECKING:
    from kbsync.app.workspace import Workspace
    from kbsync.content.mark import Mark

HEAD = f"kbsync.findings/6 {__version__}\n".encode()
DIGEST_BYTES = 16

END = Struct(">II")
"""How the file ends: how many bytes the index before it has, and their checksum."""

Known = tuple[int, bool, tuple[str, int, int, str], bytes, int, int]
"""What the end of the file has of each piece: all of `Piece` but its data, and how many bytes these are."""

INDEX_DECODER: msgspec.msgpack.Decoder[list[Known]] = msgspec.msgpack.Decoder(list[Known])


class KeptFindings(InPieces):
    """The findings of a tree whose number is known; they are read when one of them is asked for."""

    def __init__(self, file: FindingsFile, number: int, anew: Callable[[], Sequence[Finding]]) -> None:
        """Take them from a file, or find them anew where that cannot be used."""
        self._opened = _Opened(file, anew)
        super().__init__((), self._opened)
        self._number = number

    @cached_property
    def pieces(self) -> list[Piece]:
        """All of them, encoded."""
        try:
            known = self._opened.pieces()
        except UNREADABLE:
            known = []
        is_whole = sum(piece.number for piece in known) == self._number
        return known if is_whole else list(encoded_pieces(self._opened.anew()))

    def __len__(self) -> int:
        return self._number


class _Opened:
    """A file of findings that stays open: this process may put a new one in its place, and so may others.

    Raises:
        OSError, EOFError, msgspec.DecodeError: it cannot be used; from every method but `anew`.
    """

    def __init__(self, kept: FindingsFile, anew: Callable[[], Sequence[Finding]]) -> None:
        self._kept, self._anew = kept, anew
        self._file: BinaryIO = BytesIO()

    def __del__(self) -> None:
        self._file.close()

    def anew(self) -> Sequence[Finding]:
        """All findings of the tree as it is now, found without the file."""
        return self._anew()

    def pieces(self) -> list[Piece]:
        """Open the file: what is in it, not read yet."""
        if not self._kept.path.is_file():
            raise EOFError  # A pipe of that name would be waited for.
        self._file = self._kept.path.open("rb")
        start = len(self._kept.head)
        if self._file.read(start) != self._kept.head:
            raise EOFError  # It has the findings of another tree.
        self._file.seek(-END.size, SEEK_END)
        length, checksum = END.unpack(self._file.read(END.size))
        index = INDEX_DECODER.decode(self._read(-END.size - length, length, checksum, SEEK_END))
        found: list[Piece] = []
        for number, has_errors, first, named, checksum, length in index:
            data = partial(self._read, start, length, checksum)
            found.append(Piece(number, has_errors, first, named, checksum, data))
            start += length
        return found

    def load(self) -> None:
        """Have all of it in memory: the file is about to be replaced, which Windows refuses while it is open."""
        self._file.seek(0)
        data = self._file.read()
        self._file.close()
        self._file = BytesIO(data)

    def _read(self, start: int, length: int, checksum: int, whence: int = SEEK_SET) -> bytes:
        self._file.seek(start, whence)
        data = self._file.read(length)
        # One flipped bit could give a finding the name of another file.
        if len(data) != length or crc32(data) != checksum:
            raise EOFError
        return data


def settings_name(workspace: Workspace) -> bytes:
    """Everything but the tree that rules look at."""
    settings, profile = workspace.settings, workspace.profile
    tables = (settings.content, settings.authors, settings.lint, settings.assets, settings.service.portal)
    empty_drafts = (settings.service.version, profile.surely("empty_drafts"))
    able = (asdict(profile.limits), profile.can("upload"), empty_drafts)
    parts = (str(settings.content_root), *tables, *able)
    encoded = msgspec.msgpack.encode([msgspec.msgpack.encode(part, order="deterministic") for part in parts])
    return blake2b(encoded, digest_size=DIGEST_BYTES).digest()


class FindingsFile(msgspec.Struct, frozen=True):
    """A file with the findings of one tree, if it has those of this one."""

    path: Path
    name: bytes

    @classmethod
    def of(cls, workspace: Workspace, command: str, tree: Mark) -> FindingsFile:
        """That of a command."""
        name = blake2b(settings_name(workspace) + tree.others, digest_size=DIGEST_BYTES)
        name.update(tree.sources)
        return cls.named(workspace, command, name.digest())

    @classmethod
    def named(cls, workspace: Workspace, command: str, name: bytes) -> FindingsFile:
        """That of a command, if it still has the findings of this name."""
        return cls(workspace.cache_folder / f"{command}-findings.cache", name)

    @property
    def head(self) -> bytes:
        """What it begins with."""
        return HEAD + self.name

    def store(self, findings: Sequence[Finding]) -> bool:
        """Write them, where that can be done; whether it was."""
        try:
            if isinstance(findings, InPieces) and findings.file is not None:
                findings.file.load()
            return store_whole(self.path, self._whole(encoded_pieces(findings)))
        except UNREADABLE:
            return False  # A file that they are in was damaged since.

    def _whole(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        yield self.head
        index: list[Known] = []
        for piece in pieces:
            data = piece.data()
            index.append((piece.number, piece.has_errors, piece.first, piece.named, piece.checksum, len(data)))
            yield data
        end = msgspec.msgpack.encode(index)
        yield end
        yield END.pack(len(end), crc32(end))
