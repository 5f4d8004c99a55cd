"""Texts wrapped for a screen: by words, at any width, with commands and addresses whole.

Both sides of a field: what is the same may be cut, what differs never.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.report.style import Style
from kbsync.report.value_text import LONGEST, both_texts

HINT = "Copy the edit into your file, or run `kbsync push --overwrite 'en/a long name.md'` to send your file."


@pytest.mark.parametrize("width", [10, 30, 60, 100, 160])
def test_a_command_and_an_address_are_never_broken(width):
    address = "https://support.example.com/hc/handbook/articles/refund-a-charge"
    lines = Style(width=width).wrapped(f"      {HINT} See {address} for more, under [push] live.")
    joined = "\n".join(lines)
    assert "`kbsync push --overwrite 'en/a long name.md'`" in joined and address in joined and "[push] live" in joined
    assert all(line.startswith("      ") for line in lines)


@given(st.lists(st.text("abcé漢", min_size=1, max_size=12), min_size=1), st.integers(40, 120))
def test_wrapped_lines_fit_and_lose_no_word(words, width):
    lines = Style(width=width).wrapped("  " + " ".join(words), hang=4)
    assert " ".join(lines).split() == words
    assert all(len(line) <= width for line in lines)


def test_colour_is_put_around_each_line_and_not_around_its_margin():
    lines = Style(color=True, width=30).wrapped("    one two three four five six seven", colour="dim")
    assert len(lines) == 2 and all(re.fullmatch(r"    \x1b\[2m\S.*\S\x1b\[0m", line) for line in lines)


LONG = "How to refund a charge of a customer who has paid by bank transfer in the last thirty days"


def test_what_differs_at_the_end_of_long_texts_is_seen():
    one, other = both_texts((f"{LONG} (old)", f"{LONG} (new)"), 40)
    assert (one[-5:], other[-5:]) == ("(old)", "(new)")
    assert one.startswith("…") and len(one) <= 40


def test_what_differs_in_the_middle_is_seen_on_both_sides():
    one, other = both_texts((f"{LONG} red {LONG}", f"{LONG} green {LONG}"), 40)
    assert " red " in one and " green " in other
    assert all(text.startswith("…") and text.endswith("…") for text in (one, other))


def test_short_texts_are_whole_and_empty_ones_are_named():
    assert both_texts(("a", None), 40) == ("a", "(nothing)")
    assert both_texts((("a", "b"), ()), 40) == ("a, b", "(nothing)")


PIECES = st.text("ab c", max_size=300)


@given(PIECES, PIECES, PIECES, PIECES, st.integers(16, 80))
def test_texts_that_differ_never_look_the_same(head, one, other, tail, room):
    before, after = " ".join(f"{head}{one}{tail}".split()), " ".join(f"{head}{other}{tail}".split())
    shown = both_texts((before, after), room)
    assert (shown[0] == shown[1]) is (before == after)
    assert all(len(text) <= LONGEST + room + 40 for text in shown)
