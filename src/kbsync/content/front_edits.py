"""Puts other values into a front matter; every other character of it stays: order, comments, quoting, line ends.

Whatever changes a key of a file comes through here; `front_edit.py` has the changes that can be taken back to the byte.
What is edited is read again. Where the result does not say exactly what it should, nothing is edited (None).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import yaml

from kbsync.content.apart import OPENING
from kbsync.content.entries import Entry
from kbsync.content.post import HANDLER, read_post
from kbsync.model import Value

QUOTES = {"'": "'", '"': '"'}
"""Styles of a value that are kept."""

_LINE_END = re.compile(r"\r\n|\n|\r|\Z")


@dataclass(frozen=True, slots=True)
class Both:
    """Two values of a key, between conflict markers. `is_ours`: the file gives the one."""

    theirs: Value
    ours_name: str
    theirs_name: str


Edit = Value | Both
"""A key's new value; None takes the key away."""

Write = Callable[[Value, str], str]
"""Writes a value on one line, if it can in the style that the old one had: `'`, `"` or "" for none."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A key as it is written: places in the YAML, and how its value is written; of a list each item with its places."""

    key: str
    start: int
    value_start: int
    value_end: int
    style: str
    is_block_list: bool = False
    items: tuple[tuple[str, int, int], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The items of a list."""
        return tuple(text for text, _, _ in self.items)


def edit_front(head: str, edits: Mapping[str, Edit], write: Write | None = None) -> str | None:
    """The text before a body with other values.

    Args:
        head: BOM, front matter and its two lines; "" where a file has none.
        edits: by key.
        write: how values are written; None: as YAML writes them (`inline`).

    Returns:
        None where the front matter is written in a way that cannot be edited.
    """
    opening = OPENING.match(head)
    end = "\r\n" if "\r\n" in head else "\n"
    if opening is None:
        head = f"{head}---{end}---{end}"
        opening = OPENING.match(head)
        assert opening is not None
    try:
        block = HANDLER.split(head)[0]
        written = {item.key: item for item in _written(block)}
    except (yaml.YAMLError, ValueError):
        return None
    pieces = sorted(_pieces(block, written, edits, end, write or inline), reverse=True)
    edited = block
    for start, stop, text in pieces:
        edited = edited[:start] + text + edited[stop:]
    result = head[: opening.end()] + edited + head[opening.end() + len(block) :]
    return result if _says(head, result, edits) else None


def _pieces(
    block: str, written: Mapping[str, _Written], edits: Mapping[str, Edit], end: str, write: Write
) -> Iterator[tuple[int, int, str]]:
    added = ""
    first = min((item.start for item in written.values()), default=0)
    indent = block[_line_start(block, first) : first]
    for key, edit in edits.items():
        there = written.get(key)
        if there is None:
            added += _new_lines(key, edit, end, indent, write)
        elif edit is None or isinstance(edit, Both):
            start, stop = _lines(block, there)
            yield start, stop, _marked(block[start:stop], key, edit, end) if edit is not None else ""
        else:
            yield _longer_or_shorter(block, there, edit, end, write) or (
                there.value_start,
                there.value_end,
                _value(block, there, edit, end, write),
            )
    if added:
        gap = end if block and not block.endswith(("\n", "\r")) else ""
        yield len(block), len(block), gap + added


def _new_lines(key: str, edit: Edit, end: str, indent: str, write: Write) -> str:
    if edit is None:
        return ""
    if isinstance(edit, Both):
        return _marked("", key, edit, end)
    return f"{indent}{key}: {write(edit, '')}{end}"


def _marked(lines: str, key: str, edit: Both, end: str) -> str:
    theirs = "" if edit.theirs is None else f"{key}: {inline(edit.theirs)}{end}"
    gap = end if lines and not lines.endswith(("\n", "\r")) else ""
    return f"<<<<<<< {edit.ours_name}{end}{lines}{gap}======={end}{theirs}>>>>>>> {edit.theirs_name}{end}"


def _lines(block: str, there: _Written) -> tuple[int, int]:
    """The whole lines of a key."""
    start = _line_start(block, there.start)
    stop = there.value_end
    if stop and block[stop - 1] in "\r\n":
        return start, stop
    found = _LINE_END.search(block, stop)
    return start, found.end() if found else len(block)


def _line_start(block: str, at: int) -> int:
    return max(block.rfind("\n", 0, at), block.rfind("\r", 0, at)) + 1


def _longer_or_shorter(
    block: str, there: _Written, value: Value, end: str, write: Write
) -> tuple[int, int, str] | None:
    """A list with more items at its end, or fewer: what stays of it is not touched, with all comments in between."""
    old, new = there.texts, value if isinstance(value, tuple) else ()
    if not old or not new or old[: len(new)] != new[: len(old)]:
        return None
    last = there.items[min(len(old), len(new)) - 1]
    if not there.is_block_list:
        return last[2], there.items[-1][2], "".join(f", {write(text, '')}" for text in new[len(old) :])
    dash = block[_line_start(block, last[1]) : last[1]]
    at = last[2] + len(_rest_of_line(block, last[2]))
    comments = [line for line in _LINE_END.split(block[at : there.value_end]) if line.lstrip().startswith("#")]
    lines = [*comments, *(dash + write(text, "") for text in new[len(old) :])]
    return at, there.value_end, "".join(f"{end}{line}" for line in lines)


def _value(block: str, there: _Written, value: Value, end: str, write: Write) -> str:
    old = block[there.value_start : there.value_end]
    if there.is_block_list and isinstance(value, tuple) and value:
        return _block_list(block, there, value, end, write)
    text = write(value, there.style)
    gap = "" if block[there.value_start - 1 : there.value_start] in (" ", "\t") else " "
    if there.is_block_list:
        # `tags:` and its items on lines of their own become `tags: []`.
        return f"{gap}{text}"
    ends = _LINE_END.search(old, len(old.rstrip("\r\n"))) if old.endswith(("\n", "\r")) else None
    return f"{gap}{text}{ends[0] if ends else ''}"


def _block_list(block: str, there: _Written, value: Iterable[str], end: str, write: Write) -> str:
    """One item a line; those that stay are written as they were, with what follows them in their line."""
    start = there.items[0][1] if there.items else there.value_start
    line = _line_start(block, start)
    indent = block[line : block.index("-", line)]
    known = {text: _rest_of_line(block, at) for text, at, _ in there.items}
    lines = [known[text] if text in known else write(text, "") for text in value]
    lead = block[there.value_start : line] + indent
    return lead + f"{end}{indent}".join(f"- {text}" for text in lines)


def _rest_of_line(block: str, at: int) -> str:
    found = _LINE_END.search(block, at)
    return block[at : found.start()] if found else block[at:]


def inline(value: Value, style: str = "") -> str:
    """A value on one line, quoted as the old one was, or as it must be.

    Some characters cannot be read again in the way the YAML library writes them without quotes.
    """
    options: dict[str, object] = {"default_flow_style": True} if isinstance(value, tuple) else {}
    # libyaml spells what is beyond the first 65,536 characters, such as an emoji, in numbers.
    plain = _exported(value, Dumper=yaml.SafeDumper, **options)
    texts = (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()
    if isinstance(value, str) and style in QUOTES and value.isprintable():
        return _exported(value, Dumper=yaml.SafeDumper, default_style=style)
    if all(text.isprintable() for text in texts):
        return plain
    return _exported(value, default_style='"', **options)


def _exported(value: Value, **options: object) -> str:
    given = list(value) if isinstance(value, tuple) else value
    text = HANDLER.export({"k": given}, **options)
    # `{k: [a, b]}` in flow style, `"k": "a"` where all is quoted, else `k: a`.
    text = text.strip() if not options.get("default_flow_style") else text.strip().removeprefix("{").removesuffix("}")
    return text.partition(": ")[2]


def _written(block: str) -> Iterator[_Written]:
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
        if isinstance(event, yaml.ScalarEvent | yaml.SequenceStartEvent | yaml.AliasEvent):
            raise ValueError("no mapping")
    for event in events:
        if not isinstance(event, yaml.ScalarEvent):
            return
        yield _one(block, event, next(events), events)


def _one(block: str, key: yaml.ScalarEvent, value: yaml.Event, events: Iterator[yaml.Event]) -> _Written:
    (begins, ends), (start, stop) = _span(key), _span(value)
    name = str(key.value)
    if isinstance(value, yaml.ScalarEvent):
        return _Written(name, begins, start, stop, value.style or "")
    if isinstance(value, yaml.AliasEvent):
        return _Written(name, begins, start, stop, "")
    items: list[tuple[str, int, int]] = []
    is_flow = isinstance(value, yaml.CollectionStartEvent) and bool(value.flow_style)
    depth, last = 1, stop
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            if depth == 0:
                last = _span(event)[1] if is_flow else last
                break
        else:
            last = _span(event)[1]
            if depth == 1 and isinstance(event, yaml.ScalarEvent):
                items.append((str(event.value), *_span(event)))
    if is_flow or not items:
        is_list = isinstance(value, yaml.SequenceStartEvent)
        return _Written(name, begins, start, last, "", items=tuple(items) if is_list else ())
    # From behind the colon to the end of the last item's line, comments included.
    found = _LINE_END.search(block, last)
    return _Written(name, begins, ends + 1, found.start() if found else last, "", True, tuple(items))


def _span(event: yaml.Event) -> tuple[int, int]:
    start, end = event.start_mark, event.end_mark
    if start is None or end is None:
        raise ValueError("a place that is not known")
    return int(start.index), int(end.index)


def _says(before: str, after: str, edits: Mapping[str, Edit]) -> bool:
    """Whether the edited front matter has the new values, and all others as they were."""
    if any(isinstance(edit, Both) for edit in edits.values()):
        return True
    old, new = read_post(before + "x").front, read_post(after + "x").front
    if new.problems and not old.problems:
        return False
    for key, edit in edits.items():
        if not _holds(new.get(key), edit):
            return False
    return all(_same(old[key], new.get(key)) for key in old if key not in edits) and not (
        new.keys() - old.keys() - edits.keys()
    )


def _same(one: Entry, other: Entry | None) -> bool:
    def parts(entry: Entry) -> tuple[object, ...]:
        return entry.tag, entry.text, tuple(item.text for item in entry.items)

    return other is not None and parts(one) == parts(other)


def _holds(entry: Entry | None, value: Edit) -> bool:
    if value is None or entry is None:
        return value is None and entry is None
    if isinstance(value, tuple):
        return entry.tag == "list" and tuple(item.text for item in entry.items) == value
    return entry.text == str(value) and entry.tag == ("int" if isinstance(value, int) else "str")
