"""Lists in Markdown within a budget of bytes: one function for the summary of a job and the comment of a pull request."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbsync.report.folding import OPEN_ROWS, Section, section_text

COLUMNS = ("File", "Title")


def a_section(number: int = 50, **more) -> Section:
    rows = [(f"`{place}.md`", "x" * 20) for place in range(number)]
    return Section("Changes", COLUMNS, rows, number, **more)


def names(number: int = 50) -> list[str]:
    return [f"`{place}.md`" for place in range(number)]


def rows_in(text: str) -> int:
    return text.count("x" * 20)


def test_what_fits_is_shown_whole_and_folded_after_twenty_rows():
    text = section_text(a_section(), 100_000)
    assert text.startswith("### Changes: 50\n\n| File | Title |") and rows_in(text) == 50
    assert rows_in(text.partition("<details>")[0]) == OPEN_ROWS and "<details><summary>30 more</summary>" in text


def test_a_list_can_be_folded_below_its_heading_or_with_it():
    below = section_text(a_section(3, folded="rows"), 100_000)
    assert below.startswith("### Changes: 3\n\n<details><summary>3 more</summary>") and rows_in(below) == 3
    whole = section_text(a_section(folded="list"), 100_000)
    assert whole.startswith("<details><summary>Changes: 50</summary>") and whole.count("<details>") == 1


def test_rows_without_room_are_counted():
    text = section_text(a_section(), 400)
    assert rows_in(text) < 20 and text.endswith(
        f"… and {50 - rows_in(text)} more are not shown: a comment has a size limit."
    )


def test_rows_without_room_are_named_where_there_are_names_and_the_rest_is_counted():
    text = section_text(a_section(names=names()), 600)
    listed, named = rows_in(text), text.count(".md`") - rows_in(text)
    assert listed and named and text.endswith(f"{50 - listed - named} others, because a comment has a size limit.")


@pytest.mark.parametrize("room", [-10, 0, 1, 60, 500, 5_000])
@pytest.mark.parametrize("has_names", [False, True])
def test_rows_and_names_take_no_more_than_the_room(room, has_names):
    section = a_section(names=names()) if has_names else a_section()
    empty = section_text(replace(section, rows=[], names=None), 0)
    folds = "<details><summary>30 more</summary></details>| File | Title || --- | --- |"
    text = section_text(section, room)
    assert len(text.encode()) <= max(room, 0) + len(empty.encode()) + 2 * len(folds) + 60
