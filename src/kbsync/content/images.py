"""The local images that sources show: what they are, and what each becomes in a body.

An image is named by its content: git's own id of these bytes, the beginning of which is part of the name under which
it is uploaded. So a fresh runner recognises in what the portal holds what was uploaded before, and an older commit
says without reading it whether it had the same one.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote

import msgspec

from kbsync.content.dimensions import dimensions_of
from kbsync.content.scan_cache import RACY_NS
from kbsync.content.walk import Stamp
from kbsync.errors import ContentError
from kbsync.files import read_within
from kbsync.markdown.uploaded import NAME_CHARS, SUFFIXES, image_name
from kbsync.memory import Kind, Memory

SVG = "image/svg+xml"
MAGIC = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"....ftypavi[fs]", re.DOTALL), "image/avif"),
)
"""What a browser shows, by its first bytes. The service sniffs too. SVG is text: `_is_svg`.

Source: docs/service.md, section 5.
"""

SVG_HEAD_BYTES = 65_536
"""How far into a text the tag of an SVG is looked for."""

_BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"\s*+")
_SVG_TAG = re.compile(rb"<svg[\s>]")
_BEFORE_SVG = ((b"<?xml", b">"), (b"<!--", b"-->"), (b"<!DOCTYPE", b">"))
"""What may come before the first tag of an SVG, by how it begins and ends."""

MAX_BYTES = 100_000_000
"""Files beyond this are not looked into, whatever kbsync.toml allows."""

UNREAD = "?"
"""The media type of a file that was not opened."""


class Image(msgspec.Struct, frozen=True, array_like=True):
    """One file that an article shows. `kind` is its media type, "" for no image; `width` and `height` are pixels,
    0 where that is not known."""

    path: str
    id: str
    size: int
    kind: str
    width: int = 0
    height: int = 0

    @property
    def key(self) -> str:
        """What of its id is in its name."""
        return self.id[:NAME_CHARS]

    @property
    def upload_name(self) -> str:
        """The name under which it is uploaded: what it is called here, and what is in it."""
        stem = re.sub(r"[^a-z0-9]+", "-", posixpath.splitext(posixpath.basename(self.path))[0].lower()).strip("-")
        return f"{stem[:60] or 'picture'}-{self.key}{SUFFIXES.get(self.kind, '')}"


def git_id(data: bytes) -> str:
    """What git calls these bytes, in a repository of the usual kind."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def look_at(path: str, data: bytes) -> Image:
    """What a file is, by its bytes."""
    kind = next((kind for magic, kind in MAGIC if magic.match(data)), SVG if _is_svg(data) else "")
    width, height = dimensions_of(data) if kind else (0, 0)
    return Image(path, git_id(data), len(data), kind, width, height)


def _is_svg(data: bytes) -> bool:
    """Whether the first tag of a text is `<svg`. Each byte is looked at once, however many comments there are."""
    data = data[:SVG_HEAD_BYTES]
    at = _skip_space(data, len(_BOM) if data.startswith(_BOM) else 0)
    while not _SVG_TAG.match(data, at):
        end = next((end for begin, end in _BEFORE_SVG if data.startswith(begin, at)), b"")
        found = data.find(end, at) if end else -1
        if found < 0:
            return False
        at = _skip_space(data, found + len(end))
    return True


def _skip_space(data: bytes, at: int) -> int:
    blanks = _SPACE.match(data, at)
    return blanks.end() if blanks else at


class Images(msgspec.Struct, frozen=True):
    """The images of one tree, by path, and what each becomes in a body.

    Args:
        root: the content root.
        by_path: the images that sources show.
        base_url: where they are published otherwise (`[assets] base_url`); "" where they are uploaded.
        can_upload: whether the service takes them.
        hosted: where the service has those that the panel uploaded, by id (`hosted.py`).
    """

    root: Path
    by_path: Mapping[str, Image] = msgspec.field(default_factory=dict)
    base_url: str = ""
    can_upload: bool = False
    hosted: Mapping[str, str] = msgspec.field(default_factory=dict)

    def uploaded(self, path: str) -> Image | None:
        """The image at a path where it is uploaded; None where it is published otherwise, or the file is not one."""
        image = self._image(path) if self.can_upload and not self.base_url else None
        return None if image is None or image.id in self.hosted else image

    def name(self, path: str) -> str | None:
        """What the image at a path becomes in a body that is compared: where it is published, or its key.

        None where the file is not an image: the link stays as it is.
        """
        if (image := self._image(path)) is None:
            return None
        if self.base_url:
            return f"{self.base_url.rstrip('/')}/{quote(path)}"
        if image.id in self.hosted:
            return self.hosted[image.id]
        return image_name(image.key) if self.can_upload else None

    def _image(self, path: str) -> Image | None:
        image = self.by_path.get(path)
        return image if image is not None and image.kind not in {"", UNREAD} else None

    def read(self, image: Image) -> bytes:
        """The bytes of an image.

        Raises:
            ContentError: the file is no longer the one that was looked at.
        """
        try:
            data = read_within(self.root / image.path, image.size)
        except OSError as exc:
            raise ContentError(f"{image.path} can no longer be read: {exc.strerror}.") from exc
        if git_id(data) != image.id:
            raise ContentError(f"{image.path} changed while kbsync was running.", hint="Run the command again.")
        return data


class _Row(msgspec.Struct, frozen=True, array_like=True):
    stamp: Stamp
    racy: bool
    image: Image


ROWS: Kind[_Row] = Kind("image", _Row)
"""By path."""


class SeenImages(msgspec.Struct):
    """What was seen of images, for a process that looks often: what the memory has is read once."""

    _rows: dict[Path, dict[str, _Row]] = msgspec.field(default_factory=dict)

    def load(self, memory: Memory) -> dict[str, _Row]:
        """What is kept, with what was seen since."""
        if (rows := self._rows.get(memory.path)) is None:
            rows = self._rows[memory.path] = memory.all(ROWS)
        return rows

    def store(self, memory: Memory, rows: dict[str, _Row]) -> None:
        """Keep it here and there."""
        known, self._rows[memory.path] = self._rows[memory.path], rows
        new = {path: row for path, row in rows.items() if known.get(path) != row}
        memory.put(ROWS, new, gone=known.keys() - rows.keys())


def read_images(
    root: Path,
    paths: Iterable[str],
    stamps: Mapping[str, Stamp],
    *,
    memory: Memory,
    now_ns: int,
    most_bytes: int = MAX_BYTES,
    seen: SeenImages | None = None,
) -> dict[str, Image]:
    """Look at images; what did not change since the last time is not read.

    Args:
        root: the content root.
        paths: the files that sources show; those that are not in `stamps` are not there.
        stamps: of all files of the tree.
        memory: keeps what was seen.
        now_ns: the clock, nanoseconds since 1970.
        most_bytes: what kbsync.toml allows; a larger file is judged by its size and never read.
        seen: of a process that looks more than once.
    """
    seen = seen or SeenImages()
    most_bytes = min(most_bytes, MAX_BYTES)
    wanted = sorted(path for path in set(paths) if path in stamps)
    if not wanted:
        return {}
    known = seen.load(memory)
    rows: dict[str, _Row] = {}
    for path in wanted:
        row, stamp = known.get(path), stamps[path]
        if stamp.size > most_bytes:
            # Nothing so large is ever uploaded, and it would fill the memory.
            row = _Row(stamp, True, Image(path, "", stamp.size, UNREAD))
        elif row is None or row.racy or row.stamp != stamp:
            try:
                image = look_at(path, read_within(root / path, most_bytes))
            except OSError:
                image = Image(path, "", 0, UNREAD)  # Lint says so: it is as good as no image.
            row = _Row(stamp, now_ns - max(stamp.mtime_ns, stamp.ctime_ns) < RACY_NS, image)
        rows[path] = row
    kept = {path: row for path, row in known.items() if path in stamps} | rows
    if kept != known:
        seen.store(memory, kept)
    return {path: row.image for path, row in rows.items()}
