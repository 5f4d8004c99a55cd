"""Names of fields, and numbers in sentences."""

from __future__ import annotations

import pytest

from kbsync.words import are, count, field_names


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [(1, "article", "1 article is"), (2, "category", "2 categories are"), (0, "page", "0 pages are")],
)
def test_one_thing_is_and_all_other_numbers_are(number, noun, said):
    assert f"{count(number, noun)} {are(number)}" == said


def test_thousands_have_commas():
    assert count(12_345, "managed item") == "12,345 managed items"


def test_fields_have_the_names_that_people_know():
    assert field_names(["title", "content", "meta_title"]) == "title, body, meta title"
