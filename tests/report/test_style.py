"""Texts wrapped for a screen: by words, at any width, with commands and addresses whole."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.report.style import Style

HINT = "Copy the edit into your file, or run `kbsync push --overwrite 'en/a long name.md'` to send your file."


@pytest.mark.parametrize("width", [10, 30, 60, 100, 160])
def test_a_command_and_an_address_are_never_broken(width):
    address = "https://support.example.com/hc/handbook/articles/refund-a-charge"
    lines = Style(width=width).wrapped(f"      {HINT} See {address} for more, under [push] live.")
    joined = "\n".join(lines)
    assert "`kbsync push --overwrite 'en/a long name.md'`" in joined and address in joined and "[push] live" in joined
    assert all(line.startswith("      ") for line in lines)


@given(st.lists(st.text("abcé漢", min_size=1, max_size=12), min_size=1), st.integers(40, 120))
def test_wrapped_lines_fit_and_lose_no_word(words, width):
    lines = Style(width=width).wrapped("  " + " ".join(words), hang=4)
    assert " ".join(lines).split() == words
    assert all(len(line) <= width for line in lines)


def test_colour_is_put_around_each_line_and_not_around_its_margin():
    lines = Style(color=True, width=30).wrapped("    one two three four five six seven", colour="dim")
    assert len(lines) == 2 and all(re.fullmatch(r"    \x1b\[2m\S.*\S\x1b\[0m", line) for line in lines)
