"""The findings of a tree in a file of their own: there may be tens of thousands, and most commands only count them.

Findings are a function of the files and of the settings that rules look at, so they are kept under a name of these two.
Lint and plan keep their own. A file that is damaged, or is of another tree, costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec
from msgspec.structs import asdict

from kbsync import __version__
from kbsync.content.many_findings import InPieces, Piece, encoded_pieces
from kbsync.digests import blake2b
from kbsync.files import MAX_SEALED_BYTES, read_within, store_whole
from kbsync.model import Finding

if TYPE_CHECKING:
    from kbsync.app.workspace import Workspace
    from kbsync.content.mark import Mark

HEAD = f"kbsync.findings/4 {__version__}\n".encode()
DIGEST_BYTES = 16
NUMBER_BYTES = 4

DECODER: msgspec.msgpack.Decoder[Piece] = msgspec.msgpack.Decoder(Piece)


class KeptFindings(InPieces):
    """The findings of a tree whose number is known; they are read when one of them is asked for."""

    def __init__(self, file: FindingsFile, number: int, anew: Callable[[], Sequence[Finding]]) -> None:
        """Take them from a file, or find them anew where that cannot be used."""
        self._file, self._number, self._anew = file, number, anew

    @cached_property
    def pieces(self) -> list[Piece]:
        """All of them, encoded."""
        known = self._file.load()
        is_whole = known is not None and sum(piece.number for piece in known) == self._number
        return known if known is not None and is_whole else list(encoded_pieces(self._anew()))

    def __len__(self) -> int:
        return self._number


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

    def store(self, findings: Sequence[Finding]) -> bool:
        """Write them, where that can be done; whether it was."""
        return store_whole(self.path, self._pieces(findings))

    def load(self) -> list[Piece] | None:
        """Read them; None where the file has others or is damaged. One that lost its end has fewer."""
        try:
            # A pipe of that name could be read for ever.
            data = memoryview(read_within(self.path, MAX_SEALED_BYTES) if self.path.is_file() else b"")
        except OSError:
            return None
        at = len(HEAD) + DIGEST_BYTES
        if data[:at] != HEAD + self.name:
            return None
        found: list[Piece] = []
        while at < len(data):
            head = at + 2 * NUMBER_BYTES
            length, crc = (int.from_bytes(data[start : start + NUMBER_BYTES]) for start in (at, at + NUMBER_BYTES))
            at = head + length
            if crc32(data[head:at]) != crc:
                return None
            try:
                found.append(DECODER.decode(data[head:at]))
            except msgspec.DecodeError:
                return None
        return found

    def _pieces(self, findings: Sequence[Finding]) -> Iterator[bytes]:
        yield HEAD + self.name
        for piece in map(msgspec.msgpack.encode, encoded_pieces(findings)):
            yield len(piece).to_bytes(NUMBER_BYTES) + crc32(piece).to_bytes(NUMBER_BYTES)
            yield piece
