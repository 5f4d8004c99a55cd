"""The local images and videos that sources show: what they are, and what each becomes in a body.

An image is named by its content: git's own id of these bytes, the beginning of which is part of the name under which
it is uploaded. So a fresh runner recognises in what the portal holds what was uploaded before, and an older commit
says without reading it whether it had the same one.

Also: how many pixels an image has, as its own first bytes say. Pure.

The bytes are a stranger's: every loop here ends after a fixed number of parts, and no number in the file makes it read
more. What says nothing has no size, and is judged by its bytes alone.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

import msgspec

from kbsync.content.tree import RACY_NS
from kbsync.content.walk import Stamp
from kbsync.errors import ContentError
from kbsync.files import read_within
from kbsync.markdown.uploaded import NAME_CHARS, SUFFIXES, image_name
from kbsync.memory import Kind, Memory

MOST_PARTS = 2_000
"""Segments of a JPEG, or boxes of an AVIF in one other, that are looked at. Photos with all their data have dozens."""

_MARKERS_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
"""Markers of JPEG that have no length behind them."""

_MARKERS_OF_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_MARKERS_OF_DATA = frozenset({0xD9, 0xDA})

_FILL = re.compile(rb"\xff++")
"""Any number of these bytes may be before a marker."""

_CHUNK = 20
"""Bytes of a WebP before the body of its first chunk."""


def dimensions_of(data: bytes) -> tuple[int, int]:
    """Width and height; (0, 0) for what says none."""
    try:
        return _read(data)
    except (struct.error, IndexError):  # It ends before it says so.
        return 0, 0


def _read(data: bytes) -> tuple[int, int]:
    if data.startswith(b"\x89PNG") and data[12:16] == b"IHDR":
        width, height = struct.unpack_from(">LL", data, 16)
    elif data.startswith(b"GIF8"):
        width, height = struct.unpack_from("<HH", data, 6)
    elif data.startswith(b"\xff\xd8"):
        width, height = _of_jpeg(data)
    elif data.startswith(b"RIFF"):
        width, height = _of_webp(data)
    elif data[4:8] == b"ftyp":
        width, height = _of_avif(data)
    else:
        return 0, 0
    return width, height


def _of_jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    for _ in range(MOST_PARTS):
        at = data.find(b"\xff", at)
        fill = _FILL.match(data, at) if at >= 0 else None
        if fill is None:
            break
        marker, at = data[fill.end()], fill.end() + 1
        if marker in _MARKERS_OF_DATA:
            break
        if marker in _MARKERS_OF_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 3)
            return width, height
        if marker not in _MARKERS_ALONE:
            at += struct.unpack_from(">H", data, at)[0]
    return 0, 0


def _of_webp(data: bytes) -> tuple[int, int]:
    kind, body = data[12:16], data[_CHUNK : _CHUNK + 10]
    if kind == b"VP8X":
        width, height = struct.unpack("<L2xL", body[4:7] + b"\0\0\0" + body[7:10] + b"\0")
        return width + 1, height + 1
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<L", body, 1)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", body, 6)
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0


def _of_avif(data: bytes) -> tuple[int, int]:
    """The largest of all sizes in it: a large image may be made of tiles, each of which has its own."""
    start, end = 0, len(data)
    for kind, skipped in ((b"meta", 4), (b"iprp", 0), (b"ipco", 0)):
        start, end = next(((at + skipped, to) for name, at, to in _boxes(data, start, end) if name == kind), (0, 0))
    found = ((at, to) for kind, at, to in _boxes(data, start, end) if kind == b"ispe")
    sizes = [struct.unpack_from(">LL", data, at + 4) for at, to in found if to - at >= 12]
    return max((width for width, _ in sizes), default=0), max((height for _, height in sizes), default=0)


def _boxes(data: bytes, at: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """The boxes between two places: what each is called, and where its body begins and ends."""
    for _ in range(MOST_PARTS):
        if at + 8 > end:
            return
        size, kind = struct.unpack_from(">L4s", data, at)
        head = 8
        if size == 1:
            (size,), head = struct.unpack_from(">Q", data, at + 8), 16
        # Of size 0 is what goes on to the end.
        after = min(end, at + size) if size else end
        yield kind, at + head, after
        if after < at + head:
            return
        at = after


SVG = "image/svg+xml"
MP4 = "video/mp4"
MAGIC = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"....ftypavi[fs]", re.DOTALL), "image/avif"),
    (re.compile(rb"....ftyp(?:isom|iso[2-9]|mp4[12]|avc1|M4V |dash|MSNV)", re.DOTALL), MP4),
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
    rows = {path: _row(root, path, stamps[path], known.get(path), now_ns, most_bytes) for path in wanted}
    kept = {path: row for path, row in known.items() if path in stamps} | rows
    if kept != known:
        seen.store(memory, kept)
    return {path: row.image for path, row in rows.items()}


def _row(root: Path, path: str, stamp: Stamp, row: _Row | None, now_ns: int, most_bytes: int) -> _Row:
    """What an image is: what is known of it, as long as it did not change."""
    if stamp.size > most_bytes:
        # Nothing so large is ever uploaded, and it would fill the memory.
        return _Row(stamp, True, Image(path, "", stamp.size, UNREAD))
    if row is not None and not row.racy and row.stamp == stamp:
        return row
    try:
        image = look_at(path, read_within(root / path, most_bytes))
    except OSError:
        image = Image(path, "", 0, UNREAD)  # Lint says so: it is as good as no image.
    return _Row(stamp, now_ns - max(stamp.mtime_ns, stamp.ctime_ns) < RACY_NS, image)
