"""Changes one key of a file's front matter, and no other byte. Pure.

A key that is added becomes the last line. Only such a line, as it would be added, is taken out again: so adding and
taking out are each other's opposite. What was changed is read again, and everything else must mean what it meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kbsync.content.body import BOM
from kbsync.content.frontmatter import Entry, FrontMatter
from kbsync.content.post import HANDLER, SourcePost, read_post
from kbsync.errors import ContentError

LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
WORDS_OF_YAML = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
VALUE = re.compile(
    r"""(?P<before>[^:]*:[ \t]+)(?P<value>"[^"\\]*"|'[^']*'|[^"'#\[{&*!|>\s][^\r\n]*?)(?P<after>[ \t]+#.*|[ \t]*)"""
)
FLOW_LIST = re.compile(
    r"""(?P<before>[^:]*:[ \t]+\[)(?P<items>(?:"[^"\\]*"|'[^']*'|[^\]\[#"'])*+)(?P<after>\][ \t]*(?:#.*)?)"""
)
ITEM = re.compile(r"[ \t]*-[ \t]+")


def set_value(text: str, key: str, value: str) -> str:
    """The text of a file with another value of a key, which it may not have yet.

    Raises:
        ContentError: the front matter is written in a way that this cannot change.
    """
    post = read_post(text)
    if key not in post.front:
        return _add_line(text, post, key, scalar(value))
    lines, at = _lines_of(post, post.front[key])
    found = VALUE.fullmatch(lines[at].rstrip("\r\n")) if at < len(lines) else None
    if found is None:
        raise _refused(key, value)
    quoted = _quoted_like(found["value"], value)
    lines[at] = f"{found['before']}{quoted}{found['after']}{_end_of(lines[at])}"
    return _checked(text, post, lines, key, (value,))


def remove_value(text: str, key: str) -> str:
    """The text without a key, if that is the last line of the front matter, as `set_value` adds it; else as it is."""
    post = read_post(text)
    entry = post.front.get(key)
    return _without_last_line(text, post, key, scalar(entry.text)) if entry and entry.tag == "str" else text


def add_item(text: str, key: str, item: str) -> str:
    """The text with one more item at the end of a list, unless that has it.

    Raises:
        ContentError: the list is written in a way that this cannot change.
    """
    post = read_post(text)
    entry = post.front.get(key)
    if entry is None:
        return _add_line(text, post, key, f"[{scalar(item)}]")
    items = [part.text for part in entry.items]
    if item in items:
        return text
    lines, at = _lines_of(post, entry)
    found = FLOW_LIST.fullmatch(lines[at].rstrip("\r\n")) if at < len(lines) else None
    if entry.tag == "list" and found is not None:
        before = f"{found['items']}, " if found["items"].strip() else ""
        lines[at] = f"{found['before']}{before}{scalar(item)}{found['after']}{_end_of(lines[at])}"
    elif entry.tag == "list" and entry.items:
        lines = _with_item(lines, entry.items[-1], item, key)
    else:
        raise _refused(key, item)
    return _checked(text, post, lines, key, (*items, item))


def remove_last_item(text: str, key: str, item: str) -> str:
    """The text without the last item of a list, if that is this one; the key goes with its only item, if it was added.

    As it is where that cannot be done.
    """
    post = read_post(text)
    entry = post.front.get(key)
    if entry is None or not entry.items or entry.items[-1].text != item:
        return text
    if len(entry.items) == 1:
        without = _without_last_line(text, post, key, f"[{scalar(item)}]")
        if without != text:
            return without
    items = tuple(part.text for part in entry.items[:-1])
    lines, at = _lines_of(post, entry)
    found = FLOW_LIST.fullmatch(lines[at].rstrip("\r\n")) if at < len(lines) else None
    written = scalar(item)
    if found is not None and found["items"].endswith(written):
        rest = found["items"].removesuffix(written)
        if rest.strip() and not rest.endswith(", "):
            return text
        lines[at] = f"{found['before']}{rest.removesuffix(', ')}{found['after']}{_end_of(lines[at])}"
    elif items and (last := entry.items[-1].place.line - 2) < len(lines) and _is_item(lines[last], written):
        del lines[last]
    else:
        return text
    return _checked(text, post, lines, key, items)


def scalar(value: str) -> str:
    """A text as YAML, also inside `[…]`."""
    if PLAIN.fullmatch(value) and value.lower() not in WORDS_OF_YAML:
        return value
    return HANDLER.export({"x": value}, default_style='"').partition(": ")[2]


def _is_item(line: str, written: str) -> bool:
    found = ITEM.match(line)
    return found is not None and line[found.end() :].rstrip("\r\n") == written


def _with_item(lines: list[str], last: Entry, item: str, key: str) -> list[str]:
    at = last.place.line - 2
    found = ITEM.match(lines[at]) if at < len(lines) else None
    if found is None or found.end() != last.place.column - 1:
        raise _refused(key, item)
    return [*lines[: at + 1], f"{found[0]}{scalar(item)}{_end_of(lines[at])}", *lines[at + 1 :]]


def _lines_of(post: SourcePost, entry: Entry) -> tuple[list[str], int]:
    """The lines between the two `---`, and which of them has a key."""
    block = LINES.findall(post.head)[1:-1]
    return block, entry.place.line - 2


def _end_of(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _add_line(text: str, post: SourcePost, key: str, written: str) -> str:
    lines = LINES.findall(post.head)
    if len(lines) < 2:
        mark = BOM if text.startswith(BOM) else ""
        end = "\r\n" if "\r\n" in text else "\n"
        return f"{mark}---{end}{key}: {written}{end}---{end}{text.removeprefix(mark)}"
    first = next(iter(post.front.values()), None)
    indent = " " * (first.place.column - 1) if first else ""
    line = f"{indent}{key}: {written}{_end_of(lines[0])}"
    return _checked(text, post, [*lines[1:-1], line], key, None)


def _without_last_line(text: str, post: SourcePost, key: str, written: str) -> str:
    lines = LINES.findall(post.head)
    if len(lines) < 3 or lines[-2].strip(" \r\n") != f"{key}: {written}":
        return text
    if len(post.front) == 1 and len(lines) == 3:
        mark = BOM if text.startswith(BOM) else ""
        return mark + post.content
    return _checked(text, post, lines[1:-2], key, ())


def _checked(text: str, post: SourcePost, lines: Sequence[str], key: str, values: Sequence[str] | None) -> str:
    """The text with other lines of front matter, if this key has the values then, and all others what they had."""
    all_lines = LINES.findall(post.head)
    new = "".join((all_lines[0], *lines, all_lines[-1])) + post.content
    after = read_post(new)
    if after.content != post.content or after.front.problems or _others(after.front, key) != _others(post.front, key):
        raise _refused(key, values[-1] if values else "")
    if values is not None and _values(after.front, key) != tuple(values):
        raise _refused(key, values[-1] if values else "")
    return new


def _others(front: FrontMatter, key: str) -> list[object]:
    return [(name, e.tag, e.text, [(i.tag, i.text) for i in e.items]) for name, e in front.items() if name != key]


def _values(front: FrontMatter, key: str) -> tuple[str, ...]:
    entry = front.get(key)
    if entry is None:
        return ()
    return tuple(item.text for item in entry.items) if entry.tag == "list" else (entry.text,)


def _quoted_like(written: str, value: str) -> str:
    if written.startswith("'") and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if written.startswith('"') and value.isprintable() and not {'"', "\\"} & set(value):
        return f'"{value}"'
    return scalar(value)


def _refused(key: str, value: str) -> ContentError:
    return ContentError(
        f"The front matter is written in a way in which kbsync cannot change `{key}`. Nothing was moved.",
        hint=f"Write `{key}: …` on a line of its own, and run the command again.",
    )
