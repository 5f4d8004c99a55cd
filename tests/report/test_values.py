"""Both sides of a field: what is the same may be cut, what differs never."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kbsync.report.value_text import LONGEST, both_texts

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


words = st.text("ab c", max_size=300)


@given(words, words, words, words, st.integers(16, 80))
def test_texts_that_differ_never_look_the_same(head, one, other, tail, room):
    before, after = " ".join(f"{head}{one}{tail}".split()), " ".join(f"{head}{other}{tail}".split())
    shown = both_texts((before, after), room)
    assert (shown[0] == shown[1]) is (before == after)
    assert all(len(text) <= LONGEST + room + 40 for text in shown)
