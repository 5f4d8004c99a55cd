"""How a body changes: word by word for a screen, line by line for Markdown and JSON. Pure, and quick for any text.

Also: two texts, and the lines in which they differ. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher, unified_diff
from itertools import groupby, islice
from typing import Literal

import msgspec

from kbsync.model import DRAFTS, Action, Change, Held, Kind, Reason, RemoteId, visible
from kbsync.patterns import Pattern
from kbsync.report.style import Style, width_of
from kbsync.words import count

BREAKS = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}


def difference(one: str, other: str, *, before: str, after: str) -> Iterator[str]:
    """The lines of a unified diff, without control characters.

    Args:
        one, other: the texts.
        before, after: what they are called in its head.
    """
    lines, other_lines = one.splitlines(), other.splitlines()
    if lines == other_lines and one != other:
        yield f"Only the line breaks differ: {_breaks(one)} in {before}, {_breaks(other)} in {after}."
    for line in unified_diff(lines, other_lines, before, after, lineterm="", n=2):
        yield visible(line)


def _breaks(text: str) -> str:
    ends = {line[len(line.rstrip("\r\n")) :] for line in text.splitlines(keepends=True)}
    return " and ".join(name for end, name in BREAKS.items() if end in ends) or "no line breaks"


Key = tuple[Kind, RemoteId | None, bool]
"""An article, and whether it is about the edit of it that is pending in the panel."""


class Body(msgspec.Struct, frozen=True):
    """One article's body on both sides."""

    portal: str
    ours: str


class Bodies(msgspec.Struct, frozen=True):
    """The bodies that were read for a report; `left` are those that were not, as they are too many."""

    texts: Mapping[Key, Body] = msgspec.field(default_factory=dict)
    left: int = 0

    def of(self, item: Change | Held) -> Body | None:
        """The two bodies of what a plan is about; None where they were not read, or stay as they are."""
        fields = item.fields if isinstance(item, Held) else item.after
        names = {"content", DRAFTS["content"]}
        return self.texts.get(key_of(item)) if not names.isdisjoint(fields) else None


def key_of(item: Change | Held) -> Key:
    """Under which the two bodies of a change, or of what is held, are kept."""
    return item.kind, item.remote_id, isinstance(item, Held) and item.reason is Reason.STAGED


NO_BODIES = Bodies()

TEXT_ACTIONS = frozenset({Action.UPDATE, Action.PUBLISH, Action.UNPUBLISH, Action.ARCHIVE})
"""What may change an article's text: one that is hidden may get it in the same request."""

CONTEXT_LINES = 1
"""Lines that are the same, shown around those that differ."""

NEAR_CHARS = 60
"""Characters of a long line that are shown on each side of what differs in it."""

MOST_WORK = 200_000
"""Pairs of equal lines or words that are weighed against each other. With more, such as in a text of one word repeated
ten thousand times, what differs is shown as a whole: difflib would take minutes. Measured: 20,000 characters, < 1 s."""

ALIKE = 0.3
"""Paragraphs with less in common are shown one after the other; word by word, nobody could read them."""

WORDS = Pattern(r"\n|[^\S\n]+|\w+|[^\w\s]")
SPACED_WORDS = Pattern(r"\n|[^\S\n]+|(?:\w+|[^\w\s])[^\S\n]*")

MOST_LINES = 40
"""Lines of one body's difference that are shown; `-v` shows them all."""

Mark = Literal["same", "old", "new"]
Piece = tuple[Mark, str]
Opcode = tuple[str, int, int, int, int]


def word_lines(body: Body, style: Style, *, indent: int) -> Iterator[str]:
    """The lines that differ, as `git diff --word-diff` shows them: `[-old-]{+new+}`, and in colour besides."""
    lines = _without_blank_ends(_all_word_lines(body, style, indent))
    if style.verbose:
        yield from lines
        return
    yield from islice(lines, MOST_LINES)
    if more := sum(1 for _ in lines):
        yield " " * indent + style.paint(f"… and {count(more, 'more line')} (-v shows them all)", "dim")


def _without_blank_ends(lines: Iterable[str]) -> Iterator[str]:
    """Lines of context that are empty say nothing at the beginning and at the end."""
    blank, begun = 0, False
    for line in lines:
        if not line.strip():
            blank += 1
            continue
        yield from [""] * (blank if begun else 0)
        blank, begun = 0, True
        yield line


def _all_word_lines(body: Body, style: Style, indent: int) -> Iterator[str]:
    for pieces in _lines_of_pieces(body):
        if pieces is None:
            yield " " * indent + style.paint("…", "dim")
            continue
        parts = [part for mark, text in pieces for part in _words(mark, text, style)]
        yield from _wrapped(parts, indent, style)


def diff_lines(body: Body) -> Iterator[str]:
    """The lines that differ, as `git diff` shows them: `-` for the portal, `+` for the file."""
    old, new = _split(body.portal), _split(body.ours)
    for number, group in enumerate(_grouped(_opcodes(old, new))):
        if number:
            yield "…"
        for tag, start, end, other_start, other_end in group:
            if tag == "equal":
                yield from (f" {visible(line)}" for line in old[start:end])
            else:
                yield from (f"-{visible(line)}" for line in old[start:end])
                yield from (f"+{visible(line)}" for line in new[other_start:other_end])


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """How one sequence becomes the other. What is too much to compare is one replacement."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    one, other = old[head : len(old) - tail], new[head : len(new) - tail]
    inner = _compared(one, other)
    found: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    found += [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in inner]
    if tail:
        found.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return found


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    """How many pairs of equal ones there are, which difflib may all look at, more than once."""
    counts, others = Counter(old), Counter(new)
    return sum(number * others[word] for word, number in counts.items())


def _compared(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    if not old and not new:
        return []
    if not old or not new or _pairs(old, new) > MOST_WORK:
        tag = "insert" if not old else "delete" if not new else "replace"
        return [(tag, 0, len(old), 0, len(new))]
    return list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())


def _grouped(opcodes: Sequence[Opcode]) -> Iterator[list[Opcode]]:
    """The changes with the lines around them; what lies between two groups is left out."""
    group: list[Opcode] = []
    for number, (tag, start, end, other_start, other_end) in enumerate(opcodes):
        if tag != "equal":
            group.append((tag, start, end, other_start, other_end))
            continue
        after = CONTEXT_LINES * (number > 0)
        before = CONTEXT_LINES * (number < len(opcodes) - 1)
        if after and before and end - start <= after + before + 1:
            group.append((tag, start, end, other_start, other_end))
            continue
        if group:
            group.append((tag, start, min(end, start + after), other_start, min(other_end, other_start + after)))
            yield group
        group = [(tag, max(start, end - before), end, max(other_start, other_end - before), other_end)]
    if any(tag != "equal" for tag, *_ in group):
        yield group


def _lines_of_pieces(body: Body) -> Iterator[list[Piece] | None]:
    """Lines, each in pieces that are the same or differ; None between two places."""
    old, new = _split(body.portal), _split(body.ours)
    for number, group in enumerate(_grouped(_opcodes(old, new))):
        if number:
            yield None
        for tag, start, end, other_start, other_end in group:
            if tag == "equal":
                yield from (_unchanged(line) for line in old[start:end])
            else:
                pieces = _pieces("\n".join(old[start:end]), "\n".join(new[other_start:other_end]))
                yield from _by_line(pieces)


def _unchanged(line: str) -> list[Piece]:
    return [("same", line)]


def _pieces(old: str, new: str) -> list[Piece]:
    one, other = _tokens(old, new)
    found: list[Piece] = []
    same = 0
    for tag, start, end, other_start, other_end in _opcodes(one, other):
        if tag == "equal":
            text = "".join(one[start:end])
            same += len(text)
            found.append(("same", text))
        else:
            found += [("old", "".join(one[start:end])), ("new", "".join(other[other_start:other_end]))]
    if same < ALIKE * min(len(old), len(new)):
        found = [("old", old), ("new", new)]
        if old and new:
            found.insert(1, ("same", "\n"))
    return [(mark, text) for mark, text in _without_gaps(found) if text]


def _tokens(old: str, new: str) -> tuple[list[str], list[str]]:
    """Both texts in words; of long ones each with the space behind it, for spaces are all equal to each other."""
    fine = WORDS.findall(old), WORDS.findall(new)
    return fine if _pairs(*fine) <= MOST_WORK else (SPACED_WORDS.findall(old), SPACED_WORDS.findall(new))


def _without_gaps(pieces: list[Piece]) -> list[Piece]:
    """A single space between two changes belongs to both: two words that are replaced are one replacement."""
    found: list[Piece] = []
    for number, (mark, text) in enumerate(pieces):
        is_gap = mark == "same" and text == " " and 0 < number < len(pieces) - 1
        if is_gap and all(text for _, text in pieces[number - 2 : number] + pieces[number + 1 : number + 3]):
            (_, old), (_, new) = found[-2:]
            found[-2:] = [("old", old + " "), ("new", new + " ")]
        elif mark == "old" and len(found) > 1 and found[-1][0] == "new":
            found[-2:] = [("old", found[-2][1] + text), found[-1]]
        elif mark == "new" and found and found[-1][0] == "new":
            found[-1] = ("new", found[-1][1] + text)
        else:
            found.append((mark, text))
    return found


def _by_line(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    line: list[Piece] = []
    for mark, text in pieces:
        first, *others = text.split("\n")
        line.append((mark, first))
        for other in others:
            yield line
            line = [(mark, other)]
    if any(text for _, text in line):
        yield line


def _words(mark: Mark, text: str, style: Style) -> Iterator[tuple[str, str]]:
    """A piece as words with their colours; of a long one that is the same, only what is near the others."""
    text = visible(text)
    if mark == "same":
        if len(text) > 2 * NEAR_CHARS + 20:
            head, tail = text[:NEAR_CHARS].rpartition(" ")[0], text[-NEAR_CHARS:].partition(" ")[2]
            text = f"{head or text[:NEAR_CHARS]} … {tail or text[-NEAR_CHARS:]}"
        colour = ""
    elif not text:
        return
    else:
        # Also in colour: not everyone can tell red from green.
        colour, text = ("red", f"[-{text}-]") if mark == "old" else ("green", f"{{+{text}+}}")
    yield from ((word, colour) for word in re.findall(r"\s+|\S+", text))


def _wrapped(words: Iterable[tuple[str, str]], indent: int, style: Style) -> Iterator[str]:
    room = max(20, style.width - indent)
    line: list[tuple[str, str]] = []
    used = 0
    for word, colour in words:
        if used and used + width_of(word) > room and not word.isspace():
            yield _painted(line, indent, style)
            line, used = [], 0
        line.append((word, colour))
        used += width_of(word)
    yield _painted(line, indent, style)


def _painted(line: Iterable[tuple[str, str]], indent: int, style: Style) -> str:
    words = list(line)
    while words and words[-1][0].isspace():
        words.pop()
    runs = ((colour, "".join(word for word, _ in run)) for colour, run in groupby(words, key=lambda pair: pair[1]))
    return (" " * indent + "".join(style.paint(text, colour) if colour else text for colour, text in runs)).rstrip()
