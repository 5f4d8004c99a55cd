"""Two texts word by word."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.preview.word_diff import LEFT_OUT, MOST_WORDS, difference_columns, difference_html

TEXTS = st.lists(st.sampled_from(["one", "two", "<b>", "&", "\n", "\n\n", " ", "ä", "```"]), max_size=20).map("".join)


def without(html: str, tag: str) -> str:
    """One side of a difference."""
    kept = re.sub(f"<{tag}>.*?</{tag}>", "", html, flags=re.DOTALL)
    return unescape(re.sub(r"</?(?:ins|del)>", "", kept))


def test_words_that_go_and_come_are_marked_and_the_others_are_not():
    assert difference_html("Pay it back.", "Pay all back.") == "<p>Pay <del>it</del><ins>all</ins> back.</p>"


def test_what_is_equal_is_left_out():
    before, after = "First.\n\nSecond.\n\nThird.\n", "First.\n\nSecond!\n\nThird.\n"
    assert difference_html(before, after) == f"{LEFT_OUT}\n<p>Second<del>.</del><ins>!</ins></p>\n{LEFT_OUT}"


def test_equal_texts_have_none_and_line_ends_do_not_count():
    assert difference_html("One.\r\n\r\nTwo.\r\n", "One.\n\nTwo.\n") == ""


def test_text_never_becomes_markup():
    html = difference_html("<script>", '<img onerror="x">')
    assert "<script" not in html
    assert "<img" not in html


def test_a_paragraph_without_end_is_shown_old_and_new():
    old, new = "a " * MOST_WORDS, "b " * MOST_WORDS
    assert difference_html(old, new).count("<del>") == 1


@given(TEXTS, TEXTS)
def test_without_what_comes_it_is_the_old_and_without_what_goes_the_new(before: str, after: str):
    html = difference_html(before, after).replace(LEFT_OUT, "")
    for text, tag in ((before, "ins"), (after, "del")):
        for paragraph in re.findall(r"<p>(.*?)</p>", html, flags=re.DOTALL):
            assert without(paragraph.replace("<br>", "\n"), tag) in text


# --- in columns --------------------------------------------------------------------------------------------------------


def test_columns_have_what_goes_on_one_side_and_what_comes_on_the_other():
    html = difference_columns("Same.\n\nPay it back.", "Same.\n\nPay all back.")
    assert '<div class="old">Pay <del>it</del> back.</div><div class="new">Pay <ins>all</ins> back.</div>' in html
    assert "Same" not in html
    assert difference_columns("a\r\n", "a\n") == ""


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("```sh\none\n\ntwo\n```\n\nText.", "```sh\none\n\nthree\n```\n\nText.", True),
        ("| a | b |\n| - | - |\n| 1 | 2 |", "| a | b |\n| - | - |\n| 1 | 3 |", True),
        ("    indented", "    other", True),
        ("Words with `code`.", "Words with `other`.", False),
    ],
)
def test_code_and_tables_are_shown_as_they_are_written(before: str, after: str, code: bool):
    html = difference_columns(before, after)
    assert ('<div class="pair code">' in html) is code
    assert html.count('class="old"') == 1
    assert "<br>" not in html


@given(TEXTS, TEXTS)
def test_columns_escape_everything_and_lose_no_word(before: str, after: str):
    html = difference_columns(before, after)
    assert "<b>" not in html
    for side, text in (("old", before), ("new", after)):
        shown = "\n".join(re.findall(rf'<div class="{side}">(.*?)</div>', html, flags=re.DOTALL))
        words = unescape(re.sub(r"</?(?:ins|del)>", "", shown)).split()
        assert not set(words) - set(text.split())
