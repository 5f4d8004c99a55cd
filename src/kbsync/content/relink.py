"""A file's links, written for another place: each leads where it led, in the style that its writer used. Pure.

What a link says after its path (`?…`, `#…`) stays as it is written, and so do the folders and the file name at its end
that the new path shares with the old one. The new text is parsed again: what does not lead where it should is an error.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import quote, unquote

from kbsync.content.body import BOM, spliced
from kbsync.content.parse import SCHEME, parse_source
from kbsync.content.source import PICTURES, Link, Source
from kbsync.errors import ContentError
from kbsync.markdown.entities import ENTITY, decode

Where = Callable[[str], str]
"""Where a path of the tree is from now on."""

READABLE = "!$&'()*+,;=:@~"
"""Characters that a path may have in a link as they are."""

ENCODED_LETTERS = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")
"""A letter beyond ASCII, percent-encoded."""

PATH_END = re.compile(r"[#?]")


class Relinked(NamedTuple):
    """A file's text with links for its new place, and how many of them changed."""

    text: str
    links: int


def relink(source: Source, data: bytes, path: str, where: Where, exists: Callable[[str], bool]) -> Relinked:
    """The text of a file whose links lead where they led.

    Args:
        source: what was read of the file, under its old path.
        data: the file's bytes, the same that were read.
        path: where the file is from now on.
        where: where each path of the tree is from now on.
        exists: whether something was at a path.

    Raises:
        ContentError: a link cannot be written so that it leads there.
    """
    text = data.decode("utf-8")
    start = source.body_start + (1 if text.startswith(BOM) else 0)
    head, body = text[:start], text[start:]
    edits = list(_edits(source, body, path, where, exists))
    for written in (_as_written, _all_encoded):
        pieces = sorted((link.start, link.end, written(body, link, target, path)) for link, target in edits)
        new = head + spliced(body, pieces)
        if not edits or _leads_there(source, new, path, dict(edits)):
            return Relinked(new, len(edits))
    line = edits[0][0].line
    raise ContentError(
        f"{source.path}: the links from line {line} on cannot be changed automatically. Nothing was moved.",
        hint="Write them in the form `[words](path)`, and run the command again.",
    )


def _edits(
    source: Source, body: str, path: str, where: Where, exists: Callable[[str], bool]
) -> Iterator[tuple[Link, str]]:
    """The links that must be written in another way, each with the path that it leads to."""
    folder = folder_of(path)
    has_moved = folder != folder_of(source.path)
    for link in source.links:
        target = where(link.target)
        if not has_moved and target == link.target:
            continue
        raw = body[link.start : link.end]
        # A word that only looks like a path, such as `www.example.com`, leads nowhere from any folder.
        if target == link.target and not exists(target) and not _is_path(target, raw):
            continue
        if joined(folder, _path_in(raw)) != target or _is_detour(link, raw, source.path, relative_path(target, folder)):
            yield link, target


def _is_detour(link: Link, raw: str, old: str, shortest: list[str]) -> bool:
    """Whether a link that took the shortest way does not from its new place, as `../billing/` in `billing`."""
    written = [unquote(decode(part)) for part in _path_in(raw).split("/") if part not in {"", "."}] or ["."]
    return written == relative_path(link.target, folder_of(old)) != shortest


def _is_path(target: str, raw: str) -> bool:
    return target.lower().endswith((".md", *PICTURES)) or raw.startswith(("./", "../"))


def folder_of(path: str) -> str:
    """The folder of a file of the tree, "" for the root."""
    return path.rpartition("/")[0]


def joined(folder: str, written: str) -> str:
    """The path of the tree that a link means, as `parse.py` reads it."""
    return posixpath.normpath(posixpath.join(folder, unquote(decode(written))))


def relative_path(target: str, folder: str) -> list[str]:
    """The steps from a folder of the tree to a path of it."""
    to = [part for part in target.split("/") if part not in {"", "."}]
    here = [part for part in folder.split("/") if part]
    common = 0
    while common < min(len(to), len(here)) and to[common] == here[common]:
        common += 1
    return [".."] * (len(here) - common) + to[common:] or ["."]


def _split(raw: str) -> int:
    """Where the path of a destination ends, as it is written: before its `?` or `#`."""
    whole = decode(raw)
    for found in PATH_END.finditer(raw):
        at = found.start()
        before, after = decode(raw[:at]), decode(raw[at:])
        if before + after == whole and not PATH_END.search(before) and after[:1] == found[0]:
            return at
    return len(raw)


def _path_in(raw: str) -> str:
    return raw[: _split(raw)]


def _as_written(body: str, link: Link, target: str, path: str) -> str:
    """The destination in the writer's style: what stays of the path is repeated, and the rest is encoded alike."""
    raw = body[link.start : link.end]
    at = _split(raw)
    written, rest = raw[:at], raw[at:]
    slash = "/" if written.endswith("/") else ""
    old = [part for part in written.split("/") if part not in {"", "."}]
    # `./` alone is the file's own folder, and no way of writing.
    dot = "./" if written.startswith("./") and old else ""
    new = relative_path(target, folder_of(path))
    same = len([*takewhile(lambda both: _means(*both), zip(reversed(old), reversed(new), strict=False))])
    if dot and new == ["."]:
        return dot + raw[at:]
    is_angled = body[link.start - 1 : link.start] == "<" and body[link.end : link.end + 1] == ">"
    letters = bool(ENCODED_LETTERS.search(raw))
    first = [_encoded(part, spaces=is_angled, letters=letters) for part in new[: len(new) - same]]
    return _without_scheme(dot + "/".join([*first, *old[len(old) - same :]]) + slash) + rest


def _means(written: str, part: str) -> bool:
    return written != ".." and unquote(decode(written)) == part


def _all_encoded(body: str, link: Link, target: str, path: str) -> str:
    """The destination with everything encoded that could mean something."""
    raw = body[link.start : link.end]
    rest = raw[_split(raw) :]
    slash = "/" if _path_in(raw).endswith("/") else ""
    return "/".join(quote(part, safe="") for part in relative_path(target, folder_of(path))) + slash + rest


def _encoded(part: str, *, spaces: bool, letters: bool) -> str:
    """One folder or name in a destination.

    Args:
        part: its name.
        spaces: whether it is between angle brackets, where a space may be written.
        letters: whether letters beyond ASCII are encoded too.
    """
    safe = READABLE + (" " if spaces else "")
    written = "".join(
        letter if (not letter.isascii() and not letters and letter.isprintable()) else quote(letter, safe=safe)
        for letter in part
    )
    # Else it would be read as one character.
    written = ENTITY.sub(lambda found: "%26" + found[0][1:], written)
    return written if written.count("(") == written.count(")") else written.replace("(", "%28").replace(")", "%29")


def _without_scheme(destination: str) -> str:
    """`a:b.md` would be read as an address of its own."""
    first, slash, rest = destination.partition("/")
    return first.replace(":", "%3A") + slash + rest if SCHEME.match(destination) else destination


def _leads_there(source: Source, text: str, path: str, edits: dict[Link, str]) -> bool:
    """Whether the new text has the same links and headings, and the changed links lead to where they should."""
    after = parse_source(path, text.encode())
    if len(after.links) != len(source.links) or (after.anchors, after.title) != (source.anchors, source.title):
        return False
    return all(
        (new.kind, new.anchor, new.query) == (old.kind, old.anchor, old.query)
        and (old not in edits or new.target == edits[old])
        for old, new in zip(source.links, after.links, strict=True)
    )
