"""The whole content tree, read: from memory what did not change, from the disk what did.

Also: what was read of each file, kept while its size and times stay as they were.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import msgspec

from kbsync.content.body import raw_digest
from kbsync.content.inspection import Inspect
from kbsync.content.parsing import Parsers, parse_all
from kbsync.content.source import Source
from kbsync.content.walk import MAX_SOURCE_BYTES, Stamp, Walk, unreadable, walk_tree
from kbsync.errors import ContentError
from kbsync.files import read_within
from kbsync.memory import Kind, Memory
from kbsync.model import Finding

RACY_NS = 50_000_000
"""A file changed this shortly before it was read may change again within one tick of the file system's clock."""


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One file as it was, what was read of it, and what its links compiled to.

    `links_key` names the addresses that its links had, `content_digest` the body with these addresses in it.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    racy: bool
    source: Source
    links_key: bytes = b""
    content_digest: str = ""

    def fits(self, stamp: Stamp) -> bool:
        """Whether the file is certainly the one that was read."""
        return (self.size, self.mtime_ns, self.ctime_ns) == (stamp.size, stamp.mtime_ns, stamp.ctime_ns) and (
            not self.racy
        )


ROWS: Kind[Row] = Kind("source", Row)
"""By path."""


Compiled = Mapping[str, tuple[bytes, str]]
"""What the links of some sources compiled to: `links_key` and `content_digest` of their rows, by path."""

NOTHING: Compiled = {}


@dataclass(slots=True)
class Tree:
    """Every source by path, in path order; `others` are the files that are no sources (images).

    `rows` are what was read of each; `new` are those that the memory lacks, `gone` the paths that it need not know any
    more. `every` has all paths, where
    only some sources were read.
    """

    root: Path
    sources: Mapping[str, Source]
    others: dict[str, Stamp]
    findings: list[Finding] = field(default_factory=list)
    rows: Mapping[str, Row] = field(default_factory=dict)
    new: Collection[str] = ()
    gone: Collection[str] = ()
    every: Collection[str] = ()

    @property
    def is_racy(self) -> bool:
        """Whether a file of it may change again unseen."""
        return any(row.racy for row in self.rows.values())

    @property
    def paths(self) -> Collection[str]:
        """The paths of all sources."""
        return self.every or self.sources

    def read_bytes(self, path: str) -> bytes:
        """The bytes of one source, now."""
        return read_within(self.root / path, MAX_SOURCE_BYTES)

    def read_again(self, path: str, *, note: str = "") -> bytes:
        """The bytes of one source, the same that were read; `note` is a sentence for where they are not.

        Raises:
            ContentError: the file is no longer the one that was read.
        """
        try:
            data = self.read_bytes(path)
        except OSError as exc:
            raise ContentError(f"{path} can no longer be read: {exc.strerror}.{note}") from exc
        if raw_digest(data) != self.sources[path].raw_digest:
            raise ContentError(f"{path} changed while kbsync was running.{note}", hint="Run the command again.")
        return data


def read_tree(
    root: Path,
    *,
    memory: Memory | None,
    walk: Walk | None = None,
    inspect: Inspect | None = None,
    known: dict[str, Row] | None = None,
    workers: int | None = None,
    begun: Callable[[], None] = lambda: None,
) -> Tree:
    """Read the tree. Every problem is in the findings or in the sources' own problems.

    Args:
        root: the content root.
        memory: what knows the files that did not change, or None to read everything.
        walk: the files, where somebody listed them just now.
        inspect: what else looks for problems in the bodies; what it found is kept, so one memory is for one of these.
        known: the rows that it has, where somebody loaded them just now.
        workers: how many processes may parse; None for as many as there are cores. A program with threads says 1:
            a fork of it may wait for ever for what another thread held.
        begun: called once, when no more processes are forked: from here on there may be threads.

    Raises:
        ContentError: the root is not a folder.
    """
    walk = walk or walk_tree(root)
    if known is None:
        known = memory.all(ROWS) if memory else {}
    rows = _fitting(walk, known)
    changed = {path: stamp for path, stamp in walk.sources.items() if path not in rows}
    if not changed:
        begun()
    else:
        parsers = Parsers(inspect, workers or os.cpu_count() or 1, begun)
        rows |= _read_changed(root, changed, known, walk.findings, parsers)
        rows = dict(sorted(rows.items()))
    sources = {path: row.source for path, row in rows.items()}
    # The walk has only what it could not look at: its list says whether the findings may be kept.
    findings = [*walk.findings, *chain.from_iterable(map(problems_of, sources.values()))]
    return Tree(root, sources, walk.others, findings, rows, new=changed.keys(), gone=known.keys() - rows.keys())


def _fitting(walk: Walk, known: Mapping[str, Row]) -> dict[str, Row]:
    """The rows of the files that are certainly those that were read."""
    return {path: row for path, stamp in walk.sources.items() if (row := known.get(path)) and row.fits(stamp)}


def problems_of(source: Source) -> Iterator[Finding]:
    """What is wrong with a source by itself."""
    for p in source.problems:
        yield Finding(p.code, p.level, source.path, p.line, p.column, p.message, p.hint, p.fixable)


def store_tree(tree: Tree, memory: Memory, compiled: Compiled = NOTHING) -> None:
    """Keep what was read, for the next run; with what it compiled to, where that is new."""
    new = (path for path in {*tree.new, *compiled} if path in tree.rows)
    rows = {path: _with_content(tree.rows[path], compiled.get(path)) for path in new}
    if rows or tree.gone:
        memory.put(ROWS, rows, gone=tree.gone)


def _with_content(row: Row, compiled: tuple[bytes, str] | None) -> Row:
    if compiled is None:
        return row
    return msgspec.structs.replace(row, links_key=compiled[0], content_digest=compiled[1])


def _read_changed(
    root: Path, stamps: dict[str, Stamp], known: dict[str, Row], findings: list[Finding], parsers: Parsers
) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    unknown: list[str] = []
    now_ns = time.time_ns()
    for path, stamp in stamps.items():
        row = known.get(path)
        if row is not None and row.size == stamp.size and (same := _same_bytes(root, path, row)) is not None:
            rows[path] = _row(stamp, same, now_ns, row)
        else:
            unknown.append(path)
    for parsed, failed in parse_all(root, unknown, parsers):
        rows |= {source.path: _row(stamps[source.path], source, now_ns, None) for source in parsed}
        findings += (unreadable(path, exc) for path, exc in failed)
    return rows


def _same_bytes(root: Path, path: str, row: Row) -> Source | None:
    """The known source, if the file's bytes are still those that were read (a checkout only touched it)."""
    try:
        # As text: thousands of paths are made of it, where a checkout touched every file.
        data = read_within(f"{root}/{path}", MAX_SOURCE_BYTES)
    except OSError:
        return None
    return row.source if raw_digest(data) == row.source.raw_digest else None


def _row(stamp: Stamp, source: Source, now_ns: int, old: Row | None) -> Row:
    racy = now_ns - max(stamp.mtime_ns, stamp.ctime_ns) < RACY_NS
    kept = (old.links_key, old.content_digest) if old else (b"", "")
    return Row(stamp.size, stamp.mtime_ns, stamp.ctime_ns, racy, source, *kept)
