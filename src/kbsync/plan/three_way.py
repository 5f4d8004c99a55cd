"""Merges two versions of a text line by line; where both moved differently, conflict markers name the two. Pure.

The line merge of GNU diff3, on top of difflib: regions in which all three texts agree hold the rest together. Lines
are compared without their ends, so a version with other line ends is not another one everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

OURS, THEIRS = "your file", "portal"
"""What the markers call the two sides."""

MOST_WORK = 2_000_000
"""Pairs of equal lines that difflib may weigh. With more, only the ends of the texts are compared."""


class Block(NamedTuple):
    """Lines that two texts have in common: where they are in each, and how many."""

    a: int
    b: int
    size: int


class Region(NamedTuple):
    """Lines that all three texts have in common: where they are in each, and how many."""

    base: int
    ours: int
    theirs: int
    size: int


@dataclass(frozen=True, slots=True)
class Merged:
    """The text, and how many conflicts are marked in it."""

    text: str
    conflicts: int = 0


def lines_of(text: str) -> list[str]:
    """Lines with their ends; only LF, CRLF and CR end one, as in Markdown."""
    lines, at = [], 0
    for place, character in enumerate(text):
        if character == "\n" or (character == "\r" and text[place + 1 : place + 2] != "\n"):
            lines.append(text[at : place + 1])
            at = place + 1
    return [*lines, text[at:]] if at < len(text) else lines


def with_ends_of(file: str, body: str, text: str) -> str:
    """A text whose lines end as most lines of a file's body do; of a body without lines, as those of the file."""
    file = body if "\n" in body.strip("\r\n") else file
    crlf = file.count("\r\n")
    end = "\r\n" if crlf * 2 > file.count("\n") else "\n"
    return "".join(_bare(line) + (end if _ending([line]) else "") for line in lines_of(text))


def merge_texts(base: str | None, ours: str, theirs: str) -> Merged:
    """Merge two versions of a text; without what both began with, whatever differs is a conflict."""
    mine, other = lines_of(ours), lines_of(theirs)
    pieces = _differing(mine, other) if base is None else _chunks(lines_of(base), mine, other)
    end = _ending(mine) or _ending(other) or "\n"
    found: list[str] = []
    conflicts = 0
    for one, another in pieces:
        if another is None:
            found += _closed(found, one, end)
        else:
            conflicts += 1
            found += _closed(found, _marked(one, another, end), end)
    return Merged("".join(found), conflicts)


def marked_whole(ours: str, theirs: str) -> str:
    """One conflict of two whole texts."""
    mine, other = lines_of(ours), lines_of(theirs)
    return "".join(_marked(mine, other, _ending(mine) or _ending(other) or "\n"))


Piece = tuple[Sequence[str], Sequence[str] | None]
"""Lines of the result and None; or the two sides of a conflict."""


def _marked(mine: Sequence[str], other: Sequence[str], end: str) -> list[str]:
    found = [f"<<<<<<< {OURS}{end}", *_ended(mine, end), f"======={end}", *_ended(other, end)]
    return [*found, f">>>>>>> {THEIRS}{end}"]


def _ended(lines: Sequence[str], end: str) -> list[str]:
    """Lines of which the last has an end too: a marker follows it."""
    return [*lines[:-1], _bare(lines[-1]) + (_ending(lines[-1:]) or end)] if lines else []


def _closed(before: Sequence[str], lines: Sequence[str], end: str) -> list[str]:
    """Lines that follow others, of which the last may have had no end."""
    if before and lines and not _ending(before[-1:]):
        return [end, *lines]
    return list(lines)


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _ending(lines: Sequence[str]) -> str:
    """How the first of some lines ends."""
    return lines[0][len(_bare(lines[0])) :] if lines else ""


def _keys(lines: Sequence[str]) -> list[str]:
    return [_bare(line) for line in lines]


def _differing(mine: Sequence[str], other: Sequence[str]) -> Iterator[Piece]:
    at = there = 0
    for block in [*_matches(_keys(mine), _keys(other)), Block(len(mine), len(other), 0)]:
        if block.a > at or block.b > there:
            yield mine[at : block.a], other[there : block.b]
        if block.size:
            yield mine[block.a : block.a + block.size], None
        at, there = block.a + block.size, block.b + block.size


def _chunks(base: Sequence[str], mine: Sequence[str], other: Sequence[str]) -> Iterator[Piece]:
    first, one, another = _keys(base), _keys(mine), _keys(other)
    at = Region(0, 0, 0, 0)
    for region in [*_agreeing(first, one, another), Region(len(base), len(mine), len(other), 0)]:
        was = first[at.base : region.base]
        ours, theirs = one[at.ours : region.ours], another[at.theirs : region.theirs]
        if theirs in (was, ours):
            yield mine[at.ours : region.ours], None
        elif ours == was:
            yield other[at.theirs : region.theirs], None
        else:
            yield from _narrowed(mine[at.ours : region.ours], other[at.theirs : region.theirs])
        yield mine[region.ours : region.ours + region.size], None
        at = Region(region.base + region.size, region.ours + region.size, region.theirs + region.size, 0)


def _narrowed(mine: Sequence[str], other: Sequence[str]) -> Iterator[Piece]:
    """A conflict without the lines at both ends that the sides have in common."""
    one, another = _keys(mine), _keys(other)
    head = _common_head(one, another)
    tail = _common_head(one[head:][::-1], another[head:][::-1])
    yield mine[:head], None
    yield mine[head : len(mine) - tail], other[head : len(other) - tail]
    yield mine[len(mine) - tail :], None


def _agreeing(base: list[str], ours: list[str], theirs: list[str]) -> Iterator[Region]:
    """The lines that are the same in all three, in order."""
    mine, other = _matches(base, ours), _matches(base, theirs)
    left = right = 0
    while left < len(mine) and right < len(other):
        one, another = mine[left], other[right]
        start, end = max(one.a, another.a), min(one.a + one.size, another.a + another.size)
        if start < end:
            yield Region(start, one.b + start - one.a, another.b + start - another.a, end - start)
        if one.a + one.size < another.a + another.size:
            left += 1
        else:
            right += 1


def _matches(a: list[str], b: list[str]) -> list[Block]:
    """What two texts have in common."""
    head = _common_head(a, b)
    tail = _common_head(a[head:][::-1], b[head:][::-1])
    one, other = a[head : len(a) - tail], b[head : len(b) - tail]
    inner: list[Block] = []
    if one and other and _pairs(one, other) <= MOST_WORK:
        found = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
        inner = [Block(block.a + head, block.b + head, block.size) for block in found if block.size]
    blocks = (Block(0, 0, head), *inner, Block(len(a) - tail, len(b) - tail, tail))
    return [block for block in blocks if block.size]


def _common_head(a: Sequence[str], b: Sequence[str]) -> int:
    number = 0
    while number < min(len(a), len(b)) and a[number] == b[number]:
        number += 1
    return number


def _pairs(a: Sequence[str], b: Sequence[str]) -> int:
    counts, others = Counter(a), Counter(b)
    return sum(number * others[line] for line, number in counts.items())
