"""Heading ids as the portal's page script makes them, and slugs made of the names of files."""

import json
from pathlib import Path

import pytest

from kbsync.markdown.anchors import ANCHORED_LEVELS, heading_anchor, made_slug

RECORDED = [
    json.loads(line) for line in (Path(__file__).parents[1] / "fixtures/parity/anchors.jsonl").read_text().splitlines()
]


def test_3282_headings_get_the_id_that_slugify_gave_them():
    assert len(RECORDED) == 3282
    assert [(text, heading_anchor(text)) for text, _ in RECORDED] == [tuple(case) for case in RECORDED]


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("Où aller ? 日本語", "ou-aller"),
        ("A & B", "a-and-b"),
        ("v1.2.3", "v1-2-3"),
        ("設定", ""),
        ("Straße", "strasse"),
        ("APIs", "apis"),
        ("What's new", "whats-new"),
        ("What’s new", "what-s-new"),
        ("Фильтры", "filtry"),
        ("подъезд", "podyezd"),
        ("\u0645\u064e\u0631\u062d\u0628\u0627", "mrhba"),
        ("\u0645\u064e\u200e\u0631", "mar"),
        ("Step ②", "step-2"),
        ("1\ufe0f\u20e3 Open `x^2`", "1-open-x2"),
        ("XMLHttpRequest of API2", "xml-http-request-of-api-2"),
    ],
)
def test_a_heading_gets_the_id_that_was_observed(text: str, anchor: str):
    assert heading_anchor(text) == anchor


def test_a_heading_of_one_long_word_takes_no_longer_than_its_length():
    for word in ("aB", "AB", "A1", "a1", "'s", "A"):
        heading_anchor(word * 100_000)


def test_headings_below_the_third_level_get_no_id():
    assert [level for level in range(1, 7) if level in ANCHORED_LEVELS] == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("refunds", "refunds"),
        ("Reset_Password", "reset_password"),
        ("Été à Paris", "ete-a-paris"),
        ("E\u0301te\u0301", "ete"),
        ("Über uns", "uber-uns"),
        ("Œuvre", "oeuvre"),
        ("Łódź", "lodz"),
        ("Straße", "strasse"),
        ("Привет мир", "privet-mir"),
        ("What's new", "whats-new"),
        ("Q&A", "q-and-a"),
        ("v1.2", "v1-2"),
        ("m² (a)", "m2-a"),
        ("C++", "c"),
        ("---", "---"),
        ("!!!", "!!!"),
        ("設定", "設定"),
        ("API設定", "API設定"),
    ],
)
def test_a_name_becomes_a_slug(name: str, slug: str):
    assert made_slug(name) == slug
    assert made_slug(slug) == slug
