"""The one editor of front matter: gives keys other values, adds them, takes them away, changes lists. Pure.

Every other character stays: order, comments, quoting, line ends. What is edited is read again, and where it does not
say exactly what it should, nothing is edited. A key that is added becomes the last line, an item the last of its list.
Either is taken out again only where adding it gives the very same text, so the two are each other's opposite.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import yaml

from kbsync.content.apart import OPENING, split, take_apart
from kbsync.content.body import BOM, Splice, line_end_of, spliced
from kbsync.content.entries import Entry
from kbsync.content.post import HANDLER
from kbsync.errors import ContentError
from kbsync.model import Value

QUOTES = frozenset("'\"")
"""Styles of a value that are kept."""

LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
WORDS_OF_YAML = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
_LINE_END = re.compile(r"\r\n|\n|\r|\Z")


@dataclass(frozen=True, slots=True)
class Both:
    """Two values of a key, between conflict markers: that of the file, which stays, and `theirs`."""

    theirs: Value
    ours_name: str
    theirs_name: str


Edit = Value | Both
"""A key's new value; None takes the key away."""

Write = Callable[[Value, str], str]
"""Writes a value on one line, if it can in the style that the old one had: `'`, `"` or "" for none."""


# --- a whole file, one key -------------------------------------------------------------------------------------------


def set_value(text: str, key: str, value: str | tuple[str, ...]) -> str:
    """The text of a file with another value of a key, which it may not have yet.

    Raises:
        ContentError: the front matter is written in a way that this cannot change.
    """
    edited = _with_value(text, key, value)
    if edited is None:
        raise _refused(key)
    return edited


def remove_value(text: str, key: str) -> str:
    """The text without a key, if that is as `set_value` adds it; else as it is."""
    entry = take_apart(text).front.get(key)
    if entry is None or entry.tag != "str":
        return text
    return _taken_out(text, [_without(text, key)], lambda without: set_value(without, key, entry.text))


def add_item(text: str, key: str, item: str) -> str:
    """The text with one more item at the end of a list, unless that has it.

    Raises:
        ContentError: the list is written in a way that this cannot change.
    """
    entry = take_apart(text).front.get(key)
    if entry is not None and entry.tag != "list":
        raise _refused(key)
    items = _texts(entry)
    return text if item in items else set_value(text, key, (*items, item))


def remove_last_item(text: str, key: str, item: str) -> str:
    """The text without the last item of a list, if that is this one; the key goes with its only item, if it was added.

    As it is where adding the item would not give the same text.
    """
    items = _texts(take_apart(text).front.get(key))
    if items[-1:] != (item,):
        return text
    candidates = [_without(text, key)] if len(items) == 1 else []
    candidates.append(_with_value(text, key, items[:-1]))
    return _taken_out(text, candidates, lambda without: add_item(without, key, item))


def _with_value(text: str, key: str, value: Value) -> str | None:
    """The text with a value of a key; None where the front matter cannot be edited."""
    head, front, body = take_apart(text)
    if front.problems:
        return None
    if head in ("", BOM):
        end = line_end_of(text)
        head = f"{head}---{end}---{end}"
    edited = edit_front(head, {key: value}, quoted)
    return None if edited is None else edited + body


def _without(text: str, key: str) -> str | None:
    """The text without a key; a front matter that had no other goes too."""
    _, front, body = take_apart(text)
    if len(front) > 1:
        return _with_value(text, key, None)
    return (BOM if text.startswith(BOM) else "") + body


def _taken_out(text: str, candidates: Iterable[str | None], add: Callable[[str], str]) -> str:
    """The first candidate that adding makes the text of again; the text as it is where there is none."""
    for without in candidates:
        try:
            if without is not None and add(without) == text:
                return without
        except ContentError:
            continue
    return text


def _refused(key: str) -> ContentError:
    return ContentError(
        f"The front matter is written in a way in which kbsync cannot change `{key}`. Nothing was moved.",
        hint=f"Write `{key}: …` on a line of its own, and run the command again.",
    )


# --- how a value is written ------------------------------------------------------------------------------------------


def scalar(value: str) -> str:
    """A text as YAML, also inside `[…]`."""
    is_plain = PLAIN.fullmatch(value) and value.lower() not in WORDS_OF_YAML
    return value if is_plain else _exported(value, default_style='"')


def quoted(value: Value, style: str = "") -> str:
    """A value quoted as the old one was, or as it must be everywhere, also inside `[…]`."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(scalar, value))}]"
    text = str(value)
    return inline(text, style) if style in QUOTES and text.isprintable() else scalar(text)


def inline(value: Value, style: str = "") -> str:
    """A value on one line as the YAML library writes it, quoted as the old one was, or as it must be."""
    texts = value if isinstance(value, tuple) else (str(value),)
    flow: dict[str, object] = {"default_flow_style": True} if isinstance(value, tuple) else {}
    if not all(text.isprintable() for text in texts):
        # Without quotes, the library would write some characters so that they cannot be read again.
        return _exported(value, default_style='"', **flow)
    kept = {"default_style": style} if style in QUOTES and isinstance(value, str) else {}
    # libyaml spells what is beyond the first 65,536 characters, such as an emoji, in numbers.
    return _exported(value, Dumper=yaml.SafeDumper, **kept, **flow)


def _exported(value: Value, **options: object) -> str:
    given = list(value) if isinstance(value, tuple) else value
    text = HANDLER.export({"k": given}, **options).strip()
    # `{k: [a, b]}` in flow style, `"k": "a"` where all is quoted, else `k: a`.
    text = text.removeprefix("{").removesuffix("}") if options.get("default_flow_style") else text
    return text.partition(": ")[2]


def holds(entry: Entry | None, value: Value) -> bool:
    """Whether a key says just this value; of None: whether it is not there."""
    if value is None or entry is None:
        return value is None and entry is None
    if isinstance(value, tuple):
        return entry.tag == "list" and _texts(entry) == value
    if isinstance(value, bool):
        return (entry.tag, entry.text) == ("bool", str(value).lower())
    return (entry.tag, entry.text) == ("int" if isinstance(value, int) else "str", str(value))


def _texts(entry: Entry | None) -> tuple[str, ...]:
    """The items of a list."""
    return tuple(item.text for item in entry.items) if entry is not None else ()


# --- the editor ------------------------------------------------------------------------------------------------------


def edit_front(head: str, edits: Mapping[str, Edit], write: Write = inline) -> str | None:
    """The text before a body with other values.

    Args:
        head: BOM, front matter and its two lines; "" where a file has none.
        edits: by key.
        write: how values are written.

    Returns:
        None where the front matter is written in a way that cannot be edited.
    """
    end = line_end_of(head)
    opening = OPENING.match(head) or OPENING.match(head := f"{head}---{end}---{end}")
    block = split(head)[1]
    if opening is None or block is None:
        return None
    try:
        keys = {key.name: key for key in _keys(block)}
    except (yaml.YAMLError, ValueError):
        return None
    edited = spliced(block, sorted(_Front(block, end, write).splices(keys, edits)))
    result = head[: opening.end()] + edited + head[opening.end() + len(block) :]
    return result if _says(head, result, edits) else None


class _Item(NamedTuple):
    """An item of a list, and its place in the YAML."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Key:
    """A key as it is written: its places in the YAML, and how its value is written; of a list each item.

    `is_block`: the items are on lines of their own.
    """

    name: str
    start: int
    value_start: int
    value_end: int
    style: str = ""
    items: tuple[_Item, ...] = ()
    is_block: bool = False


@dataclass(frozen=True, slots=True)
class _Front:
    """The YAML of a front matter, how its lines end, and how values are written into it."""

    text: str
    end: str
    write: Write

    def splices(self, keys: Mapping[str, _Key], edits: Mapping[str, Edit]) -> Iterator[Splice]:
        """What is put where."""
        first = min((key.start for key in keys.values()), default=0)
        indent = self.text[self._line_start(first) : first]
        added = ""
        for name, edit in edits.items():
            key = keys.get(name)
            if key is None:
                added += self._new_lines(name, edit, indent)
            elif edit is None or isinstance(edit, Both):
                start, stop = self._lines_of(key)
                yield start, stop, self._marked(self.text[start:stop], name, edit) if edit is not None else ""
            else:
                longer = self._longer_or_shorter(key, edit) if isinstance(edit, tuple) else None
                yield longer or (key.value_start, key.value_end, self._value(key, edit))
        if added:
            yield len(self.text), len(self.text), self._gap(self.text) + added

    def _new_lines(self, name: str, edit: Edit, indent: str) -> str:
        if isinstance(edit, Both):
            return self._marked("", name, edit)
        return "" if edit is None else f"{indent}{name}: {self.write(edit, '')}{self.end}"

    def _marked(self, lines: str, name: str, edit: Both) -> str:
        theirs = "" if edit.theirs is None else f"{name}: {inline(edit.theirs)}{self.end}"
        ours = f"<<<<<<< {edit.ours_name}{self.end}{lines}{self._gap(lines)}"
        return f"{ours}======={self.end}{theirs}>>>>>>> {edit.theirs_name}{self.end}"

    def _gap(self, text: str) -> str:
        """The line end that a text lacks."""
        return self.end if text and not text.endswith(("\n", "\r")) else ""

    def _line_start(self, at: int) -> int:
        return max(self.text.rfind("\n", 0, at), self.text.rfind("\r", 0, at)) + 1

    def _lines_of(self, key: _Key) -> tuple[int, int]:
        """The whole lines of a key."""
        stop = key.value_end
        ends_line = bool(stop) and self.text[stop - 1] in "\r\n"
        return self._line_start(key.start), stop if ends_line else _line_end(self.text, stop).end()

    def _longer_or_shorter(self, key: _Key, new: tuple[str, ...]) -> Splice | None:
        """A list with more items at its end, or fewer: what stays is not touched, with all comments in between."""
        same = key.items[: len(new)]
        if not same or tuple(item.text for item in same) != new[: len(same)]:
            return None
        last = same[-1]
        added = [self.write(text, "") for text in new[len(same) :]]
        if not key.is_block:
            return last.end, key.items[-1].end, "".join(f", {text}" for text in added)
        dash = self.text[self._line_start(last.start) : last.start]
        at = _line_end(self.text, last.end).start()
        lines = _LINE_END.split(self.text[at : key.value_end])
        kept = [*(line for line in lines if line.lstrip().startswith("#")), *(dash + text for text in added)]
        return at, key.value_end, "".join(f"{self.end}{line}" for line in kept)

    def _value(self, key: _Key, value: Value) -> str:
        if key.is_block and isinstance(value, tuple) and value:
            return self._block_list(key, value)
        text = self.write(value, key.style)
        gap = "" if self.text[key.value_start - 1 : key.value_start] in (" ", "\t") else " "
        # `tags:` and its items on lines of their own become `tags: []`.
        old = "" if key.is_block else self.text[key.value_start : key.value_end]
        ends = _LINE_END.search(old, len(old.rstrip("\r\n")))
        return f"{gap}{text}{ends[0] if ends else ''}"

    def _block_list(self, key: _Key, value: Iterable[str]) -> str:
        """One item a line; those that stay are written as they were, with what follows them in their line."""
        line = self._line_start(key.items[0].start)
        indent = self.text[line : self.text.index("-", line)]
        known = {item.text: self.text[item.start : _line_end(self.text, item.start).start()] for item in key.items}
        lines = [known[text] if text in known else self.write(text, "") for text in value]
        lead = self.text[key.value_start : line] + indent
        return lead + f"{self.end}{indent}".join(f"- {text}" for text in lines)


def _keys(block: str) -> Iterator[_Key]:
    """The keys of the top level, in their order.

    Raises:
        ValueError: the front matter is one `{...}`, or not a mapping.
    """
    events = yaml.parse(block, Loader=yaml.SafeLoader)
    for event in events:
        if isinstance(event, yaml.MappingStartEvent):
            if event.flow_style:
                raise ValueError("a flow mapping")
            break
        if isinstance(event, yaml.NodeEvent):
            raise ValueError("no mapping")
    for event in events:
        if not isinstance(event, yaml.ScalarEvent):
            return
        yield _key(block, event, next(events), events)


def _key(block: str, key: yaml.ScalarEvent, value: yaml.Event, events: Iterator[yaml.Event]) -> _Key:
    (begins, ends), (start, stop) = _span(key), _span(value)
    if not isinstance(value, yaml.CollectionStartEvent):
        return _Key(key.value, begins, start, stop, getattr(value, "style", None) or "")
    leaves, end = _inside(events)
    last = _span(leaves[-1][1])[1] if leaves else stop
    items = tuple(
        _Item(event.value, *_span(event))
        for depth, event in leaves
        if depth == 1 and isinstance(event, yaml.ScalarEvent)
    )
    if value.flow_style:
        # Only of a list: of a mapping in one line, nothing is changed.
        return _Key(key.value, begins, start, _span(end)[1], items=items * isinstance(value, yaml.SequenceStartEvent))
    if not items or not isinstance(value, yaml.SequenceStartEvent):
        return _Key(key.value, begins, start, last)
    # From behind the colon to the end of the last item's line, comments included.
    return _Key(key.value, begins, ends + 1, _line_end(block, last).start(), items=items, is_block=True)


def _line_end(text: str, at: int) -> re.Match[str]:
    found = _LINE_END.search(text, at)
    assert found is not None
    return found


def _inside(events: Iterator[yaml.Event]) -> tuple[list[tuple[int, yaml.NodeEvent]], yaml.Event]:
    """The texts and aliases in a collection, each with its depth in it, and the event of its end."""
    depth = 1
    leaves = []
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.NodeEvent):
            leaves.append((depth, event))
        else:
            depth -= 1
        if depth == 0:
            break
    return leaves, event


def _span(event: yaml.Event) -> tuple[int, int]:
    start, end = event.start_mark, event.end_mark
    assert start is not None and end is not None
    return int(start.index), int(end.index)


def _says(before: str, after: str, edits: Mapping[str, Edit]) -> bool:
    """Whether the edited front matter has the new values, and all others as they were."""
    values = {key: edit for key, edit in edits.items() if not isinstance(edit, Both)}
    if len(values) < len(edits):
        return True
    old, new = take_apart(before).front, take_apart(after).front
    if new.problems and not old.problems:
        return False
    return _others(old, edits) == _others(new, edits) and all(holds(new.get(key), values[key]) for key in values)


def _others(front: Mapping[str, Entry], edits: Mapping[str, Edit]) -> list[tuple[object, ...]]:
    """What the keys say that are not edited."""
    return [(key, entry.tag, entry.text, _texts(entry)) for key, entry in front.items() if key not in edits]
