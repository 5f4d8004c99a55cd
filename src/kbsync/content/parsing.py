"""Parsing many files. All cores do it where that pays, this process among them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec

from kbsync.content.inspection import Inspect
from kbsync.content.source import Source
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.files import read_within

PARALLEL_FROM = 1_000
"""Files to parse from which a second process pays for its start. Measured: bench/RESULTS.md."""

BATCH = 25
"""Files that a process parses at once. Of fewer there is more to hand over; with more, one process waits longer for the
last batch of another, and what it answers does not fit into the buffer of a socket while this process is busy."""


class Parsed(NamedTuple):
    """What became of a batch: its sources, and the files that could not be read."""

    sources: Iterable[Source]
    failed: list[tuple[str, OSError]]


class Encoded(NamedTuple):
    """The same, with the sources in a form that crosses between processes ten times faster than pickled structs."""

    sources: bytes
    failed: list[tuple[str, OSError]]

    @classmethod
    def of(cls, parsed: Parsed) -> Encoded:
        """What another process sends."""
        return cls(msgspec.msgpack.encode(parsed.sources), parsed.failed)

    def decoded(self) -> Parsed:
        """What was sent."""
        return Parsed(msgspec.msgpack.decode(self.sources, type=list[Source]), self.failed)


@dataclass(frozen=True, slots=True)
class Parsers:
    """Who parses: how many processes, and what else looks for problems in the bodies.

    `begun` is called once, when no more processes are forked.
    """

    inspect: Inspect | None
    workers: int
    begun: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Batches:
    """The files to parse, a few at a time; a process knows all of them and is asked by number."""

    root: Path
    paths: list[str]
    inspect: Inspect | None

    def __len__(self) -> int:
        return (len(self.paths) + BATCH - 1) // BATCH

    def parse(self, number: int) -> Parsed:
        """Parse one batch."""
        return parse_files(self.root, self.paths[number * BATCH : (number + 1) * BATCH], self.inspect)


def parse_all(root: Path, paths: list[str], parsers: Parsers) -> Iterator[Parsed]:
    """What was parsed, batch by batch, in the order of the paths."""
    if len(paths) < PARALLEL_FROM or parsers.workers == 1:
        parsers.begun()
        batches = Batches(root, paths, parsers.inspect)
        yield from map(batches.parse, range(len(batches)))
        return
    # Loaded here: a tree that the cache knows does not need it.
    from kbsync.content.parser_processes import parse_together

    # The last file is parsed before there are children: parser and rules are loaded then, and not once in each of them.
    *left, last = paths
    parsed_first = parse_files(root, [last], parsers.inspect)
    batches = Batches(root, left, parsers.inspect)
    early: dict[int, Parsed | Encoded] = {}
    expected = 0
    for number, parsed in parse_together(batches, parsers):
        early[number] = parsed
        while expected in early:
            yield _decoded(early.pop(expected))
            expected += 1
    yield parsed_first


def parse_files(root: Path, paths: Iterable[str], inspect: Inspect | None) -> Parsed:
    """Parse some files, here and now."""
    # Loaded here: where no file changed, none is parsed.
    from kbsync.content.parse import parse_source

    sources: list[Source] = []
    failed: list[tuple[str, OSError]] = []
    folder = os.fspath(root)
    for path in paths:
        try:
            data = read_within(f"{folder}/{path}", MAX_SOURCE_BYTES)
        except OSError as exc:
            failed.append((path, exc))
        else:
            sources.append(parse_source(path, data, inspect=inspect))
    return Parsed(sources, failed)


def _decoded(parsed: Parsed | Encoded) -> Parsed:
    return parsed.decoded() if isinstance(parsed, Encoded) else parsed
