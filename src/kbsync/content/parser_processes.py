"""Other processes that parse beside this one.

Each has all batches from its start and is asked for some by number. A process that was killed (the system may do so for
want of memory), or that failed, answers no more: this one parses what it was asked for, and meets the same error if
there is one.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterator
from itertools import islice
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection, wait

from kbsync.children import importing_nothing_from_here
from kbsync.content.parsing import Batches, Encoded, Parsed, Parsers

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
