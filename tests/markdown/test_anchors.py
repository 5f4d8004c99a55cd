"""Heading ids as the portal's page script makes them."""

import json
from pathlib import Path

import pytest

from kbsync.markdown.anchors import ANCHORED_LEVELS, heading_anchor

RECORDED = [
    json.loads(line) for line in (Path(__file__).parents[1] / "fixtures/parity/anchors.jsonl").read_text().splitlines()
]


def test_220_headings_get_the_id_that_slugify_gave_them():
    assert len(RECORDED) == 220
    assert [(text, heading_anchor(text)) for text, _ in RECORDED] == [tuple(case) for case in RECORDED]


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("Où aller ? 日本語", "ou-aller"),
        ("A & B", "a-and-b"),
        ("v1.2.3", "v1-2-3"),
        ("設定", ""),
        ("Straße", "strasse"),
    ],
)
def test_a_heading_gets_the_id_that_was_observed(text: str, anchor: str):
    assert heading_anchor(text) == anchor


def test_headings_below_the_third_level_get_no_id():
    assert [level for level in range(1, 7) if level in ANCHORED_LEVELS] == [1, 2, 3]
