"""What an image is and how large, by few bytes of it, however hostile those are."""

import struct

import pytest

from kbsync.content.images import MOST_PARTS, SVG, SVG_HEAD_BYTES, dimensions_of, look_at

OF_SVG = (
    "<svg>", "<svg\nwidth='1'>", "\ufeff <svg >", "<!-- " + "-" * 1000 + " --><svg>", "<!---->" * 40 + "<svg>",
    "<?xml version='1.0'?>\n<!-- a > b -->\n<!DOCTYPE svg>\n<!-- b --><svg >",
)  # fmt: skip
# With a pattern of nested repetition the last one took for ever; there is no clock here, the test would not end.
OF_NONE = (
    "", "<svgx>", "<!--", "<!-- <svg>", "<?xml <svg>?", "words <svg>", "<!-- --> words <svg>", "<p><svg></p>",
    "<!---->" * SVG_HEAD_BYTES + "<svg>", "<!---->" * 40,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind"),
    [*((text, SVG) for text in OF_SVG), *((text, "") for text in OF_NONE)],
    ids=lambda words: words[:40],
)
def test_an_svg_is_known_by_its_first_tag_and_what_only_mentions_one_is_no_image(text, kind):
    assert look_at("a.svg", text.encode()).kind == kind


def box(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">L4s", 8 + len(body), kind) + body


def an_avif(*, before: bytes = b"", tiles: tuple[tuple[int, int], ...] = ()) -> bytes:
    sizes = b"".join(box(b"ispe", struct.pack(">LLL", 0, *size)) for size in tiles)
    return box(b"ftyp", b"avif\0\0\0\0mif1") + box(
        b"meta", bytes(4) + before + box(b"iprp", box(b"ipco", box(b"pixi", bytes(8)) + sizes))
    )


def a_webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<L", 12 + len(body)) + b"WEBP" + kind + struct.pack("<L", len(body)) + body


def a_jpeg(*, before: bytes = b"", size: tuple[int, int]) -> bytes:
    return b"\xff\xd8" + before + b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", size[1], size[0]) + bytes(10)


PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">L4sLL", 13, b"IHDR", 30_000, 2) + bytes(5)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (PNG, (30_000, 2)),
        (b"GIF89a" + struct.pack("<HH", 65_535, 40_000), (65_535, 40_000)),
        (a_jpeg(size=(60_000, 7)), (60_000, 7)),
        (a_jpeg(before=b"\xff\xe1\x00\x06\xff\xc0\xff\xc0" + b"\xff" * 9 + b"\xd0", size=(3, 4)), (3, 4)),
        (a_webp(b"VP8X", bytes(4) + b"\xff\xff\xff\x00\x00\x00"), (16_777_216, 1)),
        (a_webp(b"VP8 ", bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", 0x4000 + 9, 0x8000 + 5)), (9, 5)),
        (a_webp(b"VP8L", b"\x2f" + struct.pack("<L", (8_000 - 1) | (6_000 - 1) << 14)), (8_000, 6_000)),
        (an_avif(tiles=((512, 512), (20_000, 512))), (20_000, 512)),
        (an_avif(tiles=((20_000, 512),)) + b"\0\0\0\x09ispe", (20_000, 512)),
    ],
)
def test_a_image_is_as_large_as_its_own_bytes_say(data: bytes, size: tuple[int, int]):
    assert dimensions_of(data) == size
    image = look_at("a", data)
    assert image.kind and (image.width, image.height) == size


def test_what_is_cut_off_or_says_nothing_has_no_size():
    for data in (PNG, a_jpeg(size=(1, 1))[:-10], an_avif(tiles=((1, 1),)), a_webp(b"VP8X", bytes(10))):
        assert all(dimensions_of(data[:end]) == (0, 0) for end in range(len(data) - 6)), data
    for data in (b"", b"\xff\xd8\xff", b"\xff\xd8\xff\xd9" + a_jpeg(size=(1, 1)), b"<svg width='9' height='9'/>"):
        assert dimensions_of(data) == (0, 0)


def test_a_image_of_a_few_kilobytes_that_claims_millions_of_places_is_looked_at_in_no_time():
    # With a library that followed all of them this took a minute; of ten times as many it took hours and all memory.
    places = b"".join(struct.pack(">LLH", number, 0, 65_535) for number in range(1_500))
    table = box(b"iloc", b"\2\0\0\0\0\0" + struct.pack(">L", 1_500) + places)
    assert look_at("a.avif", an_avif(before=table, tiles=((3, 4),))).width == 3


def test_of_more_parts_than_any_image_has_the_rest_is_not_looked_at():
    assert dimensions_of(a_jpeg(before=b"\xff\xe0\x00\x02" * MOST_PARTS, size=(3, 4))) == (0, 0)
    assert dimensions_of(an_avif(before=box(b"free", b"") * MOST_PARTS, tiles=((3, 4),))) == (0, 0)
    assert dimensions_of(an_avif(tiles=((3, 4),) * MOST_PARTS + ((9_999, 9_999),))) == (3, 4)
