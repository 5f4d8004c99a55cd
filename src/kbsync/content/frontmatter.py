"""Front matter: the YAML between the two `---` lines, read event by event.

Events give the place of every key and value for the findings, show a doubled key, and cannot be made to build
anything: no object, no deep nesting, no explosion of aliases. `apart.py` takes the file apart and calls this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import yaml
from yaml.reader import Reader as Characters

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # PyYAML without libyaml: slower, the same result
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

from kbsync.content.entries import MAX_BYTES, Entry, FrontMatter
from kbsync.content.merge_marks import HINT, MARKER, message_of
from kbsync.content.rules import DOUBLED_KEY, NOT_A_MAPPING, NOT_YAML, TOO_LARGE
from kbsync.content.source import Place, Problem
from kbsync.markdown.offsets import Places
from kbsync.model import Rule

MAX_DEPTH = 32
"""Collections within collections; a parser takes seconds for tens of thousands of them."""

STANDARD = "tag:yaml.org,2002:"
RESOLVERS: Mapping[str | None, Sequence[tuple[str, re.Pattern[str]]]] = Loader.yaml_implicit_resolvers
"""Tags that YAML gives to values without quotes, by the first character; those of None are for all."""

Scalar = str | int | float | bool | None


def read_block(block: str) -> FrontMatter:
    """Read the YAML between the two lines.

    Args:
        block: the characters as they are; its first line is the file's second.
    """
    front = FrontMatter()
    if len(block) > MAX_BYTES:
        message = f"The front matter has {len(block):,} characters; at most {MAX_BYTES:,} are read."
        front.problems.append(Problem.of(TOO_LARGE, (1, 1), message, "Is the closing `---` line missing?"))
        return front
    if forbidden := Characters.NON_PRINTABLE.search(block):
        reason = f"a control character that YAML does not allow (U+{ord(block[forbidden.start()]):04X})"
        front.problems.append(_character_problem(block, forbidden.start(), reason))
        return front
    if INVISIBLE_BREAK.search(block):
        # The parser begins a new line there, and no editor does: every place behind it would be wrong.
        for invisible in islice(INVISIBLE_BREAK.finditer(block), MOST_BREAKS):
            reason = f"an invisible line break inside of the line (U+{ord(invisible[0]):04X})"
            front.problems.append(_character_problem(block, invisible.start(), reason))
        block = INVISIBLE_BREAK.sub(" ", block)
    if ("<<<<<<<" in block or ">>>>>>>" in block) and (marker := MARKER.search(block)):
        # To YAML it is a line like others, so what YAML says of it would be a riddle.
        line = Places(block).line(marker.start())
        front.problems.append(Problem.of(NOT_YAML, (line + 1, 1), message_of(marker[0]), HINT))
        return front
    try:
        _Reader(block, front).read()
    except yaml.YAMLError as exc:
        front.problems.append(_syntax_problem(exc, block))
    return front


def tag_of_words(words: str) -> str:
    """The short YAML type of a value without quotes."""
    for tag, pattern in (*RESOLVERS.get(words[:1], ()), *RESOLVERS.get(None, ())):
        if pattern.match(words):
            return tag.removeprefix(STANDARD)
    return "str"


def _character_problem(block: str, at: int, reason: str) -> Problem:
    """YAML stops at such a character; libyaml does not say where it is."""
    line, column = Places(block).spot(at)
    return Problem.of(NOT_YAML, (line + 1, column), f"This is not valid YAML: {reason}.", "Delete it.")


INVISIBLE_BREAK = re.compile("[\\x85\\u2028\\u2029]")
"""Line breaks to YAML 1.1. Programs for page layout and chats put them into texts that are copied."""

MOST_BREAKS = 100
"""So many of them are reported in one file."""


JOINED_KEY = re.compile(r"(?<=[^\x00-\x7f])[a-z][a-z_-]*: ")
"""A key that somebody joined with the line above: `description: ...。license: MIT`."""

OPEN_QUOTE = ("while scanning a quoted scalar", "found unexpected end of stream")
"""What libyaml says of a quote without its second one, in the words of its context and of its problem."""

CLOSED_BY = {"[": "]", "{": "}"}
KEY = re.compile(r"[\w-]+[ \t]*:")
BACKTICK = "The value begins with a backtick: put it in quotes."
INDENTED_KEY = re.compile(r" +[\w-]+:(?:[ \t]|\Z)")


def _syntax_problem(exc: yaml.YAMLError, block: str) -> Problem:
    lines = block.splitlines()
    if opened := _unclosed(exc, lines):
        line, column, bracket = opened
        message = f"This is not valid YAML: this `{bracket}` is not closed."
        hint = f"Add `{CLOSED_BY[bracket]}` behind the last value, or put all of it in quotes."
        return Problem.of(NOT_YAML, (line, column), message, hint)
    problem, begun = getattr(exc, "problem", None), getattr(exc, "context_mark", None)
    is_open = (getattr(exc, "context", None), problem) == OPEN_QUOTE
    # Of a quote that is open, the end of the file says nothing.
    mark = begun if is_open else getattr(exc, "problem_mark", None) or begun
    line, column = (mark.line + 2, mark.column + 1) if mark else (2, 1)
    at = lines[line - 2] if line - 2 < len(lines) else ""
    sign = at[column - 1 : column]
    reason = str(problem or getattr(exc, "reason", None) or exc).split("\n")[0]
    hint = f"Add the second `{sign}` behind the value." if is_open else _hint_at(sign, at, reason)
    reason = "this quote is not closed" if is_open else reason
    if "\t" in at[: len(at) - len(at.lstrip())] or "'\\t'" in reason:
        reason, hint = "a tab where YAML wants spaces", "Indent with spaces."
    elif joined := JOINED_KEY.search(at):
        hint = f"Put `{joined[0].strip()}` on a line of its own, with what is behind it."
    elif "“" in at or "„" in at:
        hint = 'Put the value in straight quotes: `"`.'
    return Problem.of(NOT_YAML, (line, column), f"This is not valid YAML: {reason}.", hint)


def _hint_at(sign: str, line: str, reason: str) -> str:
    """What to do where the parser stopped at a sign."""
    if reason.startswith("found character") and sign in set("@`%"):
        return f"The value begins with `{sign}`: put it in quotes." if sign != "`" else BACKTICK
    indented = " If the spaces before the key are a mistake, delete them." if INDENTED_KEY.match(line) else ""
    return f"If the value has a colon, a `#` or a bracket in it, put it in quotes.{indented}"


def _unclosed(exc: yaml.YAMLError, lines: Sequence[str]) -> tuple[int, int, str] | None:
    """Line, column and sign of a bracket that the next key, or the end, comes before the end of."""
    mark, opened = getattr(exc, "problem_mark", None), getattr(exc, "context_mark", None)
    if not mark or not opened or not str(getattr(exc, "context", None)).startswith("while parsing a flow"):
        return None
    line, column = opened.line, opened.column
    is_at_end = mark.line >= len(lines)
    if is_at_end and line >= len(lines):
        # Nothing at all is behind it, and the parser gives the end for the beginning, too.
        line = max((at for at, text in enumerate(lines) if text.strip()), default=0)
        column = len(lines[line].rstrip()) - 1 if lines else 0
    bracket = lines[line][column : column + 1] if line < len(lines) else ""
    if bracket not in CLOSED_BY or line >= mark.line or not (is_at_end or KEY.match(lines[mark.line])):
        return None
    return line + 2, column + 1, bracket


class _Reader:
    """Walks the YAML events of one block into entries."""

    def __init__(self, block: str, front: FrontMatter) -> None:
        self.front = front
        self.loader = Loader(block)
        self.anchors: dict[str, Entry] = {}

    def events(self) -> Iterator[yaml.Event]:
        depth = 0
        for event in iter(self.loader.get_event, None):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    raise _refused(event, f"nested more than {MAX_DEPTH} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            yield event

    def read(self) -> None:
        try:
            events = self.events()
            for event in events:
                if isinstance(event, yaml.MappingStartEvent):
                    self.read_mapping(events)
                elif isinstance(event, (yaml.ScalarEvent, yaml.SequenceStartEvent, yaml.AliasEvent)):
                    if isinstance(event, yaml.ScalarEvent) and not event.value.strip():
                        continue
                    self.complain(
                        event,
                        NOT_A_MAPPING,
                        "The front matter is not a list of `key: value` lines.",
                        "Write one key and its value on each line.",
                    )
                    return
        finally:
            self.loader.dispose()

    def read_mapping(self, events: Iterator[yaml.Event]) -> None:
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                return
            key = self.key(event, events)
            entry = self.value(next(events), events, key or "")
            if key is None:
                self.complain(event, NOT_A_MAPPING, "A key must be a single word.", "Write `key: value`.")
            elif key in self.front:
                first = self.front[key].place.line
                message = f"The key `{key}` is already on line {first}."
                self.complain(event, DOUBLED_KEY, message, "Delete one of them.")
            else:
                self.front[key] = Entry(key, _place(event), entry.tag, entry.text, entry.items)

    def key(self, event: yaml.Event, events: Iterator[yaml.Event]) -> str | None:
        """The text of a key; None for a list or a mapping. Whether YAML takes it for a number makes no difference."""
        if isinstance(event, yaml.ScalarEvent) and not event.anchor:
            return str(event.value)
        entry = self.value(event, events, "")
        return None if entry.tag in {"list", "map"} else entry.text

    def value(self, event: yaml.Event, events: Iterator[yaml.Event], key: str) -> Entry:
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise _refused(event, f"`*{event.anchor}` refers to an anchor that is not there")
            return self.anchors[event.anchor]
        if isinstance(event, yaml.ScalarEvent):
            entry = Entry(key, _place(event), self.tag_of(event), event.value)
        elif isinstance(event, yaml.SequenceStartEvent):
            entry = Entry(key, _place(event), "list", items=self.items(events, key))
        else:
            self.skip_nested(events)
            entry = Entry(key, _place(event), "map")
        if anchor := getattr(event, "anchor", None):
            self.anchors[anchor] = entry
        return entry

    def items(self, events: Iterator[yaml.Event], key: str) -> tuple[Entry, ...]:
        found = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
                self.skip_nested(events)
                found.append(Entry(key, _place(event), "map"))
            else:
                found.append(self.value(event, events, key))
        return tuple(found)

    def skip_nested(self, events: Iterator[yaml.Event]) -> None:
        """Leave a nested collection behind, however deep, without recursion; its anchors are remembered."""
        depth = 1
        for event in events:
            if isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
                if depth == 0:
                    return
            elif isinstance(event, yaml.ScalarEvent) and event.anchor:
                self.anchors[event.anchor] = Entry("", _place(event), self.tag_of(event), event.value)
            elif isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if event.anchor:
                    self.anchors[event.anchor] = Entry("", _place(event), "map")

    def tag_of(self, event: yaml.ScalarEvent) -> str:
        if event.tag is not None and event.tag != "!":
            tag = event.tag
        elif not event.style and event.implicit[0]:  # libyaml says "" where PyYAML says None
            return tag_of_words(event.value)
        else:
            tag = STANDARD + "str"
        return str(tag).removeprefix(STANDARD)

    def complain(self, event: yaml.Event, rule: Rule, message: str, hint: str) -> None:
        place = _place(event)
        self.front.problems.append(Problem.of(rule, (place.line, place.column), message, hint))


def _refused(event: yaml.Event, problem: str) -> yaml.YAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)  # type: ignore[arg-type]


def _place(event: yaml.Event) -> Place:
    # The block starts on the file's second line.
    mark = event.start_mark
    return Place(mark.line + 2, mark.column + 1) if mark else Place(2, 1)
