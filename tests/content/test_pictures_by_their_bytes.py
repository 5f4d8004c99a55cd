"""What an image is, by its first bytes, however hostile those are."""

from __future__ import annotations

import pytest

from kbsync.content.images import SVG, SVG_HEAD_BYTES, look_at


@pytest.mark.parametrize(
    "text",
    [
        "<svg>",
        "<svg\nwidth='1'>",
        "\ufeff <svg >",
        "<?xml version='1.0'?>\n<!-- a > b -->\n<!DOCTYPE svg>\n<!-- b --><svg >",
        "<!-- " + "-" * 1000 + " --><svg>",
        "<!---->" * 40 + "<svg>",
    ],
)
def test_an_svg_is_known_by_its_first_tag(text):
    assert look_at("a.svg", text.encode()).kind == SVG


@pytest.mark.parametrize(
    "text",
    ["", "<svgx>", "<!--", "<!-- <svg>", "<?xml <svg>?", "words <svg>", "<!-- --> words <svg>", "<p><svg></p>"],
)
def test_what_only_mentions_one_is_no_image(text):
    assert look_at("a.svg", text.encode()).kind == ""


def test_forty_comments_and_no_tag_are_no_image():
    # With a pattern of nested repetition this took for ever; there is no clock here, the test would just not end.
    assert look_at("a.svg", b"<!---->" * 40).kind == ""


def test_a_tag_far_behind_comments_is_not_looked_for():
    assert look_at("a.svg", b"<!---->" * SVG_HEAD_BYTES + b"<svg>").kind == ""
