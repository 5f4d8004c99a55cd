"""What a check of printed marks asks first, before it has patterns compiled that take long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kbsync.lint.leftovers import _BEHIND_CJK, _BEHIND_FAR

TEXTS = st.text(alphabet="*. a\n.以。ぁヿ㐀鿿가힯\u024f\u0250ж", max_size=30)


@given(TEXTS)
def test_whatever_is_behind_a_letter_of_chinese_japanese_or_korean_is_behind_one_that_is_not_latin(text):
    found = {match.start() for match in _BEHIND_CJK.finditer(text)}
    assert found <= {match.start() for match in _BEHIND_FAR.finditer(text)}
