"""The lines in which two texts differ."""

from __future__ import annotations

from kbsync.report.body_diff import difference


def lines(one: str, other: str) -> list[str]:
    return list(difference(one, other, before="portal", after="source"))


def test_texts_that_differ_in_their_line_breaks_alone_say_so():
    assert lines("a\r\nb", "a\nb") == ["Only the line breaks differ: CRLF in portal, LF in source."]
    both = "Only the line breaks differ: CRLF and LF in portal, LF and CR in source."
    assert lines("a\r\nb\nc", "a\rb\nc") == [both]
    assert lines("a\n", "a") == ["Only the line breaks differ: LF in portal, no line breaks in source."]


def test_texts_that_are_equal_have_no_difference_and_others_show_their_lines():
    assert lines("a\nb\n", "a\nb\n") == []
    assert lines("a\nb", "a\nc") == ["--- portal", "+++ source", "@@ -1,2 +1,2 @@", " a", "-b", "+c"]
