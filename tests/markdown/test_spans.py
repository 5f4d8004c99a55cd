"""Links, images, definitions, headings and raw HTML are found at the character where they stand."""

import pytest

from kbsync.markdown.constructs import Heading, RawHtml, Reference, Scan, Target
from kbsync.markdown.spans import scan


def the_target(text: str) -> Target:
    (target,) = scan(text).targets
    return target


@pytest.mark.parametrize(
    ("text", "written", "destination"),
    [
        ("[a](b.md)", "b.md", "b.md"),
        ("é [ü](ö.md) ", "ö.md", "ö.md"),
        ('[a](<b c.md> "t")', "b c.md", "b c.md"),
        ("[a]( b\n 't'\n)", "b", "b"),
        ("[a](b\\_c&amp;d)", "b\\_c&amp;d", "b_c&d"),
        ("[a](b(c)d)", "b(c)d", "b(c)d"),
        ("[a]()", "", ""),
        ("[a](<>)", "", ""),
        ("[](b)", "b", "b"),
        ("[a\\](x)](b)", "b", "b"),
        ("[`](x)`](b)", "b", "b"),
        ("[a\r\nb](\r\nc)", "c", "c"),
        ("> [a](\n> b.md)", "b.md", "b.md"),
        ("> > [a](\n> > b.md\n> > 't')", "b.md", "b.md"),
        ("> [a](\n>b)", "b", "b"),
        ("- x\n\n\t[a](b)", "b", "b"),
        ("| h |\n|---|\n| [a](b\\|c) |", "b\\|c", "b|c"),
        ("# [a](b)", "b", "b"),
        ("<https://a?b&amp;c>", "https://a?b&amp;c", "https://a?b&c"),
        ("<me@example.com>", "me@example.com", "mailto:me@example.com"),
        ("[a]: b.md", "b.md", "b.md"),
        ("[a\\]b]:\n   <c d>\n  't'\n", "c d", "c d"),
        ("> [a]:\n> b", "b", "b"),
        ("- [a]: b", "b", "b"),
        ("[a]: b\n[A]: c", "b", "b"),
        ("\ufeff[a](b)", "b", "b"),
        ("😀[a](b)", "b", "b"),
    ],
)
def test_a_destination_is_found_as_it_is_written(text: str, written: str, destination: str):
    target = the_target(text)
    assert text[target.start : target.end] == written
    assert target.destination == destination


@pytest.mark.parametrize(
    "text",
    [
        "`[a](b)`",
        "    [a](b)",
        "```\n[a](b)\n```",
        "\\[a](b)",
        "<!-- [a](b) -->",
        "<div>\n[a](b)\n</div>",
        "[a]",
        "a < b",
    ],
)
def test_code_comments_and_escaped_text_are_no_targets(text: str):
    assert scan(text).targets == ()


def test_a_target_says_its_kind_place_words_and_title():
    text = "x\n\n- é [**a** `b`](c 't') ![d *e*](f)\n"
    assert scan(text).targets == (
        Target("link", "c", 19, 20, 3, 17, "a b", "t"),
        Target("image", "f", 35, 36, 3, 33, "d e", ""),
    )


@pytest.mark.parametrize(
    ("text", "line"), [("a\n\n[b](c)", 3), ("a\r\n\r\n[b](c)", 3), ("a\r\r[b](c)", 3), ("\ufeff[b](c)", 1)]
)
def test_lines_are_counted_whatever_ends_them_and_a_byte_order_mark_has_no_column(text: str, line: int):
    target = the_target(text)
    assert (target.line, target.column) == (line, 5)


def test_an_image_in_a_link_gives_two_targets_in_the_order_of_the_text():
    targets = scan("[![a](b) c](d)").targets
    assert [(target.kind, target.destination, target.text) for target in targets] == [
        ("image", "b", "a"),
        ("link", "d", "a c"),
    ]


def test_a_reference_names_its_definition_and_only_that_is_a_target():
    found = scan("[a b][Lab] ![c][lab] [lab]\n\n[lab]: d 't'\n")
    assert [target.kind for target in found.targets] == ["definition"]
    assert found.references == (
        Reference("link", "Lab", "d", 0, 10, 1, 1, "a b"),
        Reference("image", "lab", "d", 11, 20, 1, 12, "c"),
        Reference("link", "lab", "d", 21, 26, 1, 22, "lab"),
    )


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("# Plain", "Plain"),
        ("## *A* `b_c` &amp; \\# [d](e) ##", "A b_c & # d"),
        ("Two\nlines\n===", "Two lines"),
        ("# E=mc^2^", "E=mc2"),
        ("# `x^2^` a^*b*^", "x^2^ a^b^"),
        ("# a ![alt](b) <br> c", "a   c"),
        ("#", ""),
    ],
)
def test_a_headings_text_is_what_a_reader_sees(source: str, text: str):
    assert [heading.text for heading in scan(source).headings] == [text]


def test_a_heading_says_its_level_and_all_the_characters_it_takes():
    text = "é\n\n## A\nb\n\nC\n---\n\nd"
    first, second = scan(text).headings
    assert first == Heading(2, "A", 3, 8, 3)
    assert (second.level, second.line, text[second.start : second.end]) == (2, 6, "C\n---\n")


def test_raw_html_is_found_within_a_line_in_a_heading_and_as_a_block():
    found = scan("a <kbd>b</kbd>\n\n# c<br>\n\n<div>\n[x](y)\n</div>\n").raw_html
    assert [(piece.kind, piece.html, piece.line, piece.column) for piece in found] == [
        ("inline", "<kbd>", 1, 3),
        ("inline", "</kbd>", 1, 9),
        ("inline", "<br>", 3, 4),
        ("block", "<div>\n[x](y)\n</div>\n", 5, 1),
    ]
    assert isinstance(found[0], RawHtml)


def test_an_empty_text_has_nothing():
    assert scan("") == Scan((), (), (), ())
