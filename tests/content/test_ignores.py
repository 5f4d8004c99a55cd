"""Comments that ignore findings: which line each one is about, and what is wrong with some."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import source_of
from kbsync.markdown.html import render_html

HEAD = "---\ntitle: T\n---\n"


def covered(body: str) -> list[tuple[str, int]]:
    """Each code with the line of the body that it is about."""
    return [(ignore.code, ignore.covers - 3) for ignore in source_of(HEAD + body).ignores]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("Text <!-- kbsync-ignore KB301 -->\n", [("KB301", 1)]),
        ("<!-- kbsync-ignore KB301 -->\nText\n", [("KB301", 2)]),
        ("<!-- kbsync-ignore KB301 -->\n\n\nText\n", [("KB301", 4)]),
        ("<!-- kbsync-ignore KB301 -->\n<!-- kbsync-ignore KB302 -->\n| a |\n|---|\n", [("KB301", 3), ("KB302", 3)]),
        ("a\r\n\r\nb <!-- kbsync-ignore KB301, KB4 -->\r\n", [("KB301", 3), ("KB4", 3)]),
        ("a <!--kbsync-ignore KB301: as the service KB9 says-->\n", [("KB301", 1)]),
        ("> <!-- kbsync-ignore KB301 -->\n> text\n", [("KB301", 2)]),
        ("- a\n\n  <!-- kbsync-ignore KB301 -->\n  text\n", [("KB301", 4)]),
        ("| a |\n|---|\n| b <!-- kbsync-ignore KB301 --> |\n", [("KB301", 3)]),
        ("a <!-- kbsync-ignore\nKB301 --> b\n", [("KB301", 1)]),
        ("text\n\n<!-- kbsync-ignore KB301 -->\n", [("KB301", 3)]),
        ("`<!-- kbsync-ignore KB301 -->`\n\n    <!-- kbsync-ignore KB301 -->\n", []),
        ("```\n<!-- kbsync-ignore KB301 -->\n```\n", []),
        ("<!-- not for kbsync-ignore KB301 -->\n", []),
        ("a <!-- kbsync-ignore KB401: b -- c -->\n", [("KB401", 1)]),
        ("a <!-- kbsync-ignore KB401 ---> b\n", []),
    ],
)
def test_a_comment_is_about_its_own_line_and_one_that_stands_alone_about_the_next_that_is_not_empty(body, found):
    assert covered(body) == found
    assert source_of(HEAD + body).problems == ()


@pytest.mark.parametrize(
    ("body", "place", "said"),
    [
        ("a <!-- kbsync-ignore -->\n", (4, 3), "does not name a code"),
        ("a\nb <!-- kbsync-disable KB301 -->\n", (5, 3), "does not know the comment `kbsync-disable`"),
        ("<!-- kbsync-ignore KB301 --> gone\n", (4, 1), "Readers do not see"),
        ("- <!-- kbsync-ignore KB301 --> gone\n", (4, 3), "Readers do not see"),
    ],
)
def test_a_comment_that_does_not_do_what_it_says_is_told(body, place, said):
    (problem,) = source_of(HEAD + body).problems
    assert (problem.code, problem.level) == ("KB120", "warning")
    assert (problem.line, problem.column) == place and said in problem.message


@pytest.mark.parametrize("body", ["a <!-- kbsync-ignore KB301 -->\n", "<!-- kbsync-ignore KB301 -->\nText\n"])
def test_readers_see_nothing_of_it(body):
    assert "kbsync" not in render_html(body)


def test_a_code_has_its_own_place():
    (first, second) = source_of(HEAD + "é <!-- kbsync-ignore KB301\n KB302 -->\n").ignores
    assert ((first.line, first.column), (second.line, second.column)) == ((4, 22), (5, 2))


def test_the_key_of_the_front_matter_is_read_in_articles_and_categories():
    assert source_of("---\ntitle: T\nlint_ignore: [KB205]\n---\nx").lint_ignore == ("KB205",)
    category = source_of("---\nname: T\nlint_ignore: [KB2]\n---\n", "en/a/_category.md")
    assert category.lint_ignore == ("KB2",) and category.problems == ()


@given(st.text("<!- kbsync-ignore KB1:\n\r>`\t", max_size=60))
def test_whatever_stands_there_it_is_read_without_a_crash(text):
    lines = text.count("\n") + text.count("\r") + 5
    for ignore in source_of(HEAD + f"a <!-- kbsync-ignore KB301 --> {text}").ignores:
        assert 1 <= ignore.line <= lines and 1 <= ignore.covers <= lines
