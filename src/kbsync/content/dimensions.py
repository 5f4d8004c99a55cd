"""How many pixels an image has, as its own first bytes say. Pure.

The bytes are a stranger's: every loop here ends after a fixed number of parts, and no number in the file makes it read
more. What says nothing has no size, and is judged by its bytes alone.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

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
