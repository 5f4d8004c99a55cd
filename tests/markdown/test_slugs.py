"""Slugs made of the names of files."""

import pytest

from kbsync.markdown.anchors import made_slug


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
