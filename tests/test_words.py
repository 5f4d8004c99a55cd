"""Names of fields, numbers in sentences, and misspelt words."""

import pytest

from kbsync.words import are, count, did_you_mean, field_names, similar


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [(1, "article", "1 article is"), (2, "category", "2 categories are"), (0, "page", "0 pages are")],
)
def test_one_thing_is_and_all_other_numbers_are(number, noun, said):
    assert f"{count(number, noun)} {are(number)}" == said


def test_thousands_have_commas():
    assert count(12_345, "managed item") == "12,345 managed items"


def test_a_misspelt_word_is_answered_with_the_nearest_and_a_foreign_one_with_nothing():
    assert did_you_mean("portl", {"profile": 1, "portal": 2}) == "Did you mean `portal`?"
    assert did_you_mean("zebra", ["profile", "portal"]) == ""
    assert did_you_mean("portly", ["portal"], cutoff=0.9) == ""


def test_the_best_of_several_similar_words_comes_first():
    assert similar("refund", ["invoices", "refunding", "refunds"], most=2) == ["refunds", "refunding"]


def test_fields_have_the_names_that_people_know():
    assert field_names(["title", "content", "meta_title"]) == "title, body, meta title"
