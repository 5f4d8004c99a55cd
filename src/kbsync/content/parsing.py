"""Parsing many files. All cores do it where that pays, this process among them."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import NamedTuple

import msgspec

from kbsync.children import importing_nothing_from_here
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


AHEAD = 2
"""Batches that another process has been asked for: one that it parses, and one for when this process is still busy."""


class _Child:
    """Another process, and the numbers that it was asked for and has not answered."""

    def __init__(self, batches: Batches) -> None:
        self.connection, theirs = Pipe()
        self.asked: deque[int] = deque()
        self._process = Process(target=_serve, args=(batches, theirs, self.connection), daemon=True)
        self._process.start()
        # Only the child has it now: when that ends, what it sent has an end.
        theirs.close()

    def ask(self, numbers: Iterator[int]) -> None:
        """Ask for more, as long as there are some."""
        for number in islice(numbers, AHEAD - len(self.asked)):
            self.asked.append(number)
            self.connection.send(number)

    def answer(self) -> tuple[int, Encoded]:
        """The next answer."""
        encoded: Encoded = self.connection.recv()
        return self.asked.popleft(), encoded

    def end(self) -> None:
        """Let it end, and wait for that."""
        self.connection.close()
        self._process.join()


def parse_together(batches: Batches, parsers: Parsers) -> Iterator[tuple[int, Parsed | Encoded]]:
    """All batches with their numbers, in any order, parsed by this process and others; these have ended at the end."""
    children: list[_Child] = []
    try:
        with importing_nothing_from_here():
            children += (_Child(batches) for _ in range(parsers.workers - 1))
        parsers.begun()
        yield from _parse_with(children, batches)
    finally:
        # The last one first: it has copies of the connections of those before it.
        for child in reversed(children):
            child.end()


def _parse_with(children: list[_Child], batches: Batches) -> Iterator[tuple[int, Parsed | Encoded]]:
    left = iter(range(len(batches)))
    active = list(children)

    def supply(child: _Child) -> list[tuple[int, Parsed | Encoded]]:
        """Take an answer, if one was asked for, and ask for more."""
        answers: list[tuple[int, Parsed | Encoded]] = []
        try:
            if child.asked:
                answers.append(child.answer())
            child.ask(left)
        except (EOFError, OSError):
            active.remove(child)
        else:
            return answers
        # At once: of a large tree, what comes behind these would wait in memory.
        return [*answers, *((number, batches.parse(number)) for number in child.asked)]

    for child in children:
        yield from supply(child)
    for number in left:
        yield number, batches.parse(number)
        for child in _ready(active, timeout=0):
            yield from supply(child)
    while busy := [child for child in active if child.asked]:
        for child in _ready(busy):
            yield from supply(child)


def _ready(children: list[_Child], timeout: float | None = None) -> list[_Child]:
    """Those that answered or ended; without a timeout, once there is one."""
    found = wait([child.connection for child in children], timeout)
    return [child for child in children if child.connection in found]


def _serve(batches: Batches, requests: Connection, other_end: Connection) -> None:
    """Parse what is asked for, until the process that asks closes its end, or ends."""
    # A fork has a copy of it: the end would never be seen.
    other_end.close()
    # Ctrl-C is for the process that asks: it ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while (number := _next_request(requests)) is not None:
        encoded = Encoded.of(batches.parse(number))
        try:
            requests.send(encoded)
        except OSError:
            return


def _next_request(requests: Connection) -> int | None:
    try:
        number: int = requests.recv()
    except (EOFError, OSError):
        return None
    return number
