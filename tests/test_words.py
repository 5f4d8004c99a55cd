"""Numbers in sentences."""

from __future__ import annotations

import pytest

from kbsync.words import are, count, counted


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [(1, "article", "1 article is"), (2, "category", "2 categories are"), (0, "page", "0 pages are")],
)
def test_one_thing_is_and_all_other_numbers_are(number, noun, said):
    assert counted(number, noun) == said == f"{count(number, noun)} {are(number)}"


def test_thousands_have_commas():
    assert count(12_345, "managed item") == "12,345 managed items"
