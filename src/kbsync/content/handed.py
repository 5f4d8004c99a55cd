"""The file of a translation that does not exist yet, and a file with the texts that somebody translated. Pure.

Also: what of an article is translated, and the git blob ids that a file may have. Pure.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from urllib.parse import quote

from kbsync.content.apart import joined, take_apart
from kbsync.content.body import BOM, Splice, body_of, spliced
from kbsync.content.front_edit import edit_front, set_value
from kbsync.content.images import git_id
from kbsync.content.parse import parse_source
from kbsync.content.post import dumps, new_post
from kbsync.content.source import Source
from kbsync.errors import ContentError

TRANSLATED_KEYS = ("title", "description", "meta_title", "meta_description")
"""The keys whose values are translated, beside the body. All others are the same for every language, or its own."""

ID_CHARS = 12
"""Characters of a blob id in `translated_from`."""


def translated_texts(path: str, data: bytes) -> dict[str, str]:
    """What is translated of a file, by field.

    The targets of links into the tree are left out: they follow when a file is moved.
    """
    source = parse_source(path, data)
    try:
        body = body_of(source, data, ((link, "") for link in source.links))
    except UnicodeDecodeError:
        return {}
    values = {name: getattr(source, name) or "" for name in TRANSLATED_KEYS}
    return {name: text for name, text in {**values, "content": body}.items() if text.strip()}


def blob_ids(data: bytes) -> tuple[str, ...]:
    """What git may call a file: with LF, as most repositories keep it, and as it is; with CRLF."""
    lf = data.replace(b"\r\n", b"\n")
    return tuple(dict.fromkeys(map(git_id, (lf, data, lf.replace(b"\n", b"\r\n")))))


def is_translated_from(source: Source, data: bytes) -> bool:
    """Whether a translation names just this file as what it renders."""
    named = source.translated_from
    return named is not None and any(oid.startswith(named) for oid in blob_ids(data))


COPIED_KEYS = ("position", "author", "tags")
"""What a translation has of its original, whatever its language."""


def prepared(original: Source, data: bytes, path: str, exists: Callable[[str], bool], *, paired: bool) -> str:
    """The original as a draft at the place of its translation, for somebody to write over.

    Args:
        original: what was read of the original.
        data: its bytes.
        path: of the translation.
        exists: whether there is a file, or will be.
        paired: whether the path alone says which original it has.
    """
    text = data.decode("utf-8").removeprefix(BOM)
    post = take_apart(text)
    values: dict[str, object] = {}
    for name in (*TRANSLATED_KEYS, *COPIED_KEYS):
        if name in post.front and (value := getattr(original, name)) is not None:
            values[name] = list(value) if isinstance(value, tuple) else value
    values["status"] = "draft"
    if not paired:
        values["translation_of"] = original.path
    return dumps(new_post(_relinked(original, post.body, path, exists), **values))


def _relinked(original: Source, body: str, path: str, exists: Callable[[str], bool]) -> str:
    """The body with links that lead to the same language where that is there, else to the original's."""
    here, there = posixpath.dirname(original.path), posixpath.dirname(path)
    edits: list[Splice] = []
    for link in original.links:
        wanted = posixpath.normpath(posixpath.join(there, posixpath.relpath(link.target, here or ".")))
        if not exists(wanted) and exists(link.target):
            target = quote(posixpath.relpath(link.target, there))
            query, anchor = (f"?{link.query}" if link.query else ""), (f"#{link.anchor}" if link.anchor else "")
            edits.append((link.start, link.end, target + query + anchor))
    return spliced(body, sorted(edits))


def with_translation(text: str, given: str, path: str) -> str:
    """A file with the texts of another: title, descriptions and body. All other keys stay as they are.

    Raises:
        ContentError: the front matter is written in a way that this cannot change.
    """
    new = take_apart(given)
    source = parse_source(path, given.encode(), body=False)
    for name in TRANSLATED_KEYS:
        value = getattr(source, name)
        front = take_apart(text).front
        if value is not None and (name not in front or front[name].text != value):
            text = set_value(text, name, value)
    return joined(take_apart(text).head, new.body)


def with_machine(text: str, *, on: bool) -> str:
    """A file with `machine: true`, or without the key.

    Raises:
        ContentError: the front matter is written in a way that this cannot change.
    """
    head, front, body = take_apart(text)
    # A key that is there goes first: what a program wrote is the last line.
    for value in [*([None] if "machine" in front else []), *([True] if on else [])]:
        edited = edit_front(head, {"machine": value})
        if edited is None:
            raise ContentError("kbsync cannot change `machine`.", hint="Write `machine: true` on a line of its own.")
        head = edited
    return head + body
