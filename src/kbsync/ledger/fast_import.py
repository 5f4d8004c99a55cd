"""A commit in the language of `git fast-import`."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Author:
    """Who a commit is by."""

    name: str
    email: str


def commit_stream(
    work: str, parent: str, changed: Mapping[str, bytes | None], message: str, author: Author
) -> Iterator[bytes]:
    """A commit on top of another one, "" for the first.

    Args:
        work: the ref that gets it.
        parent: the commit before it.
        changed: the new content of each file that changes; None for one that goes.
        message: as `git log` shows it.
        author: who it is by.
    """
    who = f"{_plain(author.name)} <{_plain(author.email)}> {int(time.time())} +0000"
    text = message.encode("utf-8", "replace")
    yield f"commit {work}\nauthor {who}\ncommitter {who}\ndata {len(text)}\n".encode() + text + b"\n"
    if parent:
        yield f"from {parent}\n".encode()
    for name, content in changed.items():
        if content is None:
            yield b"D " + _quoted(name) + b"\n"
        else:
            yield b"M 100644 inline " + _quoted(name) + f"\ndata {len(content)}\n".encode() + content + b"\n"
    yield b"\n"


def _quoted(name: str) -> bytes:
    """A path for `git fast-import`: whoever wrote the tree chose it, and it is no line of the language."""
    raw = name.encode("utf-8", "surrogateescape")
    return b'"' + b"".join(b"%c" % c if 32 <= c < 127 and c not in b'"\\' else b"\\%03o" % c for c in raw) + b'"'


def _plain(text: str) -> str:
    return re.sub(r"[<>\x00-\x1f\x7f]", "", text).strip() or "kbsync"
