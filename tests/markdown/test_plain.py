"""The words of a text."""

from __future__ import annotations

import pytest

from kbsync.markdown.plain import plain_text


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("# Title\n\nOne *two* three.\n", "Title One two three."),
        ("half*way*done", "halfwaydone"),
        ("[words](https://example.com/address) ![alt](p.png)", "words alt"),
        ("- one\n- two\n", "one two"),
        ("| a | b |\n| --- | --- |\n| c | d |\n", "a b c d"),
        ("`code` and\n\n```\nmore code\n```\n", "code and more code"),
        ("one\ntwo  \nthree\n", "one two three"),
        ("<div>dropped</div>\n\nkept <b>too</b>\n", "kept too"),
        ("日本語の*文*章", "日本語の文章"),
        ("", ""),
    ],
)
def test_marks_and_addresses_are_left_out(markdown: str, words: str):
    assert plain_text(markdown) == words
