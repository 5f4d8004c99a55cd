"""A file's bytes: their name, and the body that is sent of them. Needs no parser, and loads none."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from kbsync.content.source import Link, Source

CATEGORY_FILE = "_category.md"
BOM = "\ufeff"


def line_end_of(text: str) -> str:
    """How the lines of a text end: CRLF where it has one, a lone CR where it has no other, else LF."""
    return "\r\n" if "\r\n" in text else "\r" if "\r" in text and "\n" not in text else "\n"


def raw_digest(data: bytes) -> bytes:
    """Name a file's bytes."""
    return blake2b(data, digest_size=16).digest()


def readable(data: bytes) -> bytes:
    """The bytes of a file that is UTF-8, and none of another: a page can show nothing of it, and lint reports it."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return b""
    return data


def body_of(source: Source, data: bytes, replacements: Iterable[tuple[Link, str]] = ()) -> str:
    """The body as it is sent: everything after the front matter, less the title's heading, links replaced.

    Args:
        source: what was read of the file.
        data: the file's bytes, the same that were read.
        replacements: links of the source and the address that each shall have, percent-encoded.
    """
    body = data.decode("utf-8").removeprefix(BOM)[source.body_start :]
    return spliced(body, sorted([(*source.title_span, ""), *((link.start, link.end, to) for link, to in replacements)]))


Splice = tuple[int, int, str]
"""What to put in the place of the characters from one place to another."""


def spliced(text: str, edits: Iterable[Splice]) -> str:
    """A text after edits that do not touch each other, in its order."""
    pieces: list[str] = []
    at = 0
    for start, end, new in edits:
        pieces += (text[at:start], new)
        at = end
    return "".join((*pieces, text[at:]))
