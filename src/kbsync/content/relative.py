"""A body as the portal holds it becomes one of a file: addresses of the portal are relative paths again.

The inverse of `compile.py`, and held to it: a destination is replaced only where compiling makes the very same text of
it again. Every other character stays.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from kbsync.content.body import Splice, body_of, spliced
from kbsync.content.compile import replacements_of
from kbsync.content.parse import MAX_SCANNED, parse_source
from kbsync.markdown.spans import scan

HEAD = "---\ntitle: x\n---\n"
"""Stands before a body that is read to see what it compiles to."""

MOST_TRIED = 100
"""Destinations that are tried one by one where all at once do not compile to the same."""


@dataclass(slots=True)
class Places:
    """Where pages and images of the portal are in the tree: the path by the address, and back."""

    pages: Mapping[str, str]
    images: dict[str, str] = field(default_factory=dict)
    address_of_page: Mapping[str, str] = field(default_factory=dict)
    address_of_image: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, address_of: Mapping[str, str]) -> Places:
        """From the public address of each page by its path; a folder has that of its category, and is not linked to."""
        pages = {address: path for path, address in address_of.items() if path.endswith(".md")}
        return cls(pages, address_of_page=address_of)

    def add_image(self, address: str, path: str) -> None:
        """An image is at a path. Of several addresses of one image the first is what it compiles to."""
        self.images[address] = path
        self.address_of_image.setdefault(path, address)


def to_relative(text: str, path: str, places: Places) -> str:
    """The body with relative paths.

    Args:
        text: as the portal holds it.
        path: of the file that it is for.
        places: what is where.
    """
    edits = list(_edits(text, path, places)) if len(text) <= MAX_SCANNED else []
    if not edits or _compiles_to(text, edits, path, places):
        return spliced(text, edits)
    alone = [edit for edit in edits[:MOST_TRIED] if _compiles_to(text, [edit], path, places)]
    return spliced(text, alone) if _compiles_to(text, alone, path, places) else text


def _edits(text: str, path: str, places: Places) -> Iterator[Splice]:
    folder = path.rpartition("/")[0]
    for target in scan(text).targets:
        # An autolink cannot have a relative destination.
        found = _relative(text[target.start : target.end], folder, places) if target.kind != "autolink" else ""
        if found:
            yield target.start, target.end, found


def _relative(written: str, folder: str, places: Places) -> str:
    """What is written instead of a destination; "" where it is nothing of the tree."""
    for address, rest in _cuts(written):
        found = places.pages.get(address) or places.images.get(address)
        if found:
            return quote(posixpath.relpath(found, folder or ".")) + rest
    return ""


def _cuts(written: str) -> Iterator[tuple[str, str]]:
    """A destination as address and what follows it."""
    yield written, ""
    for mark in "?#":
        head, found, rest = written.partition(mark)
        if found:
            yield head, found + rest


def _compiles_to(text: str, edits: Iterable[Splice], path: str, places: Places) -> bool:
    """Whether the text with these edits compiles to the text as it was."""
    data = (HEAD + spliced(text, edits)).encode()
    source = parse_source(path, data)
    replaced = replacements_of(source, places.address_of_page.get, places.address_of_image.get)
    return body_of(source, data, replaced) == text
