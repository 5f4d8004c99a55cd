"""The rows of a large tree, in a file: a hundred thousand of them, decoded, would take half a gigabyte."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from itertools import islice

import msgspec

from kbsync.content.scan_cache import Row
from kbsync.content.source import Source
from kbsync.files import Scratch

DECODED = 1_000
"""Rows that stay decoded: most links lead to articles that others link to as well."""

AT_ONCE = 100
"""Rows that are read at once, where all are wanted."""

DECODER: msgspec.msgpack.Decoder[Row] = msgspec.msgpack.Decoder(Row)


class KeptRows(Mapping[str, Row]):
    """Rows by path, in the order of `paths`; each is decoded when it is asked for.

    `are_racy`: whether one of them may be of a file that changes again unseen.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self.are_racy = False
        self._paths = paths
        self._numbers: dict[str, int] = {}
        self._starts = array("Q", [0])
        self._scratch = Scratch()
        self._decoded: OrderedDict[str, Row] = OrderedDict()

    def add(self, path: str, row: Row) -> None:
        """Keep a row; one by one, until all are there."""
        self._numbers[path] = len(self._starts) - 1
        self._starts.append(self._scratch.append(msgspec.msgpack.encode(row)))
        self.are_racy = self.are_racy or row.racy

    def complete(self) -> KeptRows:
        """The same, in order, once all rows are there."""
        numbers = self._numbers
        self._numbers = {path: numbers[path] for path in self._paths if path in numbers}
        self._paths = ()
        return self

    def __getitem__(self, path: str) -> Row:
        if (row := self._decoded.get(path)) is not None:
            return row
        number = self._numbers[path]
        row = DECODER.decode(self._scratch.read(self._starts[number], self._starts[number + 1]))
        self._decoded[path] = row
        if len(self._decoded) > DECODED:
            self._decoded.popitem(last=False)
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __contains__(self, path: object) -> bool:
        return path in self._numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def items(self) -> ItemsView[str, Row]:
        """All rows with their paths, some at a time."""
        return _Items(self)

    def in_turn(self) -> Iterator[tuple[str, Row]]:
        """The same: what lies together is read at once."""
        left = iter(self._numbers.items())
        while some := list(islice(left, AT_ONCE)):
            first, last = some[0][1], some[-1][1]
            if [number for _, number in some] != list(range(first, last + 1)):
                yield from ((path, self[path]) for path, _ in some)
                continue
            start = self._starts[first]
            data = memoryview(self._scratch.read(start, self._starts[last + 1]))
            for path, number in some:
                yield path, DECODER.decode(data[self._starts[number] - start : self._starts[number + 1] - start])


class _Items(ItemsView[str, Row]):
    _mapping: KeptRows

    def __iter__(self) -> Iterator[tuple[str, Row]]:
        return self._mapping.in_turn()


class KeptSources(Mapping[str, Source]):
    """The sources of such rows."""

    def __init__(self, rows: KeptRows) -> None:
        self._rows = rows

    def __getitem__(self, path: str) -> Source:
        return self._rows[path].source

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __contains__(self, path: object) -> bool:
        return path in self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def items(self) -> ItemsView[str, Source]:
        """All sources with their paths, some at a time."""
        return _SourceItems(self)

    def values(self) -> ValuesView[Source]:
        """All sources, some at a time."""
        return _SourceValues(self)

    def in_turn(self) -> Iterator[tuple[str, Source]]:
        """All of them: what lies together is read at once."""
        return ((path, row.source) for path, row in self._rows.in_turn())


class _SourceItems(ItemsView[str, Source]):
    _mapping: KeptSources

    def __iter__(self) -> Iterator[tuple[str, Source]]:
        return self._mapping.in_turn()


class _SourceValues(ValuesView[Source]):
    _mapping: KeptSources

    def __iter__(self) -> Iterator[Source]:
        return (source for _, source in self._mapping.in_turn())
