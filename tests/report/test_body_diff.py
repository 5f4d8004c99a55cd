"""How a body changes: words on a screen, lines in Markdown and JSON, and quick whatever the texts are."""

import random
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.report.body_diff import MOST_LINES, MOST_WORK, Body, diff_lines, difference, word_lines
from kbsync.report.style import Style

OLD = "First.\n\nThe money arrives within five days on the card of the customer.\n\nSame.\n\nMore.\n\n- a\n- b\n"
NEW = OLD.replace("five", "three working").replace("- b", "- b\n- c")


def shown(old: str, new: str, **style: object) -> str:
    return "\n".join(word_lines(Body(old, new), Style(**style), indent=2))


def test_words_that_change_are_marked_and_what_is_far_from_them_is_left_out():
    assert shown(OLD, NEW, width=100) == (
        "  The money arrives within [-five-]{+three working+} days on the card of the customer.\n"
        "\n  …\n  - b\n  {+- c+}"
    )


def test_in_colour_the_brackets_stay_as_not_everyone_can_tell_red_from_green():
    text = shown(OLD, NEW, color=True)
    assert "\x1b[31m[-five-]\x1b[0m\x1b[32m{+three working+}\x1b[0m days" in text
    assert re.sub(r"\x1b\[\d+m", "", text) == shown(OLD, NEW)


def test_paragraphs_with_nothing_in_common_are_shown_one_after_the_other():
    assert (
        shown("Somebody wrote this.\n", "A quite other text\n")
        == "  [-Somebody wrote this.-]\n  {+A quite other text+}"
    )


def test_of_a_long_paragraph_only_what_is_near_the_change_is_shown():
    filler = "word " * 100
    text = shown(f"{filler}old {filler}", f"{filler}new {filler}", width=300)
    assert "[-old-]{+new+}" in text and " … " in text and len(text) < 400


def test_lines_for_markdown_are_those_of_git():
    assert list(diff_lines(Body("a\nb\nc\nd\nx\ny\ne\n", "a\nB\nc\nd\nx\ny\ne\nf\n"))) == [
        " a", "-b", "+B", " c", "…", " e", "+f",
    ]  # fmt: skip


def test_no_text_of_the_portal_acts_on_the_terminal():
    for style in (Style(), Style(color=True)):
        text = "\n".join(word_lines(Body("\x1b[2Jold \x07", "\u202enew"), style, indent=2))
        assert not re.search(r"\x1b(?!\[(0|31|32)m)|[\x07\u202e]", text)


def test_a_long_difference_is_counted_and_verbose_shows_it_all():
    new = "\n".join(f"line {number}" for number in range(100))
    assert shown("", new).count("\n") == MOST_LINES
    assert "more lines (-v shows them all)" in shown("", new)
    assert shown("", new, verbose=True).count("{+line ") == 100


@given(st.text("ab \n", max_size=60), st.text("ab \n", max_size=60))
def test_the_words_read_as_either_side(old, new):
    text = shown(old, new, verbose=True, width=10_000)
    if "…" in text:
        return
    sides = [re.sub(gone, "", re.sub(kept, r"\1", text)).split() for kept, gone in (
        (r"\[-(.*?)-\]", r"\{\+.*?\+\}"), (r"\{\+(.*?)\+\}", r"\[-.*?-\]"),
    )]  # fmt: skip
    for side, whole in zip(sides, (old, new), strict=True):
        assert re.search(re.escape("".join(side)), "".join(whole.split()))


HARD = random.Random(7)


def _words(kinds: int, between: str) -> str:
    return between.join(str(HARD.randrange(kinds)) for _ in range(20_000))[:20_000]


@pytest.mark.parametrize("between", [" ", "\n"])
@pytest.mark.parametrize("kinds", [2, 30, 400, 5_000])
def test_what_would_take_difflib_minutes_is_shown_as_a_whole(kinds, between):
    body = Body(_words(kinds, between), _words(kinds, between))
    pairs = sum(body.portal.split().count(word) * number for word, number in Counter(body.ours.split()).items())
    lines = list(word_lines(body, Style(verbose=True), indent=0))
    if pairs > 2 * MOST_WORK:
        assert sum(line.count("{+") for line in lines if "[-" in line) == 0
    assert list(diff_lines(body))


def differing(one: str, other: str) -> list[str]:
    return list(difference(one, other, before="portal", after="source"))


def test_texts_that_differ_in_their_line_breaks_alone_say_so():
    assert differing("a\r\nb", "a\nb") == ["Only the line breaks differ: CRLF in portal, LF in source."]
    both = "Only the line breaks differ: CRLF and LF in portal, LF and CR in source."
    assert differing("a\r\nb\nc", "a\rb\nc") == [both]
    assert differing("a\n", "a") == ["Only the line breaks differ: LF in portal, no line breaks in source."]


def test_texts_that_are_equal_have_no_difference_and_others_show_their_lines():
    assert differing("a\nb\n", "a\nb\n") == []
    assert differing("a\nb", "a\nc") == ["--- portal", "+++ source", "@@ -1,2 +1,2 @@", " a", "-b", "+c"]
