"""The body: every byte after the closing line, less the heading that became the title."""

import pytest

from builders import read_body, source_of
from kbsync.markdown.uploaded import body_digest

BODIES = {
    "LF": ("---\ntitle: A\n---\nText\n", "Text\n"),
    "CRLF": ("---\r\ntitle: A\r\n---\r\n\r\nText\r\n", "\r\nText\r\n"),
    "a lone CR": ("---\rtitle: A\r---\rText\rmore", "Text\rmore"),
    "mixed line ends": ("---\r\ntitle: A\n---\nText\r\nmore\n", "Text\r\nmore\n"),
    "a BOM": ("\ufeff---\ntitle: A\n---\nText", "Text"),
    "a BOM and no front matter": ("\ufeffText only\r\n", "Text only\r\n"),
    "a second BOM is text": ("---\ntitle: A\n---\n\ufeffText", "\ufeffText"),
    "blank lines": ("---\ntitle: A\n---\n\n\n  Text  \n\n", "\n\n  Text  \n\n"),
    "blanks behind the dashes": ("--- \t\ntitle: A\n---\t \nText", "Text"),
    "dashes further down": ("---\ntitle: A\n---\nText\n\n---\n\nmore\n---\n", "Text\n\n---\n\nmore\n---\n"),
    "dots as the end": ("---\ntitle: A\n...\nText\n---\n", "Text\n---\n"),
    "dashes inside a value": ("---\ntitle: 'A'\ndescription: a --- b\n---\nText", "Text"),
    "an indented line of dashes": ("---\ntitle: A\ndescription: |\n  x\n  ---\n---\nText", "Text"),
    "four dashes close nothing": ("---\ntitle: A\n#----\n---\nText", "Text"),
    "empty front matter": ("---\n---\nText", "Text"),
    "blank front matter": ("---\n\n# only a comment\n---\nText", "Text"),
    "only front matter": ("---\ntitle: A\n---", ""),
    "no front matter": ("Text\n---\nmore\n", "Text\n---\nmore\n"),
    "front matter after a blank line is none": ("\n---\ntitle: A\n---\n", "\n---\ntitle: A\n---\n"),
    "four dashes are no front matter": ("----\ntitle: A\n----\n", "----\ntitle: A\n----\n"),
}


@pytest.mark.parametrize(("text", "body"), BODIES.values(), ids=list(BODIES))
def test_the_body_keeps_every_byte_after_the_closing_line(text, body):
    assert read_body(text) == body
    assert source_of(text).body_digest == body_digest(body) and source_of(text).body_chars == len(body)


TITLES = {
    "a heading": ("# A\n\nText\n", "A", "\nText\n"),
    "a closed heading": ("# A #\nText", "A", "Text"),
    "an indented heading": ("   # A\nText", "A", "Text"),
    "CRLF": ("# A\r\n\r\nText\r\n", "A", "\r\nText\r\n"),
    "underlined": ("A\n===\nText\n", "A", "Text\n"),
    "underlined over two lines": ("A\nB\n=\nText\n", "A B", "Text\n"),
    "underlined, CRLF": ("A\r\n===\r\nText\r\n", "A", "Text\r\n"),
    "after front matter": ("---\nslug: a\n---\n\n# A\nText", "A", "\nText"),
    "not at the beginning": ("Text\n\n# A\nmore\n", "A", "Text\n\nmore\n"),
    "only the first": ("# A\n# B\n", "A", "# B\n"),
    "after a lesser one": ("## B\n# A\nText", "A", "## B\nText"),
    "with marks": ("# The *big* `A` &amp; c\nText", "The big A & c", "Text"),
    "with a link": ("# See [it](https://x.y) now\n\nText", "See it now", "\nText"),
    "at the end": ("Text\n# A", "A", "Text\n"),
    "not in code": ("```\n# no\n```\n# A\nText", "A", "```\n# no\n```\nText"),
    "not in a comment": ("<!--\n# no\n-->\n\n# A\nText", "A", "<!--\n# no\n-->\n\nText"),
    "not in a quote": ("> # no\n\n# A\nText", "A", "> # no\n\nText"),
    "not in a list item": ("- # no\n\n# A\nText", "A", "- # no\n\nText"),
    "with a title key the heading stays": ("---\ntitle: A\n---\n# B\nText", "A", "# B\nText"),
    "with a title key the underlined heading stays": ("---\ntitle: A\n---\nB\n===\nText\r\n", "A", "B\n===\nText\r\n"),
    "without either there is no title": ("Text\n", None, "Text\n"),
    "a lesser heading is no title": ("## A\nText\n", None, "## A\nText\n"),
    "a heading without a blank is no title": ("#A\n", None, "#A\n"),
    "a heading in a quote is no title": ("> # A\n", None, "> # A\n"),
}


@pytest.mark.parametrize(("text", "title", "body"), TITLES.values(), ids=list(TITLES))
def test_without_a_title_key_the_first_heading_of_level_1_is_the_title_and_leaves_the_body(text, title, body):
    assert (source_of(text).title, read_body(text)) == (title, body)
    assert source_of(text).body_digest == body_digest(body)


def test_a_body_of_blanks_is_blank_and_so_is_one_that_was_all_title():
    assert source_of("---\ntitle: A\n---\n \n\t\n").body_blank
    assert source_of("# A\n").body_blank
    assert not source_of("# A\nx").body_blank


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_links_are_placed_by_the_lines_and_columns_of_the_file(end):
    (link,) = source_of(end.join(["---", "title: A", "---", "", "é [a](b.md)"])).links
    assert (link.line, link.column) == (5, 7)


def test_a_image_by_reference_is_a_image():
    source = source_of("![a][Shot  1] [b][doc]\n\n[shot 1]: a.png\n[doc]: b.md\n")
    assert [(link.kind, link.target) for link in source.links] == [
        ("image", "en/billing/a.png"), ("definition", "en/billing/b.md"),
    ]  # fmt: skip
