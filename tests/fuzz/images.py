"""Files that say they are images: true ones, cut, patched, joined to others, huge. Every file follows from one number.

What a file is, is known from how it was made, or from a list of beginnings that is written here once more.
"""

import random
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from examine import AUTHORS, LIMITS

from kbsync.config import AssetsSettings, ContentSettings
from kbsync.content.identity import identify
from kbsync.content.images import Image as Seen
from kbsync.content.images import Images, look_at
from kbsync.content.parse import parse_source
from kbsync.content.tree import Tree
from kbsync.lint.context import Context
from kbsync.lint.service_limits import check_images
from kbsync.markdown.uploaded import SUFFIXES

MOST_BYTES = 6_000_000
SETTINGS = AssetsSettings(max_kb=100, max_pixels=5_000)
NUMBERS = (0, 1, 2, 7, 8, 255, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
"""What is written where a file says how long or how large something in it is."""


def _box(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">L4s", 8 + len(body), kind) + body


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">L", len(body)) + kind + body + struct.pack(">L", zlib.crc32(kind + body))


def _png(width: int, height: int) -> bytes:
    head = struct.pack(">LLBBBBB", width, height, 8, 2, 0, 0, 0)
    body = _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(bytes(64))) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _jpeg(width: int, height: int) -> bytes:
    frame = struct.pack(">HBHHB", 17, 8, height & 0xFFFF, width & 0xFFFF, 3) + bytes(9)
    head = b"\xff\xd8\xff\xe0\x00\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xfe\x00\x06hey!\xff\xc0"
    return head + frame + b"\xff\xda\x00\x02abc\xff\xd9"


def _gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width & 0xFFFF, height & 0xFFFF) + b"\x80\0\0" + bytes(6) + b"\x3b"


def _webp(width: int, height: int) -> bytes:
    sizes = (struct.pack("<L", (size - 1) & 0xFFFFFF)[:3] for size in (width, height))
    body = b"\x10\0\0\0" + b"".join(sizes)
    return b"RIFF" + struct.pack("<L", 12 + len(body)) + b"WEBPVP8X" + struct.pack("<L", len(body)) + body


def _avif(width: int, height: int) -> bytes:
    sizes = _box(b"ispe", struct.pack(">LLL", 0, width, height))
    places = b"\2\0\0\0\0\0" + struct.pack(">LLLH", 3, 1, 0, 3) + bytes(20)
    meta = bytes(4) + _box(b"pitm", bytes(6)) + _box(b"iloc", places) + _box(b"iprp", _box(b"ipco", sizes))
    return _box(b"ftyp", b"avif\0\0\0\0mif1") + _box(b"meta", meta) + _box(b"mdat", bytes(8))


TRUE: dict[str, Callable[[int, int], bytes]] = {
    "image/png": _png, "image/jpeg": _jpeg, "image/gif": _gif, "image/webp": _webp, "image/avif": _avif,
}  # fmt: skip
PIECES = b"\xff", b"\xff\xe0\0\2", b"\xff\xd0", b"\0\0\0\x08free", b"\0\0\0\0", b"<!---->", b" ", b"\xff\xe0\0\0"
OTHERS = (
    b"<html><script>alert(1)</script>", b"MZ\x90\0\3\0", b"%PDF-1.7\n", b"PK\3\4\x14\0", b"BM\0\0\0\0", b"II*\0\x08\0\0\0",
    b"P6 9999 9999 255\n", b"\0\0\0\x0cjP  \r\n\x87\n", b"\0\0\0\x18ftypheic", b"\0\0\1\0\1\0", b"RIFF\0\0\0\0WAVE", b"#!/bin/sh\n",
    b"\x1f\x8b\x08\0", b"\x89PNG\n", b"\x89PNG\r\n", b"GIF88a", b"\xff\xd8", b"words", b"", b"\0", b"<?php ", b"<?xml version='1.0'?><x/>",
)  # fmt: skip
BEFORE_SVG = (
    " ", "\n", "\t\r\n", "<!---->", "<!-- a > b -->", "<!-- <svg> -->", "<?xml version='1.0'?>", "<?xml a?>", "<!DOCTYPE svg>",
    "<!DOCTYPE svg PUBLIC '-//W3C' 'http://x'>", "<!--\n-->",
)  # fmt: skip
NOT_BEFORE_SVG = "x", "<p>", "&lt;", "<svgx>", "<!--", "<!- -->", "\0", "<SVG>", "\u2028", "<a><svg>", "<!---->y", "]]>"


@dataclass(frozen=True, slots=True)
class Image:
    """A file; `kind` is what it is ("" for no image), `size` its pixels, each None where its making does not say."""

    data: bytes
    kind: str | None = None
    size: tuple[int, int] | None = None


def made(number: int) -> Image:
    """The file of a number."""
    draw = random.Random(number)
    makers = (_whole, _whole, _other, _svg, _svg, _cut, _patched, _patched, _flipped, _joined, _repeated, _nested)
    image = draw.choice(makers)(draw)
    return image if len(image.data) <= MOST_BYTES else Image(image.data[:MOST_BYTES])


def _size(draw: random.Random) -> tuple[int, int]:
    return draw.choice((1, 2, 300, 4_999, 5_000, 5_001, 0xFFFF)), draw.choice((1, 7, 5_000, 5_001, 0x8000, 0xFFFF))


def _whole(draw: random.Random) -> Image:
    kind, size = draw.choice(sorted(TRUE)), _size(draw)
    return Image(TRUE[kind](*size) + draw.randbytes(draw.choice((0, 9, 200_000))), kind, size)


def _other(draw: random.Random) -> Image:
    head = draw.choice(OTHERS) + draw.choice(("", *BEFORE_SVG)).encode()
    return Image(head + draw.randbytes(draw.choice((0, 5, 300))))


def _svg(draw: random.Random) -> Image:
    """Whether an SVG may begin so follows from its pieces."""
    pieces = draw.choices(BEFORE_SVG, k=draw.choice((0, 1, 3, 40, 4_000)))
    spoilt = draw.random() < 0.4
    if spoilt:
        pieces.insert(draw.randint(0, len(pieces)), draw.choice(NOT_BEFORE_SVG))
    text = draw.choice(("", "\ufeff")) + "".join(pieces)
    tag = draw.choice(("<svg>", "<svg ", "<svg\n", "<svg width='9' height=''>", "<svg viewBox='0 0 1 1'>"))
    # Far behind, it is not looked for; and what was spoilt may yet be one: `<!--` with the next piece's end.
    known = None if spoilt or len(text.encode()) > 60_000 else "image/svg+xml"
    return Image((text + tag).encode() + draw.randbytes(draw.choice((0, 50))), known)


def _cut(draw: random.Random) -> Image:
    data = _whole(draw).data[:2_000]
    return Image(data[: draw.randrange(len(data))])


def _patched(draw: random.Random) -> Image:
    """Numbers in it say something else."""
    data = bytearray(_whole(draw).data[:2_000])
    for _ in range(draw.randint(1, 4)):
        form = draw.choice((">L", "<L", ">H", "<H", ">Q", "B"))
        at = draw.randrange(len(data))
        number = draw.choice(NUMBERS) & ((1 << 8 * struct.calcsize(form)) - 1)
        data[at : at + struct.calcsize(form)] = struct.pack(form, number)
    return Image(bytes(data))


def _flipped(draw: random.Random) -> Image:
    data = bytearray(_whole(draw).data[:600])
    for _ in range(draw.randint(1, 6)):
        data[draw.randrange(min(len(data), 60))] ^= 1 << draw.randrange(8)
    return Image(bytes(data))


def _joined(draw: random.Random) -> Image:
    """Two files in one: it is what it begins with."""
    first = _whole(draw)
    return Image(first.data + draw.choice((*OTHERS, _svg(draw).data, _whole(draw).data)), first.kind, first.size)


def _repeated(draw: random.Random) -> Image:
    """A piece of it many times over, up to some megabytes."""
    data = _whole(draw).data[:400]
    at = draw.randrange(len(data))
    piece = data[at : at + draw.randint(1, 60)]
    times = draw.choice((3, 50, 2_000, MOST_BYTES // 60, MOST_BYTES))
    repeated = (draw.choice((piece, *PIECES)) * times)[:MOST_BYTES]
    return Image(data[:at] + repeated + data[at:])


def _nested(draw: random.Random) -> Image:
    """Boxes in boxes, or tables that claim places without end."""
    body = _box(b"ispe", struct.pack(">LLL", 0, *_size(draw)))
    for _ in range(draw.choice((1, 5, 300))):
        body = _box(draw.choice((b"meta", b"iprp", b"ipco", b"moov")), draw.choice((b"", bytes(4))) + body)
    entry = struct.pack(">LLH", draw.choice(NUMBERS), 0, 0xFFFF)
    head = bytes([draw.randrange(3), 0, 0, 0, 0, 0]) + struct.pack(">L", draw.choice(NUMBERS))
    table = head + entry * draw.choice((1, 500, 50_000))
    meta = _box(b"meta", bytes(4) + _box(draw.choice((b"iloc", b"iinf", b"ipma", b"infe")), table) + body)
    return Image(_box(b"ftyp", b"avif\0\0\0\0mif1") + meta, "image/avif")


# --- what is right ---------------------------------------------------------------------------------------------------


def _may_be_svg(data: bytes) -> bool:
    """Without the comments and the like, only space stands before the tag."""
    head, found, _ = data.removeprefix(b"\xef\xbb\xbf").partition(b"<svg")
    while found and b"<!--" in head and (rest := _without(head, b"<!--", b"-->")) is not None:
        head = rest
    if found and b"<!--" in head:
        return True  # The tag that was found first is inside a comment: `_svg` knows about these.
    for begin in (b"<?xml", b"<!DOCTYPE"):
        while found and (rest := _without(head, begin, b">")) is not None:
            head = rest
    return bool(found) and not head.strip(b" \t\r\n\f\v")


def _without(text: bytes, begin: bytes, end: bytes) -> bytes | None:
    before, found, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    return before + after if found and ended else None


BEGINNINGS: dict[str, Callable[[bytes], bool]] = {
    "image/png": lambda data: data[:8] == bytes([137, 80, 78, 71, 13, 10, 26, 10]),
    "image/jpeg": lambda data: data[:3] == bytes([255, 216, 255]),
    "image/gif": lambda data: data[:6] in {b"GIF87a", b"GIF89a"},
    "image/webp": lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP",
    "image/avif": lambda data: data[4:8] == b"ftyp" and data[8:12] in {b"avif", b"avis"},
    "image/svg+xml": _may_be_svg,
}


def examine(image: Image) -> Iterator[str]:
    """Look at a file as lint and push do; give what is wrong. Whatever is raised is for the caller."""
    seen = look_at("en/a/x.png", image.data)
    if seen.kind and not BEGINNINGS[seen.kind](image.data[:70_000]):
        yield f"taken for {seen.kind}, and does not begin so"
    if image.kind is not None and seen.kind != image.kind:
        yield f"taken for {seen.kind!r}, and is {image.kind!r}"
    if image.size is not None and (seen.width, seen.height) != image.size:
        yield f"{seen.width} x {seen.height} pixels read, and it has {image.size}"
    if not seen.upload_name.endswith(SUFFIXES.get(seen.kind, seen.key)):
        yield f"would be uploaded as {seen.upload_name}"
    codes = [finding.code for finding in check_images(_context(seen))]
    if codes != _right_codes(image, seen):
        yield f"lint finds {codes}, and should find {_right_codes(image, seen)}"


def _right_codes(image: Image, seen: Seen) -> list[str]:
    if len(image.data) > 100_000:
        return ["KB321"]
    if seen.kind in {"", "image/svg+xml"}:
        return ["KB320"]
    size = image.size or (seen.width, seen.height)
    return ["KB322"] if max(size) > 5_000 else []


@cache
def _tree() -> tuple[Tree, object]:
    source = parse_source("en/a/a.md", b"---\ntitle: A\n---\n![x](x.png)\n")
    tree = Tree(Path("/nowhere"), {"en/a/a.md": source}, {})
    return tree, identify(tree, ContentSettings(locales=["en"]))


def _context(seen: Seen) -> Context:
    tree, site = _tree()
    images = Images(tree.root, {seen.path: seen}, can_upload=True)
    return Context(tree, site, LIMITS, AUTHORS, images, SETTINGS)  # type: ignore[arg-type]
