"""The table of one field, row by row, as it stands at the head of `plan/build.py`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.plan.decide import ABSENT, Verdict, decide

# The file, the record, the portal, and what git says of the portal's value; the verdict.
ROWS = [
    ("a", "a", "a", None, Verdict.NOTHING),
    ("b", "a", "a", None, Verdict.SEND),
    ("a", "a", "b", None, Verdict.DRIFT),
    ("b", "a", "b", None, Verdict.SETTLE),
    ("b", "a", "c", None, Verdict.CONFLICT),
    ("a", ABSENT, "a", None, Verdict.ADOPT),
    ("a", ABSENT, "b", None, Verdict.CONFLICT),
    (None, None, None, None, Verdict.NOTHING),
    ("a", None, None, None, Verdict.SEND),
    (None, ABSENT, None, None, Verdict.ADOPT),
    # An older revision that the portal holds.
    ("new", ABSENT, "old", True, Verdict.SEND),
    ("new", ABSENT, "old", False, Verdict.DRIFT),
    ("new", ABSENT, "a person's", None, Verdict.CONFLICT),
    ("new", "older", "old", True, Verdict.SEND),
    ("new", "older", "old", False, Verdict.CONFLICT),
    ("older", "older", "old", True, Verdict.DRIFT),
    ("new", "old", "old", False, Verdict.SEND),
    ("new", "old", "old", True, Verdict.SEND),
]


@pytest.mark.parametrize(("desired", "base", "observed", "proof", "verdict"), ROWS)
def test_a_field_decides_as_the_table_says(desired, base, observed, proof, verdict):
    assert decide(desired, base, observed, proof) is verdict


VALUES = st.sampled_from(["a", "b", "c", None, 1, ("x",), ()])


@given(VALUES, st.one_of(st.just(ABSENT), VALUES), VALUES)
def test_nothing_is_sent_over_a_value_that_moved_on_the_portal(desired, base, observed):
    if decide(desired, base, observed) is Verdict.SEND:
        assert observed == base


@given(VALUES, VALUES, VALUES)
def test_what_is_equal_on_both_sides_is_never_held(desired, base, observed):
    if desired == observed:
        assert decide(desired, base, observed) in {Verdict.NOTHING, Verdict.SETTLE}
