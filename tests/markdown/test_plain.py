"""The words of a text."""

import pytest

from kbsync.markdown.plain import PlainSection, plain_sections


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("# Title\n\nOne *two* three.\n", "Title|One two three."),
        ("half*way*done", "halfwaydone"),
        ("[words](https://example.com/address) ![alt](p.png)", "words alt"),
        ("- one\n- two\n", "one two"),
        ("- one\n  - two\n    > three\n", "one two three"),
        ("- one\n  | a | b |\n  | - | - |\n", "one a b"),
        ("| a | b |\n| --- | --- |\n| c | d |\n", "a b c d"),
        ("`code` and\n\n```\nmore code\n```\n", "code and|more code"),
        ("one\ntwo  \nthree\n", "one two three"),
        ("<div>dropped</div>\n\nkept <b>too</b>\n", "kept too"),
        ("日本語の*文*章", "日本語の文章"),
        ("", ""),
    ],
)
def test_marks_and_addresses_are_left_out(markdown: str, words: str):
    assert (
        "|".join(text for section in plain_sections(markdown) for text in section[::2] + section[3:] if text) == words
    )


def test_every_heading_begins_a_section_with_its_own_code():
    text = "Before.\n\n## Set `it` up\n\nFirst.\n\n- one\n\n  ```sh\n  run it\n  ```\n\n#### Deep\n\nText.\n\n## 設定\n\n本文\n"
    assert plain_sections(text) == [
        PlainSection("", "", "Before.", ""),
        PlainSection("Set it up", "set-it-up", "First. one", "run it"),
        PlainSection("Deep", "", "Text.", ""),
        PlainSection("設定", "", "本文", ""),
    ]
