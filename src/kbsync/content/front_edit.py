"""Changes one key of a file's front matter, so that it can be taken back to the byte. Pure.

A key that is added becomes the last line, an item the last of its list. A key or an item is taken out again only where
adding it gives the very same text: so adding and taking out are each other's opposite. `front_edits.py` edits.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kbsync.content.body import BOM
from kbsync.content.front_edits import edit_front
from kbsync.content.post import HANDLER, read_post
from kbsync.errors import ContentError
from kbsync.model import Value

LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
WORDS_OF_YAML = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def set_value(text: str, key: str, value: str) -> str:
    """The text of a file with another value of a key, which it may not have yet.

    Raises:
        ContentError: the front matter is written in a way that this cannot change.
    """
    return _edited(text, key, value)


def remove_value(text: str, key: str) -> str:
    """The text without a key, if that is as `set_value` adds it; else as it is."""
    entry = read_post(text).front.get(key)
    if entry is None or entry.tag != "str":
        return text
    without = _without(text, key)
    return without if without is not None and _again(set_value, without, key, entry.text) == text else text


def add_item(text: str, key: str, item: str) -> str:
    """The text with one more item at the end of a list, unless that has it.

    Raises:
        ContentError: the list is written in a way that this cannot change.
    """
    entry = read_post(text).front.get(key)
    items = tuple(part.text for part in entry.items) if entry is not None else ()
    if entry is not None and entry.tag != "list":
        raise _refused(key, item)
    return text if item in items else _edited(text, key, (*items, item))


def remove_last_item(text: str, key: str, item: str) -> str:
    """The text without the last item of a list, if that is this one; the key goes with its only item, if it was added.

    As it is where adding the item would not give the same text.
    """
    entry = read_post(text).front.get(key)
    if entry is None or not entry.items or entry.items[-1].text != item:
        return text
    items = tuple(part.text for part in entry.items[:-1])
    for without in (_without(text, key) if not items else None, _with_value(text, key, items)):
        if without is not None and _again(add_item, without, key, item) == text:
            return without
    return text


def scalar(value: str) -> str:
    """A text as YAML, also inside `[…]`."""
    if PLAIN.fullmatch(value) and value.lower() not in WORDS_OF_YAML:
        return value
    return HANDLER.export({"x": value}, default_style='"').partition(": ")[2]


def _written(value: Value, style: str) -> str:
    """A value quoted as the old one was, or as it must be everywhere, also inside `[…]`."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(scalar, value))}]"
    text = str(value)
    if style == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    if style == '"' and text.isprintable() and not {'"', "\\"} & set(text):
        return f'"{text}"'
    return scalar(text)


def _with_value(text: str, key: str, value: Value) -> str | None:
    """The text with a value of a key; None where the front matter cannot be edited."""
    post = read_post(text)
    if post.front.problems:
        return None
    end = "\r\n" if "\r\n" in text else "\n"
    head = post.head if post.head not in ("", BOM) else f"{post.head}---{end}---{end}"
    edited = edit_front(head, {key: value}, _written)
    return None if edited is None else edited + post.content


def _edited(text: str, key: str, value: Value) -> str:
    edited = _with_value(text, key, value)
    if edited is None:
        raise _refused(key, value[-1] if isinstance(value, tuple) else str(value))
    return edited


def _without(text: str, key: str) -> str | None:
    """The text without a key; a front matter that had no other goes too."""
    if len(read_post(text).front) > 1:
        return _with_value(text, key, None)
    return (BOM if text.startswith(BOM) else "") + read_post(text).content


def _again(add: Callable[[str, str, str], str], text: str, key: str, value: str) -> str:
    """The text with what was taken out; "" where that cannot be added."""
    try:
        return add(text, key, value)
    except ContentError:
        return ""


def _refused(key: str, value: str) -> ContentError:
    return ContentError(
        f"The front matter is written in a way in which kbsync cannot change `{key}`. Nothing was moved.",
        hint=f"Write `{key}: …` on a line of its own, and run the command again.",
    )
