"""Findings of a large tree: hundreds of thousands would take hundreds of megabytes, so these lie in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import overload

import msgspec

from kbsync.files import Scratch
from kbsync.model import Finding

IN_MEMORY = 100_000
"""Findings that are kept as they are: some 35 megabytes."""

AT_ONCE = 1_000
"""Findings that are encoded and decoded at once."""

DECODER: msgspec.msgpack.Decoder[list[Finding]] = msgspec.msgpack.Decoder(list[Finding])


class ManyFindings(Sequence[Finding]):
    """Findings in a file, a thousand of them decoded at a time. `errors` and `codes` are known without reading it."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.errors: list[Finding] = []
        self.codes: set[str] = set()
        self._scratch = Scratch()
        self._starts = [0]
        self._number = 0
        for some in _pieces(findings):
            self._number += len(some)
            self.errors += (finding for finding in some if finding.level == "error")
            self.codes.update(finding.code for finding in some)
            self._starts.append(self._scratch.append(msgspec.msgpack.encode(some)))

    def pieces(self) -> Iterator[bytes]:
        """All of them, encoded."""
        return (self._scratch.read(start, end) for start, end in zip(self._starts, self._starts[1:], strict=False))

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Finding]:
        return chain.from_iterable(map(DECODER.decode, self.pieces()))

    @overload
    def __getitem__(self, place: int) -> Finding: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, place: int | slice) -> Finding | tuple[Finding, ...]:
        if isinstance(place, slice):
            return tuple(self[number] for number in range(*place.indices(self._number)))
        piece, number = divmod(range(self._number)[place], AT_ONCE)
        return DECODER.decode(self._scratch.read(self._starts[piece], self._starts[piece + 1]))[number]


def gathered(findings: Iterable[Finding], *, in_memory: int = IN_MEMORY) -> Sequence[Finding]:
    """Some findings, in memory as long as they are not many."""
    left = iter(findings)
    first = tuple(islice(left, in_memory + 1))
    if len(first) <= in_memory:
        return first
    whole = chain(first, left)
    del first  # Once the file has them, nobody else does.
    return ManyFindings(whole)


def errors_in(findings: Sequence[Finding]) -> list[Finding]:
    """Those that stop a plan."""
    if isinstance(findings, ManyFindings):
        return findings.errors
    return [finding for finding in findings if finding.level == "error"]


def has_code(findings: Sequence[Finding], code: str) -> bool:
    """Whether one of them has a code."""
    if isinstance(findings, ManyFindings):
        return code in findings.codes
    return any(finding.code == code for finding in findings)


def encoded_pieces(findings: Sequence[Finding]) -> Iterator[bytes]:
    """Lists of at most a thousand, encoded: not all findings are in memory beside themselves."""
    if isinstance(findings, ManyFindings):
        return findings.pieces()
    return map(msgspec.msgpack.encode, _pieces(findings))


def _pieces(findings: Iterable[Finding]) -> Iterator[list[Finding]]:
    left = iter(findings)
    while some := list(islice(left, AT_ONCE)):
        yield some
