"""The line merge: what only one side changed is taken, and no line that anybody wrote is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.plan.three_way import lines_of, marked_whole, merge_texts, with_ends_of


def bare(text: str) -> list[str]:
    """The lines, without their ends."""
    return [line.rstrip("\r\n") for line in lines_of(text)]


BOTH = "<<<<<<< your file\nours\n=======\ntheirs\n>>>>>>> portal\n"
LINE = st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "d d\n", "e"])
LINES = st.lists(LINE, max_size=8).map("".join)
DISTINCT = st.lists(LINE, max_size=8, unique=True).map("".join)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged", "conflicts"),
    [
        pytest.param("a\nb\nc\n", "a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", 0, id="theirs alone"),
        pytest.param("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n", 0, id="in other places"),
        pytest.param("a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n", 0, id="alike"),
        pytest.param("a\nb\nc\n", "b\nc\n", "a\nb\nc\nd\n", "b\nc\nd\n", 0, id="taken away and added"),
        pytest.param("a\r\nb\r\nc\r\n", "a\r\nb\r\nc!\r\n", "A\nb\nc", "A\nb\r\nc!\r\n", 0, id="line ends"),
        pytest.param("", "", "new\n", "new\n", 0, id="new"),
        pytest.param("a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n", f"a\n{BOTH}c\n", 1, id="in one place"),
        pytest.param("a", "a\nours", "a\ntheirs", f"a\n{BOTH}", 1, id="a last line without an end"),
        pytest.param(
            None, "a\nb\n", "a\nb\nc\n", "a\nb\n<<<<<<< your file\n=======\nc\n>>>>>>> portal\n", 1, id="no base"
        ),
    ],
)
def test_edits_in_other_places_are_both_there_and_those_in_one_place_are_marked(base, ours, theirs, merged, conflicts):
    found = merge_texts(base, ours, theirs)
    assert (found.text, found.conflicts) == (merged, conflicts)


def test_a_whole_text_is_marked_where_nothing_is_merged():
    assert marked_whole("ours", "theirs") == BOTH


def test_ten_thousand_equal_lines_do_not_take_for_ever():
    text = "same\n" * 10_000
    assert merge_texts(text, "mine\n" + text, text + "yours\n").text == "mine\n" + text + "yours\n"


@given(LINES, LINES)
def test_a_side_that_did_not_move_gives_way(base: str, other: str):
    assert bare(merge_texts(base, other, base).text) == bare(other)
    assert bare(merge_texts(base, base, other).text) == bare(other)
    assert merge_texts(base, other, other).text == other


@given(LINES, LINES, LINES)
def test_no_line_that_either_side_added_is_lost(base: str, ours: str, theirs: str):
    merged = bare(merge_texts(base, ours, theirs).text)
    for side in (ours, theirs):
        for line in set(bare(side)):
            # What a side has more of than the base is its own; what the other side took away may be gone.
            assert merged.count(line) >= bare(side).count(line) - bare(base).count(line)


# A line that is there twice may be added once more: which of the two it was, no merge can know.
@given(DISTINCT, DISTINCT, DISTINCT)
def test_merging_what_was_merged_changes_nothing(base: str, ours: str, theirs: str):
    merged = merge_texts(base, ours, theirs)
    if not merged.conflicts:
        again = merge_texts(base, merged.text, theirs)
        assert again.conflicts or bare(again.text) == bare(merged.text)


@pytest.mark.parametrize(
    ("file", "body", "text", "expected"),
    [
        (
            "---\na: 1\nb: 2\nc: 3\n---\nOne.\r\n\r\nTwo.\r\n",
            "One.\r\n\r\nTwo.\r\n",
            "One.\n\nNew.\n",
            "One.\r\n\r\nNew.\r\n",
        ),
        ("---\r\na: 1\r\n---\r\nOne.\n\nTwo.\n", "One.\n\nTwo.\n", "One.\r\n\r\nNew.", "One.\n\nNew."),
        ("---\r\na: 1\r\n---\r\nOne.", "One.", "One.\n\nNew.", "One.\r\n\r\nNew."),
    ],
)
def test_lines_of_the_portal_end_as_those_of_the_body_that_they_come_into(file, body, text, expected):
    assert with_ends_of(file, body, text) == expected
