"""What rules look at first, before the prose: nothing that a reader sees may be missing in it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from builders import source_of
from kbsync.content.inspection import Body
from kbsync.lint.body_checks import BODY_CHECKS
from kbsync.lint.page import Page
from kbsync.lint.tables import may_cut_code

from .texts import FRONT, OF_ONE_TEXT

LINES = sorted(
    {line for bad, good in OF_ONE_TEXT.values() for text in (*(t for t, _ in bad), *good) for line in text.splitlines()}
)
BLOCKS = ["```", "~~~ json", "    {code}", "<div>", "</div>", "<!--", "-->", "- ```", "  ```", "> ```", "- a", "", ""]
VISIBLE = re.compile(r"[^\0\x01\n]+")


def page_of(text: str) -> Page:
    """The page of a body."""
    pages: list[Page] = []

    def keep(body: Body) -> list[object]:
        pages.append(Page(body))
        return []

    source_of(FRONT + text, inspect=keep)
    return pages[0]


@given(st.lists(st.sampled_from(LINES) | st.sampled_from(BLOCKS), min_size=1).map("\n".join))
def test_a_check_finds_nothing_in_a_text_that_lacks_its_sign(text):
    page = page_of(f"{text}\n")
    for check in BODY_CHECKS:
        assert check.sign in page.signs or not list(check.find(page)), check.find.__name__


@given(st.lists(st.sampled_from(LINES) | st.sampled_from(BLOCKS), min_size=1).map("\n".join))
def test_whatever_is_left_in_the_prose_is_outside_of_blocks_and_has_its_signs(text):
    page = page_of(f"{text}\n")
    for run in VISIBLE.findall(page.prose.text):
        assert run in page.outside
        assert re.sub(r"[\w\s]|[^\x00-\x7f]", "", run).replace("_", "") in page.signs.replace("_", "").replace("\n", "")


def test_blocks_of_code_and_raw_html_are_inside_and_each_line_is_behind_a_line_end():
    page = page_of("# a\n\n```\n{b}\n```\n\n<div>\nc!\n</div>\n\n- d `e`\n\n      [f]\n")
    assert page.outside.split() == ["#", "a", "-", "d", "`e`"]
    assert page.outside.startswith("\n# a\n")
    assert page.signs.strip("\n").replace("\n", "") == "#-``"


WITH_BRACKETS = (
    "[a](b.md)", "![a](b.png)", "[a [b](c.md)", "- [ ] a", "[a]", "[a][b]", "[a]: b.md", "`[a`", "[`]`](b)", "[](b)",
)  # fmt: skip


@given(st.lists(st.sampled_from(WITH_BRACKETS) | st.sampled_from(LINES) | st.sampled_from(BLOCKS)).map("\n".join))
def test_without_loose_brackets_readers_see_no_bracket(text):
    page = page_of(f"{text}\n")
    if not page.has_loose_brackets:
        assert not set("[]") & set(page.prose.text)


def test_links_and_images_with_nothing_but_words_leave_no_loose_brackets():
    assert not page_of("A [b](c.md) and ![d](e.png).\n\n```\na[0]\n```\n").has_loose_brackets
    assert page_of("A [b](c.md) and [d].\n").has_loose_brackets


def test_what_was_taken_out_is_inside_with_its_signs():
    page = page_of("a!\n\n```js\n{b}\n```\n\n<div>\nc?\n</div>\n")
    assert page.inside.split() == ["```js", "{b}", "```", "<div>", "c?", "</div>"]
    assert page.signs_inside.replace("\n", "") == "```{}```<>?</>"


CELLS = st.lists(st.sampled_from(["`", "``", "a", "b.", " ", "\\", "|", "!"]), max_size=8).map("".join)


@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=4).map(lambda cells: f"|{'|'.join(cells)}|"), min_size=1, max_size=4)
)
def test_a_cell_with_an_odd_number_of_backticks_is_never_passed_by(rows):
    page = page_of("\n".join(["| a | b |", "| --- | --- |", *rows, ""]))
    if not may_cut_code(page.signs):
        assert all(cell.count("`") % 2 == 0 for row in rows for cell in row.split("|"))
