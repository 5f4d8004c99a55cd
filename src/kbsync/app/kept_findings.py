"""The findings of a tree in a file of their own: there may be tens of thousands, and most commands only count them.

Findings are a function of the files and of the settings that rules look at, so their file is named by these two: lint
and plan keep the same findings once. A file that is damaged, or is of another tree, costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, overload
from zlib import crc32

import msgspec

from kbsync import __version__
from kbsync.files import MAX_SEALED_BYTES, read_within, store_whole
from kbsync.model import Finding

if TYPE_CHECKING:
    from kbsync.app.workspace import Workspace
    from kbsync.content.mark import Mark

HEAD = f"kbsync.findings/1 {__version__}\n".encode()
DIGEST_BYTES = 16
NUMBER_BYTES = 4

PIECE_FINDINGS = 1_000
"""Findings that are written at once: all of them, encoded, would be in memory beside themselves."""


class KeptFindings(Sequence[Finding]):
    """The findings of a tree whose number is known; they are read when one of them is asked for."""

    def __init__(self, workspace: Workspace, tree: Mark, number: int) -> None:
        self._workspace, self._tree, self._number = workspace, tree, number

    @cached_property
    def _all(self) -> tuple[Finding, ...]:
        known = _load(_path(self._workspace), _name(self._workspace, self._tree))
        if known is not None and len(known) == self._number:
            return known
        from kbsync.app.reading import read_content

        return read_content(self._workspace, compiled=False).findings

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._all)

    @overload
    def __getitem__(self, place: int) -> Finding: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, place: int | slice) -> Finding | tuple[Finding, ...]:
        return self._all[place]


def keep_findings(workspace: Workspace, tree: Mark, findings: Sequence[Finding]) -> bool:
    """Write the findings of a tree, unless they are there already; whether they are."""
    if isinstance(findings, KeptFindings):
        return True
    path, name = _path(workspace), _name(workspace, tree)
    return _is_of(path, name) or store_whole(path, _pieces(name, findings))


def settings_name(workspace: Workspace) -> bytes:
    """Everything but the tree that rules look at."""
    settings, profile = workspace.settings, workspace.profile
    tables = (settings.content, settings.authors, settings.lint, settings.assets, settings.service.portal)
    empty_drafts = (settings.service.version, profile.surely("empty_drafts"))
    able = (asdict(profile.limits), profile.can("upload"), empty_drafts)
    parts = (str(settings.content_root), *tables, *able)
    encoded = msgspec.msgpack.encode([msgspec.msgpack.encode(part, order="deterministic") for part in parts])
    return blake2b(encoded, digest_size=DIGEST_BYTES).digest()


def _name(workspace: Workspace, tree: Mark) -> bytes:
    digest = blake2b(settings_name(workspace) + tree.others, digest_size=DIGEST_BYTES)
    digest.update(tree.sources)
    return digest.digest()


def _path(workspace: Workspace) -> Path:
    return workspace.cache_folder / "findings.cache"


def _is_of(path: Path, name: bytes) -> bool:
    if not path.is_file():
        return False  # A pipe of that name would be waited for.
    try:
        with path.open("rb") as file:
            return file.read(len(HEAD) + DIGEST_BYTES) == HEAD + name
    except OSError:
        return False


def _pieces(name: bytes, findings: Iterable[Finding]) -> Iterator[bytes]:
    yield HEAD + name
    left = iter(findings)
    while some := list(islice(left, PIECE_FINDINGS)):
        piece = msgspec.msgpack.encode(some)
        yield len(piece).to_bytes(NUMBER_BYTES) + crc32(piece).to_bytes(NUMBER_BYTES)
        yield piece


def _load(path: Path, name: bytes) -> tuple[Finding, ...] | None:
    """The findings, None where the file has others or is damaged; one that lost its end has fewer."""
    try:
        # A pipe of that name could be read for ever.
        data = memoryview(read_within(path, MAX_SEALED_BYTES) if path.is_file() else b"")
    except OSError:
        return None
    at = len(HEAD) + DIGEST_BYTES
    if data[:at] != HEAD + name:
        return None
    decoder = msgspec.msgpack.Decoder(list[Finding])
    found: list[Finding] = []
    while at < len(data):
        head = at + 2 * NUMBER_BYTES
        length, crc = (int.from_bytes(data[start : start + NUMBER_BYTES]) for start in (at, at + NUMBER_BYTES))
        at = head + length
        if crc32(data[head:at]) != crc:
            return None
        try:
            found += decoder.decode(data[head:at])
        except msgspec.DecodeError:
            return None
    return tuple(found)
